"""Bars: shares under one another, and a histogram over coloured bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.report.charts import shapes
from ragstone.report.charts.plot import BOTTOM, GUTTER, RIGHT, axes
from ragstone.report.charts.scale import Axis, near
from ragstone.report.charts.shapes import Share

STEP, INDENT, DEEPEST = 38, 14, 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A share from 0 to 1; a deeper one is set in under the bar above."""

    name: str
    share: float
    note: str = ""
    color: str = shapes.BAR
    depth: int = 0


def bars(rows: Sequence[Bar]) -> str:
    """Each share as a bar on a rail of full length, under its name and its note."""
    parts = []
    for index, row in enumerate(rows):
        top, indent = STEP * index, INDENT * min(row.depth, DEEPEST)
        room = shapes.room_beside(row.note) - indent / shapes.NARROW
        parts += [
            shapes.clipped(indent, top + 14, room, row.name),
            shapes.text(Share(1), top + 14, row.note, "end", color=shapes.MUTED),
            shapes.rect(0, top + 20, Share(1), 10, shapes.RAIL),
            shapes.rect(0, top + 20, Share(row.share), 10, row.color),
        ]
    return shapes.picture(STEP * len(rows), parts)


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the axis with a name and a colour."""

    name: str
    low: float
    high: float
    color: str


def histogram(
    counts: Sequence[int], axis: Axis, bands: Sequence[Band] = (), *, counted: str = ""
) -> str:
    """How many values fall into each of even bins, from the axis' start to its end."""
    signs = [(band.name, shapes.rect(2, -7, 18, 14, band.color) + _edge()) for band in bands]
    said, top = shapes.key(signs, GUTTER)
    height, up = 160.0, near([0, max([*counts, 1])])
    # There is no half of what is counted.
    whole = tuple((value, f"{value:,.0f}") for value, _ in up.ticks if value.is_integer())
    up = Axis(up.low, up.high, whole)
    parts = [
        shapes.rect(
            Share(axis.share(band.low)),
            0,
            Share(axis.share(band.high) - axis.share(band.low)),
            height,
            band.color,
        )
        for band in bands
    ]
    parts += axes(axis, up, height)
    step = 1 / max(len(counts), 1)
    for index, count in enumerate(counts):
        tall = height * up.share(count)
        bar = shapes.rect(
            Share(step * (index + 0.08)), height - tall, Share(step * 0.84), tall, shapes.BAR
        )
        low = axis.low + (axis.high - axis.low) * step * index
        ends = f"{low:g} to {low + (axis.high - axis.low) * step:g}"
        parts.append(shapes.titled(f"{axis.title} {ends}: {count:,}", bar) if bar else "")
    parts.append(shapes.line([(0, height), (Share(1), height)], shapes.MUTED))
    title = shapes.label(-GUTTER, top + 12, counted, "start")
    drawn = [said, title, shapes.lower(top + 24, parts)]
    return shapes.picture(top + 24 + height + BOTTOM, drawn, left=GUTTER, right=RIGHT)


def _edge() -> str:
    style = f"fill:none;stroke:{shapes.MUTED};stroke-width:1"
    return f'<rect x="2" y="-7" width="18" height="14" rx="2" style="{style}"/>'
