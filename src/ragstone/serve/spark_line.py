"""The line of a number over time, small enough for a tile; what was not measured is a gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

HEIGHT = 36
# Room above and below, so that no end of the line is cut.
_ROOM = 4


@dataclass(frozen=True, slots=True)
class Spark:
    """Strokes from point to point, where a limit lies, and the last point.

    Across, positions are per cent of the width; down, they are pixels.
    """

    strokes: tuple[tuple[float, float, float, float], ...]
    limit: float | None
    last: tuple[float, float] | None


def spark(values: Sequence[float | None], limit: float | None = None) -> Spark:
    """The line of some values, oldest first, with the limit that they are held to.

    >>> spark([0.0, None, 1.0, 1.0]).strokes
    ((62.5, 4.0, 87.5, 4.0),)
    """
    known = [each for each in (*values, limit) if each is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)

    def down(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_ROOM + (HEIGHT - 2 * _ROOM) * (1 - share), 1)

    placed = [
        None if value is None else (round(100 * (at + 0.5) / len(values), 2), down(value))
        for at, value in enumerate(values)
    ]
    strokes = tuple((*one, *two) for one, two in pairwise(placed) if one and two)
    last = next((point for point in reversed(placed) if point), None)
    return Spark(strokes, None if limit is None else down(limit), last)
