"""Ratios of independent questions: Wilson's interval, by enumeration of every number of hits."""

from __future__ import annotations

import math

import numpy as np
from coverage_cell import RATES, SIZES, Cell, coverage_and_proof

from ragstone.measure.interval import wilson


def cells(runs: int) -> list[Cell]:
    """Nothing is sampled here, so `runs` changes nothing."""
    made = []
    for n in SIZES:
        ends = [wilson(hits, n) for hits in range(n + 1)]
        exact = clopper_pearson(n)
        for p in RATES:
            chance = binomial(n, p)
            made += coverage_and_proof("ratio", n, p, zip(chance, ends, strict=True))
            ours, theirs = (mean_width(chance, each) for each in (ends, exact))
            made.append(Cell("width of Clopper-Pearson / ratio", n, f"p = {p}", theirs / ours, 1))
    return made


def binomial(n: int, p: float) -> list[float]:
    """How likely each number of hits in n is."""
    return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def mean_width(chance: list[float], ends: list[tuple[float, float]]) -> float:
    return math.fsum(c * (high - low) for c, (low, high) in zip(chance, ends, strict=True))


def clopper_pearson(n: int, level: float = 0.95) -> list[tuple[float, float]]:
    """For each number of hits, the rates at which that many or more, or fewer, are just too rare.

    Halving finds the upper ends of all numbers of hits at once; the lower ones mirror them.
    """
    below, above = np.zeros(n), np.ones(n)
    logs = np.array([math.log(math.comb(n, k)) for k in range(n + 1)])[:, None]
    k = np.arange(n + 1)[:, None]
    for _ in range(50):
        p = (below + above) / 2
        at_most = np.exp(logs + k * np.log(p) + (n - k) * np.log1p(-p)).cumsum(axis=0).diagonal()
        below = np.where(at_most > (1 - level) / 2, p, below)
        above = np.where(at_most > (1 - level) / 2, above, p)
    highs = [*below.tolist(), 1.0]
    return [(1 - highs[n - hits] if hits else 0.0, highs[hits]) for hits in range(n + 1)]
