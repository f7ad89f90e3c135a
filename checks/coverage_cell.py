"""One cell of the tables of checks/coverage.py: how often an interval held the truth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

SIZES = (30, 100, 500)
RATES = (0.02, 0.1, 0.5, 0.9, 0.98)


class Cell(NamedTuple):
    """What was found for one kind of interval, in one case, with n questions.

    `found` is the share of samples whose interval held the truth, or another number of which
    `least` is the least that is allowed; `case` heads its column.
    """

    kind: str
    n: int
    case: str
    found: float
    least: float

    @property
    def holds(self) -> bool:
        return self.found >= self.least


Ends = tuple[float | None, float | None]


def sampled(intervals: Iterable[Ends | None]) -> list[tuple[float, Ends]]:
    """Intervals of samples that are all equally likely; every sample must have one."""
    found = [ends for ends in intervals if ends is not None]
    return [(1 / len(found), ends) for ends in found]


def held_and_right(
    kind: str,
    n: int,
    case: str,
    truth: float,
    samples: Iterable[tuple[float, Ends]],
    least: float = 0.93,
    right: float = 0.95,
) -> list[Cell]:
    """Two cells from intervals around a truth, each with how likely it is.

    A gate at the truth itself is proven, or proven to fail, when the whole interval lies beyond it
    on one side: either is wrong. The second cell is about the side where that happens more often.
    """
    # A hair of room: the truth is a decimal, and an end that meets it may be the double beside it.
    low_most, high_least = truth + 1e-12, truth - 1e-12
    rows = list(samples)
    beyond = [chance for chance, (low, _) in rows if low is not None and low > low_most]
    short = [chance for chance, (_, high) in rows if high is not None and high < high_least]
    too_high, too_low = math.fsum(beyond), math.fsum(short)
    return [
        Cell(kind, n, case, 1 - too_high - too_low, least),
        Cell(f"right proofs: {kind}", n, case, 1 - max(too_high, too_low), right),
    ]
