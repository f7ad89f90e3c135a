"""Where words stand beside what they name, so that none covers another, however wide the page is.

A chart is drawn for widths from `NARROW` to `WIDE`, and a place across moves with the width. Two
boxes that do not meet at either end, and stand on the same sides of one another at both, do not
meet in between either: their distance is a straight line in the width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragstone.report.charts.shapes import NARROW, WIDE, width_of


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle that hangs on a share of the width, with its edges in pixels from there."""

    share: float
    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: Box, margins: float = 0.0) -> bool:
        """Whether the two meet at some width; `margins` are what the frame leaves on both sides."""
        if self.bottom <= other.top or other.bottom <= self.top:
            return False
        widths = (NARROW - margins, WIDE - margins)
        before = all(self._right(wide) <= other._left(wide) for wide in widths)
        behind = all(other._right(wide) <= self._left(wide) for wide in widths)
        return not (before or behind)

    def inside(self, margins: float, left: float, right: float) -> bool:
        """Whether it stays on the paper, `left` and `right` of the frame included."""
        narrow, wide = NARROW - margins, WIDE - margins
        return all(
            self._left(each) >= -left and self._right(each) <= each + right
            for each in (narrow, wide)
        )

    def _left(self, wide: float) -> float:
        return self.share * wide + self.left

    def _right(self, wide: float) -> float:
        return self.share * wide + self.right


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a label stands: pixels right of its share, its base line, and its anchor."""

    right: float
    y: float
    anchor: str
    box: Box


def around(share: float, y: float, radius: float) -> Box:
    """The box of a dot."""
    return Box(share, -radius, radius, y - radius, y + radius)


def place(
    share: float,
    y: float,
    words: str,
    taken: Iterable[Box],
    *,
    size: float,
    margins: float,
    left: float,
    right: float,
    top: float,
    bottom: float,
    away: float = 9,
) -> Placed | None:
    """A free place for words beside a point; none where they would cover something.

    The corners are tried first, as intervals are drawn upright and level.
    """
    boxes, wide = list(taken), width_of(words, size)
    for aside, down, anchor in (
        (away * 0.9, -away, "start"),
        (-away * 0.9, -away, "end"),
        (away * 0.9, away, "start"),
        (-away * 0.9, away, "end"),
        (away, 0.0, "start"),
        (-away, 0.0, "end"),
        (0.0, -away - size / 2, "middle"),
        (0.0, away + size / 2, "middle"),
        (0.0, -away - size * 1.6, "middle"),
        (0.0, away + size * 1.6, "middle"),
    ):
        start = {"start": aside, "end": aside - wide, "middle": aside - wide / 2}[anchor]
        middle = y + down
        box = Box(share, start, start + wide, middle - size * 0.6, middle + size * 0.6)
        fits = top <= box.top and box.bottom <= bottom and box.inside(margins, left, right)
        if fits and not any(box.meets(each, margins) for each in boxes):
            return Placed(aside, middle + size * 0.36, anchor, box)
    return None


def thinned(
    ticks: Sequence[tuple[float, str]], *, size: float, margins: float
) -> tuple[tuple[float, str], ...]:
    """As many of the numbers along an axis, each at its share, as stand free of one another."""
    for every in range(1, len(ticks) + 1):
        kept = ticks[::every]
        boxes = [_tick(share, said, size) for share, said in kept]
        if not any(one.meets(two, margins) for one, two in pairwise(boxes)):
            return tuple(kept)
    return tuple(ticks[:1])


def _tick(share: float, said: str, size: float) -> Box:
    half = width_of(said, size) / 2 + 4
    return Box(share, -half, half, 0, size)
