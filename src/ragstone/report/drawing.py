"""Where on the paper does a number stand? The geometry of the gauges and the funnel.

Positions are per cent of the width, so one drawing fits a phone, a screen and a sheet of paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ragstone.gates.gate import Threshold
from ragstone.report.model import Funnel, Step


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

    @property
    def anchor(self) -> str:
        """How the threshold's label is set, so that it stays on the paper."""
        at = self.threshold or 0.0
        return "start" if at < 12 else "end" if at > 88 else "middle"


def gauge(
    value: float | None,
    interval: tuple[float, float] | None,
    threshold: Threshold | None = None,
) -> Gauge:
    """The axis runs from 0 to 1; for what does not fit there, to a round number beyond it.

    >>> drawn = gauge(0.5, (0.25, 0.75), Threshold(">=", 0.8))
    >>> drawn.point, drawn.interval, drawn.passing
    (50.0, Stretch(start=25.0, width=50.0), Stretch(start=80.0, width=20.0))
    >>> gauge(1840.0, None, Threshold("<=", 2000.0)).high
    2500.0
    """
    limit = [threshold.value] if threshold else []
    low, high = _axis(
        [number for number in (value, *(interval or ()), *limit) if number is not None]
    )

    def at(number: float) -> float:
        return round(100 * (number - low) / (high - low), 2)

    def between(start: float, stop: float) -> Stretch:
        return Stretch(at(start), round(at(stop) - at(start), 2))

    return Gauge(
        low=low,
        high=high,
        point=None if value is None else at(value),
        interval=between(*interval) if interval else None,
        threshold=at(threshold.value) if threshold else None,
        passing=between(*_passing(threshold, low, high)) if threshold else None,
    )


def _passing(threshold: Threshold, low: float, high: float) -> tuple[float, float]:
    if threshold.op in (">=", ">"):
        return threshold.value, high
    return (low, threshold.value) if threshold.op in ("<=", "<") else (threshold.value,) * 2


def _axis(numbers: list[float]) -> tuple[float, float]:
    high, low = max(numbers, default=1.0), min(numbers, default=0.0)
    # A hair below zero must not make an axis of its own.
    start = -round_up(max(-low, 0.01)) if low < 0 else 0.0
    return start, (round_up(high * 1.1) if high > 1 else 1.0)


def round_up(number: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten.

    >>> round_up(3.3), round_up(2024.0)
    (5.0, 2500.0)
    """
    power = 10.0 ** math.floor(math.log10(number))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if number <= step * power)


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
    steps = (Step("all", funnel.total, 0, ()), *funnel.steps)
    return tuple(_bar(step, funnel.total, index) for index, step in enumerate(steps))


def _bar(step: Step, total: int, index: int) -> Bar:
    left, lost = (round(100 * count / max(total, 1), 2) for count in (step.left, step.lost))
    lost = min(lost, round(100 - left, 2))
    return Bar(
        step=step,
        top=index * LINE,
        left=Stretch(0.0, left),
        lost=Stretch(left, max(lost, 0.0)),
        share=f"{left:.0f} %",
    )
