"""A point beside the same point of the baseline: ratios of time and cost, precision lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragstone.measure.metric import Measured
from ragstone.suites.latency.metrics import COMPARED
from ragstone.suites.latency.points import Point

_RATIOS = {
    "p50_ratio": "p50",
    "p90_ratio": "p90",
    "p95_ratio": "p95",
    "cost_ratio": "cost_per_correct",
}


def compared(points: Sequence[Point], baseline: Sequence[Point] | None) -> tuple[Point, ...]:
    """The points with their comparisons; without a counterpart these cannot be computed."""
    return tuple(_compared(point, _counterpart(point, baseline or ())) for point in points)


def _counterpart(point: Point, baseline: Sequence[Point]) -> Point | None:
    """The same configuration under the same load; a baseline of one configuration serves all."""
    same_load = [other for other in baseline if other.rps == point.rps]
    for other in same_load:
        if other.config == point.config:
            return other
    lone = len({other.config for other in baseline}) == 1
    return same_load[0] if lone and same_load else None


def _compared(point: Point, other: Point | None) -> Point:
    measured = dict(point.measured)
    for metric in COMPARED:
        value = None if other is None else _value(metric.name, point, other)
        measured[metric.name] = Measured(metric, value, None, point.requests, None, False)
    return replace(point, measured=measured)


def _value(name: str, point: Point, other: Point) -> float | None:
    if name == "precision_drop":
        before, now = other.value("precision"), point.value("precision")
        return None if before is None or now is None else before - now
    before, now = other.value(_RATIOS[name]), point.value(_RATIOS[name])
    return None if not before or now is None else now / before
