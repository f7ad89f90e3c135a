"""One metric of two sets of rows, question by question: the difference, its interval, its test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ragstone.comparison.row_sets import SavedMetric
from ragstone.comparison.says import Deciding
from ragstone.measure.interval import Distribution, Interval, exact_mean, quantile_linear
from ragstone.measure.paired import (
    Difference,
    Pairs,
    difference_of_means,
    difference_of_quantiles,
)
from ragstone.measure.permutation import MID_P, mcnemar, randomisation


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """A metric of B beside the same of A, over the questions that both have.

    `a` and `b` are its numbers over these questions, and `value` is b - a with its interval from
    `low` to `high`. `p` is the test's, and `p_holm` the same corrected for all tests of its family;
    a metric that is not `tested` is in no family, and its p stands as it is. `test` says how p was
    found, `says` what it comes to, and `change` which of the four that is. It was `seen` question
    by question, which `deciding` holds against a margin and a test. It is `unbounded` where it is a
    mean of numbers that nothing bounds.
    """

    metric: str
    a: float
    b: float
    value: float
    low: float | None
    high: float | None
    p: float | None
    test: str | None
    questions: int
    better: str
    seen: Difference
    p_holm: float | None = None
    tested: bool = False
    margin: str | None = None
    deciding: Deciding | None = None
    change: str = ""
    says: str = ""
    unbounded: bool = False

    @property
    def ends(self) -> Interval:
        """The ends of the interval, None where one is open or there is none."""
        return self.low, self.high


def metric_difference(metric: SavedMetric, pairs: Pairs, level: float) -> MetricDifference | None:
    """The difference of one metric; None where one side has no question in the metric's set."""
    if metric.kind == "count":
        # A row that is not in the set of a count is no hit of it.
        pairs = [(a or 0.0, b or 0.0, count) for a, b, count in pairs]
    before = [(a, count) for a, _, count in pairs if a is not None]
    after = [(b, count) for _, b, count in pairs if b is not None]
    if not before or not after:
        return None
    if metric.kind == "quantile":
        return _of_quantiles(metric, pairs, before, after, level)
    found = difference_of_means(pairs, level, metric.bounds)
    if found is None:
        return None
    p, test = _chance(metric, pairs, exact_mean([*before, *after]))
    low, high = found.interval or (None, None)
    made = MetricDifference(
        metric=metric.name,
        a=exact_mean(before),
        b=exact_mean(after),
        value=found.value,
        low=low,
        high=high,
        p=p,
        test=test,
        questions=found.questions,
        better=metric.better,
        seen=found,
        unbounded=metric.kind == "mean" and metric.bounds is None,
    )
    return _times(made, found.questions) if metric.kind == "count" else made


def _of_quantiles(
    metric: SavedMetric, pairs: Pairs, before: Distribution, after: Distribution, level: float
) -> MetricDifference | None:
    """A quantile has an interval and no test: swapping a pair does not move it by a set amount."""
    q = float(metric.declared["q"])
    found = difference_of_quantiles(pairs, q, level)
    if found is None:
        return None
    low, high = found.interval or (None, None)
    a, b = (quantile_linear(sorted(side), q) for side in (before, after))
    return MetricDifference(
        metric.name, a, b, found.value, low, high, None, None, found.questions, metric.better, found
    )


def _times(made: MetricDifference, questions: int) -> MetricDifference:
    """The mean of one yes/no a question, as the count of all of them."""
    ends = (None if end is None else end * questions for end in (made.low, made.high))
    low, high = ends
    moves = made.seen.moves
    seen = replace(
        made.seen,
        value=made.seen.value * questions,
        interval=(low, high),
        spread=made.seen.spread * questions,
        moves=None if moves is None else replace(moves, wide=moves.wide * questions),
    )
    a, b = round(made.a * questions), round(made.b * questions)
    return replace(made, a=float(a), b=float(b), value=float(b - a), low=low, high=high, seen=seen)


def _chance(metric: SavedMetric, pairs: Pairs, middle: float) -> tuple[float, str]:
    """Mid-p McNemar where all questions are in both sets and say yes or no; else randomisation."""
    whole = all(a in (0.0, 1.0) and b in (0.0, 1.0) for a, b, _ in pairs)
    if metric.yes_no and whole:
        gained = sum(count for a, b, count in pairs if b and not a)
        lost = sum(count for a, b, count in pairs if a and not b)
        return mcnemar(gained, lost), MID_P
    found = randomisation(_pushes(pairs, middle))
    return found.p, f"randomisation, {found.method}"


def _pushes(pairs: Pairs, middle: float) -> Iterator[tuple[float, int]]:
    """How far each question pushes the two sides apart; swapping its two answers turns the sign.

    A question may be in the metric's set on one side only (an answer that only B shipped). It
    pushes by its distance from the mean of both sides together, which no swapping changes: so a
    coin for each question gives every outcome that chance could have given.
    """
    for a, b, count in pairs:
        yield (0.0 if b is None else b - middle) - (0.0 if a is None else a - middle), count
