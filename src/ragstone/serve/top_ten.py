"""How much the first ten results of a question change from one time it is asked to the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

_FIRST = 10
_QUESTIONS = 10_000


def kendall_tau(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Kendall's tau of two lists of ten: pairs in the same order less pairs in the other, by all.

    What is in one list alone stands behind all of the other. Of two such the other list says
    nothing, and the pair counts for neither.

    >>> kendall_tau(["a", "b", "c"], ["a", "b", "c"]), kendall_tau(["a", "b"], ["b", "a"])
    (1.0, -1.0)
    >>> kendall_tau(["a"], ["a"]), kendall_tau(["a"], ["b"]), kendall_tau([], ["b"])
    (1.0, -1.0, None)
    """
    first, second = _ranks(one), _ranks(other)
    if not first or not second:
        return None
    items = [*dict.fromkeys([*first, *second])]
    if len(items) == 1:
        return 1.0
    balance, pairs = 0, 0
    for place, left in enumerate(items):
        for right in items[place + 1 :]:
            by_one = _sign(first.get(right, _FIRST) - first.get(left, _FIRST))
            by_other = _sign(second.get(right, _FIRST) - second.get(left, _FIRST))
            balance += by_one * by_other
            pairs += 1
    return balance / pairs


def _ranks(ids: Sequence[str]) -> dict[str, int]:
    """Where each id stands first, of the first ten."""
    return {id: place for place, id in reversed(list(enumerate(ids[:_FIRST])))}


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


class TopTens:
    """The last first ten of each question; of many questions, those asked last."""

    def __init__(self, most: int = _QUESTIONS) -> None:
        self._most = most
        self._last: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def next(self, question: str, ids: Sequence[str]) -> float | None:
        """The tau of this list and the one before; None for the first of a question."""
        before = self._last.pop(question, None)
        self._last[question] = tuple(ids[:_FIRST])
        if len(self._last) > self._most:
            self._last.popitem(last=False)
        return None if before is None else kendall_tau(before, ids)
