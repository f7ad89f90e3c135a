"""Differences of two arms: Tango's published values, his definition, and what must never happen."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.interval import wilson
from ragstone.measure.outlook import more_to_clear
from ragstone.measure.paired import (
    Moves,
    Pairs,
    difference_of_means,
    difference_of_quantiles,
    leaves_out,
    pairs_interval,
    tango,
)


@pytest.mark.parametrize(
    ("gained", "lost", "n", "low", "high"),
    [
        # Fagerland, Lydersen and Laake (2014): airway hyper-responsiveness, complete response.
        (1, 7, 21, -0.517, -0.026),
        (6, 16, 161, -0.124, -0.0054),
    ],
)
def test_tango_gives_the_published_values(
    gained: int, lost: int, n: int, low: float, high: float
) -> None:
    assert tango(gained, lost, n) == pytest.approx((low, high), abs=5e-4)
    assert tango(lost, gained, n) == pytest.approx((-high, -low), abs=5e-4)


def score(gained: int, lost: int, n: int, difference: float) -> float:
    """Tango's statistic as he writes it: the quadratic of the constrained estimate, and z."""
    a, b = 2 * n, -gained - lost + (2 * n - gained + lost) * difference
    c = -lost * difference * (1 - difference)
    share = (math.sqrt(b * b - 4 * a * c) - b) / (2 * a)
    variance = n * (2 * share + difference * (1 - difference))
    return (gained - lost - n * difference) / math.sqrt(variance)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 200), st.floats(0.5, 0.999))
def test_both_ends_are_z_standard_errors_away(
    gained: int, lost: int, more: int, level: float
) -> None:
    n, z = gained + lost + more, NormalDist().inv_cdf((1 + level) / 2)
    low, high = tango(gained, lost, n, level)
    assert score(gained, lost, n, low) == pytest.approx(z, rel=1e-6)
    assert score(gained, lost, n, high) == pytest.approx(-z, rel=1e-6)


@given(st.integers(1, 400), st.floats(0.5, 0.999))
def test_without_a_change_it_is_wilsons_upper_end(n: int, level: float) -> None:
    reach = wilson(0, n, level)[1]
    assert tango(0, 0, n, level) == pytest.approx((-reach, reach), rel=1e-9)


def wrongly_above(n: int, gained: float, lost: float) -> float:
    """How often the interval of n questions is wholly above the truth, counted in full."""
    edge = gained - lost
    return math.fsum(
        math.comb(n, up) * math.comb(n - up, down) * gained**up * lost**down * still
        for up in range(n + 1)
        for down in range(n + 1 - up)
        if (still := max(0.0, 1 - gained - lost) ** (n - up - down))
        and leaves_out(Moves(up, down, n), edge, 0.95, up=True)
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 12, 17, 30])
def test_few_questions_are_wrong_at_most_once_in_twenty_times(n: int) -> None:
    """A side, at every truth: what is wrong below one truth is wrong above its mirror image."""
    steps = [step / 20 for step in range(21)] if n <= 8 else [0.0, 0.01, 0.05, 0.3, 0.65, 0.95]
    worst = max(
        (wrongly_above(n, gained, lost), gained, lost)
        for gained in steps
        for lost in (*steps, 0.99)
        if gained + lost <= 1 + 1e-9
    )
    assert worst[0] <= 0.05, worst


