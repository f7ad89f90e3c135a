"""Numbers that people write as text: in a flag, a cell of a table, a line of a TREC file.

Python's `int` and `float` also take `1_000`, blanks, `nan` and the digits of every script. The
engine takes none of these, so a text that only Python can read is refused here.
"""

from __future__ import annotations

import math
import re

from ragstone.contracts.kinds import MOST

_WHOLE = r"[+-]?[0-9]+"
# Digits may stand in one place only: where they may stand in two, a long row of them is tried anew
# from each digit.
REAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
RANGE = "from -1e15 to 1e15"
# Python refuses to turn more than 4,300 digits into a number, and is slow long before.
_DIGITS = 400


def whole_number(text: str) -> int | None:
    """The whole number that a text spells, if it is one of at most 1e15 in size.

    >>> [whole_number(text) for text in ("12", "-3", "1_000", "٣", " 5", "1.0", "9" * 5000)]
    [12, -3, None, None, None, None, None]
    """
    if len(text) > _DIGITS or not re.fullmatch(_WHOLE, text):
        return None
    found = int(text)
    return found if abs(found) <= MOST else None


def real_number(text: str) -> float | None:
    """The finite number that a text spells.

    >>> [real_number(text) for text in ("1.5", "-2e3", ".5", "1_0", "nan", "٣", "1e999")]
    [1.5, -2000.0, 0.5, None, None, None, None]
    """
    found = float(text) if re.fullmatch(REAL, text) else math.inf
    return found if math.isfinite(found) else None


def natural_key(digits: str) -> tuple[int, str]:
    """Puts runs of digits in the order of their numbers, however long they are.

    >>> sorted(["10", "9", "007", "1" * 5000], key=natural_key)[:3]
    ['007', '9', '10']
    """
    number = digits.lstrip("0")
    return len(number), number


def clipped(value: object) -> str:
    """A value as a message shows it, and no more than one line of it.

    >>> clipped("a" * 5000)[:3], len(clipped([1] * 5000)), clipped(10**5000)
    ("'aa", 61, 'a number of thousands of digits')
    """
    try:
        text = repr(value)
    except ValueError:
        # Python writes out no whole number of more than 4,300 digits.
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:60]}…"
