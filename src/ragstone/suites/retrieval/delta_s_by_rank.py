"""The ΔS of all that was retrieved, rank by rank: how far down the list it still means something.

Of a log that is scored in parts it is kept how often each ΔS occurs: such tables add up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.engine.duck import Duck, quoted, real, whole
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.retrieval.options import R

# The table of arm, rank and ΔS, and how many times each occurs.
AT_RANKS = "delta_s_at_ranks"


@dataclass(frozen=True, slots=True)
class AtRank:
    """The ΔS of all that the runs of a log retrieved at one rank."""

    rank: int
    items: int
    median: float
    p90: float


def keep_items(work: Work[R], arm: Arm, items: str) -> None:
    """Keeps what `by_rank` needs of the items, selected with rank and ΔS."""
    if work.parted:
        sql = work.sql("delta_s_at_ranks.sql", items=items, arm=quoted(arm.name))
        work.duck.fill(AT_RANKS, sql)
        return
    # The engine finds two quantiles in less time than it counts values that are all different.
    found = work.duck.query(work.sql("delta_s_by_rank.sql", items=items))
    work.notes[_note(arm)] = tuple(AtRank(*row) for row in found)  # type: ignore[arg-type]


def _note(arm: Arm) -> str:
    return f"ΔS by rank of {arm.name}"


def by_rank(work: Work[R], arm: Arm) -> tuple[AtRank, ...]:
    """The ΔS at each rank of a log; ranks without one are left out."""
    noted: tuple[AtRank, ...] | None = work.notes.get(_note(arm))
    return put_together(work.duck, arm.name) if noted is None else noted


def put_together(duck: Duck, arm: str) -> tuple[AtRank, ...]:
    """The same from how often each ΔS occurs, to the last digit."""
    found = duck.query(f"""
        select rank, sum(times)::bigint from {AT_RANKS} where arm = {quoted(arm)}
        group by rank order by rank
    """)
    sizes = {whole(rank): whole(items) for rank, items in found}
    wanted = [(rank, at) for rank, n in sizes.items() for q in (0.5, 0.9) for at in _around(n, q)]
    values = _values_at(duck, arm, wanted)
    return tuple(
        AtRank(rank, n, *(_quantile(duck, values, rank, n, q) for q in (0.5, 0.9)))
        for rank, n in sizes.items()
    )


def _around(items: int, q: float) -> tuple[int, int]:
    """The places, from 0, of the two values that a quantile lies between."""
    place = (items - 1) * q
    return math.floor(place), math.ceil(place)


def _values_at(
    duck: Duck, arm: str, wanted: list[tuple[int, int]]
) -> Mapping[tuple[int, int], float]:
    """The values at some ranks and places, in the order of values."""
    if not wanted:
        return {}
    found = duck.query(
        f"""
        with counted as (
            select rank, delta_s, sum(times) as times from {AT_RANKS}
            where arm = {quoted(arm)} group by rank, delta_s
        ),
        placed as (
            select rank, delta_s, sum(times) over (partition by rank order by delta_s) as upto
            from counted
        ),
        wanted as (select unnest($ranks::int[]) as rank, unnest($places::bigint[]) as place)
        select rank, place, min(delta_s)
        from wanted join placed using (rank) where placed.upto > wanted.place group by all
        """,
        {"ranks": [rank for rank, _ in wanted], "places": [place for _, place in wanted]},
    )
    return {(whole(rank), whole(place)): real(value) for rank, place, value in found}


def _quantile(
    duck: Duck, values: Mapping[tuple[int, int], float], rank: int, items: int, q: float
) -> float:
    """Between two values, as the engine has it: its last digit depends on how it was compiled."""
    below, above = _around(items, q)
    if below == above:
        return values[rank, below]
    part = (items - 1) * q - below
    ends = {"ends": [values[rank, below], values[rank, above]]}
    # As a text, because a number with a point is read as a decimal first.
    sql = f"select quantile_cont(value, '{part!r}'::double) from (select unnest($ends) as value)"
    return real(duck.one(sql, ends)[0])