@pytest.mark.parametrize(("n", "gained", "lost"), [(75, 0.072, 0.008), (100, 0.054, 0.006)])
def test_rare_gains_are_wrong_at_most_once_in_twenty_times(
    n: int, gained: float, lost: float
) -> None:
    """Tango's interval alone is wrong in 0.052 of these."""
    assert wrongly_above(n, gained, lost) <= 0.05


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60), st.floats(0.5, 0.999))
def test_an_edge_is_left_out_where_the_interval_ends_before_it(
    gained: int, lost: int, same: int, level: float
) -> None:
    n = max(1, gained + lost + same)
    low, high = pairs_interval(gained, lost, n, level)
    moves = Moves(gained, lost, n)
    for away in (1e-6, 0.01):
        assert low - away < -1 or leaves_out(moves, low - away, level, up=True)
        assert not leaves_out(moves, low + away, level, up=True)
        assert high + away > 1 or leaves_out(moves, high + away, level, up=False)
        assert not leaves_out(moves, high - away, level, up=False)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 30, 151])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_one_loss_more_never_makes_it_better(n: int, level: float) -> None:
    for gained in range(0, n + 1, max(1, n // 30)):
        ends = [pairs_interval(gained, lost, n, level) for lost in range(n - gained + 1)]
        for before, after in pairwise(ends):
            assert after[0] <= before[0] + 1e-12
            assert after[1] <= before[1] + 1e-12
        assert all(
            -1 <= low <= (gained - lost) / n <= high <= 1 for lost, (low, high) in enumerate(ends)
        )


def test_no_loss_is_proven_within_two_points_from_189_questions_on() -> None:
    assert pairs_interval(0, 0, 188)[0] < -0.02 <= pairs_interval(0, 0, 189)[0]


def test_a_million_pairs_are_near_the_normal() -> None:
    low, high = pairs_interval(50_000, 40_000, 1_000_000)
    half = 1.959963984540054 * math.sqrt((0.09 - 0.0001) / 1_000_000)
    assert (low, high) == pytest.approx((0.01 - half, 0.01 + half), abs=1e-6)


def test_counts_that_cannot_be_are_refused() -> None:
    for gained, lost, n in ((-1, 0, 5), (3, 3, 5), (0, 0, 0)):
        with pytest.raises(ValueError, match="gained"):
            tango(gained, lost, n)


# Means

SHARE = st.sampled_from([0.0, 0.25, 0.5, 1.0])
TABLE = st.lists(st.tuples(SHARE, SHARE, st.integers(1, 9)), min_size=1, max_size=9)
YES_NO = st.lists(
    st.tuples(*[st.sampled_from([None, 0.0, 1.0])] * 2, st.integers(1, 40)), min_size=1, max_size=9
)
WITH_GAPS = st.lists(
    st.tuples(st.none() | SHARE, st.none() | SHARE, st.integers(1, 9)), min_size=1, max_size=9
)


def ends(pairs: Pairs, level: float = 0.95) -> tuple[float, float]:
    found = difference_of_means(pairs, level)
    assert found is not None
    assert found.interval is not None
    low, high = found.interval
    assert low is not None
    assert high is not None
    return low, high


@given(WITH_GAPS)
def test_a_difference_stays_where_it_can_be_and_is_never_without_width(pairs: Pairs) -> None:
    found = difference_of_means(pairs)
    if found is None:
        assert all(x is None for x, _, _ in pairs) or all(y is None for _, y, _ in pairs)
        return
    low, high = ends(pairs)
    assert -1 <= low <= found.value + 1e-12
    assert found.value - 1e-12 <= high <= 1
    assert high - low > 0.01


def fallen(pairs: Pairs, which: int, to: float) -> Pairs | None:
    """The same questions, but one of those at a place has a lower value in the arm."""
    x, y, count = pairs[which % len(pairs)]
    if y is None or to > y:
        return None
    rest = [pair for place, pair in enumerate(pairs) if place != which % len(pairs)]
    return [pair for pair in (*rest, (x, y, count - 1), (x, to, 1)) if pair[2]]


@given(YES_NO, st.integers(0, 8))
def test_a_yes_that_becomes_a_no_never_makes_the_difference_better(
    pairs: Pairs, which: int
) -> None:
    lower = fallen(pairs, which, 0.0)
    if lower is not None and difference_of_means(pairs) is not None:
        before, after = ends(pairs), ends(lower)
        assert after[0] <= before[0] + 1e-12
        assert after[1] <= before[1] + 1e-12


@given(TABLE, st.integers(0, 8), st.sampled_from([0.0, 0.5, 0.9]))
def test_a_value_that_falls_never_makes_a_drop_look_smaller(
    pairs: Pairs, which: int, by: float
) -> None:
    y = pairs[which % len(pairs)][1]
    lower = None if y is None else fallen(pairs, which, y * by)
    if lower is not None and ends(pairs)[0] < 0:
        assert ends(lower)[0] <= ends(pairs)[0] + 1e-12


@given(WITH_GAPS)
def test_swapping_the_arms_turns_the_difference_round(pairs: Pairs) -> None:
    found = difference_of_means(pairs)
    if found is not None:
        low, high = ends(pairs)
        assert ends([(y, x, count) for x, y, count in pairs]) == pytest.approx((-high, -low))


def test_other_bounds_are_only_another_scale() -> None:
    pairs = [(1.0, 0.5, 3), (0.0, 0.25, 2), (1.0, 1.0, 20)]
    low, high = ends(pairs)
    tens = difference_of_means([(10 * x, 10 * y, n) for x, y, n in pairs], bounds=(0.0, 10.0))
    assert tens is not None
    assert tens.interval == pytest.approx((10 * low, 10 * high))
    ones = difference_of_means(pairs)
    assert ones is not None
    assert more_to_clear(tens, -0.2, 0.95) == more_to_clear(ones, -0.02, 0.95)


def test_a_set_that_differs_by_arm_counts_the_questions_of_the_smaller_set() -> None:
    # All right in both, but only 10 answers before: how good it was is known from those ten.
    apart = ends([(1.0, None, 4), (1.0, 1.0, 6), (None, 1.0, 90)])
    assert apart == pytest.approx(pairs_interval(0, 0, 10))


def test_an_unbounded_mean_is_students_t_from_five_questions_on() -> None:
    # Darwin's maize: the mean is 20.93, its standard error 9.746, with 14 degrees of freedom.
    darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    found = difference_of_means([(0.0, float(d), 1) for d in darwin], bounds=None)
    assert found is not None
    assert found.interval == pytest.approx((0.0312, 41.8354), abs=5e-3)
    costs = difference_of_means([(0.0, float(d), 1) for d in darwin], bounds=(0.0, math.inf))
    assert costs == found
    few = difference_of_means([(0.0, float(d), 1) for d in darwin[:4]], bounds=None)
    same = difference_of_means([(3.0, 3.5, 40)], bounds=None)
    assert few is not None
    assert same is not None
    assert few.interval is None
    assert same.interval is None


# Quantiles


def test_the_difference_of_quantiles_holds_the_shift_of_every_question() -> None:
    found = difference_of_quantiles([(float(n), n + 5.0, 1) for n in range(100)], 0.5)
    assert found is not None
    assert found.value == 5.0
    low, high = found.interval or (None, None)
    assert low is not None
    assert high is not None
    # Every question moved by 5, and still the next one may not.
    assert low < 5.0 < high


def test_an_end_that_a_quantile_does_not_reach_is_open_in_the_difference_too() -> None:
    found = difference_of_quantiles([(float(n), n + 5.0, 1) for n in range(30)], 0.9)
    assert found is not None
    assert found.interval == (None, None)


def test_questions_without_a_number_are_no_questions() -> None:
    assert difference_of_quantiles([(None, None, 3)], 0.5) is None
    assert difference_of_means([(None, 1.0, 3)]) is None
    found = difference_of_means([(None, None, 70), (1.0, 1.0, 30)])
    assert found is not None
    assert found.questions == 30
