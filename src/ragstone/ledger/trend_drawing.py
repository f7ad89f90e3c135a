"""Where the line of a trend, its intervals and the thresholds of its gate are drawn.

Across, positions are per cent of the width, so that one drawing fits a phone, a screen and a sheet
of paper with its words as large as they should be; down, they are pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ragstone.gates.gate import Threshold
from ragstone.ledger.trend_lines import Line, Point, Section
from ragstone.report.charts.scale import Axis, near
from ragstone.report.document.figures import limit as written

HEIGHT = 190
# A threshold that held for less of the width has no words of its own.
_WORTH_WORDS = 18.0
_DATES = 5


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Words:
    """A text; one that is `extra` is left out where there is little room."""

    x: float
    y: float
    anchor: str
    text: str
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """The point of a recording: a `dot`, or in other shapes a gate that `fails` or is `open`."""

    index: int
    x: float
    y: float
    shape: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is drawn of one line."""

    ticks: tuple[tuple[float, str], ...]
    dates: tuple[Words, ...]
    path: tuple[Stroke, ...]
    intervals: tuple[Stroke, ...]
    limits: tuple[Stroke, ...]
    limit_words: tuple[Words, ...]
    limit: tuple[float, str] | None
    marks: tuple[Mark, ...]


def drawing(line: Line, section: Section) -> Drawing:
    """The line as it is drawn; what was not measured is a gap in it."""
    counts = all(each.whole for each in line.points if each.value is not None)
    axis = near([*_numbers(line.points), *([1.0] if counts else [])])
    return Drawing(
        ticks=tuple(
            (_down(axis, value), said)
            for value, said in axis.ticks
            # There is no half of what is counted.
            if not counts or value.is_integer()
        ),
        dates=tuple(_dates([each.at for each in section.recordings])),
        path=tuple(_path(line.points, axis)),
        intervals=tuple(_intervals(line.points, axis)),
        limits=tuple(_limits(line.points, axis)),
        limit_words=tuple(_limit_words(line, axis)),
        limit=_newest_limit(line, axis),
        marks=tuple(_marks(line.points, axis)),
    )


def _numbers(points: Sequence[Point]) -> Iterator[float]:
    for each in points:
        limit = each.threshold.value if each.threshold else None
        yield from (n for n in (each.value, limit, *(each.interval or ())) if n is not None)


def _down(axis: Axis, value: float) -> float:
    return round(HEIGHT * (1 - axis.share(value)), 1)


def _across(index: float, count: int) -> float:
    return round(100 * (index + 0.5) / count, 2)


def _path(points: Sequence[Point], axis: Axis) -> Iterator[Stroke]:
    for index, (one, two) in enumerate(pairwise(points)):
        if one.value is not None and two.value is not None:
            yield Stroke(
                _across(index, len(points)),
                _down(axis, one.value),
                _across(index + 1, len(points)),
                _down(axis, two.value),
            )


def _intervals(points: Sequence[Point], axis: Axis) -> Iterator[Stroke]:
    for index, each in enumerate(points):
        if each.value is not None and each.interval is not None:
            low, high = axis.closed(each.interval)
            x = _across(index, len(points))
            yield Stroke(x, _down(axis, high), x, _down(axis, low))


def _steps(points: Sequence[Point]) -> Iterator[tuple[float, float, Threshold]]:
    """From where to where each threshold held, in per cent of the width."""
    start = 0
    for limit, held in groupby(each.threshold for each in points):
        end = start + len(list(held))
        if limit is not None:
            yield round(100 * start / len(points), 2), round(100 * end / len(points), 2), limit
        start = end


def _limits(points: Sequence[Point], axis: Axis) -> Iterator[Stroke]:
    steps = [*_steps(points)]
    for start, end, limit in steps:
        y = _down(axis, limit.value)
        yield Stroke(start, y, end, y)
    for (_, end, one), (start, _, two) in pairwise(steps):
        if end == start:
            yield Stroke(end, _down(axis, one.value), end, _down(axis, two.value))


def _limit_words(line: Line, axis: Axis) -> Iterator[Words]:
    """What thresholds there were before the newest, which is written beside the drawing."""
    points, said = line.points, None
    for start, end, limit in _steps(points):
        if limit in (said, points[-1].threshold) or end - start < _WORTH_WORDS:
            continue
        said, y = limit, _down(axis, limit.value)
        # On the side where no gate passes.
        below = (limit.op in (">=", ">") and y < HEIGHT - 16) or y < 16
        yield Words(start, y + (14 if below else -6), "start", written(limit, line.unit))


def _newest_limit(line: Line, axis: Axis) -> tuple[float, str] | None:
    limit = line.newest.threshold
    return None if limit is None else (_down(axis, limit.value), written(limit, line.unit))


def _marks(points: Sequence[Point], axis: Axis) -> Iterator[Mark]:
    for index, each in enumerate(points):
        shape = {"PASS": "dot", "FAIL": "fails", "": "dot"}.get(each.status, "open")
        x = _across(index, len(points))
        if each.value is not None:
            yield Mark(index, x, _down(axis, each.value), shape)
        elif each.threshold is not None:
            # A gate that could not be measured has no height; it stands on the ground.
            yield Mark(index, x, HEIGHT, shape)


def _dates(moments: Sequence[str]) -> Iterator[Words]:
    """A few of the dates, no two the same; the times, where all are of one day.

    Where there is little room, only the first and the last are left.
    """
    days = {at[:10] for at in moments}
    said = [at[:10] if len(days) > 1 else at[11:16] for at in moments]
    few = min(_DATES, len(said))
    chosen = [round(each * (len(said) - 1) / max(few - 1, 1)) for each in range(few)]
    seen: set[str] = set()
    for number, index in enumerate(chosen):
        if said[index] not in seen:
            seen.add(said[index])
            x = _across(index, len(said))
            anchor = "start" if x < 8 else "end" if x > 92 else "middle"
            yield Words(x, HEIGHT + 22, anchor, said[index], extra=0 < number < few - 1)
