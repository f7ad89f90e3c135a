"""Several systems side by side, gates, slices, the files, and the same bytes every time."""

from __future__ import annotations

import csv
import json
import random

import pytest
from context_files import (
    delimited,
    jsonl,
    object_of,
    process,
    ragstone,
    reference,
    result,
    shared,
)

import ragstone as library
from ragstone.measure.permutation import holm, randomisation

QIDS = [f"q{n:02}" for n in range(12)]


@pytest.fixture
def files(tmp_path):
    """A good system, a worse one, and the reference."""
    gold = [
        reference(
            q, "a", "b", question_kind="odd" if n % 2 else "even", user_tags=["x", str(n % 3)]
        )
        for n, q in enumerate(QIDS)
    ]
    good = [result(q, "a", "b", "c", system_name="good") for q in QIDS]
    worse = [result(q, "c", "a") for q in QIDS[:9]] + [result("unknown", "a")]
    (tmp_path / "good.tsv").write_text(delimited(good), "utf-8")
    jsonl(tmp_path / "worse.jsonl", worse)
    jsonl(tmp_path / "gold.jsonl", gold)
    return tmp_path


def compared(folder, *flags, code=0):
    return object_of(
        "context",
        "--results", folder / "good.tsv", folder / "worse.jsonl",
        "--reference", folder / "gold.jsonl",
        *flags, code=code,
    )  # fmt: skip


def test_several_results_are_compared_with_the_first(files):
    found = compared(files)
    assert [system["system_name"] for system in found["systems"]] == ["good", "worse"]
    assert found["avg_context_recall"] == found["systems"][0]["avg_context_recall"] == 1.0
    assert found["systems"][1]["avg_context_recall"] == 9 * 0.5 / 12
    assert found["systems"][1]["missing"] == 3
    assert found["systems"][1]["unknown_qid"] == 1
    recall = found["comparisons"][0]
    assert (recall["metric"], recall["wins"], recall["ties"], recall["losses"]) == (
        "context_recall", 0, 0, 12,
    )  # fmt: skip
    assert recall["difference"] == pytest.approx(-0.625)


def test_the_tests_are_exact_and_corrected_together(files):
    found = compared(files)["comparisons"]
    assert found[0]["p"] == randomisation([(-0.5, 9), (-1.0, 3)]).p == 2 / 2**12
    assert [c["p_holm"] for c in found] == holm([c["p"] for c in found])


def test_another_baseline_turns_the_signs(files):
    found = compared(files, "--baseline", "worse")
    assert found["baseline"] == "worse"
    assert found["comparisons"][0]["difference"] == pytest.approx(0.625)
    assert found["comparisons"][0]["wins"] == 12
    told = ragstone(
        "context", "--results", "good.tsv", "worse.jsonl", "--reference", "gold.jsonl",
        "--baseline", "wors", code=2, cwd=files,
    )  # fmt: skip
    assert "did you mean 'worse'?" in told


def test_the_questions_that_differ_most_come_first(files):
    rows = compared(files)["differing"]
    assert len(rows) == 10
    assert [row["qid"] for row in rows[:3]] == QIDS[9:]
    assert rows[0]["difference"] == -1.0


def test_every_gate_is_asked_of_every_system(files):
    found = compared(files, "--gates", "context_recall=0.9", "P@2>=0.5", code=1)
    assert {name: gate["status"] for name, gate in found["gates"].items()} == {
        "context_recall[system=good]": "PASS",
        "P@2[system=good]": "PASS",
        "context_recall[system=worse]": "FAIL",
        "P@2[system=worse]": "FAIL",
    }
    assert found["decision"] == "FAIL"


def test_a_gate_that_another_system_fails_costs_this_one_nothing(tmp_path):
    """`bm25-rm3` begins with `bm25`, and its failed gates were charged to that."""
    gold = jsonl(tmp_path / "gold.jsonl", [reference(q, "a") for q in ("1", "2")])
    good = [result("1", "a", system_name="bm25"), result("2", "x", "a", system_name="bm25")]
    bad = [result(q, "x", system_name="bm25-rm3") for q in ("1", "2")]
    files = [jsonl(tmp_path / f"{n}.jsonl", rows) for n, rows in enumerate((good, bad))]
    found = object_of(
        "context", "--results", *files, "--reference", gold, "--gates", "P@1=0.5", code=1
    )
    assert found["gates"]["P@1[system=bm25]"]["status"] == "PASS"
    assert found["gates"]["P@1[system=bm25-rm3]"]["status"] == "FAIL"
    assert [(row["qid"], row["costs"]) for row in found["offenders"]] == [("2", ["ndcg@10"])]


