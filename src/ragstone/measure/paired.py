"""How far apart are two runs over the same questions, and is a drop proven small or large?

The difference of two means, or of two quantiles, varies as the sum of what each question adds to
it; questions that only one run could be measured on add to that one alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragstone.measure.interval import (
    TOLERANCE,
    Closed,
    Distribution,
    exact_mean,
    quantile_interval,
    quantile_linear,
    t_deviate,
    wilson,
)

Values = Sequence[float | None]
Proof = Literal["proven small", "proven large", "undecided"]
_Push = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference, its interval, and how much one question moves it (the standard deviation)."""

    value: float
    interval: Closed | None
    spread: float
    questions: int


def difference_of_means(
    before: Values, after: Values, level: float = 0.95, *, bounded: bool = True
) -> Difference | None:
    """The mean of `after` minus the mean of `before`, question by question.

    Where no question differs at all, chance has not shown itself: the interval of a `bounded`
    number is then as wide as the share of questions that could differ unseen.

    >>> found = difference_of_means([0.0, 0.5, 1.0], [0.0, 0.6, 1.2])
    >>> low, high = found.interval
    >>> f"{found.value:.4f} {low:.4f} {high:.4f}"
    '0.1000 -0.1484 0.3484'
    >>> found = difference_of_means([1.0] * 100, [1.0] * 100)
    >>> f"{found.interval[0]:.4f}"
    '-0.0370'
    """
    old, new = _mean(before), _mean(after)
    if old is None or new is None:
        return None
    pushes = _pushes(before, after, lambda x: x - old, lambda x: x - new)
    return _difference(new - old, pushes, level, bounded)


def difference_of_quantiles(
    before: Values, after: Values, q: float, level: float = 0.95
) -> Difference | None:
    """The q-quantile of `after` minus that of `before`, by the density around each.

    >>> found = difference_of_quantiles([0.1, 0.2, 0.3], [0.2, 0.3, 0.4], 0.5)
    >>> f"{found.value:.4f}"
    '0.1000'
    """
    old, new = _spread(before), _spread(after)
    if not old or not new:
        return None
    at_old, at_new = quantile_linear(old, q), quantile_linear(new, q)
    wide_old, wide_new = _width(old, q, level), _width(new, q, level)
    if wide_old is None or wide_new is None:
        questions = sum(x is not None or y is not None for x, y in zip(before, after, strict=True))
        return Difference(at_new - at_old, None, 0.0, questions)
    pushes = _pushes(
        before,
        after,
        lambda x: (q - (x <= at_old)) * wide_old,
        lambda x: (q - (x <= at_new)) * wide_new,
    )
    return _difference(at_new - at_old, pushes, level, bounded=True)


@dataclass(frozen=True, slots=True)
class NonInferiority:
    """Whether a drop is proven to be within a margin, or beyond it."""

    margin: float
    level: float
    proof: Proof
    needed: int | None


def non_inferiority(found: Difference, margin: float, level: float = 0.95) -> NonInferiority:
    """The interval of the difference against `-margin`; `needed` more questions would settle it.

    >>> steady = Difference(0.01, (0.0, 0.02), 0.1, 400)
    >>> non_inferiority(steady, 0.02).proof
    'proven small'
    """
    edge = -margin - TOLERANCE
    if found.interval is None:
        return NonInferiority(margin, level, "undecided", None)
    low, high = found.interval
    if low >= edge:
        return NonInferiority(margin, level, "proven small", 0)
    if high < edge:
        return NonInferiority(margin, level, "proven large", 0)
    return NonInferiority(margin, level, "undecided", _needed(found, edge, level))


def _needed(found: Difference, edge: float, level: float) -> int | None:
    gap = abs(found.value - edge)
    if gap <= 2 * TOLERANCE:
        return None
    n = found.questions
    if not found.spread:
        # Wilson's upper end of no hit in n is z² / (n + z²).
        z = t_deviate(10**6, level)
        total = math.ceil(z * z * (1 - gap) / gap) if gap < 1 else 1
    else:
        total = math.ceil((t_deviate(10**6, level) * found.spread / gap) ** 2)
    return max(1, total - n) if total <= 10**9 else None


def _mean(values: Values) -> float | None:
    known = [value for value in values if value is not None]
    return exact_mean([(value, 1) for value in known]) if known else None


def _spread(values: Values) -> Distribution:
    return [(value, 1) for value in sorted(value for value in values if value is not None)]


def _width(values: Distribution, q: float, level: float) -> float | None:
    """One over the density at the quantile, from the width of its interval, if that is closed."""
    n = len(values)
    low, high = quantile_interval(values, q, level)
    if low is None or high is None:
        return None
    return (high - low) / (2 * t_deviate(10**6, level) * math.sqrt(q * (1 - q) / n))


def _pushes(before: Values, after: Values, of_before: _Push, of_after: _Push) -> list[float]:
    """What each question adds to the difference, up to the mean."""
    pairs = [(x, y) for x, y in zip(before, after, strict=True) if not (x is None and y is None)]
    total = len(pairs)
    olds = sum(x is not None for x, _ in pairs)
    news = sum(y is not None for _, y in pairs)
    return [
        (0.0 if y is None else of_after(y) * total / news)
        - (0.0 if x is None else of_before(x) * total / olds)
        for x, y in pairs
    ]


def _difference(value: float, pushes: list[float], level: float, bounded: bool) -> Difference:
    n = len(pushes)
    if n < 2:
        return Difference(value, None, 0.0, n)
    squares = math.fsum(push * push for push in pushes)
    spread = math.sqrt(squares / (n - 1))
    half = t_deviate(n - 1, level) * spread / math.sqrt(n)
    if half <= TOLERANCE:
        half = wilson(0, n, level)[1] if bounded else 0.0
        spread = 0.0
    return Difference(value, (value - half, value + half), spread, n)
