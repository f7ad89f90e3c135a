"""The spec's definitions on rows small enough to do in the head."""

from __future__ import annotations

from typing import Any

import pytest
from suites.retrieval.retrieval_builders import OWN, chunk, full, item, run

from ragstone.api import retrieval
from ragstone.errors import InputError
from ragstone.gates.gate import Status


def value(report: Any, name: str) -> float | None:
    found: float | None = report.metrics[name].value
    return found


def test_a_perfect_index_passes_every_gate() -> None:
    report = retrieval([item("a"), item("b")], full("a") + full("b"))
    assert report.decision is Status.PASS
    assert {g.name for g in report.gates} == {
        "coverage", "citation_accuracy", "delta_s_over", "lambda_convergence"
    }  # fmt: skip


def test_precision_divides_by_the_distinct_ids_that_were_retrieved() -> None:
    report = retrieval([item()], [run(ids=[OWN, "x", OWN])])
    assert (value(report, "P@1"), value(report, "P@3"), value(report, "P@10")) == (1.0, 0.5, 0.5)
    nothing = retrieval([item()], [run(ids=[], cites=[])])
    assert (value(nothing, "P@5"), value(nothing, "R@5")) == (0.0, 0.0)


def test_recall_divides_by_all_relevant_ids() -> None:
    report = retrieval([item(relevant=[OWN, "y"])], [run(ids=["x", OWN, "z", "y"])])
    assert [value(report, f"R@{k}") for k in (1, 3, 5, 10)] == [0.0, 0.5, 1.0, 1.0]
    twice = retrieval([item(relevant=[OWN, "y"])], [run(ids=[OWN, OWN, "x"])])
    assert (value(twice, "R@3"), value(twice, "P@3")) == (0.5, 0.5)


def test_runs_are_averaged_before_questions() -> None:
    lines = [run("a"), run("b"), run("b", ids=["x"]), run("b", ids=["y"], seed=1)]
    report = retrieval([item("a"), item("b")], lines)
    assert value(report, "R@1") == pytest.approx((1 + 1 / 3) / 2)


def test_an_id_lies_in_the_anchor_section_or_below_it() -> None:
    report = retrieval([item(anchor_section="S.4")], [run(ids=["S.5.bk1", "S.4.7.p.Bk1"])])
    assert (value(report, "anchor_hit@1"), value(report, "anchor_hit@3")) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("ids", "above"),
    [
        (["S.9.9.p.Bk999", OWN], 1.0),
        ([OWN, "S.9.9.p.Bk999"], 0.0),
        (["x", "S.9.9.p.Bk999"], 1.0),
        (["x", "y"], 0.0),
    ],
)
def test_a_hard_negative_above_the_first_relevant_id_counts(ids: list[str], above: float) -> None:
    assert value(retrieval([item()], [run(ids=ids)]), "negative_above@5") == above


@pytest.mark.parametrize(
    ("offsets", "accurate"),
    [
        ([100, 200], 1.0),
        ([0, 71], 1.0),
        ([0, 70], 0.0),
        ([229, 240], 1.0),
        ([230, 240], 0.0),
        ([150, 150], 1.0),
        (None, 0.0),
    ],
)
def test_a_citation_must_meet_the_gold_span_widened_by_thirty_bytes(
    offsets: Any, accurate: float
) -> None:
    cited = {"id": OWN} if offsets is None else {"id": OWN, "offsets": offsets}
    assert value(retrieval([item()], [run(cites=[cited])]), "citation_accuracy") == accurate


def test_only_the_first_citation_decides_accuracy_and_any_decides_coverage() -> None:
    cites = [{"id": "x"}, {"id": OWN, "offsets": [100, 200]}]
    report = retrieval([item()], [run(cites=cites)])
    assert (value(report, "coverage"), value(report, "citation_accuracy")) == (1.0, 0.0)


