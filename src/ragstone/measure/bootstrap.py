"""What another sample of the same rows would be like: resampling with a fixed seed.

Draws are made with whole numbers only, so that every machine draws the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

RESAMPLES = 2000
SEED = 0


def resampled_counts(
    counts: Sequence[int], resamples: int = RESAMPLES, seed: int = SEED
) -> Iterator[list[int]]:
    """The counts of each kind of row after drawing as many rows with replacement, many times.

    The rows themselves are never touched: how many of a kind are drawn is binomial among what the
    kinds before it left, so a million rows cost little more than a hundred.

    >>> [sum(drawn) for drawn in resampled_counts([45, 25, 30], resamples=3)]
    [100, 100, 100]
    """
    chance = random.Random(seed)
    for _ in range(resamples):
        rows, rest = sum(counts), sum(counts)
        drawn = []
        for count in counts:
            taken = binomial_draw(chance, rows, count, rest)
            drawn.append(taken)
            rows, rest = rows - taken, rest - count
        yield drawn


def binomial_draw(chance: random.Random, n: int, top: int, bottom: int) -> int:
    """How many of n coins that fall heads `top` times in `bottom` fall heads.

    A coin is a number in 0..1 written bit by bit, and is heads if it is less than top/bottom: at
    each bit half of the undecided coins are settled, all of them in one draw.

    >>> chance = random.Random(0)
    >>> binomial_draw(chance, 10, 0, 3), binomial_draw(chance, 10, 3, 3)
    (0, 10)
    """
    if top >= bottom:
        return n
    heads, undecided = 0, n
    while undecided and top:
        ones = chance.getrandbits(undecided).bit_count()
        top *= 2
        if top >= bottom:
            top -= bottom
            heads += undecided - ones
            undecided = ones
        else:
            undecided -= ones
    return heads
