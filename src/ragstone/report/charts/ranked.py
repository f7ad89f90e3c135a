"""Many values with their intervals, best first and side by side: a chart for a hundred systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.measure.interval import Interval
from ragstone.report.charts import shapes
from ragstone.report.charts.plot import BOTTOM, GUTTER, RIGHT, axes
from ragstone.report.charts.scale import Axis, near
from ragstone.report.charts.shapes import Share

HEIGHT = 260


@dataclass(frozen=True, slots=True)
class Ranked:
    """A value; a marked one is drawn as a ring, on top of the others."""

    value: float
    interval: Interval | None
    title: str
    marked: bool = False


def ranked(items: Sequence[Ranked], *, words: str, full: str, hollow: str) -> str:
    """The items in their order, from left to right; `words` is what they are."""
    ends = [end for each in items for end in each.interval or () if end is not None]
    upward = near([*ends, *(each.value for each in items)])
    range_sign = shapes.line([(10, -8), (10, 8)], shapes.RANGE, width=3)
    signs = [
        (full, range_sign + shapes.circle(10, 0, 3.5, shapes.BAR)),
        (hollow, shapes.circle(10, 0, 4.5, shapes.INK, hollow=True)),
    ]
    said, top = shapes.key(signs, GUTTER)
    across = Axis(0, max(len(items), 1), (), f"{len(items):,} {words}, best first")
    parts = [*axes(across, upward, HEIGHT), *_items(items, upward)]
    drawn = shapes.lower(top + 8, parts)
    height = top + 8 + HEIGHT + BOTTOM
    return shapes.picture(height, [said, drawn], left=GUTTER, right=RIGHT)


def _items(items: Sequence[Ranked], axis: Axis) -> list[str]:
    dots, rings = [], []
    for number, item in enumerate(items):
        x, y = Share((number + 0.5) / len(items)), HEIGHT * (1 - axis.share(item.value))
        stroke = ""
        if item.interval is not None:
            low, high = (HEIGHT * (1 - axis.share(end)) for end in axis.closed(item.interval))
            stroke = shapes.line([(x, low), (x, high)], shapes.RANGE, width=2)
        if item.marked:
            ring = shapes.circle(x, y, 6, shapes.INK, hollow=True)
            rings.append(shapes.titled(item.title, stroke, ring))
        else:
            dots.append(shapes.titled(item.title, stroke, shapes.circle(x, y, 3, shapes.BAR)))
    return dots + rings
