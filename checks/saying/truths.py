"""What is true of a number, by formulas that share no code with the product."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

MARGIN = 0.02
SIDE = 0.025
Z = NormalDist().inv_cdf(0.975)


def tail(k: int, n: int, share: float) -> float:
    """How often at most k of n hit, where a share of all do."""
    if not 0 < share < 1:
        return float(share == 0 or k >= n)
    every = math.lgamma(n + 1) + n * math.log1p(-share)
    odds = math.log(share) - math.log1p(-share)
    return math.fsum(
        math.exp(every - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * odds)
        for i in range(k + 1)
    )


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
    """How far from 0 the interval of pairs reaches after n questions without a change."""
    return pair_ends(n, 0, 0)[1]


def to_settle(n: int) -> int:
    """How many more questions without a change show that it is within the margin."""
    return next(m for m in range(10_000) if half_width(n + m) <= MARGIN)


def clear(n: int, gains: float, losses: float) -> bool:
    """Whether a change is shown, or ruled out."""
    low, high = tango(n, gains, losses)
    if not (low > 0 or high < 0 or (low >= -MARGIN and high <= MARGIN)):
        return False
    low, high = pair_ends(n, gains, losses)
    return low > 0 or high < 0 or (low >= -MARGIN and high <= MARGIN)


def pair_ends(n: int, gains: float, losses: float) -> tuple[float, float]:
    """At each end the wider of Tango's interval and the one of both exact intervals (MOVER)."""
    score = tango(n, gains, losses)
    return min(score[0], -joined_end(n, losses, gains)), max(score[1], joined_end(n, gains, losses))


def joined_end(n: int, gains: float, losses: float) -> float:
    most, fewest = between(gains, n)[1], between(losses, n)[0]
    a, b, c = most - gains / n, losses / n - fewest, Z * Z / 4
    odds = (gains + c) / (n - gains + c) * (losses + c) / (n - losses + c)
    reach = math.sqrt(a * a + b * b + 2 * a * b * math.sqrt(odds))
    return min(1.0, max(2 * most - 1, (gains - losses) / n + reach))


def between(hits: float, n: int) -> tuple[float, float]:
    """The exact interval; of hits that are not whole, in proportion between its neighbours."""
    whole = math.floor(hits + 1e-7)
    part = max(0.0, hits - whole)
    ends = score_ends(whole, n)
    if part < 1e-6:
        return ends
    above = score_ends(whole + 1, n)
    return (
        ends[0] * (1 - part) + above[0] * part,
        ends[1] * (1 - part) + above[1] * part,
    )


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


@cache
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
