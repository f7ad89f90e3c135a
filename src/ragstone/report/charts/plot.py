"""Lines and points between two axes: a curve, a frontier, a cloud of configurations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragstone.measure.interval import Interval
from ragstone.report.charts import shapes
from ragstone.report.charts.labels import Box, around, place, thinned
from ragstone.report.charts.scale import Axis
from ragstone.report.charts.shapes import Share
from ragstone.report.text import short

# Left of the axes are the numbers of the upward one; right of them is room for half a dot.
GUTTER, RIGHT, TOP, BOTTOM, LEGEND = 44, 24, 42, 50, 22

# Lines are told apart by their dashes as well: red and green mean bad and good, and are not used.
STYLES = (
    (shapes.BAR, ""),
    (shapes.HOLD, "6 4"),
    (shapes.MUTED, "2 4"),
    (shapes.INK, "8 4 2 4"),
    (shapes.BAR, "1 5"),
)
# Words at the end of a line are cut to this, and stand this far apart.
_NAME, _APART = 15, 14


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points, with a dot on each if `dotted`; a name stands at its end."""

    points: tuple[tuple[float, float], ...] = ()
    color: str = shapes.BAR
    dash: str = ""
    width: float = 2.5
    dotted: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """A point with the intervals of both its numbers; `label` is a short word beside it.

    `tail` is a second number on the same height, drawn as a ring at the end of a thin line.
    """

    x: float = 0.0
    y: float = 0.0
    x_interval: Interval | None = None
    y_interval: Interval | None = None
    tail: float | None = None
    label: str = ""
    title: str = ""
    pale: bool = False

    @property
    def color(self) -> str:
        return shapes.MUTED if self.pale else shapes.BAR


@dataclass(frozen=True, slots=True)
class Limit:
    """A dashed line at a number of one of the axes, with the words that stand at it."""

    value: float
    words: str
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes with what is drawn between them, the last on top."""

    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()
    points: tuple[Point, ...] = ()
    limits: tuple[Limit, ...] = ()
    title: str = ""


Entry = tuple[str, str]


def plot(
    panels: Sequence[Panel],
    *,
    height: float = 200,
    key: Sequence[Entry] = (),
    legend: Sequence[Entry] = (),
) -> str:
    """Panels under one another, each `height` high.

    `key` says above them what the signs mean; `legend` names lines or points below them.
    """
    said, top = shapes.key(key, left=GUTTER)
    right = max([RIGHT, *(_name_room(line) for panel in panels for line in panel.lines)])
    parts = [said]
    for panel in panels:
        drawn = _Drawn(panel, height, right).parts()
        parts += [
            shapes.text(-GUTTER, top + 16, panel.title, weight=600, size=13),
            shapes.lower(top + TOP, drawn),
        ]
        top += TOP + height + BOTTOM
    for words, sign in legend:
        parts.append(f'<g transform="translate({-GUTTER} {shapes.n(top + 4)})">{sign}</g>')
        parts.append(shapes.clipped(28 - GUTTER, top + 8, 1.0, words))
        top += LEGEND
    return shapes.picture(top, parts, left=GUTTER, right=right)


def _name_room(line: Line) -> float:
    """What a line's name needs to the right of the axes."""
    return shapes.width_of(short(line.name, _NAME), shapes.SMALL) + 14 if line.name else 0


def axes(x: Axis, y: Axis, height: float, right: float = RIGHT) -> Iterable[str]:
    """The rules and the numbers of both axes, inside the frame between them."""
    for value, said in y.ticks:
        down = height * (1 - y.share(value))
        yield shapes.line([(0, down), (Share(1), down)], shapes.RULE)
        yield shapes.label(0, down + 4, said, "end", right=-8)
    ticks = [(x.share(value), said) for value, said in x.ticks]
    for share, said in thinned(ticks, size=shapes.SMALL, margins=GUTTER + right):
        yield shapes.label(Share(share), height + 18, said)
    yield shapes.label(Share(0.5), height + 36, x.title)


