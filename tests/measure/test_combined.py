"""Intervals of quotients and differences, and of quantiles of questions asked again and again."""

from __future__ import annotations

import math
import random

import pytest

from ragstone.measure.clustered_quantile import clustered_quantile_interval
from ragstone.measure.combined import difference_interval, quotient_interval
from ragstone.measure.interval import quantile_interval, wilson


def test_a_difference_of_shares_is_newcombes():
    # Newcombe (1998), "Interval estimation for the difference between independent proportions":
    # 56/70 less 48/80, method 10.
    found = difference_interval(56 / 70, wilson(56, 70), 48 / 80, wilson(48, 80))
    assert [round(end, 4) for end in found] == [0.0524, 0.3339]


def test_a_quotient_by_a_certain_number_is_scaled():
    assert quotient_interval(2.0, (1.0, 5.0), 4.0, (4.0, 4.0)) == pytest.approx((0.25, 1.25))
    found = quotient_interval(4.0, (4.0, 4.0), 2.0, (1.0, 4.0))
    assert found == pytest.approx((1.0, 4.0))


def test_a_quotient_holds_its_point_and_widens_with_its_parts():
    chance = random.Random(1)
    for _ in range(500):
        one, two = chance.uniform(0.1, 9), chance.uniform(0.1, 9)
        first = (one * chance.random(), one * (1 + 3 * chance.random()))
        second = (two * chance.random(), two * (1 + 3 * chance.random()))
        low, high = quotient_interval(one, first, two, second)
        assert low <= one / two * (1 + 1e-12) and one / two <= high * (1 + 1e-12)
        assert low >= first[0] / second[1] * (1 - 1e-12)
        assert high <= first[1] / second[0] * (1 + 1e-12)


def test_an_end_that_stands_on_an_open_end_is_open():
    assert quotient_interval(1.0, (None, 2.0), 1.0, (0.5, 2.0))[0] is None
    assert quotient_interval(1.0, (0.5, 2.0), 1.0, (0.5, None))[0] is None
    assert quotient_interval(1.0, (0.5, None), 1.0, (0.5, 2.0))[1] is None
    assert quotient_interval(1.0, (0.5, 2.0), 1.0, (None, 2.0))[1] is None
    assert quotient_interval(1.0, (0.5, 2.0), 1.0, (0.0, 2.0))[1] is None
    assert difference_interval(1.0, (None, 2.0), 1.0, (0.5, 2.0))[0] is None
    assert difference_interval(1.0, (0.5, None), 1.0, (0.5, 2.0))[1] is None


def test_nothing_over_something_begins_at_nothing():
    low, high = quotient_interval(0.0, (0.0, 0.1), 0.5, (0.4, 0.6))
    assert low == 0.0
    assert 0.2 < high < 0.25


def test_numbers_that_no_double_holds_leave_the_end_open():
    huge = quotient_interval(1e300, (1e299, 1.5e300), 1e-300, (1e-301, 2e-300))
    assert huge[1] is None
    assert quotient_interval(1e300, (1e299, 1.5e300), 1e300, (1e299, 1.5e300))[1] is not None


@pytest.mark.parametrize("q", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("n", [1, 5, 35, 72, 400])
def test_questions_asked_once_have_the_plain_interval(n, q):
    values = [math.sqrt(place) for place in range(n)]
    found, needs = clustered_quantile_interval([[value] for value in values], q)
    assert found == quantile_interval([(value, 1) for value in values], q)
    assert (needs is None) == (None not in found)


def test_repeats_that_say_the_same_count_once():
    once = [[float(place)] for place in range(80)]
    many = [values * 7 for values in once]
    assert clustered_quantile_interval(many, 0.95)[0] == clustered_quantile_interval(once, 0.95)[0]
    found, needs = clustered_quantile_interval(many[:50], 0.95)
    assert found[1] is None
    # 72 questions would do: 504 requests like these.
    assert needs == 504


def test_questions_may_come_with_how_many_are_the_same():
    kinds, times = [[1.0, 2.0], [3.0], [4.0, 4.0]], [30, 40, 20]
    every = [kind for kind, count in zip(kinds, times, strict=True) for _ in range(count)]
    for q in (0.5, 0.9):
        counted = clustered_quantile_interval(kinds, q, times=times)
        assert counted == clustered_quantile_interval(every, q)


def test_repeats_that_have_nothing_in_common_count_each():
    chance = random.Random(3)
    rows = [[chance.random() for _ in range(20)] for _ in range(40)]
    low, high = clustered_quantile_interval(rows, 0.95)[0]
    every = sorted(value for row in rows for value in row)
    plain = quantile_interval([(value, 1) for value in every], 0.95)
    assert high - low < 2 * (plain[1] - plain[0])
