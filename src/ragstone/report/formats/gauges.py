"""Where the marks of the page's gauges and the bars of its funnels are drawn.

Positions are per cent of the width, so one drawing fits a phone, a screen and a sheet of paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.gates.gate import Threshold
from ragstone.measure.interval import Interval
from ragstone.report.charts.scale import Axis, near
from ragstone.report.document.blocks import Funnel, Step
from ragstone.report.document.figures import whole_percent


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the axis, in per cent of its width."""

    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Gauge:
    """A value with its interval and threshold on an axis, whose numbers are at `ticks`."""

    axis: Axis
    ticks: tuple[float, ...]
    point: float | None
    interval: Stretch | None
    threshold: float | None
    passing: Stretch | None


def gauge(
    value: float | None,
    interval: Interval | None,
    threshold: Threshold | None = None,
) -> Gauge:
    """Value, interval and threshold fill at least a quarter of the axis, so they can be told apart.

    A share has the axis from 0 to 1 where that shows it. An open end of the interval is drawn to
    the end of the axis.

    >>> drawn = gauge(0.5, (0.25, 0.75), Threshold(">=", 0.8))
    >>> drawn.point, drawn.interval, drawn.passing
    (50.0, Stretch(start=25.0, width=50.0), Stretch(start=80.0, width=20.0))
    >>> close = gauge(-0.03, (-0.06, 0.0), Threshold(">=", -0.05))
    >>> close.axis.low, close.axis.high, close.point, close.threshold
    (-0.06, 0.0, 50.0, 16.67)
    """
    limit = [threshold.value] if threshold else []
    axis = _axis([n for n in (value, *(interval or ()), *limit) if n is not None])

    def at(number: float) -> float:
        return round(100 * axis.share(number), 2)

    def between(start: float, stop: float) -> Stretch:
        return Stretch(at(start), round(at(stop) - at(start), 2))

    return Gauge(
        axis=axis,
        ticks=tuple(at(number) for number, _ in axis.ticks),
        point=None if value is None else at(value),
        interval=between(*axis.closed(interval)) if interval else None,
        threshold=at(threshold.value) if threshold else None,
        passing=between(*_passing(threshold, axis.low, axis.high)) if threshold else None,
    )


def _axis(numbers: list[float]) -> Axis:
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if low >= 0 and high <= 1 and (high - low >= 0.25 or low == high):
        return near([0.0, 1.0])
    # One number alone is seen against nothing, as a count of 3 is.
    return near(numbers if low < high else [*numbers, 0.0])


def _passing(threshold: Threshold, low: float, high: float) -> tuple[float, float]:
    if threshold.op in (">=", ">"):
        return threshold.value, high
    return (low, threshold.value) if threshold.op in ("<=", "<") else (threshold.value,) * 2


@dataclass(frozen=True, slots=True)
class Bar:
    """One step of a funnel: what is left, and, set on to it, what was lost."""

    step: Step
    top: int
    left: Stretch
    lost: Stretch
    share: str


LINE = 46


def bars(funnel: Funnel) -> tuple[Bar, ...]:
    """The funnel as bars under one another; the first is the whole set."""
    drawn = []
    for index, step in enumerate((Step("all", funnel.total, 0, ()), *funnel.steps)):
        left, lost = (round(100 * n / max(funnel.total, 1), 2) for n in (step.left, step.lost))
        gone = max(min(lost, round(100 - left, 2)), 0.0)
        share = whole_percent(step.left / max(funnel.total, 1))
        drawn.append(Bar(step, index * LINE, Stretch(0.0, left), Stretch(left, gone), share))
    return tuple(drawn)
