"""Means: of numbers between two bounds, and of numbers without."""

from __future__ import annotations

import numpy as np
from coverage_cell import RATES, Cell, held_and_right, sampled

from ragstone.measure.interval import Distribution, clustered_mean_interval, mean_interval

Chance = np.random.Generator
Numbers = np.typing.NDArray[np.float64]

BOUNDS = (0.0, 1.0)
SIZES = (10, 30, 100, 500)


def cells(runs: int) -> list[Cell]:
    made = []
    for n in SIZES:
        for p in RATES:
            for seed, (kind, draw) in enumerate(BOUNDED.items(), 1):
                chance = np.random.default_rng([n, round(1000 * p), seed])
                found = sampled(
                    mean_interval(distribution(draw(chance, n, p)), bounds=BOUNDS)
                    for _ in range(runs)
                )
                made += held_and_right(f"mean of {kind}", n, f"p = {p}", p, found)
            chance = np.random.default_rng([n, round(1000 * p), 0])
            found = sampled(clustered(chance, n, p) for _ in range(runs))
            least = 0.90 if p in (0.02, 0.98) else 0.93
            kind = "mean of recall, 3 repeats, correlation 0.5"
            made += held_and_right(kind, n, f"p = {p}", p, found, least)
    made += [unbounded(runs, n, kind) for n in LARGE for kind in UNBOUNDED]
    return made


def halves(chance: Chance, n: int, p: float) -> Numbers:
    return chance.binomial(2, p, n) / 2


def anything(chance: Chance, n: int, p: float) -> Numbers:
    return chance.beta(2 * p, 2 * (1 - p), n)


def ends(chance: Chance, n: int, p: float) -> Numbers:
    return chance.beta(p / 2, (1 - p) / 2, n)


def around(chance: Chance, n: int, p: float) -> Numbers:
    return chance.beta(10 * p, 10 * (1 - p), n)


def mostly_one_end(chance: Chance, n: int, p: float) -> Numbers:
    """At the nearer end, or anywhere between the two."""
    away = 2 * min(p, 1 - p)
    moved = (chance.random(n) < away) * chance.random(n)
    return moved if p <= 0.5 else 1 - moved


def rarely_nothing(chance: Chance, n: int, p: float) -> Numbers:
    """Near p, but one in a hundred is 0: few samples have one, and the mean of all is p."""
    return around(chance, n, min(p / 0.99, 0.995)) * (chance.random(n) >= 0.01)


BOUNDED = {
    "recall in {0, 0.5, 1}": halves,
    "numbers from 0 to 1": anything,
    "numbers near 0 and 1": ends,
    "numbers near p": around,
    "numbers at one end, some between": mostly_one_end,
    "numbers near p, and 1 % zeros": rarely_nothing,
}


def clustered(chance: Chance, n: int, p: float) -> tuple[float, float] | None:
    """Recall of two pieces of evidence, three times for each question, with correlation 0.5."""
    rates = chance.beta(p, 1 - p, n)
    values = chance.binomial(2, np.repeat(rates, 3)).reshape(n, 3) / 2
    return clustered_mean_interval(values.tolist(), float(values.mean()), bounds=BOUNDS)


# The true mean, and the least coverage for each n. Student's t is what it is: of numbers as skewed
# as exponential ones, 30 say too little of the tail.
LARGE = (30, 100, 500)
UNBOUNDED = {
    "normal": (0.0, (0.93, 0.93, 0.93)),
    "uniform": (0.5, (0.93, 0.93, 0.93)),
    "exponential": (1.0, (0.91, 0.93, 0.93)),
}


def unbounded(runs: int, n: int, kind: str) -> Cell:
    chance = np.random.default_rng([n, list(UNBOUNDED).index(kind)])
    draw = {
        "normal": chance.standard_normal,
        "uniform": chance.random,
        "exponential": chance.standard_exponential,
    }[kind]
    truth, least = UNBOUNDED[kind]
    ends = [mean_interval(distribution(draw(n))) for _ in range(runs)]
    held = sum(each is not None and each[0] <= truth <= each[1] for each in ends) / runs
    return Cell("mean without bounds", n, f"{kind} numbers", held, least[LARGE.index(n)])


def distribution(values: Numbers) -> Distribution:
    """The values with their counts, in order."""
    found, counts = np.unique(values, return_counts=True)
    return list(zip(found.tolist(), counts.tolist(), strict=True))