def test_systems_may_be_named_on_the_command_line(files):
    words = ("context", "--reference", files / "gold.jsonl")
    systems = ("--system", f"new={files / 'good.tsv'}", "--system", f"old={files / 'worse.jsonl'}")
    found = object_of(*words, *systems, "--baseline", "old")
    assert [system["system_name"] for system in found["systems"]] == ["new", "old"]
    assert found["baseline"] == "old"
    two = ("--system", f"new={files / 'good.tsv'}", str(files / "worse.jsonl"))
    assert "expected one file, found 2" in ragstone(*words, *two, code=2)


def test_without_gates_nothing_is_decided(files):
    words = ("context", "--results", "good.tsv", "--reference", "gold.jsonl")
    assert "\nNO GATES: " in ragstone(*words, cwd=files)
    assert "\nSHIP: " in ragstone(*words, "--gates", "any_ref=0.5", cwd=files)


def test_results_and_reference_without_a_question_in_common_are_refused(files):
    (files / "other.tsv").write_text("qid\tdoc_ids\n77\t['a']\n", "utf-8")
    words = ("context", "--results", "good.tsv", "other.tsv", "--reference", "gold.jsonl")
    told = ragstone(*words, code=2, cwd=files)
    assert told == "ragstone: the reference and the results of other share no question\n"


def test_the_rows_of_every_system_can_be_written(files):
    words = ("context", "--results", "good.tsv", "worse.jsonl", "--reference", "gold.jsonl")
    ragstone(*words, "-o", "rows.csv", "--quiet", cwd=files)
    rows = list(csv.DictReader((files / "rows.csv").read_text("utf-8").splitlines()))
    assert [row["arm"] for row in rows] == ["good"] * 12 + ["worse"] * 12
    assert [row["qid"] for row in rows[:12]] == QIDS
    assert {row["context_recall"] for row in rows[:12]} == {"1.0"}
    assert [row["missing"] for row in rows[12:]] == ["false"] * 9 + ["true"] * 3


def one(folder, *flags, code=0):
    return object_of(
        "context", "--results", folder / "worse.jsonl", "--reference", folder / "gold.jsonl",
        *flags, code=code,
    )  # fmt: skip


def test_one_system_has_no_comparison(files):
    found = one(files)
    assert found["system_name"] == "worse"
    assert "systems" not in found
    assert (found["decision"], found["pass"]) == (None, None)  # no gate was set


def test_slices_are_the_categories_of_the_reference(files):
    found = one(files, "--by", "question_kind", "user_tags")["slices"]
    kinds = {value: row["missing"]["denominator"] for value, row in found["question_kind"].items()}
    assert kinds == {"even": 6, "odd": 6}
    tags = {value: row["missing"]["denominator"] for value, row in found["user_tags"].items()}
    assert tags == {"0": 4, "1": 4, "2": 4, "x": 12}
    told = ragstone(
        "context", "--results", "worse.jsonl", "--reference", "gold.jsonl", "--by", "question_kid",
        code=2, cwd=files,
    )  # fmt: skip
    assert "did you mean 'question_kind'?" in told


@pytest.mark.parametrize("value", ['"1"', "1"])
def test_a_cell_of_a_table_is_text_and_a_slice_finds_it(tmp_path, value):
    gold = [reference("1", "a", question_kind="1"), reference("2", "b", question_kind="2")]
    (tmp_path / "gold.tsv").write_text(delimited(gold), "utf-8")
    jsonl(tmp_path / "run.jsonl", [result("1", "a"), result("2", "x")])
    (tmp_path / "ragstone.toml").write_text(
        '[context]\nresults = ["run.jsonl"]\nreference = "gold.tsv"\n[[context.slices]]\n'
        f"where = {{ question_kind = {value} }}\ngates = {{ all_refs = 1.0 }}\n",
        "utf-8",
    )
    found = json.loads(ragstone("context", "--json", "--quiet", cwd=tmp_path))
    assert found["gates"]["all_refs[question_kind=1]"]["status"] == "PASS"


TOML = """
[context]
results = ["worse.jsonl"]
reference = "gold.jsonl"
k = 2
[context.gates]
context_recall = ">= 0.3"
"ndcg@10" = 0.9
[[context.slices]]
where = { question_kind = "odd" }
gates = { context_recall = 0.99 }
"""


