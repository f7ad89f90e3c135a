"""Many values with their intervals, best first and side by side: a chart for a hundred systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.measure.interval import Interval
from ragstone.report.charts import shapes
from ragstone.report.charts.labels import Box, around, place
from ragstone.report.charts.plot import BOTTOM, GUTTER, RIGHT, TOP, axes
from ragstone.report.charts.scale import Axis, near
from ragstone.report.charts.shapes import Share

HEIGHT = 260


@dataclass(frozen=True, slots=True)
class Ranked:
    """A value under its name; a marked one is drawn hollow, and named if there is room."""

    name: str
    value: float
    interval: Interval | None
    title: str
    marked: str = ""


def ranked(items: Sequence[Ranked], *, words: str, full: str, hollow: str) -> str:
    """The items in their order from left to right; the first, the last and the marked are named."""
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
    drawn = shapes.lower(top + TOP, parts)
    height = top + TOP + HEIGHT + BOTTOM
    return shapes.picture(height, [said, drawn], left=GUTTER, right=RIGHT)


def _items(items: Sequence[Ranked], axis: Axis) -> list[str]:
    parts, spots = [], []
    for number, item in enumerate(items):
        share, y = (number + 0.5) / len(items), HEIGHT * (1 - axis.share(item.value))
        stroke = ""
        if item.interval is not None:
            low, high = (HEIGHT * (1 - axis.share(e)) for e in axis.closed(item.interval))
            stroke = shapes.line([(Share(share), low), (Share(share), high)], shapes.RANGE, width=2)
        color = shapes.INK if item.marked else shapes.BAR
        dot = shapes.circle(Share(share), y, 3.5, color, hollow=bool(item.marked))
        parts.append(shapes.titled(item.title, stroke, dot))
        spots.append((share, y))
    return parts + _names(items, spots)


def _names(items: Sequence[Ranked], spots: Sequence[tuple[float, float]]) -> list[str]:
    taken: list[Box] = [around(share, y, 5) for share, y in spots]
    named = {0: "best", len(items) - 1: "last"}
    named |= {n: each.marked for n, each in enumerate(items) if each.marked}
    parts = []
    for number, what in named.items():
        (share, y), words = spots[number], f"{what}: {items[number].name}"
        found = place(
            share,
            y,
            words,
            taken,
            size=shapes.SMALL,
            margins=GUTTER + RIGHT,
            left=0,
            right=RIGHT,
            top=0,
            bottom=HEIGHT,
        )
        if found is not None:
            taken.append(found.box)
            parts.append(
                shapes.text(
                    Share(share),
                    found.y,
                    words,
                    found.anchor,
                    right=found.right,
                    size=shapes.SMALL,
                    weight=600,
                )
            )
    return parts
