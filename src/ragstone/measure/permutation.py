"""Whether two runs over the same questions truly differ, or could differ as much by chance.

A difference is one question's value in the candidate minus its value in the baseline.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from ragstone.measure.interval import binomial_weights

RESAMPLES = 10_000
SEED = 0

# Over more pairs than this, ten thousand draws tell no more than the normal distribution does.
MOST_DRAWN = 10_000

# Up to this many outcomes in each half, all of them are counted: 26 different differences.
_ENUMERATED = 2**13

# From this many equal differences on, it is faster to draw how many of them are plus.
_MANY = 64

Method = Literal["mid-p McNemar", "all signs", "drawn signs", "normal approximation"]
MID_P: Method = "mid-p McNemar"


@dataclass(frozen=True, slots=True)
class Chance:
    """How likely so large a difference is by chance, and by which method that was found."""

    p: float
    method: Method


Outcomes = dict[int, int]


def randomisation(
    differences: Iterable[tuple[float, int]], resamples: int = RESAMPLES, seed: int = SEED
) -> Chance:
    """How likely a mean difference at least this large is if the sign of each were a coin's.

    Each difference comes with the number of pairs that have it. Two-sided. Few differences, or few
    different ones, are counted in full; otherwise signs are drawn with a fixed seed; and over
    more than 10,000 pairs it is the normal approximation, from exact sums. The order of the
    differences, and which run is called the baseline, change nothing.

    >>> randomisation([(1, 5)])
    Chance(p=0.0625, method='all signs')
    >>> randomisation([(0.5, 1), (-0.5, 1), (0.0, 7)]).p
    1.0
    >>> randomisation([(1, 300), (-1, 200), (0, 99_500)]).method
    'normal approximation'
    """
    given = list(differences)
    if sum(count for _, count in given) > MOST_DRAWN:
        return Chance(_by_normal(given), "normal approximation")
    signed = _in_steps(given)
    sizes = _sizes(signed)
    # Each step is off by half at most, so sums that are equal on paper are within one per step.
    far = abs(sum(step * count for step, count in signed)) - sum(count for _, count in sizes)
    if far <= 0:
        return Chance(1.0, "all signs")
    halves = _split(sizes)
    if halves is not None:
        return Chance(_counted(*halves, far), "all signs")
    sums = _drawn(sizes, resamples, random.Random(seed))
    reached = sum(abs(total) >= far for total in sums)
    return Chance((reached + 1) / (resamples + 1), "drawn signs")


def mcnemar(gained: int, lost: int) -> float:
    """How likely so uneven a split of the questions that flipped is if either way were as likely.

    Two-sided, from the exact binomial; the split that was seen counts half on each side (mid-p),
    because counting it whole finds too few of the differences that are there. Questions that did
    not flip say nothing.

    >>> round(mcnemar(1, 7), 12)
    0.0390625
    >>> mcnemar(3, 3), mcnemar(0, 0)
    (1.0, 1.0)
    """
    if gained == lost:
        return 1.0
    fewer = min(gained, lost)
    first, weights = binomial_weights(gained + lost, 0.5)
    at = fewer - first
    # Weights so far out that they are not listed are 0 in any sum.
    if at < 0:
        return 0.0
    return (2 * math.fsum(weights[:at]) + weights[at]) / math.fsum(weights)


def holm(pvalues: Sequence[float]) -> list[float]:
    """The p-values of several tests at once, raised so that any error among them stays as rare.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(pvalues)), key=lambda index: pvalues[index])
    adjusted = [0.0] * len(pvalues)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(pvalues) - rank) * pvalues[index]))
        adjusted[index] = highest
    return adjusted


def _in_steps(differences: Sequence[tuple[float, int]]) -> list[tuple[int, int]]:
    """Differences as whole numbers of a step, 2**-30 of the largest.

    0.3 - 0.2 and 0.1 differ in the last digit; in steps they are equal, and sums are exact.
    """
    largest = max((abs(difference) for difference, _ in differences), default=0.0)
    _, exponent = math.frexp(largest)
    return [(round(math.ldexp(each, 30 - exponent)), count) for each, count in differences]


def _sizes(signed: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """How many differences there are of each size, whatever their sign, but for no difference."""
    found: Outcomes = {}
    for step, count in signed:
        if step and count:
            found[abs(step)] = found.get(abs(step), 0) + count
    return sorted(found.items())


def _by_normal(differences: Sequence[tuple[float, int]]) -> float:
    """Under random signs the sum has the mean 0 and the sum of squares as its variance."""
    total = math.fsum(each * count for each, count in differences)
    squares = math.fsum(each * each * count for each, count in differences)
    p = math.erfc(abs(total) / math.sqrt(2 * squares)) if squares else 1.0
    # Mathematics libraries differ in the last digits; a report must not.
    return float(f"{p:.12g}")


def _split(sizes: list[tuple[int, int]]) -> tuple[Outcomes, Outcomes] | None:
    """The sums that either half of the differences can have; None if there are too many."""
    smaller: Outcomes = {0: 1}
    larger: Outcomes = {0: 1}
    for size, count in sorted(sizes, key=lambda item: -item[1]):
        if len(smaller) * (count + 1) > _ENUMERATED:
            return None
        smaller, larger = sorted((_with(smaller, size, count), larger), key=len)
    return smaller, larger


def _with(outcomes: Outcomes, size: int, count: int) -> Outcomes:
    """Every sum, with the number of signs that give it, after `count` more of one size."""
    ways = list(accumulate(range(count), lambda w, k: w * (count - k) // (k + 1), initial=1))
    grown: Outcomes = {}
    for total, so_far in outcomes.items():
        for plus, more in enumerate(ways):
            reached = total + (2 * plus - count) * size
            grown[reached] = grown.get(reached, 0) + so_far * more
    return grown


def _counted(one: Outcomes, other: Outcomes, far: int) -> float:
    """The share of all signs whose sum is at least this far from 0, on either side."""
    sums = sorted(other)
    # ways[i] signs of the other half give the i-th largest sum or more.
    ways = list(accumulate((other[total] for total in reversed(sums)), initial=0))
    reach = 0
    for total, count in one.items():
        reach += count * ways[len(sums) - bisect_left(sums, far - total)]
    return 2 * reach / (sum(one.values()) * ways[-1])


def _drawn(sizes: list[tuple[int, int]], resamples: int, draw: random.Random) -> list[int]:
    """The sum of the differences under random signs, once per resample."""
    singles = [size for size, count in sizes if count < _MANY for _ in range(count)]
    plus = _drawn_singly(singles, resamples, draw)
    for size, count in sizes:
        if count >= _MANY:
            plus = [total + size * draw.getrandbits(count).bit_count() for total in plus]
    everything = sum(size * count for size, count in sizes)
    return [2 * total - everything for total in plus]


def _drawn_singly(sizes: list[int], resamples: int, draw: random.Random) -> list[int]:
    """The sum of the sizes that drew a plus, once per resample.

    All resamples are lanes of one large number, wide enough that no sum runs into the next lane,
    so that one multiplication adds a size to every resample that drew a plus for it.
    """
    if not sizes:
        return [0] * resamples
    width = (sum(sizes).bit_length() + 7) // 8
    ones = int.from_bytes((b"\1" + bytes(width - 1)) * resamples, "little")
    lanes = 0
    for start in range(0, len(sizes), 8 * width):
        bits = draw.getrandbits(8 * width * resamples)
        for shift, size in enumerate(sizes[start : start + 8 * width]):
            lanes += (bits >> shift & ones) * size
    raw = lanes.to_bytes(width * resamples, "little")
    return [int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width)]
