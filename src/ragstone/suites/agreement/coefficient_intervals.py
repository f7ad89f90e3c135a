"""How far kappa and alpha could be from the truth.

Both are 1 less a quotient: how often labels of an item differ, over how often they would by chance.
The first is a share with Wilson's interval, whose lower end is at least as far off as the exact
one; the second is a number of the labels' frequencies, and the interval of the quotient comes from
the two. A bootstrap would do worse: where few items or none are labelled differently, it draws what
was seen again and again and finds no doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ragstone.measure.combined import quotient_interval
from ragstone.measure.exact_interval import exact_end
from ragstone.measure.interval import Interval, wilson
from ragstone.suites.agreement.coefficients import Unit, alpha, kappa

# Under this many items no method holds what it promises, so none is used.
FEWEST_ITEMS = 30

PairUnit = tuple[tuple[tuple[str, str], int], ...]
"""How often each pair of labels was given to the answers of one item."""


class _Item(NamedTuple):
    """A kind of item: how many there are, and what is known of the labels of one.

    `size` is how many labels (or pairs of labels) it has, `apart` how many of them differ from the
    others of the item, and `unlike` how many would differ from labels drawn among all.
    """

    times: int
    size: int
    apart: Fraction
    unlike: Fraction


def kappa_interval(units: Mapping[PairUnit, int], level: float) -> Interval | None:
    """Where Cohen's kappa could truly lie, from the pairs of labels of each item.

    None under 30 items, or where either rater used one label only.
    """
    pairs: Counter[tuple[str, str]] = Counter()
    for unit, times in units.items():
        for pair, count in unit:
            pairs[pair] += count * times
    total = pairs.total()
    first, second = Counter[str](), Counter[str]()
    for (one, two), count in pairs.items():
        first[one] += count
        second[two] += count
    if sum(units.values()) < FEWEST_ITEMS or min(_used(first), _used(second)) < 2:
        return None
    unlike = {
        (one, two): Fraction(2 * total - second[one] - first[two], 2 * total) for one, two in pairs
    }
    items = [
        _Item(
            times,
            sum(count for _, count in unit),
            Fraction(sum(count for (one, two), count in unit if one != two)),
            sum((count * unlike[pair] for pair, count in unit), Fraction(0)),
        )
        for unit, times in units.items()
    ]
    chance = sum(first[label] * second[label] for label in first)
    expected = Fraction(total * total - chance, total * total)
    labels = sorted({*first, *second})
    return _interval(items, expected, kappa([[pairs[a, b] for b in labels] for a in labels]), level)


def alpha_interval(
    units: Mapping[Unit, int], level: float, same: Collection[Mapping[Unit, int]] = ()
) -> Interval | None:
    """Where Krippendorff's alpha could truly lie, from the labels of each item.

    None under 30 items, or where only one label was ever used. An item that fewer than two raters
    labelled counts as an item, and says nothing. The items in each of `same` ask the same: they
    are one.
    """
    kinds = [*(({unit: 1}, times) for unit, times in units.items()), *((each, 1) for each in same)]
    paired: Counter[Unit] = Counter()
    for some, times in kinds:
        for unit, count in some.items():
            if sum(n for _, n in unit) > 1:
                paired[unit] += count * times
    labels: Counter[str] = Counter()
    for unit, times in paired.items():
        for label, count in unit:
            labels[label] += count * times
    total = labels.total()
    if sum(times for _, times in kinds) < FEWEST_ITEMS or _used(labels) < 2:
        return None
    items = []
    for some, times in kinds:
        said = [(unit, count) for unit, count in some.items() if unit in paired]
        if said:
            items.append(_item_of(said, times, labels))
    alike = sum(count * count for count in labels.values())
    expected = Fraction(total * total - alike, total * (total - 1))
    return _interval(items, expected, alpha(paired), level)


def _item_of(units: Sequence[tuple[Unit, int]], times: int, labels: Mapping[str, int]) -> _Item:
    """What is known of an item, or of several that are one."""
    total, whole, apart, unlike = sum(labels.values()), 0, Fraction(0), 0
    for unit, count in units:
        size = sum(n for _, n in unit)
        whole += size * count
        apart += Fraction(count * (size * size - sum(n * n for _, n in unit)), size - 1)
        unlike += count * sum(n * (total - labels[label]) for label, n in unit)
    return _Item(times, whole, apart, Fraction(unlike, total))


def _used(labels: Mapping[str, int]) -> int:
    return sum(count > 0 for count in labels.values())


def _interval(
    items: Sequence[_Item], expected: Fraction, point: float | None, level: float
) -> Interval | None:
    """1 less where the observed disagreement over the expected one could truly lie."""
    if point is None:
        return None
    size = sum(item.times * item.size for item in items)
    observed = _sum((item.times, item.apart) for item in items) / size
    by_chance = _sum((item.times, item.unlike) for item in items) / size
    rows = _worth(observed, size, ((i.times, i.apart - observed * i.size) for i in items))
    # Where all items differ alike, nothing says how far they vary: each counts as one row.
    count = min(Fraction(size), rows) if rows else Fraction(sum(item.times for item in items))
    low, high = wilson(float(observed * count), float(count), level)
    # Few differences may be more than there truly are: that end is no narrower than the exact one.
    seen = min(low, exact_end(float(observed) * int(count), int(count), level, upper=False)), high
    # A label counts twice in what chance gives: as itself, and as what the others meet.
    rows = _worth(expected, size, ((i.times, 2 * (i.unlike - by_chance * i.size)) for i in items))
    chance = float(expected)
    around = wilson(float(expected * rows), float(rows), level) if rows else (chance, chance)
    least, most = quotient_interval(float(observed), seen, chance, around)
    # Neither coefficient can be under -1, also where chance might give next to no disagreement.
    lowest = -1.0 if most is None else max(-1.0, 1 - most)
    highest = 1.0 if least is None else 1 - least
    return min(lowest, point), max(highest, point)


def _sum(parts: Iterable[tuple[int, Fraction]]) -> Fraction:
    return sum((times * part for times, part in parts), Fraction(0))


def _worth(share: Fraction, size: int, apart: Iterable[tuple[int, Fraction]]) -> Fraction | None:
    """How many independent rows would let a share vary as much as these distances of items do."""
    squares = sum((times * part * part for times, part in apart), Fraction(0))
    return share * (1 - share) * size * size / squares if squares else None
