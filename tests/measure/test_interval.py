"""Intervals against published values, closed forms and slow oracles."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.deviates import t_deviate
from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import (
    binomial_weights,
    clustered_mean_interval,
    exact_mean,
    has_open_end,
    mean_interval,
    quantile_interval,
    quantile_linear,
    samples_for_quantile,
    shares_interval,
    wilson,
)

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
FINITE = st.floats(-1e6, 1e6)
DISTRIBUTION = st.lists(st.tuples(FINITE, st.integers(1, 9)), min_size=1, max_size=20).map(sorted)


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 10**7))
    return draw(st.integers(0, n)), n


def spelled_out(values: list[tuple[float, int]]) -> list[float]:
    return [value for value, count in values for _ in range(count)]


# Wilson


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        # Newcombe 1998, Statistics in Medicine 17:857, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_values(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


@given(shares(), LEVELS)
def test_wilson_agrees_with_the_textbook_formula(share: tuple[int, int], level: float) -> None:
    hits, n = share
    z = statistics.NormalDist().inv_cdf((1 + level) / 2)
    p, shrink = hits / n, 1 + z * z / n
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    centre = (p + z * z / (2 * n)) / shrink
    assert wilson(hits, n, level) == pytest.approx((centre - half, centre + half), abs=1e-12)


@given(shares(), LEVELS)
def test_wilson_holds_the_point_and_stays_in_0_to_1(share: tuple[int, int], level: float) -> None:
    hits, n = share
    low, high = wilson(hits, n, level)
    assert 0.0 <= low <= hits / n <= high <= 1.0
    assert (low == 0.0) == (hits == 0)
    assert (high == 1.0) == (hits == n)


@given(shares(), LEVELS)
def test_wilson_of_the_misses_is_the_mirror_image(share: tuple[int, int], level: float) -> None:
    hits, n = share
    low, high = wilson(hits, n, level)
    assert wilson(n - hits, n, level) == pytest.approx((1 - high, 1 - low), abs=1e-15)


def test_the_stored_deviate_is_the_one_of_the_standard_library() -> None:
    z = statistics.NormalDist().inv_cdf(0.975)
    assert wilson(0, 1)[1] == pytest.approx(z * z / (1 + z * z), rel=1e-15)


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (2, 1), (-1, 5)])
def test_an_impossible_share_is_an_error(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="hits"):
        wilson(hits, n)


# Means


def test_the_interval_of_a_mean_is_the_textbook_one() -> None:
    values = [(9.0, 1), (10.0, 2), (11.0, 1), (15.0, 1)]
    half = 2.7764451052 * math.sqrt(5.5 / 5)
    assert mean_interval(values) == pytest.approx((11 - half, 11 + half), abs=1e-9)


def test_less_than_five_values_without_bounds_have_no_interval() -> None:
    assert mean_interval([(0.5, 2), (0.7, 2)]) is None
    assert mean_interval([(0.5, 2), (0.7, 3)]) is not None
    assert mean_interval([]) is mean_interval([], bounds=(0.0, 1.0)) is None


def test_equal_values_without_bounds_give_an_interval_without_width() -> None:
    assert mean_interval([(0.1, 5)]) == (0.1, 0.1)
    assert mean_interval([(0.7, 49)]) == (0.7, 0.7)


def test_a_mean_may_have_one_bound() -> None:
    values = [(0.0, 4), (9.0, 1)]
    low, high = mean_interval(values) or (math.nan, math.nan)
    assert low < 0.0
    assert mean_interval(values, bounds=(0.0, math.inf)) == (0.0, high)


def test_two_questions_prove_no_bounded_mean() -> None:
    """Two answers with a recall of 1 are worth two yes of a ratio, and no certainty."""
    assert mean_interval([(1.0, 2)], bounds=(0.0, 1.0)) == exact_interval(2, 2)
    low, high = mean_interval([(0.5, 2)], bounds=(0.0, 1.0)) or (math.nan, math.nan)
    assert low < 0.2 and high > 0.8


BOUNDED = st.lists(
    st.tuples(st.floats(0.0, 1.0, allow_subnormal=False), st.integers(1, 30)),
    min_size=1,
    max_size=12,
)


@given(BOUNDED, LEVELS)
def test_the_interval_of_a_bounded_mean_holds_it_keeps_to_its_bounds_and_has_width(
    values: list[tuple[float, int]], level: float
) -> None:
    low, high = mean_interval(values, level, (0.0, 1.0)) or (math.nan, math.nan)
    assert 0.0 <= low <= exact_mean(values) <= high <= 1.0
    assert low < high


# Sums of these are far from whole numbers, or equal to one but for the last digits.
THOUSANDTHS = st.lists(
    st.tuples(st.integers(0, 1000).map(lambda part: part / 1000), st.integers(1, 30)),
    min_size=1,
    max_size=12,
)


@given(THOUSANDTHS, st.integers(-50, 50), st.integers(1, 1000))
def test_other_bounds_only_move_and_stretch_the_interval(
    values: list[tuple[float, int]], start: int, width: int
) -> None:
    moved = [(start + width * value, count) for value, count in values]
    expected = mean_interval(values, bounds=(0.0, 1.0)) or (math.nan, math.nan)
    found = mean_interval(moved, bounds=(float(start), float(start + width)))
    assert found == pytest.approx([start + width * end for end in expected], abs=1e-6 * width)


@given(BOUNDED)
def test_a_bounded_mean_is_never_surer_than_as_many_yes_and_no(
    values: list[tuple[float, int]],
) -> None:
    n, mean = sum(count for _, count in values), exact_mean(values)
    low, high = mean_interval(values, bounds=(0.0, 1.0)) or (math.nan, math.nan)
    assert low <= exact_interval(math.floor(round(n * mean, 6)), n)[0]
    assert exact_interval(math.ceil(round(n * mean, 6)), n)[1] <= high


@given(BOUNDED, LEVELS, st.sampled_from([(0.0, 1.0), None]))
def test_clusters_of_one_value_are_no_clusters(
    values: list[tuple[float, int]], level: float, bounds: tuple[float, float] | None
) -> None:
    alone = [[value] for value in spelled_out(values)]
    found = clustered_mean_interval(alone, exact_mean(values), level, bounds)
    expected = mean_interval(values, level, bounds)
    assert found is expected is None or found == pytest.approx(expected, abs=1e-7)


@given(BOUNDED, st.integers(2, 9))
def test_equal_repeats_of_a_value_say_nothing_new(
    values: list[tuple[float, int]], repeats: int
) -> None:
    clusters = [[value] * repeats for value in spelled_out(values)]
    found = clustered_mean_interval(clusters, exact_mean(values), bounds=(0.0, 1.0))
    assert found == pytest.approx(mean_interval(values, bounds=(0.0, 1.0)), abs=1e-7)


def test_means_of_clusters_without_bounds_count_clusters() -> None:
    assert clustered_mean_interval([[1.0] * 9, [2.0] * 9, [3.0] * 9, [4.0] * 9], 2.5) is None
    values = [(float(n), 1) for n in range(6)]
    found = clustered_mean_interval([[value] * 3 for value, _ in values], 2.5)
    assert found == pytest.approx(mean_interval(values))


@given(DISTRIBUTION)
def test_counts_are_the_same_as_repeats(values: list[tuple[float, int]]) -> None:
    singles = [(value, 1) for value in spelled_out(values)]
    assert mean_interval(values) == mean_interval(singles) == mean_interval(singles[::-1])


@given(DISTRIBUTION)
def test_the_mean_is_the_exact_one_rounded_once(values: list[tuple[float, int]]) -> None:
    numbers = [Fraction(value) for value in spelled_out(values)]
    assert exact_mean(values) == float(sum(numbers) / len(numbers))


@given(DISTRIBUTION.filter(lambda values: sum(count for _, count in values) > 4), LEVELS)
def test_the_interval_of_a_mean_is_t_standard_errors_wide(
    values: list[tuple[float, int]], level: float
) -> None:
    numbers = spelled_out(values)
    low, high = mean_interval(values, level) or (math.nan, math.nan)
    error = statistics.stdev(numbers) / math.sqrt(len(numbers))
    assert low <= exact_mean(values) <= high
    assert high - low == pytest.approx(2 * t_deviate(len(numbers) - 1, level) * error, abs=1e-7)


# Quantiles


@pytest.mark.parametrize(("q", "value"), [(0.5, 1050), (0.9, 1810), (0.95, 1905), (0.99, 1981)])
def test_quantiles_of_a_ladder_are_the_ones_of_the_spec(q: float, value: float) -> None:
    assert quantile_linear([(100.0 * n, 1) for n in range(1, 21)], q) == value


@given(DISTRIBUTION, st.integers(1, 99))
def test_quantiles_agree_with_the_standard_library(
    values: list[tuple[float, int]], percent: int
) -> None:
    numbers = spelled_out(values)
    if len(numbers) > 1:
        expected = statistics.quantiles(numbers, n=100, method="inclusive")[percent - 1]
        assert quantile_linear(values, percent / 100) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_ends_are_the_smallest_and_the_largest() -> None:
    values = [(1.0, 2), (5.0, 1), (9.0, 4)]
    assert [quantile_linear(values, q) for q in (0, 1)] == [1.0, 9.0]
    assert quantile_interval(values, 0.0) == (None, 1.0)
    assert quantile_interval(values, 1.0) == (9.0, None)
    assert quantile_linear([(3.5, 1)], 0.9) == 3.5
    assert quantile_interval([(3.5, 1)], 0.9) == (None, None)


@pytest.mark.parametrize(("q", "least"), [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368)])
def test_an_end_is_open_until_there_are_samples_enough(q: float, least: int) -> None:
    """The largest of n values lies below the true quantile with probability q to the n."""
    assert samples_for_quantile(q) == least
    for n, closed in ((least - 1, False), (least, True)):
        low, high = quantile_interval([(float(rank), 1) for rank in range(n)], q)
        assert (high is not None) == closed == (1 - q**n >= 0.975)
        assert low is not None or q == 0.5


@given(st.integers(1, 400), st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]), LEVELS)
def test_both_ends_are_there_from_as_many_samples_on_as_are_said(
    n: int, q: float, level: float
) -> None:
    ends = quantile_interval([(float(rank), 1) for rank in range(n)], q, level)
    assert has_open_end(ends) == (n < samples_for_quantile(q, level))


@pytest.mark.parametrize(
    ("n", "low", "high"),
    # The ranks of a 95 % interval for a median, as statistical tables print them.
    [
        (6, 1, 6),
        (9, 2, 8),
        (10, 2, 9),
        (20, 6, 15),
        (25, 8, 18),
        (30, 10, 21),
        (70, 27, 44),
    ],
)
def test_the_interval_of_a_median_has_the_published_ranks(n: int, low: int, high: int) -> None:
    ranks = [(float(rank), 1) for rank in range(1, n + 1)]
    assert quantile_interval(ranks, 0.5) == (low, high)


@given(st.integers(1, 60), st.sampled_from([1, 10, 25, 50, 75, 90, 95, 99]), LEVELS)
def test_ranks_are_the_tightest_that_leave_half_the_error_on_each_side(
    n: int, percent: int, level: float
) -> None:
    q, tail = Fraction(percent, 100), (1 - Fraction(str(level))) / 2
    chance = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    low = max(rank for rank in range(n + 1) if sum(chance[:rank]) <= tail)
    high = min(rank for rank in range(1, n + 2) if sum(chance[rank:]) <= tail)
    point = 1 + (n - 1) * q
    low, high = min(low, math.floor(point)), max(high, math.ceil(point))
    expected = low if low >= 1 else None, high if high <= n else None
    ranks = [(float(rank), 1) for rank in range(1, n + 1)]
    assert quantile_interval(ranks, float(q), level) == expected


@given(DISTRIBUTION, st.floats(0.001, 0.999), LEVELS)
def test_the_interval_of_a_quantile_holds_the_point(
    values: list[tuple[float, int]], q: float, level: float
) -> None:
    low, high = quantile_interval(values, q, level)
    assert low is None or low <= quantile_linear(values, q)
    assert high is None or quantile_linear(values, q) <= high


def test_a_million_values_have_the_ranks_of_the_normal_approximation() -> None:
    n, q = 1_000_000, 0.95
    low, high = quantile_interval([(float(rank), 1) for rank in range(1, n + 1)], q)
    half = 1.959964 * math.sqrt(n * q * (1 - q))
    assert (low, high) == pytest.approx((n * q - half, n * q + half), abs=3)


@given(st.integers(0, 60), st.integers(1, 99))
def test_binomial_weights_are_the_exact_ones_up_to_a_factor(n: int, percent: int) -> None:
    q = Fraction(percent, 100)
    first, weights = binomial_weights(n, float(q))
    exact = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    assert first == 0
    assert [weight / sum(weights) for weight in weights] == pytest.approx(
        [float(chance) for chance in exact], rel=1e-12
    )


def test_shares_are_worth_no_more_rows_than_they_have_repeats():
    # Each question hits 2 or 3 of its 5 repeats: so little spread would look like 4,900 rows.
    values = [(0.4, 100), (0.6, 100)]
    low, high = exact_interval(100, 200)
    assert shares_interval(values) == (low, high)
    few = shares_interval(values, most=100)
    assert few[0] < low and high < few[1]
