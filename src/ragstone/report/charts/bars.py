"""Bars: shares under one another, and a histogram over coloured bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.report.charts import shapes
from ragstone.report.charts.scale import Axis

WIDTH = 760


@dataclass(frozen=True, slots=True)
class Bar:
    """A share from 0 to 1; a deeper one is set in under the bar above."""

    name: str
    share: float
    note: str = ""
    color: str = shapes.BAR
    depth: int = 0


def bars(rows: Sequence[Bar]) -> str:
    """Each share as a bar on a rail of full length."""
    left, full, step = 250, 360, 24
    parts = []
    for index, row in enumerate(rows):
        y = step * index + 16
        parts += [
            shapes.text(12 * row.depth, y, row.name, length=30),
            shapes.rect(left, y - 12, full, 14, shapes.RAIL),
            shapes.rect(left, y - 12, full * row.share, 14, row.color),
            shapes.text(left + full + 10, y, row.note),
        ]
    return shapes.picture(WIDTH, step * len(rows) + 8, parts)


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis with a name and a colour."""

    name: str
    low: float
    high: float
    color: str


def histogram(counts: Sequence[int], axis: Axis, bands: Sequence[Band] = ()) -> str:
    """How many values fall into each of even bins, from the axis' start to its end."""
    left, right, top, bottom = 46, 740, 34, 200
    tallest = max([*counts, 1])

    def at(value: float) -> float:
        return left + (right - left) * axis.share(value)

    parts = []
    for band in bands:
        x, width = at(band.low), at(band.high) - at(band.low)
        parts.append(shapes.rect(x, top, width, bottom - top, band.color))
        if width > 70:
            parts.append(shapes.label(x + width / 2, top - 8, band.name))
    step = (right - left) / max(len(counts), 1)
    for index, count in enumerate(counts):
        height = (bottom - top - 4) * count / tallest
        x = left + step * index + 1
        parts.append(shapes.rect(x, bottom - height, step - 2, height, shapes.BAR))
    parts.append(shapes.line([(left, bottom), (right, bottom)], shapes.MUTED))
    parts += [shapes.label(at(value), bottom + 18, said) for value, said in axis.ticks]
    parts.append(shapes.label((left + right) / 2, bottom + 38, axis.title))
    parts.append(shapes.label(left - 8, top + 10, f"{tallest:,}", "end"))
    return shapes.picture(WIDTH, bottom + 46, parts)
