"""Paired tests against brute force, exact distributions and published values."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.interval import mean_interval
from ragstone.measure.permutation import holm, mcnemar, paired_interval, randomisation

# Darwin's maize: cross- minus self-fertilised height, in eighths of an inch. Fisher counted by hand
# that 863 of the 32,768 signs give a sum of 314 or more.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

WHOLE = st.lists(st.integers(-20, 20), min_size=1, max_size=10)


def by_brute_force(differences: list[int]) -> float:
    observed = abs(sum(differences))
    signs = list(product((-1, 1), repeat=len(differences)))
    sums = [sum(s * d for s, d in zip(sign, differences, strict=True)) for sign in signs]
    return sum(abs(total) >= observed for total in sums) / len(signs)


def by_exact_distribution(differences: list[int]) -> float:
    chances: dict[int, float] = {0: 1.0}
    for difference in differences:
        grown: defaultdict[int, float] = defaultdict(float)
        for total, chance in chances.items():
            grown[total + difference] += chance / 2
            grown[total - difference] += chance / 2
        chances = grown
    observed = abs(sum(differences))
    return math.fsum(chance for total, chance in chances.items() if abs(total) >= observed)


# Randomisation


def test_randomisation_gives_fishers_count_for_darwins_maize() -> None:
    assert randomisation(DARWIN) == 2 * 863 / 2**15


@given(WHOLE)
def test_randomisation_of_few_differences_is_the_brute_force_one(differences: list[int]) -> None:
    assert randomisation(differences) == by_brute_force(differences)


@given(WHOLE)
def test_a_scale_that_is_not_binary_changes_nothing(differences: list[int]) -> None:
    # 0.1 + 0.2 is not 0.3 in binary, and must tie with it all the same.
    assert randomisation([d / 10 for d in differences]) == by_brute_force(differences)
    assert randomisation([d * 1e-300 / 3 for d in differences]) == by_brute_force(differences)


def test_no_difference_at_all_is_no_evidence() -> None:
    assert randomisation([]) == randomisation([0.0, 0.0]) == 1.0
    assert randomisation([0.1, 0.2, -(0.1 + 0.2)]) == 1.0


def test_questions_that_tie_change_nothing() -> None:
    assert randomisation([*DARWIN, *[0] * 1000]) == randomisation(DARWIN)


def test_many_equal_differences_are_still_counted_in_full() -> None:
    differences = [1] * 1050 + [-1] * 950
    exact = by_exact_distribution(differences)
    assert randomisation(differences) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "count", "lean"),
    [
        (range(1, 51), 200, 0.5),  # a few of each size
        (range(1, 51), 200, 0.56),
        ((1, 2, 3, 5, 7), 500, 0.48),  # many of each size
        ((1, 2, 3, 5, 7), 500, 0.54),
        ((*[1] * 30, *[2] * 30, *range(50, 90)), 260, 0.45),  # both
    ],
)
def test_drawn_signs_come_close_to_the_exact_distribution(
    sizes: Sequence[int], count: int, lean: float
) -> None:
    draw = random.Random(7)
    differences = [draw.choice(sizes) * (1 if draw.random() < lean else -1) for _ in range(count)]
    exact, drawn = by_exact_distribution(differences), randomisation(differences)
    assert drawn != exact  # it was drawn, and not counted
    assert abs(drawn - exact) < 4 * math.sqrt(exact * (1 - exact) / 10_000) + 2e-4


def drawn_differences(count: int) -> list[float]:
    draw = random.Random(count)
    return [draw.gauss(0.1, 1.0) for _ in range(count)]


def test_drawn_signs_are_the_same_every_time_in_any_order_and_direction() -> None:
    differences = drawn_differences(100)
    p = randomisation(differences)
    assert randomisation(differences) == p
    assert randomisation(differences[::-1]) == p
    assert randomisation([-difference for difference in differences]) == p
    assert randomisation(differences, seed=1) != p


def test_a_drawn_p_value_is_never_0() -> None:
    assert randomisation([1 + n / 1000 for n in range(100)]) == 1 / 10_001
    assert randomisation([1 + n / 1000 for n in range(100)], resamples=99) == 0.01


def test_ten_thousand_differences_under_ten_thousand_signs() -> None:
    differences = drawn_differences(10_000)
    shifted = [difference - 0.09 for difference in differences]
    z = sum(shifted) / math.sqrt(math.fsum(d * d for d in shifted))
    assert randomisation(shifted) == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.02)


# McNemar


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (0, 1, 1.0),
        (0, 5, 0.0625),
        (0, 6, 0.03125),
        (1, 9, 0.021484375),
        (6, 16, 0.052479),
    ],
)
def test_mcnemar_gives_the_known_values(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, abs=5e-7)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_exact_binomial(gained: int, lost: int) -> None:
    n = gained + lost
    tail = Fraction(sum(math.comb(n, k) for k in range(min(gained, lost) + 1)), 2**n)
    assert mcnemar(gained, lost) == pytest.approx(min(1.0, float(2 * tail)), rel=1e-12)
    assert mcnemar(gained, lost) == mcnemar(lost, gained)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_randomisation_of_flips(gained: int, lost: int) -> None:
    flips = [1] * gained + [-1] * lost
    assert mcnemar(gained, lost) == pytest.approx(randomisation(flips), rel=1e-12)


def test_mcnemar_of_a_million_flips_is_near_the_normal() -> None:
    z = (2000 - 1) / math.sqrt(1_000_000)
    assert mcnemar(499_000, 501_000) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-5)
    assert mcnemar(0, 1_000_000) == 0.0


# Holm


def test_holm_gives_the_known_values_in_the_order_given() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([0.04, 0.01, 0.5]) == pytest.approx([0.08, 0.03, 0.5])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_the_p_value_and_bonferroni(pvalues: list[float]) -> None:
    adjusted = holm(pvalues)
    for p, raised in zip(pvalues, adjusted, strict=True):
        assert p <= raised <= min(1.0, len(pvalues) * p)
    by_p = [raised for _, raised in sorted(zip(pvalues, adjusted, strict=True))]
    assert by_p == sorted(by_p)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.001, 0.5))
def test_holm_rejects_what_stepping_down_rejects(pvalues: list[float], alpha: float) -> None:
    order = sorted(range(len(pvalues)), key=lambda index: pvalues[index])
    rejected = set()
    for rank, index in enumerate(order):
        if (len(pvalues) - rank) * pvalues[index] > alpha:
            break
        rejected.add(index)
    assert {index for index, raised in enumerate(holm(pvalues)) if raised <= alpha} == rejected


# Interval


def test_the_interval_of_paired_differences_is_students() -> None:
    # Darwin's maize again: the mean is 20.93, its standard error 9.746, with 14 degrees of freedom.
    assert paired_interval(DARWIN) == pytest.approx((0.0312, 41.8354), abs=5e-3)
    assert paired_interval([1.0]) is None


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30))
def test_the_interval_of_paired_differences_does_not_depend_on_order(values: list[float]) -> None:
    counted = sorted(Counter(values).items())
    assert paired_interval(iter(values)) == paired_interval(values[::-1]) == mean_interval(counted)
