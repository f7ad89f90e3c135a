"""What is true of a number, by formulas that share no code with the product."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

MARGIN = 0.02
SIDE = 0.025
Z = NormalDist().inv_cdf(0.975)


def tail(k: int, n: int, share: float) -> float:
    """How often at most k of n hit, where a share of all do."""
    return sum(math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1))


def provable(hits: int, n: int, op: str, limit: float, clusters: int | None = None) -> bool | None:
    """What an exact test proves of a share: that it is on this side, on the other, or nothing."""
    if not n or not 0 < limit < 1:
        return None
    if clusters is not None:
        hits, n = round(hits * clusters / n), clusters
    if op == "<=":
        hits, limit = n - hits, 1 - limit
    if tail(n - hits, n, 1 - limit) <= SIDE:
        return True
    return False if tail(hits, n, limit) <= SIDE else None


def half_width(n: int) -> float:
    """How far from 0 Tango's interval reaches after n questions without a change."""
    return Z * Z / (n + Z * Z)


def to_settle(n: int) -> int:
    """How many more questions without a change show that it is within the margin."""
    return next(m for m in range(10_000) if half_width(n + m) <= MARGIN)


def like_these(n: int, gains: int, losses: int) -> int | None:
    """After how many more questions with the same shares a change is shown, or ruled out."""
    for m in (*range(1, 200), *range(200, 3_000, 7)):
        scale = (n + m) / n
        low, high = tango(n + m, gains * scale, losses * scale)
        if low > 0 or high < 0 or (low >= -MARGIN and high <= MARGIN):
            return m
    return None


def tango(n: float, gains: float, losses: float) -> tuple[float, float]:
    """Tango's score interval of a paired difference, by halving."""

    def score(d: float) -> float:
        a = 2 * n
        b = -losses - gains + (2 * n - gains + losses) * d
        c = -losses * d * (1 - d)
        q = (math.sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
        spread = math.sqrt(max(n * (2 * q + d * (1 - d)), 1e-12))
        return (gains - losses - n * d) / spread

    def end(outer: float, inner: float, target: float) -> float:
        for _ in range(60):
            middle = (outer + inner) / 2
            outside = score(middle) > target if target > 0 else score(middle) < target
            outer, inner = (middle, inner) if outside else (outer, middle)
        return (outer + inner) / 2

    value = (gains - losses) / n
    return end(-1 + 1e-9, value, Z), end(1 - 1e-9, value, -Z)


def score_ends(hits: int, n: int) -> tuple[float, float]:
    """The exact interval of a share, by halving."""

    def solved(goal: Callable[[float], float]) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if goal(middle) < SIDE else (low, middle)
        return low

    lower = solved(lambda share: tail(n - hits, n, 1 - share))
    upper = 1 - solved(lambda share: tail(hits, n, 1 - share))
    return lower, upper
