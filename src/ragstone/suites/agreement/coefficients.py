"""Agreement beyond chance: Cohen's kappa for two raters, Krippendorff's alpha for any number.

Both are computed in whole numbers and divided once, so nothing is rounded on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ragstone.measure.bootstrap import counts_interval
from ragstone.measure.interval import Interval

Matrix = Sequence[Sequence[int]]
Unit = tuple[tuple[str, int], ...]
"""How often each label was given to one item, labels in order."""


def kappa(matrix: Matrix) -> float | None:
    """Cohen's kappa, nominal; None where chance alone would agree on everything.

    >>> kappa([[18, 1], [0, 1]])
    0.6428571428571429
    >>> kappa([[10, 0], [0, 0]]) is None
    True
    """
    total = sum(map(sum, matrix))
    agreed = sum(row[index] for index, row in enumerate(matrix))
    columns = [sum(column) for column in zip(*matrix, strict=True)]
    chance = sum(sum(row) * column for row, column in zip(matrix, columns, strict=True))
    if total * total == chance:
        return None
    return float(Fraction(total * agreed - chance, total * total - chance))


def kappa_interval(matrix: Matrix, level: float) -> Interval | None:
    """By bootstrap over the rated items, with a fixed seed."""
    size = len(matrix)

    def of(counts: Sequence[int]) -> float | None:
        return kappa([counts[start : start + size] for start in range(0, size * size, size)])

    return counts_interval([count for row in matrix for count in row], of, level)


def alpha(units: Mapping[Unit, int]) -> float | None:
    """Krippendorff's alpha, nominal, from each kind of unit and how many there are of it.

    An item that fewer than two raters labelled pairs with nothing and says nothing. None where
    only one label was ever used, or nothing can be paired.

    >>> alpha({(("a", 2),): 3, (("a", 1), ("b", 1)): 1, (("b", 2),): 1})
    0.5714285714285714
    """
    totals: Counter[str] = Counter()
    split = Fraction(0)
    for unit, times in units.items():
        raters = sum(count for _, count in unit)
        if raters < 2 or not times:
            continue
        for label, count in unit:
            totals[label] += count * times
        apart = raters * raters - sum(count * count for _, count in unit)
        split += Fraction(apart * times, raters - 1)
    everything = totals.total()
    by_chance = everything * everything - sum(count * count for count in totals.values())
    if not by_chance:
        return None
    return float(1 - (everything - 1) * split / by_chance)


def alpha_interval(units: Mapping[Unit, int], level: float) -> Interval | None:
    """By bootstrap over the items, with a fixed seed."""
    kinds = sorted(units)

    def of(counts: Sequence[int]) -> float | None:
        return alpha(dict(zip(kinds, counts, strict=True)))

    return counts_interval([units[kind] for kind in kinds], of, level)
