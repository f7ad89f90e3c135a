"""Times and costs of a load: questions asked again and again, and what is made of two numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from coverage_cell import SIZES, Cell, Ends, held_and_right, sampled

from ragstone.measure.clustered_quantile import clustered_quantile_interval
from ragstone.measure.combined import difference_interval, quotient_interval
from ragstone.measure.interval import clustered_interval, quantile_linear
from ragstone.suites.latency.spread import Question, cost_interval

Chance = np.random.Generator
Numbers = np.typing.NDArray[np.float64]

# Times are lognormal: the slowest hundredth takes three times as long as the middle one.
SPREAD = 0.5
QUANTILES = (0.5, 0.9, 0.95, 0.99)
REPEATS = 5


def cells(runs: int) -> list[Cell]:
    made = []
    for n in SIZES:
        for correlation in (0.0, 0.1, 0.5, 0.9):
            made += _percentiles(runs, n, correlation)
        for case, (truth, draw) in _made_of_two().items():
            chance = np.random.default_rng([n, len(case)])
            samples = sampled(draw(chance, n) for _ in range(runs))
            made += held_and_right("load", n, case, truth, samples)
        for share in (0.1, 0.5, 0.9, 0.98):
            for dearer in (1.0, 3.0):
                chance = np.random.default_rng([n, round(100 * share), round(dearer)])
                kind = f"cost of a right answer, wrong ones cost {dearer:g} times as much"
                truth = math.exp(0.3**2 / 2) * (share + (1 - share) * dearer) / share
                samples = sampled(_cost(chance, n, share, dearer) for _ in range(runs))
                made += held_and_right(kind, n, f"{share} right", truth, samples)
    return made


def _truth(q: float) -> float:
    return math.exp(SPREAD * NormalDist().inv_cdf(q))


def _times(chance: Chance, n: int, repeats: int, correlation: float) -> list[list[float]]:
    """A row of times for each question; how slow a question is makes up a part of the spread."""
    own = chance.standard_normal((n, repeats)) * math.sqrt(1 - correlation)
    shared = chance.standard_normal((n, 1)) * math.sqrt(correlation)
    times: list[list[float]] = np.exp(SPREAD * (own + shared)).tolist()
    return times


def _percentiles(runs: int, n: int, correlation: float) -> list[Cell]:
    chance = np.random.default_rng([n, round(100 * correlation)])
    found: dict[float, list[Ends]] = {q: [] for q in QUANTILES}
    for _ in range(runs):
        times = _times(chance, n, REPEATS, correlation)
        for q in QUANTILES:
            found[q].append(clustered_quantile_interval(times, q)[0])
    kind = f"percentile, {REPEATS} repeats, correlation {correlation}"
    return [
        cell
        for q in QUANTILES
        for cell in held_and_right(kind, n, f"p{100 * q:g}", _truth(q), sampled(found[q]))
    ]


def _made_of_two() -> dict[str, tuple[float, Callable[[Chance, int], Ends]]]:
    """What is a quotient or a difference: its truth, and how to draw an interval of it."""
    return {
        "p99 / p50": (_truth(0.99) / _truth(0.5), _tail),
        "p50 ratio": (1.0, lambda chance, n: _ratio(chance, n, 0.5)),
        "p90 ratio": (1.0, lambda chance, n: _ratio(chance, n, 0.9)),
        "p95 ratio": (1.0, lambda chance, n: _ratio(chance, n, 0.95)),
        "precision drop": (0.02, _drop),
    }


def _tail(chance: Chance, n: int) -> Ends:
    times = _times(chance, n, 1, 0.0)
    return quotient_interval(*_placed(times, 0.99), *_placed(times, 0.5))


def _ratio(chance: Chance, n: int, q: float) -> Ends:
    now, before = (_times(chance, n, 1, 0.0) for _ in range(2))
    return quotient_interval(*_placed(now, q), *_placed(before, q))


def _placed(times: list[list[float]], q: float) -> tuple[float, Ends]:
    every = sorted((value, 1) for row in times for value in row)
    return quantile_linear(every, q), clustered_quantile_interval(times, q)[0]


def _drop(chance: Chance, n: int) -> Ends:
    """Precision 0.92 before and 0.90 now, each question asked three times."""
    before, now = (_hits(chance, n, share, 3) for share in (0.92, 0.90))
    return difference_interval(*_share(before, 3), *_share(now, 3))


def _hits(chance: Chance, n: int, share: float, repeats: int) -> list[int]:
    rates = chance.beta(share, 1 - share, n)
    hits: list[int] = chance.binomial(repeats, rates).tolist()
    return hits


def _share(hits: list[int], repeats: int) -> tuple[float, Ends]:
    return sum(hits) / repeats / len(hits), clustered_interval(
        Counter((hit, repeats) for hit in hits)
    )


def _cost(chance: Chance, n: int, share: float, dearer: float) -> Ends | None:
    """One request a question; without a right answer there is no number."""
    right = chance.random(n) < share
    costs = np.exp(0.3 * chance.standard_normal(n)) * np.where(right, 1.0, dearer)
    if not right.any():
        return None
    questions = [
        Question([1.0], int(hit), [cost])
        for hit, cost in zip(right.tolist(), costs.tolist(), strict=True)
    ]
    return cost_interval(questions, 0.95)
