"""Lines and points between two axes: a curve, a frontier, a cloud of configurations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragstone.measure.interval import Interval
from ragstone.report.charts import shapes
from ragstone.report.charts.scale import Axis

LEFT, TOP, BOTTOM, KEY = 54, 34, 44, 24

# Lines are told apart by their dashes as well: red and green mean bad and good, and are not used.
STYLES = (
    (shapes.BAR, ""),
    (shapes.HOLD, "6 3"),
    (shapes.MUTED, "2 3"),
    (shapes.INK, "8 3 2 3"),
    (shapes.BAR, "1 4"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, with a dot on each if `dotted`."""

    points: tuple[tuple[float, float], ...] = ()
    color: str = shapes.BAR
    dash: str = ""
    width: float = 2.5
    dotted: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """A point with the intervals of both its numbers; `label` is a short word inside it."""

    x: float = 0.0
    y: float = 0.0
    x_interval: Interval | None = None
    y_interval: Interval | None = None
    label: str = ""
    title: str = ""
    hollow: bool = False
    faded: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes with what is drawn between them, the last on top."""

    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()
    points: tuple[Point, ...] = ()
    title: str = ""


Entry = tuple[str, Line | Point]


def plot(
    panels: Sequence[Panel],
    *,
    width: float = 510,
    height: float = 204,
    key: Sequence[Entry] = (),
    legend: Sequence[Entry] = (),
    legend_width: float = 0,
) -> str:
    """Panels under one another, each `width` by `height`.

    `key` says above them what the signs mean; `legend` names lines or points beside them.
    """
    top: float = KEY if key else 0
    parts = [
        shapes.key(LEFT, 12, [(words, _sign(each)) for words, each in key]),
        shapes.key(
            LEFT + width + 24, top + TOP, [(words, _sign(each)) for words, each in legend], 24
        ),
    ]
    least = top + TOP + 24 * len(legend)
    for panel in panels:
        parts += _Drawn(panel, top + TOP, width, height).parts()
        top += TOP + height + BOTTOM
    return shapes.picture(LEFT + width + 24 + legend_width, max(top, least), parts)


def _sign(entry: Line | Point) -> str:
    if isinstance(entry, Point):
        return _dot(8, 0, entry)
    return shapes.line([(-8, 0), (16, 0)], entry.color, width=entry.width, dash=entry.dash)


def _dot(x: float, y: float, point: Point) -> str:
    radius = 9 if point.label else 4.5 if point.hollow else 6
    color, shade = (shapes.MUTED, 0.4) if point.faded else (shapes.BAR, 1.0)
    return shapes.circle(x, y, radius, color, hollow=point.hollow, opacity=shade) + shapes.text(
        x, y + 3.5, point.label, "middle", size=10, weight=700, color=shapes.PAPER
    )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A panel at its place on the paper."""

    panel: Panel
    top: float
    width: float
    height: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        across, up = self.panel.x.share(x), self.panel.y.share(y)
        return LEFT + self.width * across, self.top + self.height * (1 - up)

    def parts(self) -> Iterable[str]:
        yield from self._axes()
        for line in self.panel.lines:
            at = [self.at(x, y) for x, y in line.points]
            yield shapes.line(at, line.color, width=line.width, dash=line.dash)
            yield from (shapes.circle(x, y, 4.5, line.color) for x, y in at if line.dotted)
        for point in self.panel.points:
            yield from self._intervals(point)
            yield shapes.titled(point.title, _dot(*self.at(point.x, point.y), point))

    def _axes(self) -> Iterable[str]:
        x_axis, y_axis = self.panel.x, self.panel.y
        yield shapes.text(LEFT, self.top - 12, self.panel.title, weight=600)
        for value, said in y_axis.ticks:
            start, end = self.at(x_axis.low, value), self.at(x_axis.high, value)
            yield shapes.line([start, end], shapes.RULE)
            yield shapes.label(start[0] - 8, start[1] + 4, said, "end")
        for value, said in x_axis.ticks:
            x, bottom = self.at(value, y_axis.low)
            yield shapes.label(x, bottom + 18, said)
        yield shapes.label(LEFT + self.width / 2, self.top + self.height + 38, x_axis.title)

    def _intervals(self, point: Point) -> Iterable[str]:
        """Thin and pale, so that they do not hide the dots of others."""
        color, shade = (shapes.MUTED, 0.24) if point.faded else (shapes.BAR, 0.6)
        drawn = []
        if point.x_interval is not None:
            drawn.append([self.at(end, point.y) for end in self.panel.x.closed(point.x_interval)])
        if point.y_interval is not None:
            drawn.append([self.at(point.x, end) for end in self.panel.y.closed(point.y_interval)])
        for ends in drawn:
            yield shapes.line(ends, color, width=1 if point.hollow else 2.5, opacity=shade)
