"""The value of each measure for one question, computed in Python for data already in memory.

The values are those of the measures' SQL to the last bit: the same formula, the same order of
additions, the same table of logarithms. tests/against/test_ranking_oracle.py compares them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from math import inf, log2
from typing import NamedTuple

from ragstone.suites.ranking.placing import Hit
from ragstone.suites.ranking.ranking_measures import MOST_EXPONENTIAL, Measure, too_large

_EVERY = 2_147_483_647


class Placed(NamedTuple):
    """One question after ranking: where its judged documents landed.

    `relevant` are the ranks of hits at or above the level; `grades` are all of the question's.
    """

    hits: list[Hit]
    relevant: list[int]
    grades: list[int]
    n_rel: int
    level: int


Value = Callable[[Placed], float]


def value_of(measure: Measure) -> Value:
    """The function behind a measure.

    >>> value_of(Measure("P", 2))(Placed([(2, 1)], [2], [1, 1], 2, 1))
    0.5
    """
    k = measure.k or _EVERY
    if measure.base == "ndcg":
        return _ndcg(k, _exponential if measure.exponential else float)
    if measure.base == "bpref":
        return _bpref
    if measure.base == "rprec":
        return lambda q: bisect_right(q.relevant, q.n_rel) / q.n_rel if q.n_rel else 0.0
    return {"P": _precision, "R": _recall, "success": _success, "mrr": _mrr, "map": _map}[
        measure.base
    ](k)


def _precision(k: int) -> Value:
    return lambda q: bisect_right(q.relevant, k) / k


def _recall(k: int) -> Value:
    return lambda q: bisect_right(q.relevant, k) / q.n_rel if q.n_rel else 0.0


def _success(k: int) -> Value:
    return lambda q: 1.0 if q.relevant and q.relevant[0] <= k else 0.0


def _mrr(k: int) -> Value:
    return lambda q: 1 / q.relevant[0] if q.relevant and q.relevant[0] <= k else 0.0


def _map(k: int) -> Value:
    def value(q: Placed) -> float:
        # Added one by one: sum() compensates from Python 3.12 on, and would differ in the last bit.
        total = 0.0
        for nth, rank in enumerate(q.relevant, 1):
            if rank > k:
                break
            total += nth / rank
        return total / q.n_rel if q.n_rel else 0.0

    return value


def _bpref(q: Placed) -> float:
    most = min(sum(0 <= grade < q.level for grade in q.grades), q.n_rel)
    total, worse = 0.0, 0
    for _, grade in q.hits:
        if grade < q.level:
            worse += 1
        else:
            total += 1.0 - min(worse, q.n_rel) / most if worse else 1.0
    return total / q.n_rel if q.n_rel else 0.0


class _Logarithms(list[float]):
    """log2(rank + 1) by rank: a table that goes on past its end."""

    def __getitem__(self, rank: int) -> float:  # type: ignore[override]
        return super().__getitem__(rank) if rank < len(self) else log2(rank + 1)


def _ndcg(k: int, gain: Callable[[int], float]) -> Value:
    discount = [inf, *(log2(rank + 1) for rank in range(1, min(k, 1000) + 1))]
    if k >= len(discount):
        # Without a cut, ranks beyond the table are worked out one by one.
        discount = _Logarithms(discount)

    @cache
    def best(grades: tuple[int, ...]) -> float:
        """The gain of the best order; most questions are judged like some other one."""
        total = 0.0
        for rank, grade in enumerate(grades[:k], 1):
            if grade <= 0:
                break
            total += gain(grade) / discount[rank]
        return total

    def value(q: Placed) -> float:
        total = 0.0
        for rank, grade in q.hits:
            if rank > k:
                break
            if grade > 0:
                total += gain(grade) / discount[rank]
        return total / best(tuple(sorted(q.grades, reverse=True))) if total else 0.0

    return value


def _exponential(grade: int) -> float:
    if grade > MOST_EXPONENTIAL:
        raise too_large("ndcg_exp")
    return 2.0**grade - 1.0
