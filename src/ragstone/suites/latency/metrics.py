"""The latency suite's metrics, each for one configuration under one load."""

from __future__ import annotations

import math
from dataclasses import replace

from ragstone.engine.duck import real
from ragstone.measure.interval import quantile_linear, quotient
from ragstone.measure.metric import (
    Bounds,
    Change,
    Computed,
    Counted,
    Metric,
    Quantile,
    Ratio,
    Statistic,
    must_be_within,
)
from ragstone.suites.answers.metrics import CHR, OVER_REFUSAL, PRECISION, UNDER_REFUSAL

# From this load on, the relaxed limit holds.
RELAXED_FROM = 5.0
RIGHT = "shipped and answerable and contained and cited and not forbidden"


def _tail(counted: Counted, level: float) -> Computed:
    """p99 over p50; the interval comes with those of the percentiles."""
    times = [(real(latency), count) for (latency,), count in counted.items()]
    if not times:
        return None, None
    return quotient(quantile_linear(times, 0.99), quantile_linear(times, 0.5)), None


def _cost_per_right(counted: Counted, level: float, bounds: Bounds | None = None) -> Computed:
    """No number where an answered request does not say what it cost, or no answer is right."""
    costs: list[float] = []
    right = 0
    for (cost, failed, is_right), count in counted.items():
        if cost is None and not failed:
            return None, None
        # What failed and names no cost, cost nothing that is known.
        costs += [0.0 if cost is None else real(cost)] * count
        right += count if is_right else 0
    must_be_within("cost_per_correct", [(cost, 1) for cost in sorted(costs) or [0.0]], bounds)
    return (math.fsum(costs) / right if right and any(costs) else None), None


def _percentile(name: str, q: float, gate: str | None = None) -> Quantile:
    says = f"The time from planned arrival to answer that {100 * q:g} % of requests stay within."
    return Quantile(
        name=name,
        title=f"{100 * q:g} % of requests answered within",
        of="true",
        value="latency_ms",
        q=q,
        better="lower",
        says=says,
        unit="ms",
        gate=gate,
    )


def _ratio(name: str, title: str, metric: Metric, says: str, gate: str) -> Change:
    return Change(
        name=name,
        title=f"{title} against the baseline's",
        of="true",
        metric=metric.name,
        how="ratio",
        better="lower",
        needs="baseline",
        says=says,
        gate=gate,
    )


P50 = replace(_percentile("p50", 0.5), aliases=("median",))
P90 = _percentile("p90", 0.9)
P95 = _percentile("p95", 0.95, "<= 2000")
P99 = _percentile("p99", 0.99)
P95_RELAXED = replace(
    P95,
    name="p95_relaxed",
    title="95 % answered within, under high load",
    of=f"rps >= {RELAXED_FROM:g}",
    says="The same 95th percentile, under a load of 5 requests a second or more.",
    gate="<= 2500",
)
TAIL = Statistic(
    name="tail",
    title="slowest requests against usual ones",
    of="true",
    how="p99 / p50",
    columns=("latency_ms",),
    compute=_tail,
    better="lower",
    says="Tail amplification: how many times slower than usual the slowest hundredth is.",
)
ERRORS = Ratio(
    name="errors",
    title="requests that failed",
    of="true",
    hit="failed",
    empty=0.0,
    better="lower",
    says="Of the requests, how many ended in an error or a time-out.",
    gate="= 0",
)
REFUSALS = replace(
    ERRORS,
    name="refusals",
    title="requests refused, rightly or not",
    hit="refused",
    says="Of the requests, how many were refused, rightly or not.",
    gate=None,
)
COST = Statistic(
    name="cost_per_correct",
    title="cost of one right answer",
    of="true",
    how="sum of cost_usd / requests answered rightly",
    columns=("cost_usd", "failed", RIGHT),
    compute=_cost_per_right,
    better="lower",
    says="What one right answer costs, wrong answers and refusals included.",
    unit="USD",
    mean=True,
)
# The gates of these in the answers suite are what a pick must meet; here they have none.
OF_ANSWERS: tuple[Ratio, ...] = (PRECISION, CHR, UNDER_REFUSAL, OVER_REFUSAL)
ACCURACY: tuple[Ratio, ...] = tuple(replace(metric, gate=None) for metric in OF_ANSWERS)
_DROP = "How much precision was lost against the baseline."
_COST = "How the cost of a right answer compares with the baseline's."
COMPARED = (
    _ratio(
        "p50_ratio", "median time", P50, "How the median compares with the baseline's.", "<= 1.2"
    ),
    _ratio(
        "p90_ratio",
        "time of 90 %",
        P90,
        "How the 90th percentile compares with the baseline's.",
        "<= 1.5",
    ),
    _ratio(
        "p95_ratio",
        "time of 95 %",
        P95,
        "How the 95th percentile compares with the baseline's.",
        "<= 1.15",
    ),
    replace(
        _ratio("precision_drop", "", PRECISION, _DROP, "<= 0.02"),
        title="right answers lost against the baseline",
        how="drop",
    ),
    replace(_ratio("cost_ratio", "cost of a right answer", COST, _COST, "<= 1.3"), unbounded=True),
)
_TIMES: tuple[Metric, ...] = (P50, P90, P95, P99, P95_RELAXED, TAIL, ERRORS)
METRICS: tuple[Metric, ...] = (*_TIMES, *ACCURACY, REFUSALS, COST, *COMPARED)

# What is also measured by the length of the question, and by the stage that took the time.
BY_LENGTH: tuple[Metric, ...] = (P50, P90, P95, P99, *ACCURACY[:2], REFUSALS, COST)
BY_STAGE: tuple[Metric, ...] = (P50, P95)
