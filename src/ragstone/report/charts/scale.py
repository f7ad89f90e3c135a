"""Where an axis starts and ends, so that everything drawn fits on it."""

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


def span(numbers: Iterable[float]) -> tuple[float, float]:
    """From 0 to 1; for what does not fit there, to a round number beyond it.

    >>> span([0.2, 0.9]), span([-0.3]), span([1840.0])
    ((0.0, 1.0), (-0.5, 1.0), (0.0, 2500.0))
    """
    known = list(numbers)
    high, low = max(known, default=1.0), min(known, default=0.0)
    # -1e-9 must not start the axis at -1e-9: it would be drawn from edge to edge.
    start = -round_up(max(-low, 0.01)) if low < 0 else 0.0
    return start, (round_up(high * 1.1) if high > 1 else 1.0)


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


def even(low: float, high: float, steps: int, form: str = "g", title: str = "") -> Axis:
    """An axis with its numbers at even distances, written in a format such as `.2f`.

    >>> even(0, 1, 2, ".1f").ticks
    ((0.0, '0.0'), (0.5, '0.5'), (1.0, '1.0'))
    """
    values = [low + (high - low) * step / steps for step in range(steps + 1)]
    return Axis(low, high, tuple((value, f"{value:{form}}") for value in values), title)
