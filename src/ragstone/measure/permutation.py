"""Whether two runs over the same questions truly differ, or could differ as much by chance.

A difference is one question's value in the candidate minus its value in the baseline.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

from ragstone.measure.interval import Closed, binomial_weights, mean_interval

RESAMPLES = 10_000
SEED = 0

# Up to this many outcomes in each half, all of them are counted: 26 different differences.
_ENUMERATED = 2**13

# From this many equal differences on, it is faster to draw how many of them are plus.
_MANY = 64

Outcomes = dict[int, int]


def randomisation(
    differences: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED
) -> float:
    """How likely a mean difference at least this large is if the sign of each were a coin's.

    Two-sided. Few differences, or few different ones, are counted in full; otherwise signs are
    drawn with a fixed seed. The order of the differences, and which run is called the baseline,
    change nothing.

    >>> randomisation([1, 1, 1, 1, 1])
    0.0625
    >>> randomisation([0.5, -0.5, 0.0])
    1.0
    """
    steps = _in_steps(differences)
    sizes = sorted(Counter(abs(step) for step in steps if step).items())
    # Each step is off by half at most, so sums that are equal on paper are within one per step.
    far = abs(sum(steps)) - sum(count for _, count in sizes)
    if far <= 0:
        return 1.0
    halves = _split(sizes)
    if halves is not None:
        return _counted(*halves, far)
    sums = _drawn(sizes, resamples, random.Random(seed))
    return (sum(abs(total) >= far for total in sums) + 1) / (resamples + 1)


def paired_interval(differences: Iterable[float], level: float = 0.95) -> Closed | None:
    """Where the mean difference could truly lie, by Student's t; None for a single difference.

    >>> low, high = paired_interval([0.0, 0.1, 0.2])
    >>> f"{low:.4f} {high:.4f}"
    '-0.1484 0.3484'
    """
    return mean_interval([(difference, 1) for difference in differences], level)


def mcnemar(gained: int, lost: int) -> float:
    """How likely so uneven a split of the questions that flipped is if either way were as likely.

    Two-sided, from the exact binomial; questions that did not flip say nothing.

    >>> round(mcnemar(1, 9), 12)
    0.021484375
    >>> mcnemar(3, 3), mcnemar(0, 0)
    (1.0, 1.0)
    """
    fewer = min(gained, lost)
    first, weights = binomial_weights(gained + lost, 0.5)
    tail = math.fsum(weights[: max(0, fewer - first + 1)])
    return min(1.0, 2 * tail / math.fsum(weights))


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


def _in_steps(differences: Sequence[float]) -> list[int]:
    """Differences as whole numbers of a step, 2**-30 of the largest.

    0.3 - 0.2 and 0.1 differ in the last digit; in steps they are equal, and sums are exact.
    """
    largest = max((abs(difference) for difference in differences), default=0.0)
    _, exponent = math.frexp(largest)
    return [round(math.ldexp(difference, 30 - exponent)) for difference in differences]


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
