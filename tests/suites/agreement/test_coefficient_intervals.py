"""Kappa and alpha: published values, and intervals that hold near 1 and with rare labels."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from ragstone.suites.agreement.coefficient_intervals import alpha_interval, kappa_interval
from ragstone.suites.agreement.coefficients import alpha, kappa


def interval(matrix, level=0.95):
    """Kappa's interval where every item has one pair of labels."""
    places = product(range(len(matrix)), repeat=2)
    items = {(((str(a), str(b)), 1),): matrix[a][b] for a, b in places if matrix[a][b]}
    return kappa_interval(items, level)


@pytest.mark.parametrize(
    ("matrix", "value"),
    [
        # Cohen (1960), "A coefficient of agreement for nominal scales": table 1, of 200 items.
        ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492),
        # Fleiss, Cohen and Everitt (1969), "Large sample standard errors of kappa": of 100.
        ([[53, 5, 2], [11, 14, 5], [1, 6, 3]], 0.429),
        # Viera and Garrett (2005), "Understanding interobserver agreement".
        ([[15, 5], [10, 70]], 0.57),
    ],
)
def test_kappa_is_that_of_published_examples_and_lies_in_its_interval(matrix, value):
    low, high = interval(matrix)
    assert kappa(matrix) == pytest.approx(value, abs=0.0051)
    assert low < kappa(matrix) < high


@pytest.mark.parametrize(
    "matrix",
    [
        [[20, 1], [1, 7]],  # 29 items
        [[90, 10], [0, 0]],  # one label on the one side
        [[90, 0], [10, 0]],  # and on the other
        [[100, 0], [0, 0]],
    ],
)
def test_too_little_gives_no_interval(matrix):
    assert interval(matrix) is None


def test_thirty_items_with_two_labels_a_side_have_one():
    assert interval([[20, 1], [1, 8]]) is not None


def test_full_agreement_of_few_items_is_not_certain():
    low, high = interval([[15, 0], [0, 15]])
    assert 0.6 < low < 0.9
    assert high == 1.0
    rarer = interval([[29, 0], [0, 1]])
    assert rarer[0] < low


def test_more_items_narrow_it_and_a_higher_level_widens_it():
    small, large = interval([[20, 5], [5, 20]]), interval([[200, 50], [50, 200]])
    wide = interval([[20, 5], [5, 20]], 0.99)
    assert small[0] < large[0] < large[1] < small[1]
    assert wide[0] < small[0] < small[1] < wide[1]


def test_answers_that_come_question_by_question_count_as_questions():
    alone = {((("a", "a"), 1),): 40, ((("b", "b"), 1),): 40, ((("a", "b"), 1),): 20}
    thrice = {tuple((pair, 3) for pair, _ in unit): times for unit, times in alone.items()}
    assert kappa_interval(thrice, 0.95) == pytest.approx(kappa_interval(alone, 0.95))


def test_alpha_of_two_raters_has_about_the_interval_of_kappa():
    units = {(("a", 2),): 40, (("b", 2),): 40, (("a", 1), ("b", 1)): 20}
    assert alpha_interval(units, 0.95) == pytest.approx(interval([[40, 10], [10, 40]]), abs=0.01)
    assert alpha_interval({**units, (("a", 1),): 5}, 0.95) == alpha_interval(units, 0.95)


def test_items_that_ask_the_same_are_one_for_alpha():
    units = {(("a", 2),): 40, (("b", 2),): 40, (("a", 1), ("b", 1)): 20}
    copied = [{unit: 3} for unit, times in units.items() for _ in range(times)]
    assert alpha_interval({}, 0.95, copied) == pytest.approx(alpha_interval(units, 0.95), abs=0.002)
    assert alpha_interval({}, 0.95, copied[:29]) is None
    thrice = {unit: 3 * times for unit, times in units.items()}
    assert alpha_interval(thrice, 0.95)[0] > alpha_interval({}, 0.95, copied)[0] + 0.01


def test_alpha_of_too_little_has_none():
    few = {(("a", 2),): 20, (("a", 1), ("b", 1)): 9}
    assert alpha_interval(few, 0.95) is None
    assert alpha_interval({**few, (("b", 1),): 1}, 0.95) is not None
    assert alpha_interval({(("a", 2),): 50, (("b", 1),): 9}, 0.95) is None


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("truth", [0.5, 0.95])
def test_it_covers_at_thirty_items(share, truth):
    """A bootstrap covers 0.23 of the time at 0.9 and 0.95; checks/coverage.py has all cells."""
    chance = random.Random(1)
    kept = runs = 0
    for _ in range(400):
        items = Counter()
        for _ in range(30):
            one, two = chance.choices("ab", (share, 1 - share), k=2)
            items[(((one, one if chance.random() < truth else two), 1),)] += 1
        found = kappa_interval(items, 0.95)
        if found is not None:
            runs += 1
            kept += found[0] <= truth <= found[1]
    assert kept / runs > 0.92


def test_the_point_lies_inside_for_any_labels():
    chance = random.Random(2)
    for _ in range(200):
        units = Counter(
            tuple(sorted(Counter(chance.choices("abc", (8, 2, 1), k=chance.randint(1, 4))).items()))
            for _ in range(40)
        )
        found, point = alpha_interval(units, 0.95), alpha(units)
        if found is not None:
            assert -1 <= found[0] <= point <= found[1] <= 1
