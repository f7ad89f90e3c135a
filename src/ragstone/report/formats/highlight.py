"""Finds the gold substrings in a claim, to mark them for the reader.

Whether a claim contains its evidence is decided by the suite and not here; this follows the same
rule, so that what is marked and the verdict never disagree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

# Shorter entries can never match, so they must not be painted either.
SHORTEST = 5

Piece = tuple[str, bool]


def pieces(text: str, substrings: Iterable[str]) -> tuple[Piece, ...]:
    """`text` cut into what matches a substring, ignoring case, and what does not.

    >>> pieces("X rejects NULL keys.", ["null keys"])
    (('X rejects ', False), ('NULL keys', True), ('.', False))
    >>> pieces("Straße 12", ["strasse"])
    (('Straße', True), (' 12', False))
    """
    normal = unicodedata.normalize("NFC", text)
    # One letter may fold to several (ß to ss): origin leads each folded one back to its letter.
    folds = [character.casefold() for character in normal]
    origin = [index for index, fold in enumerate(folds) for _ in fold]
    folded = "".join(folds)
    marked = bytearray(len(normal))
    for substring in substrings:
        if len(substring) >= SHORTEST:
            wanted = unicodedata.normalize("NFC", substring).casefold()
            for hit in re.finditer(re.escape(wanted), folded):
                start, stop = origin[hit.start()], origin[hit.end() - 1] + 1
                marked[start:stop] = b"\1" * (stop - start)
    runs = groupby(zip(normal, marked, strict=True), key=itemgetter(1))
    return tuple(("".join(letter for letter, _ in run), bool(hit)) for hit, run in runs)
