"""The bets: no money is made on average where the mean is on the line, whatever the order."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragstone.measure.betting import BETS, Wealth, ends, enough, factor, log_wealth, lower_end
from ragstone.measure.exact_interval import exact_interval

numbers = st.floats(0, 1, allow_nan=False)
lines = st.floats(0.02, 0.98)


def wealth_of(values, line):
    """The oracle: the mixture in fractions, each step exact."""
    exact = [Fraction(bet) for bet in BETS]
    total = Fraction(0)
    for bet in exact:
        money = Fraction(1)
        for value in values:
            money *= 1 - bet + bet * Fraction(value) / Fraction(line)
        total += money
    return total / len(exact)


def after(values, line):
    wealth = Wealth(line)
    for value in values:
        wealth.add(value)
    return wealth


@pytest.mark.parametrize(
    ("line", "length"),
    [(Fraction(19, 20), 12), (Fraction(1, 2), 9), (Fraction(49, 100), 9), (Fraction(1, 50), 1)],
)
def test_on_the_line_the_mean_wealth_over_all_outcomes_is_exactly_what_it_began_with(line, length):
    outcomes = product((0, 1), repeat=length)
    chances = (
        (math.prod(line if hit else 1 - line for hit in each), wealth_of(each, line))
        for each in outcomes
    )
    assert sum(chance * wealth for chance, wealth in chances) == 1


@pytest.mark.parametrize("mean", [Fraction(9, 10), Fraction(3, 4)])
def test_below_the_line_the_mean_wealth_falls_with_every_number(mean):
    line, before = Fraction(19, 20), Fraction(1)
    for length in range(1, 9):
        expected = sum(
            math.prod(mean if hit else 1 - mean for hit in each) * wealth_of(each, line)
            for each in product((0, 1), repeat=length)
        )
        assert expected < before
        before = expected


def test_differences_of_questions_are_fair_bets_too():
    """A question gains 1, loses 1 or stays; the mean difference is the margin, here -1/50."""
    line = Fraction(49, 100)
    chances = {1: Fraction(1, 25), 0: Fraction(3, 50), Fraction(1, 2): Fraction(9, 10)}
    assert sum(value * chance for value, chance in chances.items()) == line
    expected = sum(
        math.prod(chances[value] for value in each) * wealth_of(each, line)
        for each in product(chances, repeat=7)
    )
    assert expected == 1


@given(st.lists(numbers, max_size=12), lines)
def test_the_wealth_is_that_of_exact_fractions(values, line):
    found, exact = after(values, line), wealth_of(values, line)
    digits = math.log10(exact.numerator) - math.log10(exact.denominator)
    assert found.log10() == pytest.approx(digits, abs=1e-8)


@given(st.lists(numbers, max_size=12), lines, st.floats(1.01, 1000))
def test_a_wealth_reaches_what_the_exact_one_reaches(values, line, wanted):
    exact = wealth_of(values, line)
    if abs(exact / Fraction(wanted) - 1) > 1e-9:
        assert after(values, line).reaches(wanted) == (exact >= wanted)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=5), lines)
def test_the_order_of_the_numbers_does_not_matter(values, line):
    found = {after(each, line).log10() for each in permutations(values)}
    assert max(found) - min(found) <= 1e-9


@given(st.lists(st.tuples(numbers, st.integers(1, 30)), min_size=1, max_size=6), lines)
def test_counted_numbers_come_to_what_single_ones_do(counted, line):
    values = dict(counted)
    single = [value for value, count in values.items() for _ in range(count)]
    assert log_wealth(values, line) / math.log(10) == pytest.approx(
        after(single, line).log10(), abs=1e-7
    )


@given(st.lists(numbers, min_size=1, max_size=30), lines, lines)
def test_a_higher_line_is_harder_to_prove(values, one, other):
    low, high = sorted((one, other))
    assert after(values, high).log10() <= after(values, low).log10() + 1e-9


@given(st.lists(numbers, min_size=1, max_size=30), st.integers(0, 29), numbers, lines)
def test_a_larger_number_never_costs_wealth(values, place, number, line):
    place %= len(values)
    better = [*values]
    better[place] = max(number, values[place])
    assert after(better, line).log10() >= after(values, line).log10() - 1e-9


@given(
    st.lists(st.tuples(numbers, st.integers(1, 200)), min_size=1, max_size=5),
    st.floats(2, 1e4),
    st.floats(2, 1e4),
)
def test_the_ends_hold_the_mean_that_was_seen_and_are_where_proofs_end(counted, below, above):
    values = {**dict(counted)}
    low, high = ends(values, below, above)
    mean = math.fsum(v * n for v, n in values.items()) / sum(values.values())
    assert low <= mean + 1e-9
    assert high >= mean - 1e-9
    if 1e-6 < low < 1 - 1e-6:
        assert log_wealth(values, low - 1e-7) >= math.log(below)
        assert log_wealth(values, low + 1e-7) < math.log(below)


@example(0.05)
@given(st.floats(0.02, 0.3))
def test_the_fewest_questions_at_best_are_close_to_what_a_fixed_sample_takes(limit):
    """All right: the price of looking after every question, against that of one look."""
    found = enough({1.0: 1}, 1 - limit, 20)
    fixed = next(n for n in range(1, 10_000) if exact_interval(n, n)[0] >= 1 - limit)
    assert found is not None
    assert found <= 1.6 * fixed + 5


def test_what_is_enough_is_the_first_that_is():
    values = {1.0: 98, 0.0: 2}
    found = enough(values, 0.95, 20)
    parts = [({1.0: 0.98 * n, 0.0: 0.02 * n}) for n in (found - 1, found)]
    assert [log_wealth(each, 0.95) >= math.log(20) for each in parts] == [False, True]


def test_no_number_of_questions_on_the_wrong_side_is_enough():
    assert enough({1.0: 90, 0.0: 10}, 0.95, 20) is None


def test_ruin_is_never_complete_and_a_fortune_never_infinite():
    wealth = after([0.0] * 40_000, 0.95)
    assert -600 < wealth.log10() < -500
    rich = after([1.0] * 100_000, 0.01)
    assert rich.log10() > 100_000
    assert rich.reaches(20)
    assert not wealth.reaches(1e-300)


@pytest.mark.parametrize("line", [0.0, 1.0, -0.2, math.nan])
def test_a_line_at_an_end_is_refused(line):
    with pytest.raises(ValueError, match="between 0 and 1"):
        Wealth(line)


@pytest.mark.parametrize(("line", "seed"), [(0.95, 1), (0.5, 2), (0.49, 3)])
def test_on_the_line_hardly_anybody_ever_gets_rich(line, seed):
    """Ville: of all who look after every question, 1 in 20 at most ever sees a wealth of 20."""
    draw = random.Random(seed)
    rich = 0
    for _ in range(400):
        wealth = Wealth(line)
        for _ in range(400):
            wealth.add(float(draw.random() < line))
            if wealth.reaches(20):
                rich += 1
                break
    # 400 draws at 1 in 20 give more than 33 in one of a hundred tries.
    assert 0 < rich <= 33


def test_a_bet_loses_what_it_risks_and_no_more():
    for bet in BETS:
        assert factor(bet, 0.0, 0.3) == 1 - bet
        assert factor(bet, 0.3, 0.3) == 1


def test_nothing_seen_proves_nothing():
    assert lower_end({}, 20) == 0.0
    assert ends({}, 20, 100) == (0.0, 1.0)
