"""The exact interval of a share (Clopper and Pearson's), and the binomial tail that it comes from.

Only sums, products, quotients and square roots are used: every machine rounds those alike, so every
machine gives the same digits.
"""

from __future__ import annotations

import math
from functools import lru_cache

from ragstone.measure.deviates import normal_deviate

Ends = tuple[float, float]

# What is this small beside the sum so far changes none of its digits.
_NOTHING = 1e-17


def exact_interval(hits: int, n: int, level: float = 0.95) -> Ends:
    """Where a share of `hits` in `n` could truly lie: too far off at most half the error a side.

    Above the upper end, so few hits would be rarer than that; below the lower end, so many.

    >>> low, high = exact_interval(8, 10)
    >>> f"{low:.4f} {high:.4f}"
    '0.4439 0.9748'
    >>> exact_interval(0, 5)[0], exact_interval(5, 5)[1]
    (0.0, 1.0)
    """
    if not 0 <= hits <= n or n <= 0:
        raise ValueError(f"expected 0 <= hits <= n and n > 0, found {hits} of {n}")
    return _exact_end(hits, n, level, upper=False), _exact_end(hits, n, level, upper=True)


def exact_end(hits: float, n: int, level: float = 0.95, *, upper: bool) -> float:
    """One end of it; between two whole numbers of hits it goes straight from one to the other.

    >>> f"{exact_end(8, 10, upper=False):.4f} {exact_end(7.5, 10, upper=False):.4f}"
    '0.4439 0.3957'
    """
    hits = round(hits, 6)
    below, above = min(n, math.floor(hits)), min(n, math.ceil(hits))
    end = _exact_end(below, n, level, upper=upper)
    return end + (hits - below) * (_exact_end(above, n, level, upper=upper) - end)


@lru_cache(maxsize=8192)
def _exact_end(hits: int, n: int, level: float, *, upper: bool) -> float:
    if 2 * hits > n:
        # What is as good as 1 is found as its distance from 1.
        return 1.0 - _exact_end(n - hits, n, level, upper=not upper)
    return _end(hits, n, (1 - level) / 2, level, upper=upper) if hits or upper else 0.0


def at_most(hits: int, n: int, share: float) -> float:
    """How likely at most so many hits in n are, where each is one with the chance `share`.

    >>> f"{at_most(1, 10, 0.1):.12f}"
    '0.736098929100'
    """
    if hits >= n or not share:
        return 1.0
    if hits < 0 or share == 1.0:
        return 0.0
    if hits > n * share:
        # The smaller of the two tails is the one that is summed without a loss.
        return 1.0 - _tail(n - hits - 1, n, 1.0 - share, share)[0]
    return _tail(hits, n, share, 1.0 - share)[0]


def _end(hits: int, n: int, rare: float, level: float, *, upper: bool) -> float:
    """The share at which so few hits (or so many, for the lower end) have the chance `rare`.

    Halley's method on the logarithm of the chance, from the normal approximation; a step that
    leaves what is known of the end's place is halved instead.
    """
    # Few hits at the upper end are what few misses are at the lower one.
    few = hits if upper else n - hits
    low, high = (hits / n, 1.0) if upper else (0.0, hits / n)
    end = _near(hits, n, round(normal_deviate(level), 6), upper=upper)
    for _ in range(200):
        if not low < end < high:
            end = (low + high) / 2
        share, rest = (end, 1.0 - end) if upper else (1.0 - end, end)
        chance, weights = _tail(few, n, share, rest)
        # Near 1 this is the logarithm of the quotient; farther off it never steps too far.
        far = 2 * (chance - rare) / (chance + rare)
        slope = (n - few) / (rest * weights)
        bend = slope * (few / share - (n - few - 1) / rest + slope)
        step = far / slope / (1 + far * bend / (2 * slope * slope))
        if (chance > rare) == upper:
            low = end
        else:
            high = end
        moved = end + step if upper else end - step
        if abs(step) <= 1e-6 * min(end, 1.0 - end, abs(end - hits / n)):
            # The next step would be as small again beside this one, and beyond every digit.
            return moved
        end = moved
    return end


def _near(hits: int, n: int, z: float, *, upper: bool) -> float:
    """The normal approximation of an end, with half a hit for what is whole and not continuous."""
    share = (hits + 0.5) / n if upper else (hits - 0.5) / n
    share = min(1.0, max(0.0, share))
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle + spread if upper else middle - spread) / (1 + z * z / n)


def _tail(hits: int, n: int, share: float, rest: float) -> tuple[float, float]:
    """The chance of at most `hits`, and what it is as a multiple of the chance of `hits` itself."""
    odds = rest / share
    below = weight = 1.0
    for k in range(hits, 0, -1):
        weight *= k * odds / (n - k + 1)
        below += weight
        if weight < _NOTHING * below:
            break
    above, weight = 0.0, 1.0
    odds = share / rest
    for k in range(hits + 1, n + 1):
        weight *= (n - k + 1) * odds / k
        above += weight
        if weight < _NOTHING * above:
            break
    return below / (below + above), below
