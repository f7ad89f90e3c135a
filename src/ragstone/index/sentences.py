"""Splits text into sentences by fixed rules, well enough to quote one as an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragstone.index.chunk_model import Type

_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[^\Wa-z])|\n+")
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|no|fig|dr|mr|mrs|ms|prof|st|jr|sr|gen|col|rev|vol|pp?)"
    r"|(?:^|[\s(.])[^\W\d_])\.$",
    re.IGNORECASE,
)


def sentences(text: str, type: Type = "prose") -> Iterator[tuple[int, int]]:
    """The spans of the sentences of prose, or of the lines of everything else.

    >>> text = "It waits 2.5 s, e.g. For long. Then it stops."
    >>> [text[b:e] for b, e in sentences(text)]
    ['It waits 2.5 s, e.g. For long.', 'Then it stops.']
    """
    begin = 0
    for found in re.finditer(r"\n", text) if type != "prose" else _END.finditer(text):
        if type == "prose" and _SHORT.search(
            text[max(begin, found.end() - 12) : found.end()].rstrip("\n")
        ):
            continue
        yield from _trimmed(text, begin, found.end())
        begin = found.end()
    yield from _trimmed(text, begin, len(text))


def _trimmed(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[begin:end]
    body = piece.strip()
    if body:
        start = begin + len(piece) - len(piece.lstrip())
        yield start, start + len(body)