def test_a_citation_that_names_another_section_than_its_ids_own_is_wrong() -> None:
    cites = [{"id": OWN, "offsets": [100, 200], "section_id": "S.9"}]
    assert value(retrieval([item()], [run(cites=cites)]), "citation_accuracy") == 0.0


def test_no_answer_counts_against_accuracy_over_all_gold_only() -> None:
    report = retrieval([item("a"), item("b")], [run("a"), run("b", cites=None)])
    assert value(report, "citation_accuracy") == 1.0
    assert value(report, "citation_accuracy_all") == 0.5
    assert value(report, "coverage") == 0.5


def test_accuracy_without_any_gold_span_is_unmeasurable_and_not_zero() -> None:
    report = retrieval([item(relevant_offsets=None)], full())
    assert value(report, "citation_accuracy") is None
    assert report.decision is Status.UNMEASURABLE


def test_proximity_is_the_way_up_and_down_the_title_tree() -> None:
    far = [{"id": "S.4.3.p.Bk001"}]
    assert value(retrieval([item()], [run(cites=far)]), "anchor_proximity") == 2.0
    up = [{"id": "S.4.bk1"}]
    assert value(retrieval([item()], [run(cites=up)]), "anchor_proximity") == 1.0


def test_delta_s_is_of_the_first_citation_and_without_answers_of_rank_one() -> None:
    cited = run(ids=["x", OWN], ΔS=[0.9, 0.2])
    assert value(retrieval([item()], [cited]), "delta_s_median") == 0.2
    silent = run(ids=["x", OWN], ΔS=[0.9, 0.2], cites=None)
    assert value(retrieval([item()], [silent]), "delta_s_median") == 0.9


def test_the_bands_hold_their_edges() -> None:
    edges = {"a": 0.39, "b": 0.40, "c": 0.59, "d": 0.60, "e": 0.45, "f": 0.61}
    gold = [item(q) for q in edges]
    report: Any = retrieval(gold, [run(q, ΔS=[v, 0.0]) for q, v in edges.items()])
    assert report.data["delta_s_band"] == {"stable": 1 / 6, "transitional": 3 / 6, "risk": 2 / 6}
    assert report["delta_s_over"].numerator == 3
    assert report.data["bad_qids"] == ["f"]


def test_a_log_without_answers_is_unmeasurable_unless_only_the_index_is_judged() -> None:
    lines = full(cites=None)
    assert retrieval([item()], lines).decision is Status.UNMEASURABLE
    report = retrieval([item()], lines, index_only=True)
    assert report.decision is Status.PASS
    assert any("--index-only" in warning for warning in report.warnings)


def test_convergence_needs_three_wordings_and_two_seeds() -> None:
    report = retrieval([item()], [line for line in full() if line["seed"] == 0])
    (gate,) = [g for g in report.gates if g.metric == "lambda_convergence"]
    assert gate.status is Status.UNMEASURABLE
    assert "3 paraphrases × 2 seeds" in gate.note


LAMBDAS = (
    ([["a"], ["a"]], "→"),
    ([["x", "a"], ["a", "y"]], "→"),
    ([[], []], "←"),
    ([["a"], ["b"]], "<>"),
    ([["a"], ["x"]], "<>"),
    ([["x"], ["y"]], "×"),
    ([["x", "z"], ["y", "z"]], "<>"),
    ([[], ["x"]], "×"),
)


@pytest.mark.parametrize(("found", "state"), LAMBDAS)
def test_lambda_is_computed_from_what_the_runs_share(found: list[list[str]], state: str) -> None:
    lines = [
        run(ids=ids, cites=None, paraphrase=n, ΔS=[0.1] * len(ids)) for n, ids in enumerate(found)
    ]
    report: Any = retrieval([item(relevant=["a", "b"], relevant_offsets=None)], lines)
    assert [s for s, n in report.data["lambda"]["states"].items() if n] == [state]
    assert report.data["lambda"]["scattered"] == (["q1"] if state == "×" else [])


