"""How many questions prove that a rate is within a limit, by the exact interval?

A gate such as `precision >= 0.80` is taken as a limit on what goes wrong: at most 0.20 of its set.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ragstone.measure.deviates import normal_deviate
from ragstone.measure.exact_interval import at_most
from ragstone.measure.interval import TOLERANCE
from ragstone.measure.more_questions import first_settled

POWER = 0.80

# More questions than anybody would ask.
_MOST = 10**8


class Sample(NamedTuple):
    """A number of questions, and how many of them may fail for the limit to be proven."""

    questions: int
    failures: int


def fewest_questions(limit: float, failures: int = 0, level: float = 0.95) -> int:
    """The fewest questions among which so many failures prove that at most `limit` of all fail.

    >>> fewest_questions(0.05), fewest_questions(0.05, 2), fewest_questions(0.2)
    (72, 142, 17)
    """
    # By the normal distribution the end is where n·limit - failures = z·√(n·limit·(1 - limit)).
    spread = normal_deviate(level) * math.sqrt(limit * (1 - limit))
    root = (spread + math.sqrt(spread * spread + 4 * limit * failures)) / (2 * limit)

    def proven(questions: int) -> bool:
        return at_most(failures, questions, limit + TOLERANCE) <= (1 - level) / 2

    return first_settled(proven, math.ceil(root * root)) or _MOST + 1


def to_prove(limit: float, rate: float, level: float = 0.95, power: float = POWER) -> Sample | None:
    """The sample that proves the limit with this power, if `rate` truly fail; None if none does.

    >>> to_prove(0.05, 0.0), to_prove(0.05, 0.02)
    (Sample(questions=72, failures=0), Sample(questions=312, failures=8))
    >>> to_prove(0.05, 0.05) is None
    True
    """
    if not 0 <= rate < limit - TOLERANCE:
        return None

    def enough(failures: int) -> bool:
        questions = fewest_questions(limit, failures, level)
        return questions > _MOST or at_most(failures, questions, rate) >= power

    high = 0
    while not enough(high):
        high = 2 * high + 1
    low = (high - 1) // 2 if high else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    questions = fewest_questions(limit, high, level)
    return Sample(questions, high) if questions <= _MOST else None
