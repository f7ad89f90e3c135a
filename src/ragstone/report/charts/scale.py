"""Where an axis starts and ends, so that everything drawn fits on it and can be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ragstone.measure.interval import Closed, Interval


def round_up(number: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten.

    >>> round_up(3.3), round_up(2024.0)
    (5.0, 2500.0)
    """
    power = 10.0 ** math.floor(math.log10(number))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if number <= step * power)


def closed(ends: Interval, low: float, high: float) -> Closed:
    """An interval that can be drawn: an open end is put at that end of the axis.

    >>> closed((0.25, None), 0.0, 1.0)
    (0.25, 1.0)
    """
    start, stop = ends
    return low if start is None else start, high if stop is None else stop


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of an axis, with the numbers written along it."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str = ""

    def share(self, value: float) -> float:
        """How far along the axis a value is, from 0 to 1; what lies outside is put at the end."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def closed(self, ends: Interval) -> Closed:
        """An interval that can be drawn on this axis: an open end is put at the axis' own."""
        return closed(ends, self.low, self.high)


def near(numbers: Iterable[float], steps: int = 4, title: str = "") -> Axis:
    """An axis that is less than twice as long as what is drawn on it, with about `steps` steps.

    Its numbers are round: multiples of 1, 2, 2.5 or 5 times a power of ten, all with the same
    places. Shares stay shares: it does not go beyond 0 or 1 where nothing does.

    >>> [said for _, said in near([0.81, 0.93]).ticks]
    ['0.80', '0.85', '0.90', '0.95']
    >>> [said for _, said in near([2.0, 2.0]).ticks]
    ['1.0', '1.5', '2.0', '2.5', '3.0']
    >>> [said for _, said in near([0.0, 2731.5], 6).ticks]
    ['0', '500', '1,000', '1,500', '2,000', '2,500', '3,000']
    """
    known = list(numbers) or [0.0, 1.0]
    low, high = min(known), max(known)
    share = low >= 0 and high <= 1
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):
        # Around one number there is as much paper on both sides.
        room = 0.1 if share else max(abs(high) / 2, 1e-6)
        low, high = low - room, high + room
        if share:
            low, high = max(low, 0.0), min(high, 1.0)
    step = round_up((high - low) / steps)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    values = [round(each * step, 12) + 0.0 for each in range(first, last + 1)]
    return Axis(values[0], values[-1], tuple(zip(values, _written(values), strict=True)), title)


def _written(values: Iterable[float]) -> list[str]:
    """Each number with the places that all of them need, and no more.

    >>> _written([0.0, 0.25, 0.5]), _written([0.0, 2e9])
    (['0.00', '0.25', '0.50'], ['0', '2e+09'])
    """
    numbers = list(values)
    if max(map(abs, numbers)) >= 1e9:
        return [f"{each:g}" for each in numbers]
    places = next((n for n in range(12) if all(round(x, n) == round(x, 12) for x in numbers)), 12)
    return [f"{each:,.{places}f}" for each in numbers]