def test_logged_states_converge_only_if_every_run_of_a_triplet_does() -> None:
    lines = [{**line, "λ_state": "→"} for line in full()]
    lines[0]["λ_state"] = "<>"
    assert retrieval([item()], lines)["lambda_convergence"].value == 0.5


def test_a_question_without_a_run_counts_as_nothing_retrieved() -> None:
    report = retrieval([item("a"), item("b")], full("a"))
    assert (value(report, "R@5"), value(report, "missing")) == (0.5, 0.5)


def test_the_type_of_a_question_is_that_of_its_first_relevant_id() -> None:
    gold = [item("a", relevant=["t"], relevant_offsets=None), item("b")]
    chunks = [chunk("t", type="table"), chunk(type="caption")]
    report: Any = retrieval(gold, [run("a"), run("b")], manifest=chunks)
    assert set(report.data["by_type"]) == {"table", "figure"}


def test_the_gates_of_a_slice_are_judged_on_the_slice(tmp_path: Any) -> None:
    report: Any = retrieval([item("a", tags=["x"]), item("b", tags=["y"])], full("a"), by=["tags"])
    slices = report.data["slices"]["tags"]
    assert (slices["x"]["R@5"]["value"], slices["y"]["R@5"]["value"]) == (1.0, 0.0)


def test_a_log_of_another_gold_set_is_no_log_of_this_one() -> None:
    with pytest.raises(InputError, match="no line of the log has a qid of this gold set"):
        retrieval([item("a")], full("b"))
    assert value(retrieval([item("a")], []), "missing") == 1.0


def test_the_offenders_of_a_metric_are_all_of_them() -> None:
    gold = [item(f"q{n:02}") for n in range(12)]
    lines = [run(f"q{n:02}", ids=["x"], cites=[{"id": "x"}]) for n in range(12)]
    report: Any = retrieval(gold, lines)
    assert [row.qid for row in report["R@5"].offenders()] == [each["qid"] for each in gold]
    assert (len(report.data["offenders"]), report.data["offenders_total"]) == (10, 12)
    assert (len(report.data["bad_qids"]), report.data["bad_qids_total"]) == (10, 12)


def test_a_slice_counts_its_own_questions() -> None:
    """How many more questions would settle a gate: of the slice's kind, not of all kinds."""
    gold = [item(f"q{n}", tags=["x" if n < 4 else "y"]) for n in range(40)]
    lines = [line for n in range(40) for line in full(f"q{n}")]
    slices = [({"tags": "x"}, {"coverage": 0.7})]
    part = retrieval(gold, lines, slices=slices, confidence=0.95).gates[-1]
    alone = retrieval(gold[:4], lines[:24], gates={"coverage": 0.7}, confidence=0.95)
    (own,) = [gate for gate in alone.gates if gate.name == "coverage"]
    assert (part.name, part.needed) == ("coverage[tags=x]", own.needed)


def test_the_digest_knows_the_embedder_and_the_lines_that_were_not_scored() -> None:
    gold, lines = [item()], [*full(), run("other", ids=["a"])]
    digests = {
        retrieval(gold, lines).digest,
        retrieval(gold, [*full(), run("other", ids=["b"])]).digest,
        retrieval(gold, lines, manifest=[chunk()]).digest,
        retrieval(gold, lines, texts=[{"id": OWN, "text": "a"}]).digest,
        retrieval(gold, lines, embedder="ngram", unit="utf16").digest,
    }
    assert len(digests) == 5
    assert retrieval(gold, lines[::-1]).digest in digests


def test_a_run_without_an_answer_has_no_accurate_citation() -> None:
    report: Any = retrieval([item()], [run(paraphrase=0), run(paraphrase=1, cites=None)])
    assert report["citation_accuracy"].value == 1.0
    assert report["citation_accuracy_all"].value == 0.5
