"""Ratios whose questions were asked several times: the interval of clustered rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from coverage_cell import RATES, Cell, held_and_right, sampled

from ragstone.measure.interval import clustered_interval, shares_interval

SIZES = (15, 30, 100, 500)
# The least and the most repeats of a question, and how alike they are: the correlation of two of
# them, from 0 (strangers) to 1 (always the same).
DESIGNS = ((3, 3, 0.5), (5, 5, 0.8), (1, 10, 0.5), (10, 10, 0.1), (1, 39, 0.2), (1, 39, 0.9))
SHARES = ((6, 0.3), (6, 0.8))


def cells(runs: int) -> list[Cell]:
    made = []
    for n in SIZES:
        for p in RATES:
            least = 0.90 if p in (0.02, 0.98) else 0.93
            for fewest, most, alike in DESIGNS:
                sizes = f"{fewest}" if fewest == most else f"{fewest} to {most}"
                kind = f"ratio, {sizes} repeats, correlation {alike}"
                made += held_and_right(
                    kind,
                    n,
                    f"p = {p}",
                    p,
                    sampled(
                        clustered_interval(Counter(zip(hits, sizes, strict=True)))
                        for hits, sizes in repeated(runs, n, p, (fewest, most), alike)
                    ),
                    least,
                )
            for repeats, alike in SHARES:
                kind = f"mean of shares of {repeats} repeats, correlation {alike}"
                found = sampled(
                    shares_interval(counted(hits, repeats), most=n * repeats)
                    for hits, _ in repeated(runs, n, p, (repeats, repeats), alike)
                )
                made += held_and_right(kind, n, f"p = {p}", p, found, least)
    return made


def repeated(
    runs: int, n: int, p: float, sizes: tuple[int, int], alike: float
) -> Iterator[tuple[list[int], list[int]]]:
    """Samples of n questions: how many of its repeats hit, and how many there are.

    Each question has a rate of its own, from the beta distribution with mean p whose repeats are
    as alike as asked.
    """
    chance = np.random.default_rng([n, round(1000 * p), *sizes, round(1000 * alike)])
    weight = 1 / alike - 1
    for _ in range(runs):
        size = chance.integers(sizes[0], sizes[1] + 1, n)
        rate = chance.beta(p * weight, (1 - p) * weight, n)
        yield chance.binomial(size, rate).tolist(), size.tolist()


def counted(hits: list[int], repeats: int) -> list[tuple[float, int]]:
    """How often each share of the repeats occurs, in order."""
    counts = np.bincount(hits, minlength=repeats + 1).tolist()
    return [(hit / repeats, count) for hit, count in enumerate(counts) if count]
