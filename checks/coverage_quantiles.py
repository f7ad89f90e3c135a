"""Quantiles by order statistics, by enumeration: where there are too few values, an end is open."""

from __future__ import annotations

from coverage_cell import Cell, held_and_right
from coverage_ratios import binomial

from ragstone.measure.interval import quantile_interval

SIZES = (1, 2, 5, 10, 30, 100, 500)
QUANTILES = (0.5, 0.9, 0.95, 0.99)


def cells(runs: int) -> list[Cell]:
    """How many values lie below the true quantile is binomial, whatever their shape.

    Nothing is sampled here, so `runs` changes nothing.
    """
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
