"""A point: one configuration under one load, never mixed with another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragstone.engine.duck import Duck, real, text
from ragstone.measure.measure import Tables, measure
from ragstone.measure.metric import Metric
from ragstone.suites.declaration import Numbers
from ragstone.suites.latency.metrics import BY_LENGTH, BY_STAGE

LENGTHS = ("short", "medium", "long", "unknown")
STAGES = ("retrieval", "rerank", "llm", "guard")

Row = dict[str, float | int | None]


@dataclass(frozen=True, kw_only=True)
class Point:
    """A configuration and a load; `baseline` points are those of the run it is compared with."""

    config: str
    rps: float
    knobs: Mapping[str, Any] = field(default_factory=dict)
    baseline: bool = False

    @property
    def name(self) -> str:
        """The name of its arm, which gates have in brackets: `config=fast,rps=5`."""
        # Loads that differ in the tenth digit are two points, and need two names.
        short = f"{self.rps:g}"
        load = short if float(short) == self.rps else repr(self.rps)
        return f"{'baseline ' if self.baseline else ''}config={self.config},rps={load}"


@dataclass(frozen=True, kw_only=True)
class MeasuredPoint(Point):
    """A point with everything that is known of it; `priced` requests name a cost."""

    requests: int
    questions: int
    priced: int
    lengths: Mapping[str, Row]
    stages: Mapping[str, Row]
    measured: Numbers

    def value(self, name: str) -> float:
        """The number, and 0 where there is none: for drawing and comparing."""
        return self.measured[name].value or 0.0


def points_in(duck: Duck, table: str) -> list[Point]:
    """Every point of a table of samples, by configuration and load."""
    found = duck.query(
        f"select config, rps, min(knobs) from {table} group by config, rps order by config, rps"
    )
    return [
        Point(
            config=text(config),
            rps=real(rps),
            knobs=json.loads(text(knobs)),
            baseline=table == "baseline",
        )
        for config, rps, knobs in found
    ]


def measured_points(
    duck: Duck, points: Sequence[Point], measured: Mapping[str, Numbers]
) -> tuple[MeasuredPoint, ...]:
    """Every point with its numbers, also by the length of the question and by stage."""
    found: Any = duck.dicts("""
        select arm, count(*) as requests, count(distinct qid) as questions,
            count(cost_usd) as priced,
        from rows group by arm
    """)
    counted = {row.pop("arm"): row for row in found}
    lengths = _by_part(duck, BY_LENGTH, "length", LENGTHS)
    stages = _by_part(duck, BY_STAGE, "stage", STAGES, _stages)
    return tuple(
        MeasuredPoint(
            **vars(point),
            **counted[point.name],
            lengths=lengths[point.name],
            stages=stages.get(point.name, {}),
            measured=measured[point.name],
        )
        for point in points
    )


def _stages(rows: str) -> str:
    """A row for each stage of each request that says how long it took."""
    times = ", ".join(f"{stage}_ms as {stage}" for stage in STAGES)
    return f"""(
        unpivot (select arm, qid, {times} from {rows})
        on {", ".join(STAGES)} into name stage value latency_ms
    )"""


def _by_part(
    duck: Duck,
    metrics: Sequence[Metric],
    column: str,
    order: Sequence[str],
    tables: Tables = str,
) -> dict[str, dict[str, Row]]:
    """From the name of an arm to each part of its requests, such as the short questions."""
    found = measure(duck, metrics, f"arm || ' ' || {column}", tables=tables)
    made: dict[str, dict[str, Row]] = {}
    # Without any row there is one group, and it has no name.
    split = [(*name.rpartition(" "), row) for name, row in found.items() if name]
    for arm, _, part, row in sorted(split, key=lambda each: order.index(each[2])):
        numbers = {name: None if each.vacuous else each.value for name, each in row.items()}
        made.setdefault(arm, {})[part] = {"requests": row["p50"].denominator, **numbers}
    return made
