"""Kappa and alpha: few items, rare labels, agreement up to the last item, labels missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
from coverage_cell import SIZES, Cell, Ends, held_and_right, sampled

from ragstone.suites.agreement.coefficient_intervals import alpha_interval, kappa_interval
from ragstone.suites.agreement.coefficients import Unit

Numbers = np.typing.NDArray[np.float64]

TRUTHS = (0.0, 0.5, 0.8, 0.95, 1.0)
# How often each label is the right one.
LABELS = {
    "two labels, balanced": (0.5, 0.5),
    "two labels, 0.9 and 0.1": (0.9, 0.1),
    "four labels, balanced": (0.25, 0.25, 0.25, 0.25),
    "four labels, 0.85 and 3 of 0.05": (0.85, 0.05, 0.05, 0.05),
}
# How often each of two raters gives each label where they do not look at the item.
UNEQUAL = {
    "0.6 of one label and 0.3 of it": ((0.6, 0.4), (0.3, 0.7)),
    "0.95 of one label and 0.8 of it": ((0.95, 0.05), (0.8, 0.2)),
    "rare labels, 0.97 and 0.9 without one": ((0.97, 0.02, 0.01), (0.9, 0.05, 0.05)),
}
ALIKE = (0.0, 0.5, 0.8)
RATERS, MISSING = 3, 0.2


def cells(runs: int) -> list[Cell]:
    made = []
    for place, (labels, shares) in enumerate(LABELS.items()):
        for n, truth in product(SIZES, TRUTHS):
            seed = [place, n, round(100 * truth)]
            chance = np.random.default_rng([*seed, 0])
            kappas = _kappas(chance, n, _table(shares, shares, truth), runs)
            made += _cells(f"kappa, {labels}", n, truth, kappas)
            alphas = _alphas(np.random.default_rng([*seed, 1]), n, shares, truth, runs)
            made += _cells(f"alpha, 3 raters, 20 % missing, {labels}", n, truth, alphas)
    for place, (labels, (one, other)) in enumerate(UNEQUAL.items()):
        for n, alike in product(SIZES, ALIKE):
            table = _table(one, other, alike)
            kappas = _kappas(
                np.random.default_rng([place, n, round(100 * alike), 2]), n, table, runs
            )
            case = f"{alike} of the labels copied"
            made += held_and_right(f"kappa, {labels}", n, case, kappa(table), sampled(kappas))
    return made


def _table(one: tuple[float, ...], other: tuple[float, ...], alike: float) -> Numbers:
    """How likely each pair of labels is; the second rater copies the first as often as asked."""
    table: Numbers = np.outer(one, other) * (1 - alike) + np.diag(one) * alike
    return table


def kappa(table: Numbers) -> float:
    """What kappa truly is where each pair of labels is so likely."""
    by_chance = float(table.sum(axis=0) @ table.sum(axis=1))
    return (float(np.trace(table)) - by_chance) / (1 - by_chance)


def _cells(kind: str, n: int, truth: float, samples: Iterator[Ends | None]) -> list[Cell]:
    """Of the samples that have an interval."""
    return held_and_right(kind, n, f"truth {truth}", truth, sampled(samples))


def _kappas(
    chance: np.random.Generator, n: int, table: Numbers, runs: int
) -> Iterator[Ends | None]:
    pairs = list(product(map(str, range(len(table))), repeat=2))
    for drawn in chance.multinomial(n, table.ravel() / table.sum(), size=runs):
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
