"""A shadow index beside the live one: the drop, what flipped, logs that do not belong together."""

from __future__ import annotations

from typing import Any

import pytest
from suites.retrieval.retrieval_builders import chunk, full, item

from ragstone.api import canary
from ragstone.errors import InputError
from ragstone.gates.gate import Status


def test_a_canary_needs_more_than_a_two_point_drop_to_fail() -> None:
    gold = [item(f"q{n}") for n in range(50)]
    live = [line for n in range(50) for line in full(f"q{n}")]
    shadow = [dict(line) for line in live]
    for line in shadow:
        if line["qid"] == "q0":
            line["topk"] = [{"id": "x"}, *line["topk"][1:]]
    report: Any = canary(gold, live, shadow)
    assert report.data["deltas"]["R@5"]["value"] == pytest.approx(-0.02)
    assert report.data["verdict"] == "ELIGIBLE"
    for line in shadow:
        if line["qid"] == "q1":
            line["topk"] = [{"id": "x"}, *line["topk"][1:]]
    worse: Any = canary(gold, live, shadow)
    assert worse.data["verdict"] == "NOT ELIGIBLE"
    assert [g.name for g in worse.gates if g.status is Status.FAIL] == ["R@5_delta"]
    assert worse.data["flips"]["found@5"]["lost"] == ["q0", "q1"]
    proven: Any = canary(gold, live, shadow, confidence=0.95)
    (gate,) = [g for g in proven.gates if g.metric == "R@5_delta"]
    assert "more questions would settle it" in gate.note
    assert worse.data["non_inferiority"]["proof"] == "undecided"


def test_a_different_normaliser_is_refused_unless_allowed() -> None:
    live, shadow = full(normalizer="nfc"), full(normalizer="nfkc")
    with pytest.raises(InputError, match="the normaliser differs: live nfc; shadow nfkc"):
        canary([item()], live, shadow)
    assert canary([item()], live, shadow, allow_mismatch=True).warnings


def test_index_hashes_that_should_differ_or_agree_are_reported() -> None:
    mixed = full(index_hash="a")[:3] + full(index_hash="b")[3:]
    said = " ".join(canary([item()], mixed, full(index_hash="a")).warnings)
    assert "live: the log holds 2 different index_hash" in said
    assert "live and shadow have the same index_hash: a" in said


def test_each_log_has_the_scale_of_its_own_delta_s() -> None:
    """A line that was calibrated for the shadow's embedder says nothing about the live log's ΔS."""
    chunks = [chunk(text="null keys in X are allowed")]
    computed = [{k: v for k, v in line.items() if k != "ΔS"} for line in full()]
    report: Any = canary(
        [item()],
        full(ΔS=[0.5, 0.5]),
        computed,
        manifest=chunks,
        delta_s_line=0.9,
        delta_s_line_for="ngram/1",
    )
    assert report.data["live"]["delta_s_over"] == 1.0
    assert report.data["delta_s"]["line"] == 0.9
    assert any("different sources: live log, shadow computed" in said for said in report.warnings)


def test_questions_that_were_run_in_one_log_alone_count_for_it() -> None:
    gold = [item("a"), item("b"), item("c")]
    live = full("a") + full("b")
    shadow = full("a") + full("c", ids=["x"], cites=[{"id": "x"}])
    report: Any = canary(gold, live, shadow)
    assert report.data["live"]["lambda_convergence"] == 1.0
    assert report.data["shadow"]["lambda_convergence"] == 0.5
    delta = report.data["deltas"]["lambda_convergence"]
    assert (delta["value"], delta["questions"]) == (-0.5, 3)


def test_flips_stop_at_ten_and_count_all() -> None:
    gold = [item(f"q{n:02}") for n in range(12)]
    live = [line for n in range(12) for line in full(f"q{n:02}")]
    shadow = [{**line, "topk": [{"id": "x"}, {"id": "y"}]} for line in live]
    flip: Any = canary(gold, live, shadow).data["flips"]
    assert (len(flip["found@5"]["lost"]), flip["found@5"]["lost_total"]) == (10, 12)
    everything: Any = canary(gold, live, shadow, all=True).data["flips"]
    assert len(everything["found@5"]["lost"]) == 12