def test_the_gate_command_runs_the_suite_that_the_file_names(files):
    (files / "ragstone.toml").write_text(TOML, "utf-8")
    found = json.loads(ragstone("gate", "--json", "--quiet", code=1, cwd=files))
    assert {name: gate["status"] for name, gate in found["gates"].items()} == {
        "context.context_recall": "PASS",
        "context.ndcg@10": "FAIL",
        "context.context_recall[question_kind=odd]": "FAIL",
    }
    assert found["suites"]["context"]["k"] == 2
    same = json.loads(ragstone("context", "--json", "--quiet", code=1, cwd=files))
    assert same["digest"] == found["suites"]["context"]["digest"]


@pytest.mark.parametrize("line", ["kk = 3", "results = 'x'", "by = [1]"])
def test_a_wrong_key_of_the_file_is_told(files, line):
    (files / "ragstone.toml").write_text(f"[context]\n{line}\n", "utf-8")
    assert "context." in ragstone("context", code=2, cwd=files)


def test_the_files_have_the_columns_teams_know(files, tmp_path):
    one(files, "--out", tmp_path / "out", "--evaluator", "ContextRecall")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        f"worse.ContextRecall.eval.{kind}" for kind in
        ("aggregated.jsonl", "aggregated.tsv", "rows.jsonl", "rows.tsv")
    ]  # fmt: skip
    average = json.loads((tmp_path / "out" / names[0]).read_text())
    for column in (
        "avg_context_recall", "avg_context_precision", "avg_context_f1", "ndcg_10",
        "ndcg_10_retrieved", "pct_records_with_at_least_one_ref", "pct_records_with_all_refs",
    ):  # fmt: skip
        assert isinstance(average[column], float), column
    assert average["pct_records_with_at_least_one_ref"] == 75.0
    header, first = (tmp_path / "out" / names[3]).read_text().splitlines()[:2]
    assert header.split("\t")[:9] == [
        "qid", "context_recall", "context_precision", "context_f1", "retrieved_docs_count",
        "gold_docs_count", "correct_docs_count", "ndcg_10", "ndcg_10_retrieved",
    ]  # fmt: skip
    assert first.split("\t")[:4] == ["q00", "0.5", "0.5", "0.5"]
    rows = [json.loads(line) for line in (tmp_path / "out" / names[2]).read_text().splitlines()]
    assert rows == [{**row, **rows[n]} for n, row in enumerate(
        library.ContextRecall().evaluate(files / "worse.jsonl", files / "gold.jsonl").rows
    )]  # fmt: skip


def test_the_flags_of_the_original_script_are_accepted(files, tmp_path):
    printed = process(
        "context", "--evaluator", "evaluators.context_recall.evaluator.ContextRecall",
        "--results", files / "good.tsv", "--reference", files / "gold.jsonl",
        "--output-dir", tmp_path / "eval", "--output-prefix", "mine", "--output-format", "tsv",
    )  # fmt: skip
    assert "context_recall" in printed
    assert len(list((tmp_path / "eval").glob("good.mine.eval.*.tsv"))) == 2
    told = ragstone("context", "--evaluator", "LLMJudge", code=2, cwd=files)
    assert "there is no evaluator" in told


@pytest.mark.parametrize("kind", ["terminal", "markdown", "html", "junit", "sarif", "github"])
def test_every_format_is_the_same_twice_and_knows_both_systems(files, kind):
    words = ("context", "--results", "good.tsv", "worse.jsonl", "--reference", "gold.jsonl")
    flags = ("--gates", "context_recall=0.9", "-f", kind)
    first = ragstone(*words, *flags, code=1, cwd=files)
    assert first == ragstone(*words, *flags, code=1, cwd=files)
    assert "worse" in first


def test_the_page_draws_systems_by_metrics(files):
    page = ragstone(
        "context", "--results", "good.tsv", "worse.jsonl", "--reference", "gold.jsonl",
        "-f", "html", cwd=files,
    )  # fmt: skip
    assert page.count("<circle cx=") >= 8
    assert "Systems side by side" in page


def test_what_a_system_is_called_cannot_act_on_the_page(files):
    rows = [result(q, "a", system_name="<script>alert(1)</script>") for q in QIDS]
    jsonl(files / "evil.jsonl", rows)
    page = ragstone(
        "context", "--results", "good.tsv", "evil.jsonl", "--reference", "gold.jsonl",
        "-f", "html", cwd=files,
    )  # fmt: skip
    assert "<script>alert" not in page


