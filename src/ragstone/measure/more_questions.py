"""How many more questions would settle an open comparison with a limit, as a range and in words.

What is still to come may go as what was seen so far, or as the end of the interval that is nearest
to the limit. These two guesses give the range; neither is a promise.
"""

from __future__ import annotations

import math

from ragstone.measure.deviates import t_deviate
from ragstone.measure.interval import TOLERANCE

Needed = tuple[int | None, int | None]
"""The fewest and the most more questions; an end is None where no number is known."""

# More questions than anybody would ask: the range is then open to that side.
_TOO_MANY = 10**6


def more_questions(fewest: int | None, most: int | None) -> str:
    """The one way in which a range of questions is put into words, in every report.

    From 100 on, two figures are shown: guesses are no more exact than that.

    >>> more_questions(40, 123)
    '40 to 130 more questions would settle it'
    >>> more_questions(40, None)
    'at least 40 more questions would settle it'
    >>> more_questions(1, 1)
    'about 1 more question would settle it'
    >>> more_questions(None, None)
    'how many more questions would settle it cannot be said yet'
    """
    if fewest is None:
        return "how many more questions would settle it cannot be said yet"
    low = _two_figures(fewest)
    if most is None:
        count = f"at least {low:,}"
    elif low == _two_figures(most):
        count = f"about {low:,}"
    else:
        count = f"{low:,} to {_two_figures(most):,}"
    last = fewest if most is None else most
    return f"{count} more question{'' if last == 1 else 's'} would settle it"


def _two_figures(number: int) -> int:
    step: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // step) * step


def more_for_share(
    value: float,
    ends: tuple[float, float],
    limit: float,
    questions: int,
    level: float = 0.95,
) -> Needed:
    """The range for a share, or a mean from 0 to 1, whose interval has the limit inside.

    The interval says how many independent rows it is worth, so repeats of a question count no more
    than they did there.

    >>> from ragstone.measure.interval import wilson
    >>> more_for_share(0.9, wilson(9, 10), 0.8, 10)
    (17, 52)
    >>> more_for_share(0.8, wilson(8, 10), 0.8, 10)
    (38, None)
    """
    z = t_deviate(10**6, level)
    # Wilson's end e of a share p over n rows is where (p - e)² = z² e (1 - e) / n.
    end = max((e for e in ends if 0 < e < 1), key=lambda e: abs(value - e), default=None)
    if end is None or end == value:
        return None, None
    rows = z * z * end * (1 - end) / (value - end) ** 2
    return _range(value, ends, limit, rows, z * z * limit * (1 - limit), questions)


def more_for_number(
    value: float, ends: tuple[float, float], limit: float, questions: int
) -> Needed:
    """The range for any other number whose interval narrows with the root of the questions.

    >>> more_for_number(110.0, (90.0, 130.0), 100.0, 25)
    (75, 162)
    """
    beyond = ends[0] if value >= limit else ends[1]
    return _range(value, ends, limit, questions, questions * (value - beyond) ** 2, questions)


def _range(
    value: float,
    ends: tuple[float, float],
    limit: float,
    rows: float,
    spread: float,
    questions: int,
) -> Needed:
    nearer = min(ends, key=lambda end: abs(end - limit))
    found = [_rows_to_settle(rows, value - limit, rate - limit, spread) for rate in (value, nearer)]
    known = sorted(
        max(1, math.ceil(round(more * questions / rows, 6))) for more in found if more is not None
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
