"""Percentiles and the frontier against independent implementations."""

from __future__ import annotations

import math

from against import latency_oracle as oracle
from hypothesis import given
from hypothesis import strategies as st

from ragstone.gates.gate import Threshold
from ragstone.measure.interval import quantile_linear
from ragstone.suites.latency.frontier import Choice, stand
from ragstone.suites.latency.spread import Request, _quantiles, intervals

times = st.lists(st.floats(0, 1e6), min_size=1, max_size=60)
NAMES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}


@given(times)
def test_percentiles_are_the_standard_librarys(values: list[float]) -> None:
    ordered = [(value, 1) for value in sorted(values)]
    for name, expected in oracle.percentiles(values).items():
        found = quantile_linear(ordered, NAMES[name])
        assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_weight_is_as_good_as_a_repeat(drawn: list[tuple[float, int]]) -> None:
    drawn = sorted([*drawn, (5.0, 1)])
    spread = [value for value, weight in drawn for _ in range(weight)]
    found = dict(_quantiles([value for value, _ in drawn], [weight for _, weight in drawn]))
    for name, expected in oracle.percentiles(spread).items():
        assert math.isclose(found[name], expected, rel_tol=1e-9, abs_tol=1e-6)


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
    lone = [Request(f"q{n}", 100.0 + n, True, n % 4 > 0, True, 0.01) for n in range(40)]
    same = [Request(f"q{n // 10}", 100.0 + n, True, n % 4 > 0, True, 0.01) for n in range(40)]
    points = {"p95": 137.05, "precision": 0.75}
    one, many = intervals(lone, points, 0.95), intervals(same, points, 0.95)
    for name, point in points.items():
        for low, high in (one[name] or (1, 0), many[name] or (1, 0)):
            assert low <= point <= high
    assert (many["p95"] or (0, 0))[0] < (one["p95"] or (0, 0))[0]
