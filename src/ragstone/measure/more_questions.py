"""How many more questions would settle an open comparison with a limit, as a range and in words.

What is still to come may go as what was seen so far, or as the end of the interval that is nearest
to the limit. These two guesses give the range; neither is a promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ragstone.measure.deviates import normal_deviate
from ragstone.measure.exact_interval import at_most, exact_end
from ragstone.measure.interval import TOLERANCE

Needed = tuple[int | None, int | None]
"""The fewest and the most more questions; an end is None where no number is known."""

# More questions than anybody would ask: the range is then open to that side.
_TOO_MANY = 10**6


def more_questions(fewest: int | None, most: int | None) -> str:
    """The one way in which a range of questions is put into words, in every report.

    The fewest are enough, so they stand as they are; from 100 on, the most have two figures.

    >>> more_questions(141, 232)
    '141 to 240 more questions would settle it'
    >>> more_questions(40, None)
    'at least 40 more questions would settle it'
    >>> more_questions(1, 1)
    'about 1 more question would settle it'
    >>> more_questions(None, None)
    'how many more questions would settle it cannot be said yet'
    """
    if fewest is None:
        return "how many more questions would settle it cannot be said yet"
    if most is None:
        count = f"at least {fewest:,}"
    elif fewest == most:
        count = f"about {two_figures(most):,}"
    else:
        count = f"{fewest:,} to {two_figures(most):,}"
    last = fewest if most is None else most
    return f"{count} more question{'' if last == 1 else 's'} would settle it"


def two_figures(number: int, *, up: bool = True) -> int:
    """
    >>> two_figures(232), two_figures(232, up=False)
    (240, 230)
    """
    step: int = 10 ** max(0, len(str(number)) - 2)
    return (-(-number // step) if up else number // step) * step


def more_for_share(
    value: float,
    ends: tuple[float, float],
    limit: float,
    rows: int,
    questions: int,
    level: float = 0.95,
) -> Needed:
    """The range for a share, or a mean from 0 to 1, whose interval has the limit inside.

    The share is of `rows`. Repeats of a question are worth fewer whole ones: as many as have an
    exact interval so wide. What is still to come is added to these.

    >>> from ragstone.measure.exact_interval import exact_interval
    >>> more_for_share(0.9, exact_interval(9, 10), 0.8, 10, 10)
    (24, 59)
    >>> more_for_share(0.8, exact_interval(8, 10), 0.8, 10, 10)
    (31, None)
    """
    z, rare = normal_deviate(level), (1 - level) / 2

    def as_wide(size: int) -> bool:
        end = exact_end(value * size, size, level, upper=value < limit)
        return end >= ends[1] - TOLERANCE if value < limit else end <= ends[0] + TOLERANCE

    worth = rows
    if not as_wide(rows):
        low, worth_less = 1, rows
        while worth_less - low > 1:
            middle = (low + worth_less) // 2
            low, worth_less = (middle, worth_less) if as_wide(middle) else (low, middle)
        worth = low

    def more(coming: float) -> float | None:
        def clear(size: int) -> bool:
            low, high = _around(value * worth + coming * size, worth + size)
            if coming < limit:
                return at_most(high, worth + size, limit + TOLERANCE) <= rare
            misses = worth + size - low
            return at_most(misses, worth + size, 1 - limit + TOLERANCE) <= rare

        spread = z * z * limit * (1 - limit)
        near = _rows_to_settle(worth, value - limit, coming - limit, spread)
        return None if near is None else first_settled(clear, max(1, math.ceil(near)))

    return _range(value, ends, limit, worth, more, questions)


def _around(share: float, size: int) -> tuple[int, int]:
    """The whole numbers on either side of a part of so many."""
    share = round(share, 6)
    return min(size, math.floor(share)), min(size, math.ceil(share))


def more_for_number(
    value: float, ends: tuple[float, float], limit: float, questions: int
) -> Needed:
    """The range for any other number whose interval narrows with the root of the questions.

    >>> more_for_number(110.0, (90.0, 130.0), 100.0, 25)
    (75, 162)
    """
    beyond = ends[0] if value >= limit else ends[1]
    spread = questions * (value - beyond) ** 2

    def more(coming: float) -> float | None:
        return _rows_to_settle(questions, value - limit, coming - limit, spread)

    return _range(value, ends, limit, questions, more, questions)


def first_settled(settled: Callable[[int], bool], near: int = 1) -> int | None:
    """The first number that settles something, looked for from a number that may be near to it.

    >>> first_settled(lambda more: more >= 141), first_settled(lambda more: more >= 141, near=150)
    (141, 141)
    """
    step, low, high = 1, 0, near
    if settled(near):
        while near - step > 0 and settled(near - step):
            high, step = near - step, 2 * step
        low = max(0, near - step)
    else:
        while not settled(near + step):
            low, step = near + step, 2 * step
            if near + step > _TOO_MANY and step > near:
                return None
        low, high = max(low, near), near + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return high


def _range(
    value: float,
    ends: tuple[float, float],
    limit: float,
    rows: float,
    more: Callable[[float], float | None],
    questions: int,
) -> Needed:
    """From the most that the two guesses of what is coming say, in rows, to questions."""
    nearer = min(ends, key=lambda end: abs(end - limit))
    settling = [more(rate) for rate in (value, nearer)]
    known = sorted(
        max(1, math.ceil(round(size * questions / rows, 6)))
        for size in settling
        if size is not None
    )
    fewest = known[0] if known else None
    return fewest, known[-1] if len(known) == 2 else None


def _rows_to_settle(rows: float, gap: float, coming: float, spread: float) -> float | None:
    """How many more rows, whose mean is `coming` away from a limit, make all of them clear of it.

    Of n rows, a mean is clear of the limit when it is at least √(spread / n) away. With `gap` for
    the rows so far, m more do it when (rows·gap + m·coming)² = spread·(rows + m).
    """
    if abs(coming) <= TOLERANCE:
        return None
    have = rows * gap
    middle = spread / 2 - have * coming
    short = spread * rows - have * have
    if short <= 0:
        return 0.0
    more = (middle + math.sqrt(middle * middle + coming * coming * short)) / (coming * coming)
    return more if more <= _TOO_MANY else None
