"""Numbers of a claim in words, and numbers that it gives as a bound: `over $181 million`."""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace

from ragstone.matching.characters import fold
from ragstone.matching.language_packs import LANGUAGES, language_of, pack
from ragstone.matching.letters import letters_of
from ragstone.matching.numbers import Number, numbers
from ragstone.matching.spelled_numbers import LONGEST, spelled
from ragstone.matching.vocabularies import vocabulary

_WORD = re.compile(r"[^\W\d_]+")
# What stands between the words of one number.
_GAP = re.compile(r"[\s-]{1,2}")
_DIGIT_BEFORE = re.compile(r"[0-9][\s-]{1,2}\Z")
_LOOK_BACK = 24
# `one of them` is no number, nor is any other single one.
_ONE = 1


def numbers_in_words(text: str, decimal: str) -> tuple[Number, ...]:
    """The numbers of a text that are written in words of its language.

    >>> [(str(one.value), one.unit) for one in numbers_in_words("It took twenty-five days", ".")]
    [('25', 'days')]
    """
    written, places = _in_digits(text)
    if not places:
        return ()
    # Each place is where the digits begin and end, and how far they have moved what follows.
    found = []
    begins = [begin for begin, _, _ in places]
    for one in numbers(written, decimal):
        at = bisect_right(begins, one.end) - 1
        if at < 0 or places[at][0] < one.begin:
            continue
        begin, end, shift = places[at]
        before = places[at - 1][2] if at else 0
        if one.begin <= begin and end <= one.end:
            found.append(replace(one, begin=one.begin + before, end=one.end + shift))
    return tuple(found)


def _in_digits(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text with its number words in digits, and where these stand."""
    words = vocabulary(language_of(text) or "en")
    tokens = [(*found.span(), letters_of(found[0])) for found in _WORD.finditer(text)]
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    since = length = place = 0
    while place < len(tokens):
        begin, _, first = tokens[place]
        # The scale of a number in digits is no number of its own.
        of_digits = first in words.multiples and _DIGIT_BEFORE.search(
            text, max(0, begin - 3), begin
        )
        if of_digits or not words.begins_number(first):
            place += 1
            continue
        joined = [first]
        while place + len(joined) < len(tokens) and len(joined) < LONGEST:
            gap = text[tokens[place + len(joined) - 1][1] : tokens[place + len(joined)][0]]
            if not _GAP.fullmatch(gap):
                break
            joined.append(tokens[place + len(joined)][2])
        found = spelled(joined, words)
        place += found.length if found else 1
        if found is None or found.ordinal or found.value == _ONE:
            continue
        end = tokens[place - 1][1]
        digits = str(found.value)
        parts += [text[since:begin], digits]
        length += begin - since
        places.append((length, length + len(digits), end - length - len(digits)))
        length += len(digits)
        since = end
    return "".join([*parts, text[since:]]), places


def is_bound(text: str, begin: int) -> bool:
    """Whether the number that begins at a place of a text is called a bound: `over 181`.

    >>> is_bound("over $181 million", 5), is_bound("moreover 181", 9)
    (True, False)
    """
    before = fold(text[max(0, begin - _LOOK_BACK) : begin]).rstrip(" \u00a0$€£")
    return _bounds().search(before) is not None


@functools.cache
def _bounds() -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<=\W))(?:{'|'.join(map(re.escape, turns_of('above')))})\Z")


def turns_of(kind: str) -> Iterator[str]:
    """The turns of phrase of a kind in all languages, folded."""
    for language in LANGUAGES:
        yield from filter(None, map(fold, pack(language).words.get(kind, "").split("|")))
