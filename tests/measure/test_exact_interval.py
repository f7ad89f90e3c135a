"""The exact interval of a share: by exact fractions, and as seldom wrong as it claims to be."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.exact_interval import at_most, exact_interval

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999]


def chance_of_at_most(hits: int, n: int, share: float) -> Fraction:
    p = Fraction(share)
    return Fraction(sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits + 1)))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (8, 10, 0.4439, 0.9748),
        # Newcombe 1998, Statistics in Medicine 17:857, table I, method 5.
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_it_gives_the_published_values(hits: int, n: int, low: float, high: float) -> None:
    assert exact_interval(hits, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 29, 100])
def test_at_an_end_the_tail_is_half_the_error(n: int, level: float) -> None:
    rare = (1 - level) / 2
    for hits in range(n + 1):
        low, high = exact_interval(hits, n, level)
        assert (low == 0.0) == (hits == 0) and (high == 1.0) == (hits == n)
        if hits < n:
            assert float(chance_of_at_most(hits, n, high)) == pytest.approx(rare, rel=1e-9)
        if hits:
            tail = float(1 - chance_of_at_most(hits - 1, n, low))
            assert tail == pytest.approx(rare, rel=1e-9)


@given(st.integers(1, 10**7), st.floats(0, 1), st.sampled_from(LEVELS))
def test_it_holds_the_point_and_the_misses_are_its_mirror_image(
    n: int, part: float, level: float
) -> None:
    hits = round(part * n)
    low, high = exact_interval(hits, n, level)
    assert 0.0 <= low <= hits / n <= high <= 1.0
    assert exact_interval(n - hits, n, level) == pytest.approx((1 - high, 1 - low), abs=1e-15)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # Of scipy 1.17, stats.beta.
        (1, 10**7, 2.5317807952240303e-09, 5.571642116990815e-07),
        (9_500_000, 10**7, 0.9498647384756921, 0.9501350009088438),
        (5_000_000, 10**7, 0.4996900525213711, 0.5003099474786289),
    ],
)
def test_ten_million_questions(hits: int, n: int, low: float, high: float) -> None:
    assert exact_interval(hits, n) == pytest.approx((low, high), rel=1e-9)


def test_every_machine_gives_these_digits() -> None:
    """Only what IEEE 754 rounds alike everywhere is used, so these are equal and not near."""
    assert [each.hex() for each in exact_interval(15, 148)] == [
        "0x1.d9dbae727e346p-5",
        "0x1.4b0f698b778ddp-3",
    ]


@pytest.mark.parametrize(("hits", "n"), [(0, 0), (2, 1), (-1, 5)])
def test_an_impossible_share_is_an_error(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="hits"):
        exact_interval(hits, n)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 100))
def test_the_tail_is_the_exact_one(hits: int, more: int, percent: int) -> None:
    n = hits + more
    found = at_most(hits, n, percent / 100)
    assert found == pytest.approx(float(chance_of_at_most(hits, n, percent / 100)), abs=1e-13)
