"""Ranks chunks for a question by BM25, by vectors, or by both rankings fused.

All in plain Python, and the same to the last bit each time: sums are taken in one order, scores are
rounded before they are compared, and chunks with equal scores are sorted by id.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ragstone.embedders.embed import Ngram, Vector
from ragstone.index.chunks import Chunk
from ragstone.index.texts import terms
from ragstone.progress import counting

Mode = Literal["hybrid", "bm25", "vector"]
MODES: tuple[str, ...] = get_args(Mode)

K1, B = 1.2, 0.75
# Reciprocal-rank fusion: its constant, and how many places of each ranking it uses.
FUSION, DEPTH = 60, 100
_PLACES = 9


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk and its score; scores of different modes cannot be compared."""

    chunk: Chunk
    score: float


class Postings:
    """For each feature, the chunks that have it and its weight in each."""

    def __init__(self, weights: Iterable[Mapping[str, float] | Mapping[int, float]]) -> None:
        self._lists: dict[str | int, list[tuple[int, float]]] = {}
        for number, features in enumerate(weights):
            for feature, weight in features.items():
                self._lists.setdefault(feature, []).append((number, weight))

    def count(self, feature: str | int) -> int:
        return len(self._lists.get(feature, ()))

    def sums(self, features: Iterable[tuple[str | int, float]]) -> dict[int, float]:
        """For each chunk with any of the features, the dot product with their weights."""
        made: dict[int, float] = {}
        known = made.get
        for feature, factor in features:
            for number, weight in self._lists.get(feature, ()):
                made[number] = known(number, 0.0) + factor * weight
        return made


class Ranker:
    """The chunks of an index, ready to be searched."""

    def __init__(self, chunks: Sequence[Chunk], words: Sequence[Mapping[str, int]]) -> None:
        self._chunks = chunks
        # Chunks with equal scores are sorted by id; the order of the ids is computed once.
        by_id = sorted(range(len(chunks)), key=lambda number: chunks[number].id)
        self._order = {number: place for place, number in enumerate(by_id)}
        self._bm25 = Postings(_saturated(words))
        self._embedder = Ngram()
        looked = counting(chunks, "ranking", "chunks", step="ranking")
        vectors = [_whole(v) for chunk in looked for v in self._embedder.embed([_seen(chunk)])]
        self._vectors = Postings(vectors)
        self._sizes = [sum(weight * weight for weight in vector.values()) for vector in vectors]

    def idf(self, term: str) -> float:
        """The weight of a word: the fewer chunks have it, the higher."""
        count = self._bm25.count(term)
        return math.log(1 + (len(self._chunks) - count + 0.5) / (count + 0.5))

    def search(self, query: str, k: int, mode: Mode = "hybrid") -> tuple[Hit, ...]:
        """The best `k` chunks, best first, of those that share anything with the query."""
        if mode == "hybrid":
            scores = _fused(
                [self._ranked(self._by_words(query)), self._ranked(self._by_vector(query))]
            )
        else:
            scores = self._by_words(query) if mode == "bm25" else self._by_vector(query)
        return tuple(
            Hit(self._chunks[number], scores[number]) for number in self._ranked(scores, k)
        )

    def _by_words(self, query: str) -> dict[int, float]:
        counts = Counter(terms(query))
        return self._bm25.sums((term, self.idf(term) * n) for term, n in sorted(counts.items()))

    def _by_vector(self, query: str) -> dict[int, float]:
        (vector,) = self._embedder.embed([query])
        features = _whole(vector)
        size = sum(weight * weight for weight in features.values())
        dots = self._vectors.sums(features.items())
        return {n: dot / math.sqrt(size * self._sizes[n]) for n, dot in dots.items()}

    def _ranked(self, scores: Mapping[int, float], k: int = DEPTH) -> list[int]:
        place = self._order
        return heapq.nsmallest(k, scores, key=lambda n: (-round(scores[n], _PLACES), place[n]))


def words_of(chunk: Chunk) -> dict[str, int]:
    """How often each stem occurs in a chunk and in the titles above it."""
    return dict(sorted(Counter(terms(_seen(chunk))).items()))


def _seen(chunk: Chunk) -> str:
    return "\n".join((*chunk.titles, chunk.text))


def _saturated(words: Sequence[Mapping[str, int]]) -> list[dict[str, float]]:
    """The BM25 weight of each word in each chunk, without the idf."""
    lengths = [sum(counts.values()) for counts in words]
    mean = sum(lengths) / len(lengths) if sum(lengths) else 1.0
    made = []
    for counts, length in zip(words, lengths, strict=True):
        norm = K1 * (1 - B + B * length / mean)
        made.append({t: n * (K1 + 1) / (n + norm) for t, n in counts.items()})
    return made


def _fused(lists: Sequence[Sequence[int]]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for ranked in lists:
        for rank, number in enumerate(ranked, 1):
            scores[number] = scores.get(number, 0.0) + 1 / (FUSION + rank)
    return scores


def _whole(vector: Vector) -> Mapping[int, int]:
    """The index's embedder gives whole numbers, whose sums are exact in any order."""
    return vector if isinstance(vector, Mapping) else {}
