"""Spearman's rank correlation against a plain oracle."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from ragstone.suites.people.rank_correlation import ranks, spearman

SHARES = st.fractions(0, 1, max_denominator=6)


def plain_rank(value: Fraction, values: list[Fraction]) -> float:
    """Half a place for every equal one, itself among them, and a whole one for every smaller."""
    below = sum(other < value for other in values)
    equal = sum(other == value for other in values)
    return below + (equal + 1) / 2


def oracle(one: list[Fraction], two: list[Fraction]) -> float | None:
    """Pearson's correlation of the ranks, from its textbook sums."""
    x = [plain_rank(value, one) for value in one]
    y = [plain_rank(value, two) for value in two]
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    together = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread = math.fsum((a - mean_x) ** 2 for a in x) * math.fsum((b - mean_y) ** 2 for b in y)
    return None if spread == 0 else together / math.sqrt(spread)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=12))
def test_it_is_the_correlation_of_the_ranks(pairs: list[tuple[Fraction, Fraction]]) -> None:
    one, two = [a for a, _ in pairs], [b for _, b in pairs]
    found, wanted = spearman(one, two), oracle(one, two)
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert math.isclose(found, wanted, abs_tol=1e-12)


@given(st.lists(SHARES, min_size=2, max_size=12).filter(lambda some: len(set(some)) > 1))
def test_the_same_order_is_exactly_one_and_the_reverse_minus_one(shares: list[Fraction]) -> None:
    assert spearman(shares, [share / 3 for share in shares]) == 1.0
    assert spearman(shares, [-share for share in shares]) == -1.0


def test_equal_values_share_the_mean_of_their_places() -> None:
    assert ranks([Fraction(n) for n in (5, 1, 5, 5)]) == [3, 1, 3, 3]
