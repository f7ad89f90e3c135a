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


def near(numbers: Iterable[float], steps: int = 4) -> Axis:
    """An axis that is not much longer than what is drawn on it, with about `steps` round numbers.

    Shares stay shares: it does not go beyond 0 or 1 where nothing does.

    >>> [said for _, said in near([0.81, 0.93]).ticks]
    ['0.8', '0.85', '0.9', '0.95']
    >>> [said for _, said in near([2.0, 2.0]).ticks]
    ['1', '1.5', '2', '2.5', '3']
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
    places = max(0, 1 - math.floor(math.log10(step)))
    values = [round(each * step, places) for each in range(first, last + 1)]
    form = f",.{places}f" if max(map(abs, values)) < 1e9 else "g"
    return Axis(
        values[0], values[-1], tuple((value, _trimmed(f"{value:{form}}")) for value in values)
    )


def _trimmed(written: str) -> str:
    plain = "." in written and "e" not in written
    return written.rstrip("0").rstrip(".") if plain else written
