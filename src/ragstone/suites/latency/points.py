"""One configuration under one load, measured: its percentiles, accuracy, cost, lengths, stages."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ragstone.engine.duck import Duck
from ragstone.measure.interval import quantile_linear
from ragstone.measure.measure import measure_by
from ragstone.measure.metric import Measured, Statistic
from ragstone.suites.latency.metrics import COST, MEASURED, P95_RELAXED, RELAXED_FROM, TAIL
from ragstone.suites.latency.spread import Request, intervals

BUCKETS = ("short", "medium", "long", "unknown")
STAGES = ("retrieval", "rerank", "llm", "guard")
# The numbers whose interval is a bootstrap over questions.
RESAMPLED = ("p50", "p90", "p95", "p99", "tail", "precision", "chr", "cost_per_correct")


@dataclass(frozen=True, slots=True)
class Point:
    """Everything measured of it; `buckets` and `stages` lead from name to (requests, numbers)."""

    config: str
    rps: float
    knobs: Mapping[str, object]
    requests: int
    questions: int
    measured: Mapping[str, Measured]
    buckets: Mapping[str, Mapping[str, float | int | None]]
    stages: Mapping[str, Mapping[str, float | int]]
    priced: int

    @property
    def where(self) -> str:
        """How gates name it: `config=fast,rps=5`."""
        return f"config={self.config},rps={self.rps:g}"

    def value(self, name: str) -> float | None:
        return self.measured[name].value


def points_of(duck: Duck, level: float) -> tuple[Point, ...]:
    """Every point of the table `timed`, by configuration and load."""
    found = measure_by(duck, MEASURED, "timed", "point", level, "qid")
    lengths = measure_by(duck, MEASURED, "timed", "point || ' ' || bucket", level, "qid")
    heads = duck.query("""
        select point, config, rps, min(knobs), count(*), count(distinct qid), count(cost_usd)
        from timed group by point, config, rps order by point
    """)
    points = []
    for number, config, rps, knobs, requests, questions, priced in heads:
        load = float(str(rps))
        measured = dict(found[str(number)])
        if load < RELAXED_FROM:
            measured.pop(P95_RELAXED.name)
        points.append(
            Point(
                config=str(config),
                rps=load,
                knobs=json.loads(str(knobs)),
                requests=int(str(requests)),
                questions=int(str(questions)),
                measured=_complete(measured, _requests(duck, int(str(number))), level),
                buckets=_buckets(lengths, str(number)),
                stages=_stages(duck, int(str(number))),
                priced=int(str(priced)),
            )
        )
    return tuple(points)


def _requests(duck: Duck, point: int) -> list[Request]:
    found = duck.query(f"""
        select qid, latency_ms, shipped, shipped and answerable and contained and cited,
            shipped and answerable and cited, cost_usd, failed
        from timed where point = {point} order by qid, latency_ms, cost_usd
    """)
    return [
        Request(
            str(qid), float(str(latency)), bool(shipped), bool(right), bool(hit),
            # What failed and names no cost, cost nothing that is known.
            0.0 if cost is None and failed else None if cost is None else float(str(cost)),
        )
        for qid, latency, shipped, right, hit, cost, failed in found
    ]  # fmt: skip


def _complete(
    measured: dict[str, Measured], requests: list[Request], level: float
) -> dict[str, Measured]:
    """The statistics added, and the intervals taken over questions."""
    size = len(requests)
    p50, p99 = measured["p50"].value, measured["p99"].value
    tail = p99 / p50 if p99 is not None and p50 else None
    statistics: tuple[tuple[Statistic, float | None], ...] = ((TAIL, tail), (COST, _cost(requests)))
    for metric, value in statistics:
        measured[metric.name] = Measured(metric, value, None, size, None, False)
    points = {name: None if measured[name].vacuous else measured[name].value for name in RESAMPLED}
    for name, interval in intervals(requests, points, level).items():
        measured[name] = replace(measured[name], interval=interval)
    if P95_RELAXED.name in measured:
        relaxed = measured[P95_RELAXED.name]
        measured[P95_RELAXED.name] = replace(relaxed, interval=measured["p95"].interval)
    return {metric.name: measured[metric.name] for metric in MEASURED if metric.name in measured}


def _cost(requests: list[Request]) -> float | None:
    """None where a request that was answered does not say what it cost, or none is right."""
    costs = [request.cost for request in requests if request.cost is not None]
    right = sum(request.right for request in requests)
    if len(costs) < len(requests) or not right or not any(costs):
        return None
    return math.fsum(costs) / right


def _buckets(
    lengths: Mapping[str, Mapping[str, Measured]], number: str
) -> dict[str, dict[str, float | int | None]]:
    names = ("p50", "p95", "p99", "precision", "chr", "refusals")
    found: dict[str, dict[str, float | int | None]] = {}
    for bucket in BUCKETS:
        row = lengths.get(f"{number} {bucket}")
        if row is not None:
            numbers = {n: None if row[n].vacuous else row[n].value for n in names}
            found[bucket] = {"requests": row["p50"].denominator, **numbers}
    return found


def _stages(duck: Duck, point: int) -> dict[str, dict[str, float | int]]:
    found: dict[str, dict[str, float | int]] = {}
    for stage in STAGES:
        rows = duck.query(f"""
            select {stage}_ms, count(*) from timed
            where point = {point} and {stage}_ms is not null group by 1 order by 1
        """)
        values = [(float(str(value)), int(str(count))) for value, count in rows]
        if values:
            found[stage] = {
                "requests": sum(count for _, count in values),
                "p50": quantile_linear(values, 0.5),
                "p95": quantile_linear(values, 0.95),
            }
    return found
