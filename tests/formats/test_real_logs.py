"""Traces of other tools, on real files: what comes out is what plain Python finds in the file."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder

pytestmark = pytest.mark.data

Line = dict[str, Any]
MARKER = re.compile(r"\[(\d+(?:,\s*\d+)*)\]")


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def converted(command: Command, name: str, *files: Path | str) -> tuple[list[Line], Line]:
    """The traces that come out of files, and what is said of them."""
    ran = command("convert", "--from", name, *map(str, files), "-o", "t.jsonl", "--json")
    assert ran.code == 0, ran.err
    return lines_of(command.folder.work / "t.jsonl"), ran.json


def test_liverag(command: Command, shared_data: Path):
    file = shared_data / "liverag" / "answers.live.jsonl"
    raw = lines_of(file)
    traces, said = converted(command, "liverag", file)
    assert [(each["qid"], each["q"]) for each in traces] == [
        (str(line["id"]), line["question"]) for line in raw
    ]
    assert [each["answer_json"] for each in traces] == [{"claim": line["answer"]} for line in raw]
    for trace, line in zip(traces, raw, strict=True):
        ids = [id for passage in line["passages"] for id in passage["doc_IDs"]]
        assert trace["retrieved_ids"] == list(dict.fromkeys(ids))
        assert trace["retrieved_texts"][0] == line["passages"][0]["passage"]
    assert (said["lost"], said["lacks"]) == ({}, {"no_citations": len(raw)})


def test_two_providers_of_promptfoo_are_not_mixed(command: Command, shared_data: Path):
    file = shared_data / "formats" / "promptfoo-export.json"
    ran = command("convert", "--from", "promptfoo", str(file), "-o", "t.jsonl")
    assert ran.code == 2
    assert "2 systems answered, openai:gpt-5#0, openai:gpt-5-mini#1; choose one" in ran.err
    assert not (command.folder.work / "t.jsonl").exists()
    ran = command("convert", "--from", "promptfoo:gpt-5", str(file), "-o", "t.jsonl")
    assert ran.code == 2
    assert "no system is called 'gpt-5'; there are openai:gpt-5#0" in ran.err


def test_promptfoo(command: Command, shared_data: Path):
    file = shared_data / "formats" / "promptfoo-export.json"
    raw = json.loads(file.read_text(encoding="utf-8"))["results"]["results"]
    own = [each for each in raw if each["provider"]["id"] == "openai:gpt-5-mini"]
    traces, said = converted(command, "promptfoo:openai:gpt-5-mini#1", file)
    assert len(own) == 2
    assert traces == [
        {
            "system": "openai:gpt-5-mini#1",
            "qid": str(each["testIdx"]),
            "retrieved_ids": [],
            "answer_json": {"claim": each["response"]["output"], "citations": []},
            "latency_ms": each["latencyMs"],
            "cost_usd": each["cost"],
            "tokens": {
                "in": each["response"]["tokenUsage"]["prompt"],
                "out": each["response"]["tokenUsage"]["completion"],
            },
        }
        for each in own
    ]
    assert said["lost"] == {"other_system": len(raw) - len(own)}
    # No test has an id of its own, and no assert a metric.
    assert said["lacks"]["test_number"] == said["lacks"]["unnamed_scores"] == len(own)


def test_promptfoo_is_scored(command: Command, shared_data: Path):
    gold = [
        {"qid": "0", "question": "?", "answerable": True, "gold_claim_substr": ["an echo"]},
        {"qid": "1", "question": "?", "answerable": True, "gold_claim_substr": ["married"]},
    ]
    command.folder.write("gold.jsonl", gold)
    trace = shared_data / "formats" / "promptfoo-export.json"
    files = ("--gold", "gold.jsonl", "--trace", str(trace), "--from", "promptfoo:openai:gpt-5#0")
    ran = command("score", *files, "--json")
    assert ran.json["metrics"]["containment"]["value"] == 1.0
    assert ran.json["settings"]["from"] == "promptfoo:openai:gpt-5#0"


def test_deepeval(command: Command, shared_data: Path):
    file = shared_data / "formats" / "deepeval-test_run.json"
    (case,) = json.loads(file.read_text(encoding="utf-8"))["testCases"]
    (span,) = case["trace"]["retrieverSpans"]
    texts = span["retrievalContext"]
    traces, said = converted(command, "deepeval", file)
    assert traces == [
        {
            "qid": case["name"],
            "q": case["input"],
            "retrieved_ids": [hashlib.sha256(each.encode()).hexdigest()[:16] for each in texts],
            "retrieved_texts": texts,
            "answer_json": {"claim": case["actualOutput"]},
            "judge": {each["name"]: each["score"] for each in case["metricsData"]},
        }
    ]
    assert case["trace"]["output"]["citations"]
    assert said["lacks"] == {"hashed_ids": 1, "no_citations": 1, "other_ids": 1}


def test_a_hashed_id_is_that_of_the_nfc_text(command: Command, folder: Folder):
    texts = ["Cafe\u0301", "Caf\u00e9 au lait", "a\u0000Cafe\u0301"]
    case = {"name": "1", "actualOutput": "x", "retrievalContext": texts}
    folder.write("run.json", json.dumps({"testCases": [case]}))
    (trace,), _ = converted(command, "deepeval", "run.json")
    composed = ["Caf\u00e9", "Caf\u00e9 au lait", "a\u0000Caf\u00e9"]
    hashes = [hashlib.sha256(each.encode()).hexdigest()[:16] for each in composed]
    assert trace["retrieved_ids"] == hashes


def test_mtrag_responses(command: Command, shared_data: Path):
    file = shared_data / "formats" / "mtrag-responses.jsonl"
    raw = lines_of(file)
    traces, said = converted(command, "mtrag", file)
    assert traces == [
        {
            "qid": line["task_id"],
            "q": line["input"][-1]["text"],
            "retrieved_ids": [each["document_id"] for each in line["contexts"]],
            "retrieved_texts": [each["text"] for each in line["contexts"]],
            "answer_json": {"claim": line["predictions"][0]["text"]},
        }
        for line in raw
    ]
    assert said["lacks"] == {
        "no_citations": len(raw),
        "no_contexts": sum(not line["contexts"] for line in raw),
    }


def test_a_run_of_ragtime(command: Command, shared_data: Path):
    file = shared_data / "formats" / "trec-ragtime-run.jsonl"
    raw = lines_of(file)
    traces, said = converted(command, "trec-rag", file)
    assert traces == [
        {
            "system": line["metadata"]["run_id"],
            "qid": line["metadata"]["topic_id"],
            "retrieved_ids": line["references"],
            "answer_json": {
                "claims": [
                    {"text": each["text"], "citations": list(each["citations"])}
                    for each in line["responses"]
                ]
            },
        }
        for line in raw
    ]
    cited = [{id for each in line["responses"] for id in each["citations"]} for line in raw]
    only = sum(set(line["references"]) <= ids for line, ids in zip(raw, cited, strict=True))
    assert said["lacks"] == {"only_cited": only, "scores": len(raw)}


def run_of_2024(folder: Path) -> list[Line]:
    """The real answers of TREC RAG 2024 in the shape of that year's runs, a run for each style."""
    retrieved = {line["topic"]: line for line in lines_of(folder / "retrieval.jsonl")}
    return [
        {
            "run_id": line["style"],
            "topic_id": line["topic"],
            "topic": retrieved[line["topic"]]["query"],
            "references": retrieved[line["topic"]]["references_ids"],
            "answer": [
                {
                    "text": MARKER.sub("", said),
                    "citations": [int(n) for some in MARKER.findall(said) for n in some.split(",")],
                }
                for said in line["text"].splitlines()
                if said.strip()
            ],
        }
        for line in lines_of(folder / "responses.jsonl")
    ]


