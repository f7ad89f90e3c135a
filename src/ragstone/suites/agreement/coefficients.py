"""Agreement beyond chance: Cohen's kappa for two raters, Krippendorff's alpha for any number.

Both are computed in whole numbers and divided once, so nothing is rounded on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ragstone.contracts.records.label_records import LABELS
from ragstone.measure.metric import Counted

Matrix = Sequence[Sequence[int]]
Unit = tuple[tuple[str, int], ...]
"""How often each label was given to one item, labels in order."""


def matrix_of(counted: Mapping[Any, int]) -> Matrix:
    """How often the first label (a row) met the second (a column), in the order of the labels."""
    return [[counted.get((one, two), 0) for two in LABELS] for one in LABELS]


def units_of(counted: Counted) -> dict[Unit, int]:
    """The kinds of unit with their counts, from the labels of items as one text each.

    >>> units_of({("VALID",): 2, ("REJECT VALID VALID",): 1})
    {(('VALID', 1),): 2, (('REJECT', 1), ('VALID', 2)): 1}
    """
    return {
        tuple(sorted(Counter(str(labels).split()).items())): times
        for (labels,), times in counted.items()
    }


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
