"""Quantiles by order statistics, by enumeration: where there are too few values, an end is open.

Times of four shapes are sampled as well: the enumeration takes for granted that no two are equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from coverage_cell import Cell, held_and_right, sampled
from coverage_ratios import binomial

from ragstone.measure.interval import quantile_interval

SIZES = (1, 2, 5, 10, 30, 100, 500)
QUANTILES = (0.5, 0.9, 0.95, 0.99)


LARGE = (30, 100, 300, 1000)
SLOWEST = (0.95, 0.99)


def cells(runs: int) -> list[Cell]:
    return [*enumerated(), *drawn(runs)]


def enumerated() -> list[Cell]:
    """How many values lie below the true quantile is binomial, whatever their shape."""
    made = []
    for n in SIZES:
        ranks = [(float(rank), 1) for rank in range(1, n + 1)]
        for q in QUANTILES:
            low, high = quantile_interval(ranks, q)
            chance = binomial(n, q)
            # With k values below it, the truth lies between the values of rank k and k + 1.
            samples = [
                (share, (None if low is None else low - k, None if high is None else high - k - 1))
                for k, share in enumerate(chance)
            ]
            made += held_and_right("quantile", n, f"p{100 * q:g}", 0.0, samples)
    return made


def lognormal(share: float) -> float:
    return math.exp(NormalDist().inv_cdf(share))


def pareto(share: float) -> float:
    """A tail so heavy that it has no variance."""
    return float((1 - share) ** (-1 / 1.5))


def two_humps(share: float) -> float:
    """One in ten requests is as slow as if it were sent again, or slower."""
    return lognormal(share / 0.9) if share < 0.9 else 50 + lognormal((share - 0.9) / 0.1)


def ties(share: float) -> float:
    """A clock that ticks twice as rarely as the middle request takes."""
    return math.ceil(lognormal(share) / 2) * 2.0


SHAPES: dict[str, Callable[[float], float]] = {
    "lognormal": lognormal,
    "Pareto": pareto,
    "two humps": two_humps,
    "ties": ties,
}


def drawn(runs: int) -> list[Cell]:
    made = []
    for n in LARGE:
        for seed, (shape, placed) in enumerate(SHAPES.items()):
            chance = np.random.default_rng([n, seed])
            # A value for each share of all the requests, in steps that no quantile falls on.
            steps = np.array([placed((step + 0.5) / 100_000) for step in range(100_000)])
            samples = [np.sort(steps[chance.integers(0, 100_000, n)]) for _ in range(runs)]
            for q in SLOWEST:
                ends = (quantile_interval([(x, 1) for x in each.tolist()], q) for each in samples)
                kind = f"quantile of times, {shape}"
                made += held_and_right(kind, n, f"p{100 * q:g}", placed(q), sampled(ends))
    return made
