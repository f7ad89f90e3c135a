"""What the original evaluators printed, on their own data."""

from __future__ import annotations

import csv

import pytest
from context_files import object_of, ragstone, shared

import ragstone as library

SYSTEMS = ("BM25", "BM25_RM3")
SAME = ("context_recall", "context_precision", "context_f1")
COUNTS = ("retrieved_docs_count", "gold_docs_count", "correct_docs_count")


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def scored(system):
    return library.ContextRecall().evaluate(
        shared("liverag", f"dl19_{system}.top10.results.tsv"),
        shared("liverag", "dl19.reference.tsv"),
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_averages_are_the_original_evaluators(system):
    (original,) = table(shared("liverag", f"dl19_{system}.original.aggregated.tsv"))
    found = scored(system).metrics
    for name in (*(f"avg_{n}" for n in SAME), "pct_records_with_at_least_one_ref"):
        assert found[name] == float(original[name]), name
    assert found["pct_records_with_all_refs"] == float(original["pct_records_with_all_refs"])
    assert found["ndcg_10_retrieved"] == pytest.approx(float(original["ndcg_10"]), abs=1e-12)


@pytest.mark.parametrize("system", SYSTEMS)
def test_rows_are_the_original_evaluators(system):
    original = {
        row["qid"]: row for row in table(shared("liverag", f"dl19_{system}.original.rows.tsv"))
    }
    found = {row["qid"]: row for row in scored(system).rows}
    assert set(found) == set(original)
    for qid, row in found.items():
        for name in (*SAME, *COUNTS):
            assert row[name] == float(original[qid][name]), (qid, name)
        printed = float(original[qid]["ndcg_10"])
        assert row["ndcg_10_retrieved"] == pytest.approx(printed, abs=1e-12)


def test_measured_against_all_gold_the_order_of_the_two_systems_turns():
    bm25, rm3 = (scored(system).metrics for system in SYSTEMS)
    assert bm25["ndcg_10_retrieved"] > rm3["ndcg_10_retrieved"]
    assert bm25["ndcg_10"] < rm3["ndcg_10"]


@pytest.mark.parametrize(("flags", "name"), [((), "out.test.a"), (("-q",), "out.test.aq")])
def test_every_shared_measure_is_trec_evals_to_the_printed_digit(flags, name):
    qrels, run = shared("trec_eval", "qrels.test"), shared("trec_eval", "results.test")
    printed = {tuple(line.split()[:2]): line for line in ragstone(
        "trec", qrels, run, "--trec", *flags).splitlines()}  # fmt: skip
    expected = {tuple(line.split()[:2]): line for line in shared(
        "trec_eval", name).read_text().splitlines()}  # fmt: skip
    assert len(printed) >= 49
    for key, line in printed.items():
        assert line == expected[key]


def test_graded_ndcg_of_bm25_on_dl19():
    run = shared("dl19", "runs", "BM25.txt")
    found = object_of("trec", shared("dl19", "qrels.txt"), run, "-m", "ndcg@10")
    assert round(found["ndcg@10"], 4) == 0.5058
