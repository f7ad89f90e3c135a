"""BM25 and cosine over every chunk, written down from their formulas."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def bm25(query: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    """Okapi BM25 with k1 = 1.2, b = 0.75 and an idf that is never negative."""
    mean = sum(map(len, texts)) / len(texts) or 1
    scores = []
    for text in texts:
        total = 0.0
        for term in query:
            n = sum(term in other for other in texts)
            idf = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5))
            tf = text.count(term)
            total += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(text) / mean))
        scores.append(total)
    return scores


def cosine(one: Counter[int], other: Counter[int]) -> float:
    dot = sum(one[key] * other[key] for key in one)
    sizes = [math.sqrt(sum(w * w for w in vector.values())) for vector in (one, other)]
    return dot / (sizes[0] * sizes[1]) if all(sizes) else 0.0


def fused(lists: Sequence[Sequence[str]]) -> dict[str, float]:
    """Reciprocal-rank fusion with the constant 60."""
    scores: dict[str, float] = {}
    for ranked in lists:
        for rank, id in enumerate(ranked, 1):
            scores[id] = scores.get(id, 0.0) + 1 / (60 + rank)
    return scores
