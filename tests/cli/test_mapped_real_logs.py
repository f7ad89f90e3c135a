"""Public logs that --map alone reads whole; what was counted by hand is counted here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import ragstone


def scored(suite: str, *words: str | Path) -> dict[str, Any]:
    found = ragstone(suite, "--no-config", "--json", *words)
    assert found.code in (0, 1), found.err
    return found.json


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_kilt_gives_the_values_that_it_publishes(shared_data: Path) -> None:
    files = shared_data / "formats"
    found = scored(
        "score", "--gold", files / "kilt-gold.jsonl", "--trace", files / "kilt-guess.jsonl",
        "--ids", "text", "--map", "qid=id", "question=input", "answerable=true",
        "gold_claim_substr=output[].answer", "gold_citations=output[].provenance[].wikipedia_id",
        "claim=output[0].answer", "retrieved_ids=output[0].provenance[].wikipedia_id",
        "citations=output[0].provenance[].wikipedia_id",
    )  # fmt: skip
    # Its recall@5 is 1/3. Two of the three answers hold an expected one letter by letter.
    assert found["metrics"]["recall@k"]["value"] == pytest.approx(1 / 3)
    assert found["metrics"]["containment"]["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("model", ["gpt-4-azure", "Mixtral-8x7B-Instruct-v0.1", "Orca-2-7b"])
def test_nomiracl_is_gold_and_trace_in_one_line(model: str, shared_data: Path) -> None:
    path = shared_data / "nomiracl" / "outputs.jsonl"
    found = scored(
        "score", "--gold", path, "--trace", path, "--refusal", "I don't know",
        "--map", "qid=query_id", "answerable=subset{relevant:true,non_relevant:false}",
        f'claim=results."{model}"', "retrieved_ids=docids",
    )  # fmt: skip
    numbers, rows = found["metrics"], lines(path)
    said: dict[str, list[str]] = {"relevant": [], "non_relevant": []}
    for row in rows:
        said[row["subset"]].append(row["results"][model].strip().lower())
    over, under = numbers["over_refusal"], numbers["under_refusal"]
    assert over["denominator"] == len(said["relevant"])
    assert over["numerator"] == said["relevant"].count("i don't know")
    # An answer without a word is missing, and neither a refusal nor shipped.
    shipped = [claim for claim in said["non_relevant"] if claim not in ("i don't know", "")]
    assert (under["numerator"], under["denominator"]) == (len(shipped), len(said["non_relevant"]))
    assert found["inputs"]["kept"] == len(rows)


def test_liverag_answers_are_a_trace(shared_data: Path) -> None:
    path = shared_data / "liverag" / "answers.live.jsonl"
    found = scored(
        "score", "--gold", path, "--trace", path, "--ids", "text", "--map", "qid=id",
        "answerable=true", "claim=answer", "retrieved_ids=passages[].doc_IDs[]",
        "gold_citations=passages[0].doc_IDs",
    )  # fmt: skip
    assert found["inputs"]["kept"] == len(lines(path))
    assert found["metrics"]["recall@k"]["value"] == 1.0


def test_financebench_has_all_answers_of_all_systems(shared_data: Path) -> None:
    folder = shared_data / "financebench"
    found = scored(
        "score", "--gold", folder / "questions.jsonl", "--trace", folder / "answers.jsonl",
        "--keep", "all", "--no-scope", "--map", "qid=id", "answerable=true",
        "gold.gold_claim_substr=answer", "gold_citations=evidence", "claim=answer",
    )  # fmt: skip
    assert found["inputs"]["kept"] == len(lines(folder / "answers.jsonl"))


def test_trec_rag_24_retrieval_is_a_file_of_results(shared_data: Path) -> None:
    folder = shared_data / "rag24"
    found = scored(
        "context", "--results", folder / "retrieval.jsonl", "--reference", folder / "qrels.txt",
        "--map", "qid=topic", "doc_ids=references_ids",
    )  # fmt: skip
    judged: dict[str, set[str]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        qid, _, document, grade = line.split()
        if int(grade) >= 1:
            judged.setdefault(qid, set()).add(document)
    rows = [row for row in lines(folder / "retrieval.jsonl") if judged.get(row["topic"])]
    right = [len(set(row["references_ids"]) & judged[row["topic"]]) for row in rows]
    shares = [hit / len(row["references_ids"]) for hit, row in zip(right, rows, strict=True)]
    assert found["metrics"]["context_precision"]["value"] == pytest.approx(sum(shares) / len(rows))
