"""What is proven: what it means, that it is seldom wrong, and that --confidence takes nothing less.

A proof says that the truth is on the right side of the limit. It is wrong when the truth lies just
beyond it and the sample says otherwise.
"""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.gates.gate import TOLERANCE, Judged, Op, Status, Threshold
from ragstone.gates.judge import judge
from ragstone.gates.proof import refuted
from ragstone.measure.interval import Interval
from ragstone.measure.measure import share, spread
from ragstone.measure.metric import Count, Mean, Measured, Metric, Quantile, Ratio

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


@pytest.mark.parametrize("metric", [RATIO, MEAN, COST, P95])
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
        assert (gate.status, gate.proven, gate.needed) == (Status.PASS, None, None)


def test_the_questions_are_counted_only_where_the_answer_needs_them() -> None:
    def never() -> int:
        raise AssertionError("counting them reads every row")

    found = {RATIO.name: share(RATIO, 100, 100, 0.95, None)}
    (gate,) = judge(found, {RATIO.name: Threshold(">=", 0.8)}, questions=never)
    assert gate.proven


# A proof is seldom wrong


def chances(n: int, rate: float) -> list[float]:
    """How likely each number of hits in n is."""
    return [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)]


@pytest.mark.parametrize("n", [30, 100, 500])
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.9, 0.95, 0.98])
def test_a_share_just_short_of_its_limit_is_proven_at_most_1_in_20_times(
    n: int, rate: float
) -> None:
    """Of every number of hits, by exact enumeration; a small share and `<=` are its mirror."""
    wrong = {">=": 0.0, "<=": 0.0}
    for hits, chance in enumerate(chances(n, rate)):
        for op, found, limit in (
            (">=", share(RATIO, hits, n, 0.95, None), rate + 2 * TOLERANCE),
            ("<=", share(RATIO, n - hits, n, 0.95, None), 1 - rate - 2 * TOLERANCE),
        ):
            wrong[op] += chance if judged(found, op, limit).proven else 0.0  # type: ignore[arg-type]
    assert max(wrong.values()) <= 0.05
    assert wrong[">="] == pytest.approx(wrong["<="], abs=1e-9)


RUNS = 1_000


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("rate", [0.5, 0.9, 0.98])
def test_a_mean_just_short_of_its_limit_is_proven_at_most_1_in_20_times(
    n: int, rate: float
) -> None:
    """Recall of two pieces of evidence, each found or not: 0, 0.5 or 1 of a question."""
    draw = random.Random(f"{n} {rate}")
    wrong = {">=": 0, "<=": 0}
    for _ in range(RUNS):
        values = [0.0, 0.5, 1.0]
        counts = [0, 0, 0]
        for _ in range(n):
            counts[(draw.random() < rate) + (draw.random() < rate)] += 1
        found = spread(MEAN, [(v, c) for v, c in zip(values, counts, strict=True) if c], 0.95)
        wrong[">="] += judged(found, ">=", rate + 2 * TOLERANCE).proven is True
        wrong["<="] += judged(found, "<=", rate - 2 * TOLERANCE).proven is True
    # The draws are the same each time, and so is what comes out.
    assert max(wrong.values()) <= RUNS * 0.05
    assert sum(wrong.values()) > 0
