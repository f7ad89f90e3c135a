"""Finds the gold substrings in a claim, to mark them for the reader, beside typed answers that were
found and what must not be said.

Whether a claim contains its evidence is decided by the suite and not here; this follows the same
rule, so that what is marked and the verdict never disagree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from ragstone.matching.phrases import phrase_spans

PLAIN, FOUND, FORBIDDEN, UNSUPPORTED = range(4)

Piece = tuple[str, int]
Spans = Iterable[tuple[int, int]]


def pieces(
    text: str,
    substrings: Iterable[str],
    found: Spans = (),
    forbidden: Spans = (),
    unsupported: Spans = (),
) -> tuple[Piece, ...]:
    """`text` cut into what is plain, what was expected and what is forbidden.

    Expected is what matches a substring, ignoring case, and what the spans of `found` hold.

    >>> pieces("X rejects NULL keys.", ["null keys"])
    (('X rejects ', 0), ('NULL keys', 1), ('.', 0))
    >>> pieces("Straße 12, not 13", ["strasse"], [(7, 9)], [(15, 17)])
    (('Straße', 1), (' ', 0), ('12', 1), (', not ', 0), ('13', 2))
    """
    normal = unicodedata.normalize("NFC", text)
    # One letter may fold to several (ß to ss): origin leads each folded one back to its letter.
    folds = [character.casefold() for character in normal]
    origin = [index for index, fold in enumerate(folds) for _ in fold]
    folded = "".join(folds)
    marked = bytearray(len(normal))
    for substring in substrings:
        for begin, end in phrase_spans(folded, substring):
            _paint(marked, origin[begin], origin[end - 1] + 1, FOUND)
    for spans, mark in ((found, FOUND), (unsupported, UNSUPPORTED), (forbidden, FORBIDDEN)):
        for span in spans:
            # Spans count the letters as they were written; composed, an accent is none of its own.
            start, stop = (len(unicodedata.normalize("NFC", text[:place])) for place in span)
            _paint(marked, start, stop, mark)
    runs = groupby(zip(normal, marked, strict=True), key=itemgetter(1))
    return tuple(("".join(letter for letter, _ in run), mark) for mark, run in runs)


def _paint(marked: bytearray, start: int, stop: int, mark: int) -> None:
    stop = min(stop, len(marked))
    marked[start:stop] = bytes([mark]) * (stop - start)
