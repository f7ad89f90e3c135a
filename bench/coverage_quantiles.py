"""Quantiles by order statistics, by enumeration: where there are too few values, an end is open."""

from __future__ import annotations

from coverage_cell import SIZES, Cell
from coverage_ratios import binomial

from ragstone.measure.interval import quantile_interval

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
            above = [low is None or low <= k for k in range(n + 1)]
            below = [high is None or k + 1 <= high for k in range(n + 1)]
            held = sum(c for c, up, down in zip(chance, above, below, strict=True) if up and down)
            right = sum(c for c, down in zip(chance, below, strict=True) if down)
            made.append(Cell("quantile", n, f"p{100 * q:g}", held, 0.93))
            made.append(Cell("right proofs: quantile", n, f"p{100 * q:g}", right, 0.95))
    return made
