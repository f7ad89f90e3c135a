"""The kernel of the ranking measures in the engine: its variables, its SQL, and its columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragstone.engine.duck import Duck, identifier
from ragstone.suites.ranking.ranking_measures import Measure, deepest, needs_all_judged, too_large
from ragstone.suites.statements import sql_of

# Ranks that the table of discounts covers at least; `ragstone.ranking` has the same table, so that
# both agree to the last bit.
_RANKS = 1000


def prepare_kernel(duck: Duck, measures: Sequence[Measure], level: int) -> None:
    """The variables and the macro that the kernel and the measures read."""
    table = [math.log2(rank + 1) for rank in range(1, max(_RANKS, deepest(measures)) + 1)]
    floor = 0 if needs_all_judged(measures) else min(1, level)
    duck.set(discount=table, level=level, floor=floor)
    # Only a ranking that is not cut can be longer than the table.
    listed = "getvariable('discount')[rank]"
    if any(each.base == "ndcg" and each.k is None for each in measures):
        listed = f"coalesce({listed}, log2(rank + 1))"
    duck.define(f"create or replace temp macro discount(rank) as {listed}")


def must_be_finite(duck: Duck, measures: Sequence[Measure]) -> None:
    """Refuses rows in which the gain of a grade was too large to be added up."""
    for name in too_large_measures(duck, measures):
        raise too_large(name)


def too_large_measures(duck: Duck, measures: Sequence[Measure]) -> list[str]:
    """The measures of which some row has a gain that was too large to be added up."""
    return [
        each.name
        for each in measures
        if each.exponential
        and duck.count(f"select count(*) from rows where not isfinite({identifier(each.name)})")
    ]


def kernel_sql() -> str:
    """The relation `placed`, one row per question, from the relations `gold` and `ranking`."""
    return sql_of("ragstone.suites.ranking", "kernel.sql")


def measured_columns(measures: Sequence[Measure]) -> str:
    """The value of each measure, as columns over `placed`."""
    return ", ".join(f"{each.sql} as {identifier(each.name)}" for each in measures)
