"""Do two ways of judging put the systems in the same order? Spearman's rank correlation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


def ranks(values: Sequence[Fraction]) -> list[Fraction]:
    """The place of each value from the smallest up; equal ones share the mean of their places.

    >>> [float(rank) for rank in ranks([Fraction(3), Fraction(1), Fraction(3)])]
    [2.5, 1.0, 2.5]
    """
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    times = Counter(ordered)
    return [first[value] + Fraction(times[value] - 1, 2) for value in values]


def spearman(one: Sequence[Fraction], two: Sequence[Fraction]) -> float | None:
    """The correlation of the ranks, ties by average rank; None where one side has a single rank.

    >>> spearman([Fraction(1), Fraction(2), Fraction(3)], [Fraction(5), Fraction(9), Fraction(7)])
    0.5
    """
    first, second = _centred(ranks(one)), _centred(ranks(two))
    together = sum((a * b for a, b in zip(first, second, strict=True)), Fraction(0))
    apart = sum((a * a for a in first), Fraction(0)) * sum((b * b for b in second), Fraction(0))
    if not apart:
        return None
    # The square is exact, and rounded once: equal orders give 1.0, not 0.9999999999999998.
    return math.copysign(math.sqrt(together * together / apart), together)


def _centred(values: Sequence[Fraction]) -> list[Fraction]:
    mean = Fraction(len(values) + 1, 2)
    return [value - mean for value in values]
