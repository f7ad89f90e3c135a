"""One cell of the tables of bench/coverage.py: how often an interval held the truth."""

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


def coverage_and_proof(
    kind: str,
    n: int,
    p: float,
    found: Iterable[tuple[float, Ends]],
    least: float = 0.93,
) -> list[Cell]:
    """Two cells from intervals around a truth of `p`, each with how likely it is.

    A gate at the truth itself is proven when the whole interval lies beyond it: that is a wrong
    proof. Gates are set to be met by much (`>=`) near 1 and by little (`<=`) near 0.
    """
    rows = [(chance, *ends) for chance, ends in found]
    held = math.fsum(
        chance
        for chance, low, high in rows
        if (low is None or low <= p) and (high is None or high >= p)
    )
    wrong = math.fsum(
        chance
        for chance, low, high in rows
        if (low is not None and low > p if p >= 0.5 else high is not None and high < p)
    )
    gate = f"right proofs: {kind}"
    return [
        Cell(kind, n, f"p = {p}", held, least),
        Cell(gate, n, f"p = {p}", 1 - wrong, 0.95),
    ]
