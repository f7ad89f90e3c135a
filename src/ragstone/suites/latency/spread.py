"""How far a point's numbers could be from the truth: bootstrap over questions.

Requests of one question rise and fall together, so whole questions are drawn, not requests.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import mul
from typing import Any

from ragstone.engine.duck import quoted
from ragstone.measure.bootstrap import percentile_interval, resampled_rows
from ragstone.measure.interval import Interval, quotient
from ragstone.suites.declaration import Numbers, Work
from ragstone.suites.latency.metrics import P95, P95_RELAXED, RIGHT

QUANTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99}
RESAMPLED = (*QUANTILES, "tail", "precision", "chr", "cost_per_correct")
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


def by_questions(
    work: Work[Any], table: str, group: str, found: dict[str, Numbers]
) -> dict[str, Numbers]:
    """Puts the intervals over questions in place of those over requests, in every group."""
    for group_name, numbers in found.items():
        # In an order that is not the file's.
        rows: Any = work.duck.query(f"""
            select qid, latency_ms, shipped, {RIGHT}, shipped and answerable and cited,
                -- what failed and names no cost, cost nothing that is known
                case when failed then coalesce(cost_usd, 0) else cost_usd end
            from {table} where ({group})::varchar = {quoted(group_name)}
            order by qid, latency_ms, cost_usd
        """)
        if not rows:
            continue
        points = {
            name: None if numbers[name].vacuous else numbers[name].value for name in RESAMPLED
        }
        made = intervals([Request(*row) for row in rows], points, work.options.level)
        # The relaxed limit is on the same number.
        made[P95_RELAXED.name] = made[P95.name]
        for name, interval in made.items():
            numbers[name] = replace(numbers[name], interval=interval)
    return found


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
        at = dict(_quantiles(values, [times[o] for o in owners]))
        shipped, right, hit, cost, priced = (math.fsum(map(mul, total, times)) for total in totals)
        yield {
            **at,
            "tail": quotient(at["p99"], at["p50"]),
            "precision": right / shipped if shipped else None,
            "chr": hit / shipped if shipped else None,
            "cost_per_correct": cost / right if priced and right else None,
        }


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
    upto = list(accumulate(weights))
    last = upto[-1] - 1
    for name, percent in QUANTILES.items():
        rank, rest = divmod(last * percent, 100)
        low = values[bisect_left(upto, rank + 1)]
        high = values[bisect_left(upto, min(rank + 2, last + 1))]
        yield name, low + (high - low) * rest / 100
