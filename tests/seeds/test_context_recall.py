"""The context recall evaluator: its formulas, its ids, its command, its Python call, its files.

The document imports `evaluators.context_recall`, `RAGResult` and `QAPair`; here the class is
`ragstone.ContextRecall`, and any dataclass or dictionary with the fields will do. Its command is
`scripts/evaluate.py`; here it is `ragstone context`, with the same flags.
"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from typing import Any

import pytest
from command import Folder, Process, Ran

import ragstone as library

FIRST = "<urn:uuid:27c682dc-c97b-4c3e-b41c-999c65264a6d>"
SECOND = "<urn:uuid:417fbc69-80f9-4b53-8b5c-1c9cdd2bb0e9>"
THIRD = "<urn:uuid:00000000-0000-4000-8000-000000000003>"


def chunk(document: str, number: int = 0) -> str:
    return f"doc-{document}::chunk-{number}"


@dataclass
class RAGResult:
    """What a system brought, as its authors keep it."""

    qid: int
    question: str
    doc_ids: list[str]
    answer: str = ""
    context: list[str] = field(default_factory=list)
    system_name: str = "mine"


@dataclass
class QAPair:
    """A question and its gold documents, as its authors keep it."""

    qid: int
    question: str
    document_ids: list[str]
    answer: str = ""


# 1 finds its one document second; 2 finds one of two, in two chunks; 3 finds nothing.
RESULTS = [
    RAGResult(1, "Who?", [chunk(FIRST), chunk(SECOND, 3)]),
    RAGResult(2, "Why?", [chunk(SECOND, 1), chunk(SECOND, 2)]),
    RAGResult(3, "How?", [chunk(FIRST)]),
]
REFERENCES = [
    QAPair(1, "Who?", [SECOND]),
    QAPair(2, "Why?", [SECOND, THIRD]),
    QAPair(3, "How?", [THIRD]),
]
SECOND_PLACE = 1 / math.log2(3)
# Found first, where the ideal has two documents.
ONE_OF_TWO = 1 / (1 + 1 / math.log2(3))
AVERAGES = {
    "avg_context_recall": pytest.approx((1 + 1 / 2 + 0) / 3),
    "avg_context_precision": pytest.approx((1 / 2 + 1 + 0) / 3),
    "avg_context_f1": pytest.approx((2 / 3 + 2 / 3 + 0) / 3),
    "ndcg_10": pytest.approx((SECOND_PLACE + ONE_OF_TWO + 0) / 3),
}
ROW_COLUMNS = {
    *("qid", "context_recall", "context_precision", "context_f1"),
    *("retrieved_docs_count", "gold_docs_count", "correct_docs_count", "ndcg_10"),
}


def plain(given: list[Any]) -> list[dict[str, Any]]:
    return [dict(vars(each)) for each in given]


def table(folder: Folder, name: str, given: list[Any]) -> None:
    """A TSV as pandas writes it, with Python lists in its cells."""
    path = folder.work / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = plain(given)
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def files(folder: Folder) -> Folder:
    """The two files of the document's command, where it has them."""
    table(folder, "data/rag_results/your_results.tsv", RESULTS)
    table(folder, "data/generated_qa_pairs/your_reference.tsv", REFERENCES)
    return folder


def context(ragstone: Process, *words: str) -> Ran:
    return ragstone(
        *("context", "--evaluator", "ContextRecall"),
        *("--results", "data/rag_results/your_results.tsv"),
        *("--reference", "data/generated_qa_pairs/your_reference.tsv"),
        *words,
    )


# The Python call


def test_the_python_call_of_the_document() -> None:
    evaluator = library.ContextRecall()
    evaluation_result = evaluator.evaluate(RESULTS, REFERENCES)
    assert {name: evaluation_result.metrics[name] for name in AVERAGES} == AVERAGES


def test_every_row_counts_its_documents() -> None:
    rows = library.ContextRecall().evaluate(RESULTS, REFERENCES).rows
    assert set(rows[0]) >= ROW_COLUMNS
    counted = [
        (row["retrieved_docs_count"], row["gold_docs_count"], row["correct_docs_count"])
        for row in rows
    ]
    assert counted == [(2, 1, 1), (1, 2, 1), (1, 1, 0)]
    assert [row["context_recall"] for row in rows] == [1.0, 0.5, 0.0]
    assert [row["context_precision"] for row in rows] == [0.5, 1.0, 0.0]
    assert rows[2]["context_f1"] == 0.0


def test_ndcg_is_measured_against_all_gold_documents() -> None:
    """The original takes its ideal from what was retrieved, so that a miss costs nothing.

    The spec has trec_eval's measure under `ndcg_10` and keeps the original's beside it.
    """
    scores = library.ContextRecall().evaluate(RESULTS, REFERENCES)
    assert scores.rows[1]["ndcg_10"] == pytest.approx(ONE_OF_TWO)
    assert scores.rows[1]["ndcg_10_retrieved"] == 1.0
    assert scores.metrics["ndcg_10_retrieved"] == pytest.approx((SECOND_PLACE + 1 + 0) / 3)


def test_ndcg_looks_at_ten_documents() -> None:
    others = [f"<urn:uuid:{number}>" for number in range(10)]
    for place in (9, 10):
        results = [{"qid": 1, "doc_ids": [*others[:place], FIRST]}]
        row = library.ContextRecall().evaluate(results, [{"qid": 1, "document_ids": [FIRST]}])
        gain = 1 / math.log2(11) if place == 9 else 0.0
        assert row.metrics["ndcg_10"] == pytest.approx(gain)


