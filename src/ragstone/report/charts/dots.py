"""Values with their intervals on one axis: metrics of two sides, or systems under each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.measure.interval import Interval
from ragstone.report.charts import shapes
from ragstone.report.charts.scale import Axis, even, span

WIDTH, LEFT, RIGHT = 760, 190, 150
TOP, LINE, APART, TITLE = 30, 26, 12, 40


@dataclass(frozen=True, slots=True)
class Dot:
    """A value; a hollow one is what the others are compared with."""

    value: float | None
    interval: Interval | None = None
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A name, its dots under one another, and a note at the end; without dots it is a title."""

    name: str
    dots: tuple[Dot, ...] = ()
    note: str = ""

    @property
    def height(self) -> int:
        return LINE + APART * (len(self.dots) - 1) if self.dots else TITLE


def dots(rows: Sequence[Row], full: str, hollow: str) -> str:
    """The chart; `full` and `hollow` say what the two kinds of dots are."""
    every = [dot for row in rows for dot in row.dots]
    numbers = [n for dot in every for n in (dot.value, *(dot.interval or ())) if n is not None]
    axis = even(*span(numbers), 5)
    bottom = TOP + sum(row.height for row in rows)
    parts = []
    for value, said in axis.ticks:
        x = _x(axis, value)
        parts.append(shapes.line([(x, TOP - 4), (x, bottom)], shapes.RULE))
        parts.append(shapes.label(x, bottom + 18, said))
    signs = [(hollow, _dot(6, 0, Dot(0.0, hollow=True))), (full, _dot(6, 0, Dot(0.0)))]
    parts.append(shapes.key(LEFT, 12, signs))
    top = TOP
    for row in rows:
        parts += _row(row, top, axis)
        top += row.height
    return shapes.picture(WIDTH, bottom + 30, parts)


def _x(axis: Axis, value: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * axis.share(value)


def _color(dot: Dot) -> str:
    return shapes.MUTED if dot.hollow else shapes.BAR


def _dot(x: float, y: float, dot: Dot) -> str:
    return shapes.circle(x, y, 5.5, _color(dot), hollow=dot.hollow)


def _row(row: Row, top: float, axis: Axis) -> list[str]:
    if not row.dots:
        return [shapes.text(0, top + 28, row.name, weight=600, size=13)]
    middle = top + row.height / 2
    parts = [
        shapes.text(LEFT - 12, middle + 4, row.name, "end", length=24),
        shapes.label(WIDTH, middle + 4, row.note, "end"),
    ]
    for index, dot in enumerate(row.dots):
        y = middle + APART * (index - (len(row.dots) - 1) / 2)
        if dot.interval is not None:
            low, high = (_x(axis, end) for end in axis.closed(dot.interval))
            parts.append(shapes.rect(low, y - 3, high - low, 6, _color(dot), opacity=0.35))
        if dot.value is not None:
            parts.append(_dot(_x(axis, dot.value), y, dot))
    return parts
