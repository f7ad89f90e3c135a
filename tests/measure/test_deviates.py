"""Student's t against published values, closed forms and slow oracles."""

from __future__ import annotations

import math
import statistics
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.deviates import t_deviate

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@pytest.mark.parametrize(
    ("df", "level", "published"),
    [
        (1, 0.95, 12.706205),
        (2, 0.95, 4.302653),
        (3, 0.95, 3.182446),
        (5, 0.95, 2.570582),
        (10, 0.95, 2.228139),
        (30, 0.95, 2.042272),
        (100, 0.95, 1.983972),
        (7, 0.99, 3.499483),
        (15, 0.90, 1.753050),
        (1, 0.99, 63.656741),
    ],
)
def test_t_gives_the_published_values(df: int, level: float, published: float) -> None:
    assert t_deviate(df, level) == pytest.approx(published, abs=6e-7)


@given(LEVELS)
def test_t_with_one_and_two_degrees_of_freedom_has_a_closed_form(level: float) -> None:
    assert t_deviate(1, level) == pytest.approx(math.tan(math.pi * level / 2), rel=1e-12)
    assert t_deviate(2, level) == pytest.approx(level * math.sqrt(2 / (1 - level**2)), rel=1e-12)


def t_within(t: Decimal, df: int) -> Decimal:
    """The probability within t of 0 for even df, in 40 digits."""
    cos_squared = df / (df + t * t)
    term = total = Decimal(1)
    for k in range(2, df, 2):
        term *= cos_squared * (k - 1) / k
        total += term
    return total * t / (df + t * t).sqrt()


@pytest.mark.parametrize("level", ["0.5", "0.9", "0.95", "0.99", "0.999"])
@pytest.mark.parametrize("df", [4, 6, 12, 98, 500, 1000, 1002, 4000])
def test_t_is_exact_to_ten_digits_for_even_degrees(df: int, level: str) -> None:
    with localcontext() as context:
        context.prec = 40
        t, room = Decimal(t_deviate(df, float(level))), Decimal("1e-11")
        assert t_within(t - room, df) < Decimal(level) < t_within(t + room, df)


def area(df: int, start: float, end: float, steps: int = 4000) -> float:
    """Simpson's rule over Student's density without its constant."""
    width = (end - start) / steps
    heights = [
        math.exp(-(df + 1) / 2 * math.log1p((start + n * width) ** 2 / df))
        for n in range(steps + 1)
    ]
    inner = 4 * math.fsum(heights[1:-1:2]) + 2 * math.fsum(heights[2:-1:2])
    return width / 3 * (heights[0] + inner + heights[-1])


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("df", [101, 999, 1001, 10**5, 10**6])
def test_t_is_exact_to_ten_digits_for_odd_and_for_many_degrees(df: int, level: float) -> None:
    t = t_deviate(df, level)
    inside, beyond = area(df, 0.0, t), area(df, t, 20.0)
    density = 1 / (2 * (inside + beyond)) * math.exp(-(df + 1) / 2 * math.log1p(t * t / df))
    assert abs(inside / (inside + beyond) - level) / (2 * density) < 1e-10


@given(st.integers(1, 10**6), LEVELS)
def test_t_falls_towards_the_normal_deviate(df: int, level: float) -> None:
    normal = statistics.NormalDist().inv_cdf((1 + level) / 2)
    assert t_deviate(df, level) >= t_deviate(df + 1, level) - 1e-12
    assert t_deviate(df, level) >= normal - 1e-12
