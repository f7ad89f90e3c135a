"""How likely a regression is found: against counting every outcome, and by drawing."""

from __future__ import annotations

import math
import random

import pytest

from ragstone.comparison import says
from ragstone.measure.found_regressions import (
    chance_to_find,
    fewest_losses,
    possible_churn,
    smallest_found,
)
from ragstone.measure.paired import difference_of_means
from ragstone.measure.permutation import mcnemar


def is_worse(gained: int, lost: int, n: int, alpha: float) -> bool:
    """Whether `compare` says so of these counts, the level being that of one test of many."""
    pairs = [(0.0, 1.0, gained), (1.0, 0.0, lost), (1.0, 1.0, n - gained - lost)]
    seen = difference_of_means([pair for pair in pairs if pair[2]])
    assert seen is not None
    family = round(0.05 / alpha)
    test = says.Test(min(1.0, family * mcnemar(gained, lost)), 0.95, family)
    return says.change(says.Deciding(seen, 0.95, True, 0.02, test, True)) == says.WORSE


def counted(n: int, lost: float, gained: float, alpha: float) -> float:
    """The chance by the definition: every number of losses and gains, with its probability."""
    total = []
    for a in range(n + 1):
        for b in range(n + 1 - a):
            if a > b and is_worse(b, a, n, alpha):
                ways = math.comb(n, a) * math.comb(n - a, b)
                total.append(ways * lost**a * gained**b * (1 - lost - gained) ** (n - a - b))
    return math.fsum(total)


@pytest.mark.parametrize("n", [5, 12, 40])
@pytest.mark.parametrize(("lost", "gained"), [(0.3, 0.0), (0.2, 0.1), (0.5, 0.4), (0.02, 0.02)])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_chance_is_that_of_all_outcomes(n, lost, gained, alpha):
    assert chance_to_find(n, lost, gained, alpha) == pytest.approx(
        counted(n, lost, gained, alpha), abs=1e-7
    )


@pytest.mark.parametrize(("n", "lost", "gained"), [(3000, 0.045, 0.025), (900, 0.16, 0.12)])
def test_large_samples_are_within_a_point_of_what_drawing_finds(n, lost, gained):
    chance = random.Random(2)
    found = 0
    for _ in range(1_500):
        draws = [chance.random() for _ in range(n)]
        a = sum(draw < lost for draw in draws)
        b = sum(lost <= draw < lost + gained for draw in draws)
        found += a > b and mcnemar(b, a) <= 0.05
    assert chance_to_find(n, lost, gained) == pytest.approx(found / 1_500, abs=0.035)


def test_the_smallest_regression_is_found_and_a_smaller_one_is_not():
    for n, churn in ((100, 0.0), (300, 0.05), (5_000, 0.1)):
        found = smallest_found(n, churn, 0.9, 0.1)
        assert found is not None
        assert chance_to_find(n, found + churn / 2, churn / 2) >= 0.8
        assert chance_to_find(n, found - 1e-4 + churn / 2, churn / 2) < 0.8


def test_more_questions_and_less_churn_find_smaller_regressions():
    sizes = [smallest_found(n, 0.05, 0.9, 0.1) for n in (50, 100, 500, 5_000)]
    assert sizes == sorted(sizes, reverse=True)
    churns = [smallest_found(500, churn, 0.9, 0.1) for churn in (0.0, 0.02, 0.05, 0.1)]
    assert churns == sorted(churns)


def test_what_too_few_questions_cannot_find_is_not_promised():
    assert smallest_found(1, 0.05, 0.9, 0.1) is None
    assert smallest_found(4, 0.0, 1.0, 0.0) is None
    # A metric that has nothing left to lose cannot get worse.
    assert smallest_found(1_000, 0.05, 0.0, 1.0) is None


def test_a_perfect_run_has_no_churn():
    assert possible_churn(0.1, 1.0, 0.0) == 0.0
    assert smallest_found(100, 0.1, 1.0, 0.0) == smallest_found(100, 0.0, 1.0, 0.0)


def test_the_losses_that_are_called_worse():
    for gained in range(12):
        lost = fewest_losses(gained, 100)
        assert is_worse(gained, lost, 100, 0.05) and not is_worse(gained, lost - 1, 100, 0.05)
    assert fewest_losses(0, 4) == 5
