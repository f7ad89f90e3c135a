"""The cases that break others, each on its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from context_files import jsonl, object_of, ragstone, reference, result

import ragstone as library


def scored(results, references, **options):
    return library.ContextRecall(**options).evaluate(results, references)


def row(results, references, **options):
    (only,) = scored(results, references, **options).rows
    return only


def test_two_chunks_of_one_document_are_one_document():
    chunks = [f"doc-<urn:uuid:a>::chunk-{n}" for n in range(3)]
    found = row([result(1, *chunks)], [reference(1, "<urn:uuid:a>", "<urn:uuid:b>")])
    assert (found["retrieved_docs_count"], found["correct_docs_count"]) == (1, 1)
    assert (found["context_recall"], found["context_precision"]) == (0.5, 1.0)


def test_both_sides_are_normalised():
    found = row([result(1, "<urn:uuid:a>")], [reference(1, "doc-<urn:uuid:a>::chunk-7")])
    assert found["context_recall"] == 1.0


def test_another_id_scheme_is_a_pattern():
    found = row([result(1, "wiki/7#3")], [reference(1, "wiki/7")], id_pattern=r"^([^#]+)#")
    assert found["context_recall"] == 1.0


def test_a_bad_pattern_is_told():
    with pytest.raises(library.ConfigError, match="id_pattern"):
        scored([result(1)], [reference(1)], id_pattern="(")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(?=a)", "looks around with (?="),
        (r"(a)\1", "refers back with"),
        ("(a)(b)", "more than one group"),
    ],
)
def test_an_id_pattern_is_re2s(pattern, why):
    with pytest.raises(library.ConfigError, match=f"id_pattern: .*{re.escape(why)}"):
        scored([result(1)], [reference(1)], id_pattern=pattern)


@pytest.mark.parametrize("options", [{}, {"id_pattern": "<(urn:[^>]+)+>"}])
def test_an_id_of_a_million_characters_takes_no_time(options):
    long = "<urn:uuid:" * 100_000
    assert row([result(1, long)], [reference(1, long)], **options)["context_recall"] == 1.0


def test_a_repeated_id_keeps_its_first_place_and_is_counted(tmp_path):
    results, gold = [result("q", "x", "a", "a", "b")], [reference("q", "b")]
    found = row(results, gold)
    assert found["retrieved_docs_count"] == 3
    assert found["ndcg_10"] == row([result("q", "x", "a", "b")], gold)["ndcg_10"]
    made = object_of(
        "context",
        "--results", jsonl(tmp_path / "r", results),
        "--reference", jsonl(tmp_path / "g", gold),
    )  # fmt: skip
    assert made["duplicates"] == 1


def test_a_repeated_id_is_an_error_under_strict(tmp_path):
    jsonl(tmp_path / "r", [result("q", "a", "a")])
    jsonl(tmp_path / "g", [reference("q", "a")])
    told = ragstone(
        "context", "--results", "r", "--reference", "g", "--strict", code=2, cwd=tmp_path
    )
    assert told.startswith("r:1: doc_ids: ")


def test_an_empty_retrieval_scores_0_and_is_not_missing():
    scores = scored([result("q")], [reference("q", "a")])
    assert scores.missing == 0
    assert scores.rows[0]["context_f1"] == 0.0
    assert scores.metrics["ndcg_10_retrieved"] == 0.0


def test_a_reference_with_no_result_scores_0_and_is_counted_as_missing():
    scores = scored([result("q", "a")], [reference("q", "a"), reference("r", "b")])
    assert scores.missing == 1
    assert scores.metrics["avg_context_recall"] == 0.5
    assert scores.sample_count == 2


def test_a_question_with_no_gold_is_left_out_of_the_averages():
    scores = scored([result("q", "a"), result("r", "b")], [reference("q", "a"), reference("r")])
    assert scores.metrics["avg_context_recall"] == 1.0
    assert scores.metrics["pct_records_with_all_refs"] == 100.0
    assert [row["qid"] for row in scores.rows] == ["q"]


def test_with_no_gold_at_all_there_is_no_number():
    scores = scored([result("q", "a")], [reference("q")])
    assert scores.metrics["avg_context_recall"] is None
    assert scores.rows == ()


def test_qid_0_is_a_question_like_any_other():
    scores = scored([result(0, "a")], [reference(0, "a")])
    assert scores.metrics["avg_context_recall"] == 1.0


@pytest.mark.parametrize("left", [1, "1", 1.0])
@pytest.mark.parametrize("right", [1, "1", 1.0])
def test_1_and_the_text_1_are_the_same_question(left, right):
    assert scored([result(left, "a")], [reference(right, "a")]).metrics["avg_context_recall"] == 1.0


def test_ids_may_hold_spaces():
    found = row([result("a question", "doc 1", "doc  1")], [reference("a question", "doc 1")])
    assert (found["correct_docs_count"], found["retrieved_docs_count"]) == (1, 2)


def test_k_beyond_the_list_is_no_error(tmp_path):
    found = object_of(
        "context", "--k", "500",
        "--results", jsonl(tmp_path / "r", [result("q", "a")]),
        "--reference", jsonl(tmp_path / "g", [reference("q", "a")]),
    )  # fmt: skip
    assert found["metrics"]["R@500"]["value"] == 1.0
    assert found["metrics"]["P@500"]["value"] == 1 / 500
    assert found["metrics"]["ndcg@10"]["value"] == 1.0


@pytest.mark.parametrize("k", ["0", "-3"])
def test_k_below_1_is_an_error(tmp_path, k):
    told = ragstone("context", "--k", k, "--results", "r", "--reference", "g", code=2, cwd=tmp_path)
    assert "from 1 to 1,000,000" in told


def test_the_k_of_the_run_moves_the_cut_metrics_only(tmp_path):
    results = jsonl(tmp_path / "r", [result("q", "x", "y", "a")])
    gold = jsonl(tmp_path / "g", [reference("q", "a")])
    ten, one = (
        object_of("context", "--results", results, "--reference", gold, "--k", k)
        for k in ("10", "1")
    )
    for name in ("avg_context_recall", "ndcg_10", "ndcg_10_retrieved"):
        assert ten[name] == one[name] > 0
    assert one["metrics"]["R@1"]["value"] == 0.0


@dataclass
class RAGResult:
    qid: int
    doc_ids: list[str]
    answer: str = ""


@dataclass(frozen=True)
class QAPair:
    qid: str
    document_ids: tuple[str, ...]


def test_dataclasses_are_results_and_references():
    scores = scored([RAGResult(7, ["a", "b"])], [QAPair("7", ("a",))])
    assert scores.metrics["avg_context_precision"] == 0.5


RUN = "1 Q0 a 1 0.9 t\n1 Q0 b 2 0.9 t\n1 Q0 c 3 0.1 t\n"


def trec(tmp_path, qrels, run, *flags, code=0):
    (tmp_path / "qrels").write_text(qrels, "utf-8", newline="")
    (tmp_path / "run").write_text(run, "utf-8", newline="")
    if code:
        return ragstone("trec", "qrels", "run", *flags, code=code, cwd=tmp_path)
    return object_of("trec", tmp_path / "qrels", tmp_path / "run", *flags)


def test_ties_are_broken_by_document_id_descending(tmp_path):
    assert trec(tmp_path, "1 0 b 1\n", RUN, "-m", "mrr")["mrr"] == 1.0
    assert trec(tmp_path, "1 0 a 1\n", RUN, "-m", "mrr")["mrr"] == 0.5


def test_scores_that_float32_cannot_tell_apart_are_ties(tmp_path):
    run = "1 Q0 a 1 0.90000000001 t\n1 Q0 b 2 0.9 t\n"
    assert trec(tmp_path, "1 0 b 1\n", run, "-m", "mrr")["mrr"] == 1.0


@pytest.mark.parametrize(
    "spaced",
    [
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "   "),
        RUN.replace("\n", "\r\n"),
        RUN.rstrip("\n"),
        "\n" + RUN,
        RUN.replace("0.1 t", "0.1  t"),
        " " + RUN,
        RUN.replace(" t\n", " t \n"),
    ],
)
def test_columns_are_split_on_any_blanks(tmp_path, spaced):
    plain = trec(tmp_path, "1 0 b 1\n1 0 c 2\n", RUN, "-m", "ndcg@3", "map")
    found = trec(tmp_path, "1\t0\tb\t1\r\n1 0  c 2", spaced, "-m", "ndcg@3,map")
    assert found == plain


def test_gains_are_linear_and_exponential_by_name(tmp_path):
    found = trec(tmp_path, "1 0 c 3\n1 0 b 1\n", RUN, "-m", "ndcg@3", "ndcg@3_exp")
    assert 0 < found["ndcg@3_exp"] < found["ndcg@3"] < 1


BROKEN = [
    ("1 0 a 1\n", "1 Q0 a 1 nan t\n", 'run:1: score: expected a number, found "nan" (qid "1")'),
    ("1 0 a 1\n", "1 Q0 a 1 high t\n", "run:1: score: "),
    ("1 0 a 1\n", "1 Q0 b 1 1 t\n1 Q0 a 1 1\n", "run:2: columns: expected 6 columns, found 5"),
    ("1 0 a 1\n", "1 Q0 a 1 0.5 \n", "run:1: columns: expected 6 columns, found 5"),
    ("1 0 a one\n", RUN, "qrels:1: grade: "),
    ("1 0 a 1.5\n", RUN, "qrels:1: grade: "),
    ("1 0 a 1\n1 0 a 0\n", RUN, 'qrels:2: doc: "a" was already judged on line 1 (qid "1")'),
    ("1 0 a\n", RUN, "qrels:1: columns: expected 4 columns, found 3"),
]


@pytest.mark.parametrize(("qrels", "run", "said"), BROKEN)
def test_a_bad_trec_line_is_named(tmp_path, qrels, run, said):
    assert trec(tmp_path, qrels, run, code=2).startswith(said)


def test_a_document_ranked_twice_keeps_its_first_place(tmp_path):
    run = RUN + "1 Q0 c 4 5.0 t\n"
    found = trec(tmp_path, "1 0 c 1\n", run, "-m", "mrr")
    assert (found["mrr"], found["duplicates"]) == (1.0, 1)
    told = trec(tmp_path, "1 0 c 1\n", run, "--strict", code=2)
    assert told.startswith('run:4: doc: "c" was already ranked on line 3')


@pytest.mark.parametrize("name", ["ndcg@0", "P", "bpref@3", "nonsense", "P@5_exp"])
def test_a_metric_that_cannot_be_is_told(tmp_path, name):
    assert name in trec(tmp_path, "1 0 a 1\n", RUN, "-m", name, code=2)


def test_two_perfect_questions_prove_no_recall_of_99_per_cent():
    """Two values without spread once had an interval without width, and so a proof."""
    results, references = ([make(n, "a") for n in (1, 2)] for make in (result, reference))
    report = library.context(
        results, references, gates={"context_recall": 0.99, "all_refs": 0.99}, confidence=0.95
    )
    (recall, refs) = (report[name].interval for name in ("context_recall", "all_refs"))
    assert recall == refs
    assert recall[0] < 0.35
    assert [gate.proven for gate in report.gates] == [False, False]
    assert report.decision != "PASS"
