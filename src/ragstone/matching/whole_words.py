"""Whole words in a text: `v2.1` is in `use v2.1, please`, and not in `v2.10` or `v2.1.3`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ragstone.matching.characters import SPACELESS
from ragstone.matching.occurrences import occurrences

# What stands between the digits of one number or version.
MARKS = ".,'’\u00a0\u2009\u202f"
_SPACELESS = re.compile(f"[{SPACELESS}]")


def whole_words(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Where the word stands whole in the text; both are folded already.

    >>> list(whole_words("v2.10 or v2.1", "v2.1"))
    [(9, 13)]
    """
    for at in occurrences(text, word) if word else ():
        end = at + len(word)
        before = _continues(text[at : at + 1], text[max(0, at - 2) : at][::-1])
        if not before and not _continues(text[end - 1 : end], text[end : end + 2]):
            yield at, end


def _continues(edge: str, beyond: str) -> bool:
    """Whether what lies beyond the edge of a word, outwards, makes it a part of a longer one."""
    if not beyond or _SPACELESS.match(edge):
        return False
    if unicodedata.category(beyond[0])[0] == "M":
        return True
    if beyond[0].isalnum() and (edge.isalnum() or unicodedata.category(edge)[0] == "M"):
        return not _SPACELESS.match(beyond)
    return edge.isdecimal() and beyond[0] in MARKS and beyond[1:].isdecimal()