def test_the_order_of_lines_changes_no_byte(files):
    lines = (files / "worse.jsonl").read_text().splitlines(keepends=True)
    gold = (files / "gold.jsonl").read_text().splitlines(keepends=True)
    before = compared(files)
    random.Random(3).shuffle(lines)
    random.Random(4).shuffle(gold)
    (files / "worse.jsonl").write_text("".join(lines))
    (files / "gold.jsonl").write_text("".join(gold))
    assert compared(files) == before


def test_averages_are_the_same_bits_for_any_threads_and_any_order(tmp_path):
    rng = random.Random(11)
    qrels = [f"{q} 0 d{d} {rng.randrange(4)}\n" for q in range(400) for d in range(12)]
    run = [
        f"{q} Q0 d{d} 1 {rng.choice((rng.random(), 0.5))} t\n"
        for q in range(400)
        for d in range(40)
    ]
    seen = set()
    for threads in ("1", "2", "4"):
        (tmp_path / "qrels.txt").write_text("".join(qrels))
        (tmp_path / "run.txt").write_text("".join(run))
        seen.add(
            json.dumps(
                object_of(
                    "trec",
                    tmp_path / "qrels.txt",
                    tmp_path / "run.txt",
                    "--threads",
                    threads,
                    "-m",
                    "ndcg@10",
                    "map",
                    "mrr",
                    "bpref",
                    "P@5",
                    "R@10",
                )
            )
        )
        rng.shuffle(qrels)
        rng.shuffle(run)
    assert len(seen) == 1


def test_trec_json_has_the_names_that_were_given():
    runs = [shared("dl19", "runs", name) for name in ("BM25.txt", "BM25_RM3.txt")]
    found = object_of("trec", shared("dl19", "qrels.txt"), *runs, "-m", "ndcg_cut_10,AP", "P@5")
    assert round(found["ndcg_cut_10"], 4) == 0.5058
    assert found["AP"] == found["metrics"]["map"]["value"]
    assert [system["system_name"] for system in found["systems"]] == ["BM25", "BM25_RM3"]
    assert set(found["systems"][1]) >= {"ndcg_cut_10", "AP", "P@5", "metrics"}


def test_trec_averages_over_judged_questions_and_trec_eval_over_both(tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n3 0 c 0\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 1 t\n3 Q0 c 1 1 t\n9 Q0 c 1 1 t\n")
    words = ("trec", tmp_path / "qrels.txt", tmp_path / "run.txt", "-m", "mrr")
    found = object_of(*words)
    assert (found["mrr"], found["questions"], found["missing"]) == (0.5, 2, 1)
    assert (found["no_gold"], found["unknown_qid"]) == (1, 1)
    assert ragstone(*words, "--trec").split() == ["recip_rank", "all", "0.5000"]
    assert ragstone(*words, "--trec", "-c").split() == ["recip_rank", "all", "0.3333"]


def test_data_frames_and_arrays_are_rankings_too():
    import numpy as np
    import pandas as pd
    import polars as pl

    qrels = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
    run = {"1": {"b": 0.9, "x": 0.5}, "2": {"c": 0.1, "d": 0.7}}
    expected = dict(library.ranking(qrels, run, ["ndcg@10", "map"]))
    gold = [(q, d, g) for q, docs in qrels.items() for d, g in docs.items()]
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    for frame in (pd.DataFrame, lambda r, columns: pl.DataFrame(r, schema=columns, orient="row")):
        long = (
            frame(gold, columns=["qid", "doc_id", "relevance"]),
            frame(rows, columns=["query_id", "docno", "score"]),
        )
        assert dict(library.ranking(*long, ["ndcg@10", "map"])) == expected
    columns = tuple(np.array(column) for column in zip(*rows, strict=True))
    assert dict(library.ranking(gold, columns, ["ndcg@10", "map"])) == expected
    assert dict(library.ranking(qrels, {1: ["b", "x"], 2.0: ["d", "c"]}, ["ndcg@10", "map"])) == (
        expected
    )


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"1": {"a": float("nan")}}, "qid '1': the score of 'a' is NaN"),
        ({"1": {"a": 1.0}, 1: {"b": 1.0}}, "given twice"),
        ([("1", "a")], "row 1"),
        ({"1": 3}, "expected a dict"),
    ],
)
def test_what_is_no_run_is_told(run, said):
    with pytest.raises(library.InputError, match=said):
        library.ranking({"1": {"a": 1}}, run, ["map"])
