"""Quantiles from how often each value occurs are those of the values, to the last digit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragstone.engine.duck import Duck
from ragstone.suites.retrieval.delta_s_by_rank import AT_RANKS, AtRank, put_together

VALUES = st.lists(
    st.tuples(st.integers(1, 3), st.floats(0, 1) | st.sampled_from([0.1, 0.3, 0.7])), max_size=60
)


@given(VALUES)
def test_counted_values_have_the_quantiles_of_all(drawn: list[tuple[int, float]]) -> None:
    with Duck(1) as duck:
        given = {"ranks": [rank for rank, _ in drawn], "values": [value for _, value in drawn]}
        duck.run(
            "create temp table items as "
            "select unnest($ranks::int[]) as rank, unnest($values::double[]) as delta_s",
            given,
        )
        counted = "select 'log' as arm, rank, delta_s, count(*) as times from items group by all"
        duck.run(f"create temp table {AT_RANKS} as {counted}")
        found = duck.query("""
            select rank, count(*), quantile_cont(delta_s, 0.5), quantile_cont(delta_s, 0.9)
            from items group by rank order by rank
        """)
        assert put_together(duck, "log") == tuple(AtRank(*row) for row in found)
