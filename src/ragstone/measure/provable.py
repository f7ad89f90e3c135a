"""How many questions prove that a rate is within a limit, by Wilson's interval?

A gate such as `precision >= 0.80` is taken as a limit on what goes wrong: at most 0.20 of its set.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ragstone.measure.interval import TOLERANCE, binomial_weights, wilson

POWER = 0.80

# Beyond this many questions a share is as good as normally distributed.
_COUNTED = 1_000_000
_MOST = 10**9


class Sample(NamedTuple):
    """A number of questions, and how many of them may fail for the limit to be proven."""

    questions: int
    failures: int


def fewest_questions(limit: float, failures: int = 0, level: float = 0.95) -> int:
    """The fewest questions among which so many failures prove that at most `limit` of all fail.

    >>> fewest_questions(0.05), fewest_questions(0.05, 2), fewest_questions(0.2)
    (73, 142, 16)
    """
    # Wilson's upper end is at the limit where n·limit - failures = z·√(n·limit·(1 - limit)).
    spread = _deviate(level) * math.sqrt(limit * (1 - limit))
    root = (spread + math.sqrt(spread * spread + 4 * limit * failures)) / (2 * limit)
    questions = max(failures, 1, math.floor(root * root) - 1)
    while wilson(failures, questions, level)[1] > limit + TOLERANCE:
        questions += 1
    return questions


def to_prove(limit: float, rate: float, level: float = 0.95, power: float = POWER) -> Sample | None:
    """The sample that proves the limit with this power, if `rate` truly fail; None if none does.

    >>> to_prove(0.05, 0.0), to_prove(0.05, 0.02)
    (Sample(questions=73, failures=0), Sample(questions=311, failures=8))
    >>> to_prove(0.05, 0.05) is None
    True
    """
    if not 0 <= rate < limit - TOLERANCE:
        return None

    def enough(failures: int) -> bool:
        questions = fewest_questions(limit, failures, level)
        return questions > _MOST or _at_most(questions, rate, failures) >= power

    high = 0
    while not enough(high):
        high = 2 * high + 1
    low = (high - 1) // 2 if high else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    questions = fewest_questions(limit, high, level)
    return Sample(questions, high) if questions <= _MOST else None


def _at_most(n: int, share: float, wanted: int) -> float:
    """How likely at most so many of n are."""
    if n > _COUNTED:
        from statistics import NormalDist

        spread = math.sqrt(n * share * (1 - share))
        return NormalDist().cdf((wanted + 0.5 - n * share) / spread) if spread else 1.0
    first, weights = binomial_weights(n, share)
    return math.fsum(weights[: max(0, wanted - first + 1)]) / math.fsum(weights)


def _deviate(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)