def test_positions_topics_and_qrels_of_trec_rag_2024(command: Command, shared_data: Path):
    run, qrels = run_of_2024(shared_data / "rag24"), shared_data / "rag24" / "qrels.txt"
    command.folder.write("run.jsonl", run)
    topics = {line["topic_id"]: line["topic"] for line in run}
    written = "".join(f"{qid}\t{text}\n" for qid, text in topics.items())
    command.folder.write("gold/topics.txt", written)
    command.folder.write("gold/qrels.txt", qrels.read_bytes())
    inputs = ("--gold", "gold", "--gold-from", "beir", "--trace", "run.jsonl")
    several = command("score", *inputs, "--from", "trec-rag")
    assert several.code == 2
    assert "3 systems answered, bullet, essay, news; choose one" in several.err
    told = command("score", *inputs, "--from", "trec-rag:bullet", "--k", "20", "--json").json

    judged = [line.split() for line in qrels.read_text(encoding="utf-8").splitlines()]
    relevant: dict[str, set[str]] = {}
    for qid, _, id, grade in judged:
        relevant.setdefault(qid, set()).update([id] if int(grade) >= 1 else [])
    precision, recall, found = [], [], []
    for line in run:
        if line["run_id"] == "bullet" and (right := relevant[line["topic_id"]]):
            places = {place for each in line["answer"] for place in each["citations"]}
            ids = {line["references"][place] for place in places if place < 20}
            precision.append(len(ids & right) / len(ids))
            recall.append(len(ids & right) / len(right))
            found.append(len(set(line["references"][:20]) & right) / len(right))
    by_hand = {"citation_precision": precision, "citation_recall": recall, "recall_frac@k": found}
    for name, values in by_hand.items():
        assert told["metrics"][name]["value"] == pytest.approx(sum(values) / len(values)), name
    unknown = Counter(qid not in topics for qid, *_ in judged)[True]
    warned = [warning for warning in told["warnings"] if warning.startswith("beir: ")]
    assert bool(unknown) == any(f"{unknown:,} lines left out: no_query" in w for w in warned)
