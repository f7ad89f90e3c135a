"""Values with their intervals on one axis: a name and its number in one line, drawn under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.measure.interval import Interval
from ragstone.report.charts import shapes
from ragstone.report.charts.labels import thinned
from ragstone.report.charts.scale import Axis, near
from ragstone.report.charts.shapes import Share

# The words of a row, the dots under them, a title, and what a frame leaves on both sides.
WORDS, APART, TITLE, SIDE = 22, 14, 38, 10


@dataclass(frozen=True, slots=True)
class Dot:
    """A value; a hollow one is what the others are compared with."""

    value: float | None
    interval: Interval | None = None
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A name, its dots under one another, and a note at the end.

    Without dots it is a title, and its note stands below it.
    """

    name: str
    dots: tuple[Dot, ...] = ()
    note: str = ""

    @property
    def height(self) -> int:
        return WORDS + APART * len(self.dots) + 4 if self.dots else TITLE + (16 if self.note else 0)


def dots(rows: Sequence[Row], full: str, hollow: str = "", *, zero: str = "") -> str:
    """The chart; `full` and `hollow` say what the two kinds of dots are, `zero` what 0 is."""
    every = [dot for row in rows for dot in row.dots]
    numbers = [n for dot in every for n in _numbers(dot)]
    axis = near([*numbers, 0.0] if zero else numbers, 5)
    signs = [(hollow, _dot(10, Dot(0.0, hollow=True)))] if hollow else []
    bar = shapes.rect(0, -3, 22, 6, shapes.RANGE)
    signs += [(full, bar + _dot(10, Dot(0.0)))]
    signs += [(zero, shapes.line([(10, -8), (10, 8)], shapes.INK, width=1.5))] if zero else []
    said, top = shapes.key(signs, SIDE)
    bottom = top + 4.0
    for row in rows:
        bottom += row.height
    parts = [said, *_rows(rows, axis, top + 4)]
    drawn = [_grid(axis, top, bottom, bool(zero)), *parts]
    return shapes.picture(bottom + 24, drawn, left=SIDE, right=SIDE)


def _numbers(dot: Dot) -> list[float]:
    return [n for n in (dot.value, *(dot.interval or ())) if n is not None]


def _grid(axis: Axis, top: float, bottom: float, zero: bool) -> str:
    height = bottom - top
    at = [(axis.share(value), said) for value, said in axis.ticks]
    parts = [shapes.line([(Share(x), 0), (Share(x), height)], shapes.RULE) for x, _ in at]
    if zero:
        x = Share(axis.share(0.0))
        parts.append(shapes.line([(x, 0), (x, height)], shapes.INK, width=1.5))
    shown = thinned(at, size=shapes.SMALL, margins=2 * SIDE)
    parts += [shapes.label(Share(x), height + 17, said, anchor(x)) for x, said in shown]
    return shapes.lower(top, parts)


def anchor(share: float) -> str:
    """Near an edge words are set inwards, so that they stay on the paper."""
    return "start" if share < 0.02 else "end" if share > 0.98 else "middle"


def _rows(rows: Sequence[Row], axis: Axis, top: float) -> list[str]:
    parts = []
    for row in rows:
        if row.dots:
            room = shapes.room_beside(row.note, 2 * SIDE)
            parts.append(shapes.clipped(-SIDE, top + 14, room, row.name))
            note = shapes.text(
                Share(1.0), top + 14, row.note, "end", right=SIDE, color=shapes.MUTED
            )
            parts.append(note)
            drawn = [_drawn(dot, APART * place + 6, axis) for place, dot in enumerate(row.dots)]
            parts.append(shapes.lower(top + WORDS, drawn))
        else:
            parts.append(shapes.clipped(-SIDE, top + 27, 1.0, row.name, weight=600, size=13))
            parts.append(shapes.label(-SIDE, top + 43, row.note, "start", size=shapes.SIZE))
        top += row.height
    return parts


def _dot(x: shapes.Across, dot: Dot, y: float = 0) -> str:
    color = shapes.MUTED if dot.hollow else shapes.BAR
    return shapes.circle(x, y, 4.5, color, hollow=dot.hollow)


def _drawn(dot: Dot, y: float, axis: Axis) -> str:
    made = ""
    if dot.interval is not None:
        low, high = (axis.share(end) for end in axis.closed(dot.interval))
        made += shapes.rect(Share(low), y - 3, Share(high - low), 6, shapes.RANGE)
    if dot.value is not None:
        made += _dot(Share(axis.share(dot.value)), dot, y)
    return made
