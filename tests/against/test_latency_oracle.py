"""Percentiles and the frontier against independent implementations."""

from __future__ import annotations

import math

from against import latency_oracle as oracle
from hypothesis import given
from hypothesis import strategies as st

from ragstone.gates.gate import Threshold
from ragstone.measure.clustered_quantile import clustered_quantile_interval
from ragstone.measure.interval import quantile_linear
from ragstone.suites.latency.frontier import Choice, stand

times = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)
NAMES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}


@given(times)
def test_percentiles_are_the_standard_librarys(values: list[float]) -> None:
    ordered = [(value, 1) for value in sorted(values)]
    for name, expected in oracle.percentiles(values).items():
        found = quantile_linear(ordered, NAMES[name])
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 4)), min_size=1, max_size=12))
def test_the_frontier_is_whoever_nobody_beats(drawn: list[tuple[int, int]]) -> None:
    choices = [
        Choice(f"c{n}", 100.0 * p95, precision / 4, {"precision": precision / 4})
        for n, (p95, precision) in enumerate(drawn)
    ]
    limits = {"precision": Threshold(">=", 0.5)}
    standing = stand(choices, limits, Threshold("<=", 300.0))
    plain = [(c.config, c.p95, c.precision) for c in choices]
    assert set(standing.frontier) == oracle.frontier(plain)
    assert set(standing.dominated) == {c.config for c in choices} - set(standing.frontier)
    by_name = {c.config: c for c in choices}
    fit = [by_name[name] for name in standing.frontier if by_name[name].precision >= 0.5]
    assert (standing.interactive is None) == (not fit)
    if standing.interactive is not None:
        assert by_name[standing.interactive].p95 == min(c.p95 for c in fit)
    if standing.batch is not None:
        within = [c.precision for c in choices if c.p95 <= 300]
        assert by_name[standing.batch].precision == max(within)


def test_the_interval_holds_its_point_and_widens_with_clusters() -> None:
    values = [100.0 + n for n in range(400)]
    lone = [[value] for value in values]
    same = [values[start : start + 10] for start in range(0, 400, 10)]
    for q in (0.5, 0.9):
        point = quantile_linear([(value, 1) for value in values], q)
        (low, high), _ = clustered_quantile_interval(lone, q)
        (lower, higher), _ = clustered_quantile_interval(same, q)
        assert low is not None and high is not None and low <= point <= high
        assert lower is None or lower < low
        assert higher is None or higher > high
