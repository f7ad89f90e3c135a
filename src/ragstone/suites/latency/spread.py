"""How far a point's numbers could be from the truth: bootstrap over questions.

Requests of one question rise and fall together, so whole questions are drawn, not requests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ragstone.measure.bootstrap import percentile_interval, resampled_rows
from ragstone.measure.interval import Interval

QUANTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99}
# Resamples are fewer where requests are many: about this many requests are looked at in all.
_EFFORT, _MOST, _LEAST = 10_000_000, 1000, 200


@dataclass(frozen=True, slots=True)
class Request:
    """What the resampling needs of one request."""

    qid: str
    latency_ms: float
    shipped: bool
    right: bool
    hit: bool
    cost: float | None


def intervals(
    requests: Sequence[Request], points: Mapping[str, float | None], level: float
) -> dict[str, Interval | None]:
    """The interval of each number in `points`, from the same resamples."""
    found: dict[str, list[float]] = {name: [] for name in points}
    for sample in _resampled(requests):
        for name in points:
            value = sample.get(name)
            if value is not None:
                found[name].append(value)
    return {
        name: None if point is None else percentile_interval(point, found[name], level)
        for name, point in points.items()
    }


def _resampled(requests: Sequence[Request]) -> Iterator[dict[str, float | None]]:
    qids = sorted({request.qid for request in requests})
    number = {qid: index for index, qid in enumerate(qids)}
    ordered = sorted(requests, key=lambda request: request.latency_ms)
    values = [request.latency_ms for request in ordered]
    owners = [number[request.qid] for request in ordered]
    totals = _totals(requests, number)
    many = max(_LEAST, min(_MOST, _EFFORT // max(len(requests), 1)))
    for times in resampled_rows(len(qids), many):
        sample: dict[str, float | None] = dict(_quantiles(values, [times[o] for o in owners]))
        shipped, right, hit, cost, priced = (
            sum(part * count for part, count in zip(total, times, strict=True)) for total in totals
        )
        sample["precision"] = right / shipped if shipped else None
        sample["chr"] = hit / shipped if shipped else None
        sample["tail"] = _over(sample["p99"], sample["p50"])
        sample["cost_per_correct"] = _over(cost, right) if priced else None
        yield sample


def _totals(requests: Sequence[Request], number: Mapping[str, int]) -> list[list[float]]:
    """What each question adds to the sums: shipped, right, hit, cost, requests with a cost."""
    totals = [[0.0] * len(number) for _ in range(5)]
    for request in requests:
        at = number[request.qid]
        parts = (request.shipped, request.right, request.hit, request.cost or 0.0)
        for total, part in zip(totals, (*parts, request.cost is not None), strict=True):
            total[at] += part
    return totals


def _quantiles(values: Sequence[float], weights: Sequence[int]) -> Iterator[tuple[str, float]]:
    """Linear interpolation among values in order, each as often as its weight says."""
    from bisect import bisect_left

    upto = list(accumulate(weights))
    last = upto[-1] - 1
    for name, percent in QUANTILES.items():
        rank, rest = divmod(last * percent, 100)
        low = values[bisect_left(upto, rank + 1)]
        high = values[bisect_left(upto, min(rank + 2, last + 1))]
        yield name, low + (high - low) * rest / 100


def _over(top: float | None, bottom: float | None) -> float | None:
    return top / bottom if top is not None and bottom else None
