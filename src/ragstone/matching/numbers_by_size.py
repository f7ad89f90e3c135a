"""The numbers of a text, in order of size: whether a number is among them takes few comparisons."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from ragstone.matching.number_words import SHARES
from ragstone.matching.numbers import Number
from ragstone.matching.quantities import Quantity


class NumbersBySize:
    """Every different number, under each size that it may be meant as.

    A text may hold ten thousand numbers, and a claim is compared with those near its own: with its
    scale or without, as a share or as a plain number. The comparison itself is that of matching,
    and exact: the text's number is what is expected, and the claim's is what was said.

    >>> from ragstone.matching.numbers import numbers
    >>> text = NumbersBySize(numbers("$1,577 million, up 8.7%"))
    >>> [text.hold(each) for each in numbers("1.577 billion, 0.087, 9, $1.6 billion")]
    [True, True, False, False]
    """

    def __init__(self, held: Iterable[Number]) -> None:
        different: dict[tuple[object, ...], Quantity] = {}
        for each in held:
            different[each.value, each.scale, each.scaled, each.unit] = Quantity.of(each)
            if each.heading != 1:
                key = (each.value, each.heading, True, each.unit)
                different[key] = Quantity.under_heading(each)
        by_reach: dict[float, list[tuple[float, int]]] = {}
        self._held = list(different.values())
        for place, one in enumerate(self._held):
            for factor in {1.0, float(one.scale), float(SHARES.get(one.unit, 1))}:
                # A claim may be off by what the text's last digit leaves open, and not more.
                reach = 1.5 * 10.0**-one.decimals * factor
                by_reach.setdefault(reach, []).append((float(one.value) * factor, place))
        self._by_reach = {reach: sorted(sizes) for reach, sizes in by_reach.items()}

    def hold(self, number: Number) -> bool:
        """Whether one of the numbers is equal to this one."""
        return any(self._held[place].equals(number) for place in self._near(number))

    def _near(self, number: Number) -> Iterator[int]:
        value, scale = float(number.value), float(number.scale)
        share = float(SHARES.get(number.unit, 1))
        headed = value * float(number.heading)
        for size in {value, value * scale, value * share, value * scale * share, headed}:
            # Floats are off in their last digits, and must not decide.
            slack = 1e-9 * abs(size)
            for reach, sizes in self._by_reach.items():
                low = bisect_left(sizes, (size - reach - slack, -1))
                high = bisect_right(sizes, (size + reach + slack, len(self._held)))
                for _, place in sizes[low:high]:
                    yield place
