"""Plain phrases: substrings of the folded claim, with a floor and without half of a number."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ragstone.matching.characters import DIGITS, SPACELESS, fold
from ragstone.matching.occurrences import occurrences

FLOOR = 5
# The decimal point and the thousands marks: the digit behind one continues the digit before it.
MARKS = ".,'’٫٬\u00a0\u2009\u202f"
# A number with all its digits and marks.
FIGURE = f"[{DIGITS}]+(?:[{MARKS}][{DIGITS}]+)*"


# Classes of so many characters take some milliseconds to compile, and the engine looks for its
# phrases without them.
@functools.cache
def _one_of(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]")


def weight(phrase: str) -> int:
    """The characters of a phrase; one of a script without spaces counts as three.

    >>> weight("Rome"), weight("東京")
    (4, 6)
    """
    return len(phrase) + 2 * len(_one_of(SPACELESS).findall(phrase))


def has_phrase(claim: str, phrase: str) -> bool:
    """Whether a claim holds a phrase of gold, ignoring case.

    >>> has_phrase("Kept for 30 days.", "30 days"), has_phrase("Kept for 130 days.", "30 days")
    (True, False)
    """
    return any(True for _ in phrase_spans(fold(claim), phrase))


def phrase_spans(folded_claim: str, phrase: str) -> Iterator[tuple[int, int]]:
    """Where a phrase as gold has it stands in a folded claim."""
    if weight(phrase) < FLOOR:
        return
    wanted = fold(phrase)
    for at in occurrences(folded_claim, wanted):
        end = at + len(wanted)
        before = folded_claim[max(0, at - 2) : at][::-1]
        if not _goes_on(wanted[0], before) and not _goes_on(
            wanted[-1], folded_claim[end : end + 2]
        ):
            yield at, end


def _goes_on(edge: str, beyond: str) -> bool:
    """Whether a digit at the edge of a phrase is continued by the next one or two characters."""
    digit = _one_of(DIGITS)
    if not beyond or not digit.match(edge):
        return False
    return bool(digit.match(beyond) or (beyond[0] in MARKS and digit.match(beyond[1:])))
