"""Paired tests against brute force, exact distributions and published values."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure import permutation
from ragstone.measure.permutation import Chance, holm, mcnemar

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


def randomisation(differences: Sequence[float], resamples: int = 10_000, seed: int = 0) -> float:
    return permutation.randomisation([(each, 1) for each in differences], resamples, seed).p


def of_counts(differences: Sequence[tuple[float, int]]) -> Chance:
    return permutation.randomisation(differences)


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
    shifted = [(difference - 0.09, 1) for difference in differences]
    z = sum(d for d, _ in shifted) / math.sqrt(math.fsum(d * d for d, _ in shifted))
    drawn = of_counts(shifted)
    assert drawn.method == "drawn signs"
    assert drawn.p == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.02)
    # One pair more, and it is the normal distribution itself.
    assert of_counts([*shifted, (0.0, 1)]) == Chance(
        pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-9), "normal approximation"
    )


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=8))
def test_counts_are_the_differences_that_often(counted: list[tuple[int, int]]) -> None:
    each = [difference for difference, count in counted for _ in range(count)]
    assert of_counts(counted).p == of_counts([(difference, 1) for difference in each]).p


def test_a_million_pairs_are_a_few_counts() -> None:
    found = of_counts([(1.0, 5_300), (0.0, 989_600), (-1.0, 5_100)])
    assert found.method == "normal approximation"
    assert found.p == pytest.approx(math.erfc(200 / math.sqrt(2 * 10_400)), rel=1e-9)
    assert found.p == pytest.approx(mcnemar(5_300, 5_100), rel=0.01)
    assert of_counts([(1.0, 5_000), (-1.0, 5_001), (1.0, 1)]).p == 1.0


# McNemar


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (0, 1, 0.5),
        (0, 5, 0.03125),
        # Fagerland, Lydersen and Laake (2013): airway hyper-responsiveness, complete response.
        (1, 7, 0.0390625),
        (6, 16, 0.034690),
    ],
)
def test_mcnemar_gives_the_known_values(gained: int, lost: int, p: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p, abs=5e-7)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_exact_binomial_with_the_split_seen_counted_half(
    gained: int, lost: int
) -> None:
    n, fewer = gained + lost, min(gained, lost)
    below = 2 * sum(math.comb(n, k) for k in range(fewer))
    exact = min(Fraction(1), Fraction(below + math.comb(n, fewer), 2**n))
    assert mcnemar(gained, lost) == pytest.approx(float(exact), rel=1e-12)
    assert mcnemar(gained, lost) == mcnemar(lost, gained)


def test_mcnemar_of_a_million_flips_is_near_the_normal() -> None:
    z = 2000 / math.sqrt(1_000_000)
    assert mcnemar(499_000, 501_000) == pytest.approx(math.erfc(z / math.sqrt(2)), rel=1e-5)
    assert mcnemar(0, 1_000_000) == 0.0


# Holm


def test_holm_gives_the_known_values_in_the_order_given() -> None:
    # Holm (1979) steps down: 4, 3, 2 and 1 times the p-values, and never less than the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
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
