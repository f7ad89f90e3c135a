"""How far a point's numbers could be from the truth.

Requests of one question rise and fall together, so they are one cluster. Ratios
and percentiles have the interval that they have in every suite; here are those of what is made of
two numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone.engine.duck import quoted
from ragstone.measure.combined import over
from ragstone.measure.interval import (
    Interval,
    clustered_interval,
    clustered_mean_interval,
    exact_mean,
)
from ragstone.measure.measure import one_question
from ragstone.measure.metric import Bounds, Measured
from ragstone.progress import counting
from ragstone.suites.declaration import Numbers, Work
from ragstone.suites.latency.metrics import COST, P50, P99, RIGHT, TAIL


@dataclass(frozen=True, slots=True)
class Question:
    """The requests of one question: how many were answered rightly, and what each costs."""

    right: int
    costs: list[float]


def by_questions(
    work: Work[Any], table: str, group: str, found: dict[str, Numbers]
) -> dict[str, Numbers]:
    """Puts the intervals over questions in place of those over requests, in every group."""
    level = work.options.level
    for name, numbers in counting(found.items(), "", "points"):
        questions = _questions(work, table, f"({group})::varchar = {quoted(name)}")
        if not questions:
            continue
        tail = numbers[TAIL.name]
        numbers[TAIL.name] = _tail(tail, numbers[P99.name], numbers[P50.name])
        if numbers[COST.name].value is not None:
            bounds = getattr(numbers[COST.name].metric, "bounds", None)
            around = cost_interval(questions, level, bounds)
            numbers[COST.name] = replace(numbers[COST.name], interval=around)
    return found


def _questions(work: Work[Any], table: str, where: str) -> list[Question]:
    """The requests by question, in an order that is not the file's."""
    asked = one_question(work.duck)
    rows: Any = work.duck.query(f"""
        select
            count(*) filter ({RIGHT}),
            -- what failed and names no cost, cost nothing that is known
            list(coalesce(cost_usd, 0) order by cost_usd)
        from {table} where {where} group by {asked} order by {asked}
    """)
    return [Question(*row) for row in rows]


def _tail(tail: Measured, p99: Measured, p50: Measured) -> Measured:
    """The interval of p99 over p50, from those of the two: it is open where p99's is."""
    if tail.value is None:
        return tail
    return replace(tail, interval=over(p99, p50), needs_samples=p99.needs_samples)


def cost_interval(
    questions: Sequence[Question], level: float, bounds: Bounds | None = None
) -> Interval | None:
    """Where the cost of a right answer could truly lie: from 5 questions on, as for any mean.

    Each end is the mean cost of a request at one end, over the share of right answers at the other.
    Wrong answers may well be the dear ones, so the two are not taken as independent.
    """
    costs = [question.costs for question in questions]
    mean = exact_mean([(cost, 1) for some in costs for cost in some])
    cost = clustered_mean_interval(costs, mean, level, bounds or (0.0, math.inf))
    if cost is None:
        return None
    right = clustered_interval(Counter((each.right, len(each.costs)) for each in questions), level)
    return cost[0] / right[1], cost[1] / right[0] if right[0] else None
