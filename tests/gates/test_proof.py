"""What is proven: what it means, that it is seldom wrong, and that --confidence takes nothing less.

A proof says that the truth is on the right side of the limit. It is wrong when the truth lies just
beyond it and the sample says otherwise.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.errors import ConfigError
from ragstone.gates.gate import TOLERANCE, Judged, Op, Status, Threshold
from ragstone.gates.judge import judge
from ragstone.gates.proof import refuted
from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import Interval
from ragstone.measure.measure import share, spread
from ragstone.measure.metric import (
    Change,
    Count,
    Mean,
    Measured,
    Metric,
    Quantile,
    Ratio,
    Statistic,
    bounded,
)

RATIO = Ratio(name="right", hit="right", says="")
MEAN = Mean(name="recall", value="recall", says="")
COST = Mean(name="cost", value="cost", bounds=None, better="lower", says="")
P95 = Quantile(name="p95", value="latency_ms", q=0.95, better="lower", says="")
WRONG = Count(name="wrong", hit="wrong", better="lower", says="")
OPS: tuple[Op, ...] = (">=", "<=", ">", "<", "=")
LEVELS = (None, 0.9, 0.95)


def judged(
    found: Measured, op: Op, limit: float, confidence: float | None = None, questions: int = 30
) -> Judged:
    gates = {found.name: Threshold(op, limit)}
    (gate,) = judge({found.name: found}, gates, questions=lambda: questions, confidence=confidence)
    return gate


def measured(metric: Metric, value: float, ends: Interval | None, n: int = 30) -> Measured:
    return Measured(metric, value, None, n, ends, vacuous=False)


@st.composite
def intervals(draw: st.DrawFn) -> tuple[float, Interval]:
    """A value and an interval around it, of which an end may be open or the value itself."""
    low, value, high = sorted(draw(st.integers(1, 99)) / 100 for _ in range(3))
    ends = draw(st.sampled_from([(low, high), (None, high), (low, None), (None, None)]))
    return value, ends


@given(
    intervals(),
    st.sampled_from(OPS),
    st.integers(0, 100),
    st.sampled_from([RATIO, MEAN, COST, P95, WRONG]),
)
def test_proven_is_the_whole_interval_on_the_right_side(
    found: tuple[float, Interval], op: Op, percent: int, metric: Metric
) -> None:
    value, ends = found
    limit = Threshold(op, percent / 100)
    low, high = ends
    gate = judged(measured(metric, value, ends), op, limit.value)
    if metric is WRONG or op == "=" or (metric in (RATIO, MEAN) and percent in (0, 100)):
        assert gate.proven is None
        return
    if metric is COST:
        assert gate.proven is False and not refuted(gate)
        return
    worse, best = (low, high) if op in (">=", ">") else (high, low)
    wide = low is None or high is None or low < high
    assert gate.proven is (wide and worse is not None and limit.holds(worse))
    assert refuted(gate) is (wide and best is not None and not limit.holds(best))


@given(
    intervals(),
    st.sampled_from(OPS),
    st.integers(0, 100),
    st.sampled_from([RATIO, MEAN, COST, P95, WRONG]),
)
def test_confidence_takes_no_pass_without_the_proof_and_no_failure_away(
    found: tuple[float, Interval], op: Op, percent: int, metric: Metric
) -> None:
    value, ends = found
    plain, asked = (
        judged(measured(metric, value, ends), op, percent / 100, level) for level in (None, 0.95)
    )
    assert (asked.proven, asked.needed) == (plain.proven, plain.needed)
    assert (asked.status is Status.FAIL) is (plain.status is Status.FAIL)
    assert plain.status is not Status.UNMEASURABLE
    assert (asked.status is Status.UNMEASURABLE) is (
        plain.status is Status.PASS and plain.proven is False
    )


@given(intervals(), st.sampled_from(OPS), st.integers(0, 100), st.sampled_from([RATIO, COST]))
def test_only_what_is_open_needs_more_questions(
    found: tuple[float, Interval], op: Op, percent: int, metric: Metric
) -> None:
    value, ends = found
    gate = judged(measured(metric, value, ends), op, percent / 100)
    if gate.proven is not False or refuted(gate):
        assert gate.needed is None
    if gate.needed is not None:
        fewest, most = gate.needed
        assert fewest is not None and fewest >= 1
        assert most is None or most >= fewest


@pytest.mark.parametrize("metric", [RATIO, MEAN, P95])
def test_too_little_for_an_interval_is_no_proof(metric: Metric) -> None:
    found = measured(metric, 0.5, None, n=1)
    assert judged(found, "<=", 0.9).status is Status.PASS
    asked = judged(found, "<=", 0.9, 0.95)
    assert (asked.status, asked.proven) == (Status.UNMEASURABLE, False)
    assert asked.note.startswith("not proven at 95 %: it has no interval")
    assert judged(found, "<=", 0.4, 0.95).status is Status.FAIL


def test_an_open_end_tells_from_how_many_on_it_is_there() -> None:
    few = spread(P95, [(float(n), 1) for n in range(1, 31)], 0.95)
    gate = judged(few, "<=", 2000.0, 0.95, questions=30)
    assert (gate.status, gate.proven, gate.needed) == (Status.UNMEASURABLE, False, (42, None))
    assert gate.note == "not proven at 95 %: at least 42 more questions would settle it"


def test_what_was_not_tested_is_neither_proven_nor_open() -> None:
    empty = Measured(RATIO, 1.0, 0, 0, None, vacuous=True)
    for level in LEVELS:
        gate = judged(empty, ">=", 0.8, level)
        assert (gate.status, gate.proven, gate.needed) == (Status.NOT_TESTED, None, None)


def test_a_proof_is_about_all_rows_of_the_set_and_says_how_many_could_have_failed() -> None:
    found = Measured(RATIO, 1.0, 36, 36, exact_interval(36, 36), vacuous=False, tested=5)
    gate = judged(found, ">=", 0.9, 0.95)
    assert (gate.status, gate.proven, gate.note) == (
        Status.PASS,
        True,
        "tested on 5 of 36; proven at 95 %",
    )


def test_the_questions_are_counted_only_where_the_answer_needs_them() -> None:
    def never() -> int:
        raise AssertionError("counting them reads every row")

    found = {RATIO.name: share(RATIO, 100, 100, 0.95, None)}
    (gate,) = judge(found, {RATIO.name: Threshold(">=", 0.8)}, questions=never)
    assert gate.proven


# A proof is seldom wrong


@pytest.mark.parametrize("most", range(10, 101, 10))
def test_a_share_is_wrongly_proven_at_most_1_in_40_times_a_side(most: int) -> None:
    """Of every number of questions and every limit in steps of 0.01, with the truth on the limit.

    From `many` hits on `>=` is proven, and up to `few` it is proven to fail; `<=` the other way.
    """
    for n in range(most - 9, most + 1):
        shares = [share(RATIO, hits, n, 0.95, None) for hits in range(n + 1)]
        lows, highs = zip(*(found.interval or (0.0, 0.0) for found in shares), strict=True)
        for percent in range(1, 100):
            limit = percent / 100
            many = bisect_left(lows, limit - TOLERANCE)
            few = bisect_right(highs, limit + TOLERANCE) - 1
            chances = [math.comb(n, k) * limit**k * (1 - limit) ** (n - k) for k in range(n + 1)]
            assert sum(chances[many:]) <= 0.025 + 1e-9
            assert sum(chances[: few + 1]) <= 0.025 + 1e-9
            if percent in (5, 20, 50, 80, 95):
                sides = [said(shares[k], limit) for k in range(n + 1)]
                assert sides[: few + 1] == [("proven to fail", "proven")] * (few + 1)
                assert sides[many:] == [("proven", "proven to fail")] * (n + 1 - many)
                assert set(sides[few + 1 : many]) <= {("", "")}


def said(found: Measured, limit: float) -> tuple[str, str]:
    """What the gate says that the share is at least the limit, and what the one at most it."""
    gates = judged(found, ">=", limit), judged(found, "<=", limit)
    at_least, at_most = (
        "proven" if gate.proven else "proven to fail" if refuted(gate) else "" for gate in gates
    )
    return at_least, at_most


RUNS = 1_000


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98])
def test_a_mean_just_short_of_its_limit_is_proven_at_most_1_in_20_times(
    n: int, rate: float
) -> None:
    """Recall of two pieces of evidence, each found or not: 0, 0.5 or 1 of a question."""
    draw = random.Random(f"{n} {rate}")
    wrong, proven = {">=": 0, "<=": 0}, 0
    for _ in range(RUNS):
        values = [0.0, 0.5, 1.0]
        counts = [0, 0, 0]
        for _ in range(n):
            counts[(draw.random() < rate) + (draw.random() < rate)] += 1
        found = spread(MEAN, [(v, c) for v, c in zip(values, counts, strict=True) if c], 0.95)
        wrong[">="] += judged(found, ">=", rate + 2 * TOLERANCE).proven is True
        wrong["<="] += judged(found, "<=", rate - 2 * TOLERANCE).proven is True
        proven += judged(found, ">=", rate - 0.25).proven is True
    # The draws are the same each time, and so is what comes out.
    assert max(wrong.values()) <= RUNS * 0.05
    assert proven > RUNS / 2


# Means that nothing bounds


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("ends", [(0.1, 0.2), (0.2, 0.2), (0.6, 0.9), None])
def test_a_mean_without_bounds_is_never_proven_either_way(
    ends: Interval | None, confidence: float | None
) -> None:
    change = Change(name="d", metric="cost", how="difference", says="", unbounded=True)
    cost = Statistic(name="c", how="the mean", says="", mean=True)
    for metric in (COST, cost, change):
        for op in (">=", "<="):
            gate = judged(measured(metric, 0.15, ends, n=10**6), op, 0.5, confidence)  # type: ignore[arg-type]
            assert gate.proven is False and gate.needed is None
            assert "nothing bounds its values" in gate.note
            assert not refuted(gate)


def test_a_bound_that_the_user_names_makes_a_mean_provable() -> None:
    metric = bounded(COST, 100.0)
    found = spread(metric, [(0.0, 40), (1.0, 59), (3.0, 1)], 0.95)
    _, high = found.interval or (None, None)
    assert high is not None and high > 100 * exact_interval(0, 100)[1]
    assert judged(found, "<=", 6.0).proven
    with pytest.raises(ConfigError, match="max = 2 says that all values are from 0 to 2"):
        spread(bounded(COST, 2.0), [(0.0, 40), (3.0, 1)], 0.95)
    with pytest.raises(ConfigError, match="whose values nothing bounds"):
        bounded(RATIO, 100.0)
