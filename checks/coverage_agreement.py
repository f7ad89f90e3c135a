"""Kappa and alpha: few items, rare labels, agreement up to the last item, labels missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
from coverage_cell import SIZES, Cell, Ends, held_and_right, sampled

from ragstone.suites.agreement.coefficient_intervals import alpha_interval, kappa_interval
from ragstone.suites.agreement.coefficients import Unit

TRUTHS = (0.0, 0.5, 0.8, 0.95, 1.0)
# How often each label is the right one.
LABELS = {
    "two labels, balanced": (0.5, 0.5),
    "two labels, 0.9 and 0.1": (0.9, 0.1),
    "four labels, balanced": (0.25, 0.25, 0.25, 0.25),
    "four labels, 0.85 and 3 of 0.05": (0.85, 0.05, 0.05, 0.05),
}
RATERS, MISSING = 3, 0.2


def cells(runs: int) -> list[Cell]:
    made = []
    for place, (labels, shares) in enumerate(LABELS.items()):
        for n, truth in product(SIZES, TRUTHS):
            seed = [place, n, round(100 * truth)]
            kappas = _kappas(np.random.default_rng([*seed, 0]), n, shares, truth, runs)
            made += _cells(f"kappa, {labels}", n, truth, kappas)
            alphas = _alphas(np.random.default_rng([*seed, 1]), n, shares, truth, runs)
            made += _cells(f"alpha, 3 raters, 20 % missing, {labels}", n, truth, alphas)
    return made


def _cells(kind: str, n: int, truth: float, samples: Iterator[Ends | None]) -> list[Cell]:
    """Of the samples that have an interval."""
    return held_and_right(kind, n, f"truth {truth}", truth, sampled(samples))


def _kappas(
    chance: np.random.Generator, n: int, shares: tuple[float, ...], truth: float, runs: int
) -> Iterator[Ends | None]:
    """Two raters who give the same label as often as the truth says, and else draw their own."""
    pairs = list(product(map(str, range(len(shares))), repeat=2))
    likely = np.array([a * b for a, b in product(shares, repeat=2)]) * (1 - truth)
    likely[:: len(shares) + 1] += truth * np.array(shares)
    for drawn in chance.multinomial(n, likely / likely.sum(), size=runs):
        items = {((pair, 1),): int(n) for pair, n in zip(pairs, drawn, strict=True) if n}
        yield kappa_interval(items, 0.95)


def _alphas(
    chance: np.random.Generator, n: int, shares: tuple[float, ...], truth: float, runs: int
) -> Iterator[Ends | None]:
    """Raters who know the right label with the chance whose square is alpha, and else guess."""
    likely = _units(shares, truth**0.5)
    units, weights = list(likely), np.array(list(likely.values()))
    for drawn in chance.multinomial(n, weights / weights.sum(), size=runs):
        items = {unit: int(n) for unit, n in zip(units, drawn, strict=True) if n and unit}
        yield alpha_interval(items, 0.95)


def _units(shares: tuple[float, ...], knows: float) -> dict[Unit, float]:
    """How likely each way to label an item is."""
    found: Counter[Unit] = Counter()
    for said in product((None, *range(len(shares))), repeat=RATERS):
        unit = tuple(sorted(Counter(str(label) for label in said if label is not None).items()))
        for true, share in enumerate(shares):
            chance = share
            for label in said:
                if label is None:
                    chance *= MISSING
                else:
                    guessed = (1 - knows) * shares[label]
                    chance *= (1 - MISSING) * (guessed + knows * (label == true))
            found[unit] += chance
    return found
