"""The ranks of the judged documents of a question whose scores are in memory as a dict.

They are those of kernel.sql: scores compared as float32, ties by document id, both descending.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from math import inf

Grades = Mapping[str, int]
Scores = Mapping[str, float]
Hit = tuple[int, int]
"""A rank and the grade of the document there."""

_LARGEST = 3.4e38  # beyond it float32 rounds to infinity
_BEYOND = 3.5e38
_APART = 2.4e-7  # scores that differ by more than two parts in 2^23 differ in float32
_TINY = 1e-37  # below it float32 has fewer digits


def place(gold: Grades, ranking: Scores, floor: int) -> list[Hit]:
    """(rank, grade) of every document judged at or above the floor, best rank first.

    A rank is one more than the number of better scores, so only the scores are sorted, and ids are
    compared only around a judged document whose neighbours are too close for float32 to tell.

    >>> place({"b": 1, "c": 2, "z": 1}, {"a": 0.5, "b": 0.5, "c": 0.9}, 1)
    [(1, 2), (2, 1)]
    """
    found = [(doc, grade) for doc, grade in gold.items() if grade >= floor and doc in ranking]
    if not found:
        return []
    ascending = _sorted(ranking)
    if ascending[1] < -_LARGEST or ascending[-2] > _LARGEST:
        ranking = _within_float32(ranking)
        ascending = _sorted(ranking)
    last = len(ascending) - 1
    order: list[str] = []
    hits = []
    for doc, grade in found:
        score = ranking[doc]
        at = bisect_left(ascending, score)
        near = abs(score) * _APART + _TINY
        if ascending[at + 1] - score > near < score - ascending[at - 1]:
            hits.append((last - at, grade))
            continue
        upto = bisect_right(ascending, score, at)
        if ascending[upto] - score > near < score - ascending[at - 1]:
            order = order or _best_first(ranking, ascending)
            tied = sorted(order[last - upto : last - at], reverse=True)
            rank = last - upto + 1 + tied.index(doc)
        else:
            rank = _close_rank(doc, near, ranking, ascending)
        hits.append((rank, grade))
    hits.sort()
    return hits


def _sorted(ranking: Scores) -> list[float]:
    """The scores from the least to the greatest, between infinities."""
    ascending = list(ranking.values())
    # A run mostly comes with its best first; turned over, it has nothing left to sort, ties or not.
    ascending.reverse()
    ascending.sort()
    return [-inf, *ascending, inf]


def _within_float32(ranking: Scores) -> Scores:
    """The same scores as float32 has them, infinities as one finite value beyond all others."""
    singles = array("f", ranking.values())
    return {doc: max(-_BEYOND, min(_BEYOND, s)) for doc, s in zip(ranking, singles, strict=True)}


def _best_first(ranking: Scores, ascending: list[float]) -> list[str]:
    """The documents by descending score, those of one score in any order."""
    if list(ranking.values()) == ascending[-2:0:-1]:
        return list(ranking)
    return sorted(ranking, key=ranking.__getitem__, reverse=True)


def _close_rank(doc: str, near: float, ranking: Scores, ascending: list[float]) -> int:
    """The rank among scores too close to tell: float32 descending, then document id descending."""
    score = ranking[doc]
    close = {other: s for other, s in ranking.items() if -near <= s - score <= near}
    better = len(ascending) - 1 - bisect_right(ascending, max(close.values()))
    singles = dict(zip(close, array("f", close.values()), strict=True))
    # str compares by code point, which is the order of UTF-8 bytes: the same as strcmp.
    key = (singles[doc], doc)
    return 1 + better + sum([(s, other) > key for other, s in singles.items()])
