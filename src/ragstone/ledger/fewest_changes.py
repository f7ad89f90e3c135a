"""How far a gate is from its other verdict, counted in questions whose answers would change."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence

from ragstone.comparison.row_sets import SavedMetric
from ragstone.gates.gate import Threshold

Row = tuple[str, float]
"""A question, and the number of one of its rows."""


def fewest(rows: Sequence[Row], metric: SavedMetric, limit: Threshold) -> int | None:
    """The fewest questions whose change takes the number over the limit, to either side.

    The rows of the set stay the same; all rows of a question change, as far as they can. None where
    not even all of them together would do.

    >>> yes = SavedMetric("precision", "ratio", "precision", "higher", {})
    >>> fewest([("A", 1.0), ("B", 0.0), ("C", 0.0), ("D", 1.0)], yes, Threshold(">=", 0.75))
    1
    >>> fewest([("A", 1.0), ("B", 1.0), ("C", 0.0), ("D", 1.0)], yes, Threshold(">=", 0.5))
    2
    """
    if not rows:
        return None
    if metric.kind == "quantile":
        return _fewest_of_quantile(rows, float(metric.declared["q"]), limit)
    values = [value for _, value in rows]
    whole = 1 if metric.kind == "count" else len(rows)
    now = math.fsum(values) / whole
    passes = limit.holds(now)
    if limit.op == "=" and passes:
        # Whichever way a number moves, it is another one.
        return 1
    upwards = _upwards(limit, now)
    end = _end(metric, upwards)
    if end is None:
        # Nothing bounds what one question may come to.
        return 1
    gains: dict[str, float] = defaultdict(float)
    for qid, value in rows:
        gains[qid] += end - value
    ordered = sorted(gains.values(), key=abs, reverse=True)
    total = math.fsum(values)

    def after(count: int) -> float:
        return (total + math.fsum(ordered[:count])) / whole

    return _first(len(ordered), lambda count: _over(limit, after(count), passes, upwards))


def fewest_of_worst(rows: Sequence[Row], limit: Threshold) -> int | None:
    """The same for a gate on the question that fares worst: all that fail, or one that passes.

    >>> fewest_of_worst([("A", 1.0), ("B", 0.2), ("C", 0.1)], Threshold(">=", 0.5))
    2
    """
    failing = {qid for qid, value in rows if not limit.holds(value)}
    return len(failing) or (1 if rows else None)


def _upwards(limit: Threshold, now: float) -> bool:
    """Whether the number must rise to get to the other side."""
    if limit.op == "=":
        return now < limit.value
    return limit.holds(now) == (limit.op in ("<=", "<"))


def _end(metric: SavedMetric, upwards: bool) -> float | None:
    return None if metric.bounds is None else metric.bounds[1 if upwards else 0]


def _over(limit: Threshold, number: float, passes: bool, upwards: bool) -> bool:
    if limit.op == "=":
        # Beyond the limit is a way to it: fewer answers, or not all of a row, would have changed.
        return number >= limit.value if upwards else number <= limit.value
    return limit.holds(number) != passes


def _first(most: int, holds: Callable[[int], bool]) -> int | None:
    """The least count from 1 on for which it holds; what holds once holds for all that follow."""
    found = 1 + bisect_left(range(1, most + 1), True, key=holds)
    return found if found <= most else None


def _fewest_of_quantile(rows: Sequence[Row], q: float, limit: Threshold) -> int | None:
    values = sorted(value for _, value in rows)
    now = _quantile(values, q)
    passes = limit.holds(now)
    if limit.op == "=" and passes:
        return 1
    upwards = _upwards(limit, now)
    end = math.inf if upwards else -math.inf
    by_question: dict[str, list[float]] = defaultdict(list)
    for qid, value in rows:
        by_question[qid].append(value)
    questions = list(by_question.values())

    def tried(key: Callable[[list[float]], tuple[float, ...]]) -> int | None:
        ordered = sorted(questions, key=key, reverse=True)

        def after(count: int) -> float:
            changed = [end for own in ordered[:count] for _ in own]
            left = [value for own in ordered[count:] for value in own]
            return _quantile(sorted([*changed, *left]), q)

        return _first(len(ordered), lambda count: _over(limit, after(count), passes, upwards))

    def to_leave(own: list[float]) -> int:
        return sum(limit.holds(value) == passes for value in own)

    def far(own: list[float]) -> float:
        return -min(own) if upwards else max(own)

    # With one row a question all orders are the same. With more, a question may do by its rows on
    # this side or by all of its rows: the better of the two is taken.
    found = [
        tried(lambda own: (to_leave(own), len(own), far(own))),
        tried(lambda own: (len(own), to_leave(own), far(own))),
        tried(lambda own: (to_leave(own), far(own))),
    ]
    return min((each for each in found if each is not None), default=None)


def _quantile(ordered: Sequence[float], q: float) -> float:
    """By linear interpolation, as the engine takes it.

    >>> _quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    rest = place - low
    if not rest:
        return ordered[low]
    one, two = ordered[low], ordered[low + 1]
    if one == two or one == -math.inf:
        return one
    return one + (two - one) * rest