def test_results_and_references_may_be_dictionaries_frames_and_paths(files: Folder) -> None:
    pandas = pytest.importorskip("pandas")
    results, references = plain(RESULTS), plain(REFERENCES)
    paths = (
        files.work / "data/rag_results/your_results.tsv",
        files.work / "data/generated_qa_pairs/your_reference.tsv",
    )
    evaluate = library.ContextRecall().evaluate
    for found in (
        evaluate(results, references),
        evaluate(pandas.DataFrame(results), pandas.DataFrame(references)),
        evaluate(*paths),
        evaluate(str(paths[0]), references),
    ):
        assert {name: found.metrics[name] for name in AVERAGES} == AVERAGES


@pytest.mark.parametrize("qid", [1, "1", 1.0])
def test_a_question_is_known_by_its_number_however_it_is_written(qid: Any) -> None:
    results = [{"qid": qid, "doc_ids": [chunk(FIRST)]}]
    found = library.ContextRecall().evaluate(results, [{"qid": "1", "document_ids": [FIRST]}])
    assert found.metrics["avg_context_recall"] == 1.0


@pytest.mark.parametrize("retrieved", [chunk(FIRST), chunk(FIRST, 17), FIRST])
@pytest.mark.parametrize("gold", [chunk(FIRST), FIRST])
def test_a_chunk_and_its_document_are_the_same(retrieved: str, gold: str) -> None:
    results = [{"qid": 1, "doc_ids": [retrieved, chunk(SECOND)]}]
    found = library.ContextRecall().evaluate(results, [{"qid": 1, "document_ids": [gold]}])
    assert found.metrics["avg_context_recall"] == 1.0
    assert found.metrics["avg_context_precision"] == 0.5


# The command


def test_the_command_of_the_document(files: Folder, ragstone: Process) -> None:
    ran = context(ragstone, "--json")
    assert ran.code == 0
    assert {name: ran.json[name] for name in AVERAGES} == AVERAGES
    assert ran.json["pct_records_with_at_least_one_ref"] == pytest.approx(200 / 3)
    assert ran.json["pct_records_with_all_refs"] == pytest.approx(100 / 3)


@pytest.mark.parametrize(
    "cell", [f"['{SECOND}']", f'["{SECOND}"]', SECOND, f"['{SECOND}', '{SECOND}']"]
)
def test_a_list_cell_may_be_python_json_or_one_bare_id(
    files: Folder, ragstone: Process, cell: str
) -> None:
    path = files.work / "data/generated_qa_pairs/your_reference.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([["qid", "document_ids"], ["1", cell]])
    assert context(ragstone, "--json").json["avg_context_recall"] == 1.0


def test_a_gate_on_recall_decides(files: Folder, ragstone: Process) -> None:
    assert context(ragstone, "--gates", "context_recall=0.5").code == 0
    assert context(ragstone, "--gates", "context_recall=0.51").code == 1


# The files


@pytest.mark.parametrize("flag", ["--out", "--output-dir"])
def test_the_averages_and_the_rows_are_written(files: Folder, ragstone: Process, flag: str) -> None:
    assert context(ragstone, flag, "eval").code == 0
    found = sorted(path.name for path in (files.work / "eval").iterdir())
    assert found == [
        "your_results.ContextRecall.eval.aggregated.jsonl",
        "your_results.ContextRecall.eval.aggregated.tsv",
        "your_results.ContextRecall.eval.rows.jsonl",
        "your_results.ContextRecall.eval.rows.tsv",
    ]


def read(folder: Folder, kind: str, form: str) -> list[dict[str, Any]]:
    """The records of one of the files, whose numbers are text in a TSV."""
    path = folder.work / f"eval/your_results.ContextRecall.eval.{kind}.{form}"
    with path.open(encoding="utf-8", newline="") as file:
        if form == "tsv":
            return list(csv.DictReader(file, delimiter="\t"))
        return [json.loads(line) for line in file]


def test_both_forms_hold_the_same_averages(files: Folder, ragstone: Process) -> None:
    context(ragstone, "--out", "eval")
    for form in ("tsv", "jsonl"):
        (averages,) = read(files, "aggregated", form)
        assert {name: float(averages[name]) for name in AVERAGES} == AVERAGES
        assert float(averages["pct_records_with_all_refs"]) == pytest.approx(100 / 3)


def test_both_forms_hold_the_same_rows(files: Folder, ragstone: Process) -> None:
    context(ragstone, "--out", "eval")
    for form in ("tsv", "jsonl"):
        rows = read(files, "rows", form)
        assert set(rows[0]) >= ROW_COLUMNS
        assert [row["qid"] for row in rows] == ["1", "2", "3"]
        assert [float(row["context_recall"]) for row in rows] == [1.0, 0.5, 0.0]
        assert [int(row["correct_docs_count"]) for row in rows] == [1, 1, 0]


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_one_form_and_a_prefix_may_be_asked_for(
    files: Folder, ragstone: Process, form: str
) -> None:
    words = ("--output-dir", "eval", "--output-prefix", "march", "--output-format", form)
    assert context(ragstone, *words).code == 0
    found = [path.name for path in (files.work / "eval").iterdir()]
    assert len(found) == 2
    assert all("march" in name and name.endswith(form) for name in found)
