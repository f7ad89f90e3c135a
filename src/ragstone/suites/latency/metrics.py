"""The latency suite's metrics, each for one configuration under one load."""

from __future__ import annotations

from dataclasses import replace

from ragstone.measure.metric import Metric, Quantile, Ratio, Statistic
from ragstone.suites.answers.metrics import CHR, OVER_REFUSAL, PRECISION, UNDER_REFUSAL

# From this load on, the relaxed limit holds.
RELAXED_FROM = 5.0


def _percentile(name: str, q: float, gate: str | None = None) -> Quantile:
    return Quantile(
        name=name,
        of="true",
        value="latency_ms",
        q=q,
        better="lower",
        says=f"The time from planned arrival to answer that {100 * q:g} % of requests stay within.",
        unit="ms",
        gate=gate,
    )


P50 = replace(_percentile("p50", 0.5), aliases=("median",))
P90 = _percentile("p90", 0.9)
P95 = _percentile("p95", 0.95, "<= 2000")
P99 = _percentile("p99", 0.99)
P95_RELAXED = replace(
    P95,
    name="p95_relaxed",
    of="rps >= 5",
    says="The same 95th percentile, under a load of 5 requests a second or more.",
    gate="<= 2500",
)
TAIL = Statistic(
    name="tail",
    of="true",
    how="p99 / p50",
    better="lower",
    says="Tail amplification: how many times slower than usual the slowest hundredth is.",
)
ERRORS = Ratio(
    name="errors",
    of="true",
    hit="failed",
    empty=0.0,
    better="lower",
    says="Of the requests, how many ended in an error or a time-out.",
    gate="= 0",
)
REFUSALS = Ratio(
    name="refusals",
    of="true",
    hit="refused",
    empty=0.0,
    better="lower",
    says="Of the requests, how many were refused, rightly or not.",
)
COST = Statistic(
    name="cost_per_correct",
    of="true",
    how="sum of cost_usd / requests answered rightly",
    better="lower",
    says="What one right answer costs, wrong answers and refusals included.",
    unit="USD",
)
P50_RATIO = Statistic(
    name="p50_ratio",
    of="true",
    how="p50 / the baseline's p50",
    better="lower",
    says="How the median compares with the baseline's.",
    gate="<= 1.2",
)
P90_RATIO = replace(
    P50_RATIO,
    name="p90_ratio",
    how="p90 / the baseline's p90",
    says="How the 90th percentile compares with the baseline's.",
    gate="<= 1.5",
)
P95_RATIO = replace(
    P50_RATIO,
    name="p95_ratio",
    how="p95 / the baseline's p95",
    says="How the 95th percentile compares with the baseline's.",
    gate="<= 1.15",
)
PRECISION_DROP = Statistic(
    name="precision_drop",
    of="shipped",
    how="the baseline's precision - precision",
    better="lower",
    says="How much precision was lost against the baseline.",
    gate="<= 0.02",
)
COST_RATIO = replace(
    P50_RATIO,
    name="cost_ratio",
    how="cost_per_correct / the baseline's",
    says="How the cost of a right answer compares with the baseline's.",
    gate="<= 1.3",
)

ACCURACY: tuple[Ratio, ...] = tuple(
    replace(metric, gate=None) for metric in (PRECISION, CHR, UNDER_REFUSAL, OVER_REFUSAL)
)
MEASURED: tuple[Metric, ...] = (
    P50, P90, P95, P99, P95_RELAXED, TAIL, ERRORS, *ACCURACY, REFUSALS, COST,
)  # fmt: skip
COMPARED: tuple[Statistic, ...] = (P50_RATIO, P90_RATIO, P95_RATIO, PRECISION_DROP, COST_RATIO)

METRICS: tuple[Metric, ...] = (*MEASURED, *COMPARED)
