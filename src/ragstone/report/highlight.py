"""Where in a claim do the gold substrings stand, so that a reader sees them at once?

This only paints: whether a claim contains its evidence is the suite's check, and is not decided
here. It follows the same rule, so that the picture and the verdict never disagree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

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
    cut: list[Piece] = []
    end = 0
    for start, stop in _spans(normal, substrings):
        cut += [(normal[end:start], False), (normal[start:stop], True)]
        end = stop
    cut.append((normal[end:], False))
    return tuple(piece for piece in cut if piece[0])


def _spans(text: str, substrings: Iterable[str]) -> list[tuple[int, int]]:
    """The matched stretches, in order and without overlaps."""
    # One letter may fold to several (ß to ss): origin leads each folded one back to its letter.
    folds = [character.casefold() for character in text]
    origin = [index for index, fold in enumerate(folds) for _ in fold]
    folded = "".join(folds)
    found: list[tuple[int, int]] = []
    for substring in substrings:
        if len(substring) >= SHORTEST:
            wanted = unicodedata.normalize("NFC", substring).casefold()
            found += [
                (origin[at], origin[at + len(wanted) - 1] + 1) for at in _starts(folded, wanted)
            ]
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged


def _starts(text: str, wanted: str) -> Iterable[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))