def dot(x: shapes.Across, y: float, point: Point, rings: int = 0) -> str:
    """A point; one that stands where others do is a ring around them, and hides none."""
    if rings:
        return shapes.circle(x, y, 5 + 4 * rings, point.color, hollow=True)
    return shapes.circle(x, y, 5, point.color)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A panel at its place on the paper."""

    panel: Panel
    height: float
    right: float

    def at(self, x: float, y: float) -> tuple[Share, float]:
        return Share(self.panel.x.share(x)), self.height * (1 - self.panel.y.share(y))

    def parts(self) -> list[str]:
        drawn = [*axes(self.panel.x, self.panel.y, self.height, self.right)]
        taken: list[Box] = []
        for limit in self.panel.limits:
            drawn.append(self._limit(limit, taken))
        for line in self.panel.lines:
            spots = [self.at(x, y) for x, y in line.points]
            drawn.append(shapes.line(spots, line.color, width=line.width, dash=line.dash))
            drawn += [shapes.circle(x, y, 3.5, line.color) for x, y in spots if line.dotted]
        return [*drawn, *self._names(), *self._points(taken)]

    def _limit(self, limit: Limit, taken: list[Box]) -> str:
        panel, size = self.panel, shapes.SMALL
        wide = shapes.width_of(limit.words, size)
        if limit.upright:
            share = panel.x.share(limit.value)
            aside, anchor = (-4, "start") if share < 0.5 else (4, "end")
            ends = [(Share(share), -2.0), (Share(share), self.height)]
            start, y = (aside if anchor == "start" else aside - wide), -10.0
        else:
            share, down = 1.0, self.height * (1 - panel.y.share(limit.value))
            aside, anchor, ends = 0, "end", [(Share(0), down), (Share(1), down)]
            start, y = -wide, down - 5 if down > 18 else down + 13
        taken.append(Box(share, start, start + wide, y - size, y + 3))
        line = shapes.line(ends, shapes.INK, width=1, dash="4 4")
        return line + shapes.label(Share(share), y, limit.words, anchor, right=aside)

    def _names(self) -> Iterable[str]:
        """The name of each line at its end; one that was moved has a thin line to it."""
        ends = [
            (self.height * (1 - self.panel.y.share(line.points[-1][1])), line)
            for line in self.panel.lines
            if line.name and line.points
        ]
        ends.sort(key=lambda each: each[0])
        for (end, line), y in zip(ends, spread([y for y, _ in ends], self.height), strict=True):
            last = self.at(line.points[-1][0], line.points[-1][1])[0]
            if last.of_width < 1 or abs(y - end) > 3:
                ways = [(last, end), (Share(1), y)]
                yield shapes.line(ways, shapes.MUTED, width=1, dash="1 3")
            yield shapes.text(Share(1), y + 4, line.name, right=10, size=shapes.SMALL, length=_NAME)

    def _points(self, taken: list[Box]) -> Iterable[str]:
        spots = [(self.panel.x.share(p.x), self.at(p.x, p.y)[1]) for p in self.panel.points]
        rings = _rings(spots)
        for point, (share, y), around_it in zip(self.panel.points, spots, rings, strict=True):
            taken.append(around(share, y, 6 + 4 * around_it))
            yield from self._intervals(point)
            yield shapes.titled(point.title, dot(Share(share), y, point, around_it))
        margins = GUTTER + self.right
        for point, (share, y), around_it in zip(self.panel.points, spots, rings, strict=True):
            found = point.label and place(
                share,
                y,
                point.label,
                taken,
                size=shapes.SIZE,
                margins=margins,
                left=0,
                right=self.right,
                top=-8,
                bottom=self.height + 8,
                away=8 + 4 * around_it,
            )
            if found:
                taken.append(found.box)
                yield shapes.text(
                    Share(share),
                    found.y,
                    point.label,
                    found.anchor,
                    right=found.right,
                    weight=700,
                    halo=True,
                )

    def _intervals(self, point: Point) -> Iterable[str]:
        if point.tail is not None:
            x, y = self.at(point.tail, point.y)
            yield shapes.line([self.at(point.x, point.y), (x, y)], point.color, width=1, dash="2 3")
            yield shapes.circle(x, y, 3.5, point.color, hollow=True)
        ends = []
        if point.x_interval is not None:
            ends.append([self.at(end, point.y) for end in self.panel.x.closed(point.x_interval)])
        if point.y_interval is not None:
            ends.append([self.at(point.x, end) for end in self.panel.y.closed(point.y_interval)])
        yield from (shapes.line(each, shapes.RANGE, width=2.5) for each in ends)


def _rings(spots: Sequence[tuple[float, float]]) -> list[int]:
    """For each point, how many of those before it stand at the same place."""
    wide = shapes.NARROW - GUTTER - RIGHT
    return [
        sum(abs(x - other) * wide < 5 and abs(y - down) < 5 for other, down in spots[:number])
        for number, (x, y) in enumerate(spots)
    ]


def spread(heights: Sequence[float], most: float) -> list[float]:
    """The heights, in their order, moved as little as it takes to stand apart from one another.

    >>> spread([10.0, 12.0, 60.0], 100.0)
    [10.0, 24.0, 60.0]
    >>> spread([98.0, 99.0], 100.0)
    [86.0, 100.0]
    """
    made: list[float] = []
    for height in heights:
        made.append(max(height, made[-1] + _APART) if made else height)
    below = most
    for place_ in range(len(made) - 1, -1, -1):
        made[place_] = min(made[place_], below)
        below = made[place_] - _APART
    return made
