"""Which questions of a run were asked before, so that each counts once.

Two pairs ask the same question if gold has both under one qid, or if their folded texts are equal.
The first of them counts. Whether a pair counts is known before its answers are judged, so the level
of the test stays what it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ragstone.matching.characters import folded_text
from ragstone.serve.canary_gold import CanaryGold
from ragstone.shadow.pairs import Pair


class AskedQuestions:
    """The questions so far: 16 bytes for each text, and for each qid of gold."""

    def __init__(self, gold: CanaryGold) -> None:
        self._gold = gold
        self._seen: set[bytes] = set()

    def is_new(self, pair: Pair) -> bool:
        """Whether a pair asks what no pair before it asked; from now on it is one of those."""
        keys = frozenset(map(_key, self._names(pair)))
        new = self._seen.isdisjoint(keys)
        self._seen |= keys
        return new

    def _names(self, pair: Pair) -> Iterator[str]:
        qid, text = self._gold.qid_of(pair.qid, pair.question), folded_text(pair.question)
        if qid:
            yield f"gold {qid}"
        if text:
            yield f"text {text}"
        if not qid and not text:
            yield f"qid {pair.qid}" if pair.qid else f"id {pair.id}"


def _key(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest()
