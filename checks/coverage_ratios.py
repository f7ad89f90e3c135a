"""Ratios of independent questions: the exact interval, by enumeration of every number of hits."""

from __future__ import annotations

from coverage_cell import Cell, held_and_right

from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import binomial_weights

SIZES = (1, 2, 3, 5, 10, 17, 30, 100, 500)
RATES = (0.005, 0.02, 0.05, 0.1, 0.5, 0.9, 0.95, 0.98, 0.995)
# Every number of questions up to this one, at every rate in steps of 0.01.
ALL_UP_TO = 100
WORST = "the worst of 0.01 to 0.99"


def cells(runs: int) -> list[Cell]:
    """Nothing is sampled here, so `runs` changes nothing."""
    made = []
    for n in SIZES:
        for p in RATES:
            made += cells_at(n, p, f"p = {p}")
        made += worst(n, cells_of(n))
    every = [cell for n in range(1, ALL_UP_TO + 1) for cell in cells_of(n)]
    made += [cell._replace(kind=f"{cell.kind}, every n up to") for cell in worst(ALL_UP_TO, every)]
    return made


def cells_of(n: int) -> list[Cell]:
    return [cell for percent in range(1, 100) for cell in cells_at(n, percent / 100, WORST)]


def cells_at(n: int, p: float, case: str) -> list[Cell]:
    ends = [exact_interval(hits, n) for hits in range(n + 1)]
    samples = zip(binomial(n, p), ends, strict=True)
    return held_and_right("ratio", n, case, p, samples, least=0.95, right=0.975)


def worst(n: int, cells: list[Cell]) -> list[Cell]:
    """Of each kind the cell with the least."""
    kinds = dict.fromkeys(cell.kind for cell in cells)
    return [
        min((cell._replace(n=n) for cell in cells if cell.kind == kind), key=lambda c: c.found)
        for kind in kinds
    ]


def binomial(n: int, p: float) -> list[float]:
    """How likely each number of hits in n is."""
    first, weights = binomial_weights(n, p)
    total = sum(weights)
    after = n + 1 - first - len(weights)
    return [0.0] * first + [weight / total for weight in weights] + [0.0] * after
