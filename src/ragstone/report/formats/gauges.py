"""Where the marks of the page's gauges and the bars of its funnels are drawn.

Positions are per cent of the width, so one drawing fits a phone, a screen and a sheet of paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.gates.gate import Threshold
from ragstone.measure.interval import Interval
from ragstone.report.charts.scale import closed, span
from ragstone.report.document.blocks import Funnel, Step


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the axis, in per cent of its width."""

    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Gauge:
    """A value with its interval and threshold on an axis from `low` to `high`."""

    low: float
    high: float
    point: float | None
    interval: Stretch | None
    threshold: float | None
    passing: Stretch | None


def gauge(
    value: float | None,
    interval: Interval | None,
    threshold: Threshold | None = None,
) -> Gauge:
    """The axis runs from 0 to 1; for what does not fit there, to a round number beyond it.

    An open end of the interval is drawn to the end of the axis.

    >>> drawn = gauge(0.5, (0.25, 0.75), Threshold(">=", 0.8))
    >>> drawn.point, drawn.interval, drawn.passing
    (50.0, Stretch(start=25.0, width=50.0), Stretch(start=80.0, width=20.0))
    >>> gauge(1840.0, None, Threshold("<=", 2000.0)).high
    2500.0
    """
    limit = [threshold.value] if threshold else []
    known = [number for number in (value, *(interval or ()), *limit) if number is not None]
    low, high = span(known)

    def at(number: float) -> float:
        return round(100 * (number - low) / (high - low), 2)

    def between(start: float, stop: float) -> Stretch:
        return Stretch(at(start), round(at(stop) - at(start), 2))

    return Gauge(
        low=low,
        high=high,
        point=None if value is None else at(value),
        interval=between(*closed(interval, low, high)) if interval else None,
        threshold=at(threshold.value) if threshold else None,
        passing=between(*_passing(threshold, low, high)) if threshold else None,
    )


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
        share = f"{left:.0f} %"
        drawn.append(Bar(step, index * LINE, Stretch(0.0, left), Stretch(left, gone), share))
    return tuple(drawn)
