"""How far apart are two runs over the same questions, and is a drop proven small or large?

A question is one pair, however often it was asked: its repeats are averaged first. Questions come
as a table, each pair of values with the number of questions that have it, so that a million of
them are a handful of counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragstone.measure.deviates import normal_deviate, t_deviate
from ragstone.measure.exact_interval import exact_end
from ragstone.measure.interval import (
    TOLERANCE,
    Closed,
    Distribution,
    Interval,
    exact_mean,
    quantile_interval,
    quantile_linear,
)

Pairs = Sequence[tuple[float | None, float | None, int]]
"""The baseline's value, the arm's, and how many questions have these two.

A value is None where the question is not in the metric's set in that arm.
"""

Bounds = tuple[float, float]
_Push = Callable[[float], float]

# Student's t of fewer differences than this rests on the shape of what it measures.
_FEWEST = 5

# Halving -1..1 this often leaves less than the distance between two doubles.
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Moves:
    """The questions that moved: how many gained and how many lost, out of how many.

    For numbers other than yes/no these are not whole: as many full moves as would give the same
    mean and at least the same variance. A full move is `wide`, from one bound to the other.
    """

    gained: float
    lost: float
    of: float
    wide: float = 1.0


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference, its interval, and how much one question moves it (the standard deviation).

    `moved` is whether any question has another value in the arm, and `moves` what the interval of
    a bounded number was taken from.
    """

    value: float
    interval: Interval | None
    spread: float
    questions: int
    moved: bool = True
    moves: Moves | None = None


def pairs_interval(gained: float, lost: float, n: float, level: float = 0.95) -> Closed:
    """Where the difference of two shares could truly lie: at each end the wider of two intervals.

    Tango's alone is wrong too often where few questions moved, or few did not. The other is put
    together from the exact intervals of the gains and of the losses.

    >>> low, high = pairs_interval(0, 4, 4)
    >>> f"{low:.3f} {high:.3f}"
    '-1.000 0.205'
    >>> [pairs_interval(0, 0, n)[0] > -0.02 for n in (188, 189)]
    [False, True]
    """
    low, high = tango(gained, lost, n, level)
    return (
        max(-1.0, min(low, -_exact_upper(lost, gained, n, level))),
        min(1.0, max(high, _exact_upper(gained, lost, n, level))),
    )


def tango(gained: float, lost: float, n: float, level: float = 0.95) -> Closed:
    """Where the difference of two shares could truly lie, when `n` questions answer both.

    Tango's score interval (1998): every difference at which what was seen would not be surprising,
    the variance taken at that difference and not at the one seen. So no loss at all still
    leaves room for one, and one loss more never makes the interval better.

    >>> low, high = tango(1, 7, 21)
    >>> f"{low:.3f} {high:.3f}"
    '-0.517 -0.026'
    >>> [tango(0, 0, n)[0] > -0.02 for n in (188, 189)]
    [False, True]
    """
    # Parts that were worked out may exceed the whole by a last digit.
    if min(gained, lost) < 0 or gained + lost > n * (1 + TOLERANCE) or n <= 0:
        raise ValueError(f"expected gained + lost <= n, found {gained} and {lost} of {n}")
    z = normal_deviate(level)
    return -_upper(lost, gained, n, z), _upper(gained, lost, n, z)


def leaves_out(moves: Moves, edge: float, level: float, *, up: bool) -> bool:
    """Whether the interval of pairs is wholly above `edge` (`up`), or wholly below it.

    >>> [leaves_out(Moves(0, 0, n), -0.02, 0.95, up=True) for n in (188, 189)]
    [False, True]
    """
    share = (moves.gained - moves.lost) / moves.of
    at = max(-1.0, min(1.0, edge / moves.wide))
    gap = share - at if up else at - share
    variance = _variance_at(moves.gained / moves.of, moves.lost / moves.of, at)
    if gap <= 0 or moves.of * gap * gap <= normal_deviate(level) ** 2 * variance:
        return False
    if up:
        return -_exact_upper(moves.lost, moves.gained, moves.of, level) > at
    return _exact_upper(moves.gained, moves.lost, moves.of, level) < at


def _exact_upper(gained: float, lost: float, n: float, level: float) -> float:
    """The largest difference by the exact intervals of gains and losses, joined as by MOVER.

    A question that gained did not lose, so the two shares go against one another. To how many did
    either, z²/4 are added, or a few of them would look like strangers.
    """
    up, down, whole = gained / n, lost / n, max(1, math.floor(round(n, 6)))
    most = exact_end(up * whole, whole, level, upper=True)
    fewest = exact_end(down * whole, whole, level, upper=False)
    room = normal_deviate(level) ** 2 / 4
    odds = (gained + room) * (lost + room) / ((n - gained + room) * (n - lost + room))
    more, fewer = most - up, down - fewest
    reach = math.sqrt(more * more + fewer * fewer + 2 * math.sqrt(odds) * more * fewer)
    # It is never below what is left if all that did not gain lost: so a loss never raises it.
    return max(up - down + reach, 2 * most - 1)


def _upper(gained: float, lost: float, n: float, z: float) -> float:
    """The largest difference that is at most z standard errors above the one seen."""
    inside, outside = (gained - lost) / n, 1.0
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        variance = _variance_at(gained / n, lost / n, middle)
        if n * (middle - (gained - lost) / n) ** 2 <= z * z * variance:
            inside = middle
        else:
            outside = middle
    return inside if outside < 1.0 else 1.0


def _variance_at(gained: float, lost: float, difference: float) -> float:
    """What one question varies by, if the shares had this difference and fitted best otherwise."""
    if difference < 0:
        return _variance_at(lost, gained, -difference)
    # The smaller share solves 2 q² + b q - c = 0; of two ways to write the root, the one in which
    # nothing is subtracted from its like.
    b = (2 - gained + lost) * difference - gained - lost
    c = lost * difference * (1 - difference)
    root = math.sqrt(b * b + 8 * c)
    smaller = (root - b) / 4 if b <= 0 else 2 * c / (root + b)
    return 2 * smaller + difference * (1 - difference)


def difference_of_means(
    pairs: Pairs, level: float = 0.95, bounds: Bounds | None = (0.0, 1.0)
) -> Difference | None:
    """The mean of the arm minus the mean of the baseline, question by question.

    Of a bounded number it is the interval of pairs: for yes/no its own counts, for others as many
    full moves as have the same mean and variance, never fewer than the mean itself takes. So a
    question that falls never makes a drop look smaller. (A gain so large that even the low end is
    above 0 may look steadier when its largest part shrinks: there it varies less.) Of an unbounded
    number it is Student's t, from 5 questions on, and none where nothing varies.

    >>> found = difference_of_means([(1.0, 1.0, 140), (0.0, 1.0, 4), (1.0, 0.0, 6)])
    >>> found.interval == pairs_interval(4, 6, 150)
    True
    >>> difference_of_means([(0.0, 0.3, 9)], bounds=None).interval is None
    True
    """
    pairs = _known(pairs)
    old, new = _sides(pairs)
    if not old or not new:
        return None
    before, after = exact_mean(old), exact_mean(new)
    low, high = bounds or (-math.inf, math.inf)
    wide = high - low
    if math.isinf(wide):
        pushed = _pushed(pairs, lambda x: x - before, lambda y: y - after)
        return _by_students_t(after - before, pushed, level)
    moves = _moves(pairs, before, after, wide)
    interval = pairs_interval(moves.gained, moves.lost, moves.of, level)
    share = (moves.gained - moves.lost) / moves.of
    spread = math.sqrt(max(0.0, (moves.gained + moves.lost) / moves.of - share * share))
    return Difference(
        after - before,
        (interval[0] * wide, interval[1] * wide),
        spread * wide,
        sum(count for *_, count in pairs),
        _moved(pairs),
        moves,
    )


def difference_of_quantiles(pairs: Pairs, q: float, level: float = 0.95) -> Difference | None:
    """The q-quantile of the arm minus that of the baseline.

    The distance to either end is put together from those of the two quantiles' own intervals; an
    end that either of them leaves open is open here too.

    >>> pairs = [(n / 10, n / 10 + 1, 1) for n in range(20)]
    >>> found = difference_of_quantiles(pairs, 0.5)
    >>> f"{found.value:.4f}"
    '1.0000'
    """
    pairs = _known(pairs)
    old, new = (_sorted(side) for side in _sides(pairs))
    if not old or not new:
        return None
    before, after = quantile_linear(old, q), quantile_linear(new, q)
    together = _together(pairs, before, after)
    (old_low, old_high), (new_low, new_high) = (
        quantile_interval(values, q, level) for values in (old, new)
    )
    value = after - before
    down = _joined(_gap(new_low, after), _gap(before, old_high), together)
    up = _joined(_gap(after, new_high), _gap(old_low, before), together)
    questions = sum(count for *_, count in pairs)
    wider = max((side for side in (down, up) if side is not None), default=0.0)
    return Difference(
        value,
        (None if down is None else value - down, None if up is None else value + up),
        wider * math.sqrt(questions) / normal_deviate(level),
        questions,
        _moved(pairs),
    )


def _known(pairs: Pairs) -> Pairs:
    """The questions that at least one arm was measured on."""
    return [pair for pair in pairs if pair[0] is not None or pair[1] is not None]


def _moved(pairs: Pairs) -> bool:
    return any(x != y for x, y, count in pairs if count)


def _sides(pairs: Pairs) -> tuple[Distribution, Distribution]:
    return (
        [(x, count) for x, _, count in pairs if x is not None],
        [(y, count) for _, y, count in pairs if y is not None],
    )


def _moves(pairs: Pairs, before: float, after: float, wide: float) -> Moves:
    """The full moves that have the mean, and at least the variance, of the questions' own."""
    both = [((y - x) / wide, n) for x, y, n in pairs if x is not None and y is not None]
    questions = sum(count for _, count in both)
    if questions == sum(count for *_, count in pairs):
        total = math.fsum(each * count for each, count in both)
        moved = max(math.fsum(each * each * count for each, count in both), abs(total))
        return Moves((moved + total) / 2, (moved - total) / 2, questions, wide)
    # A set that differs by arm: as many questions as the smaller set holds, varying as much as the
    # difference of the two means does when each question is drawn with both of its values.
    pushed = _pushed(pairs, lambda x: (x - before) / wide, lambda y: (y - after) / wide)
    asked = sum(count for _, count in pushed)
    of = float(min(_size(pairs, 0), _size(pairs, 1)))
    value = (after - before) / wide
    variance = math.fsum(push * push * count for push, count in pushed) / asked**2 * of
    if variance > 1 - value * value:
        of *= (1 - value * value) / variance
        variance = 1 - value * value
    moved = max(variance + value * value, abs(value))
    return Moves(of * (moved + value) / 2, of * (moved - value) / 2, of, wide)


def _size(pairs: Pairs, side: Literal[0, 1]) -> int:
    return sum(pair[2] for pair in pairs if pair[side] is not None)


def _pushed(pairs: Pairs, of_before: _Push, of_after: _Push) -> Distribution:
    """What each question adds to the difference of the two means, with how many add as much.

    A question that only one arm could be measured on adds to that one alone.
    """
    total, olds, news = sum(count for *_, count in pairs), _size(pairs, 0), _size(pairs, 1)
    return [
        (
            (0.0 if y is None else of_after(y) * total / news)
            - (0.0 if x is None else of_before(x) * total / olds),
            count,
        )
        for x, y, count in pairs
    ]


def _by_students_t(value: float, pushed: Distribution, level: float) -> Difference:
    n = sum(count for _, count in pushed)
    squares = math.fsum(push * push * count for push, count in pushed)
    spread = math.sqrt(squares / (n - 1)) if n > 1 else 0.0
    half = t_deviate(n - 1, level) * spread / math.sqrt(n) if n > 1 else 0.0
    if n < _FEWEST or half <= TOLERANCE * abs(value):
        return Difference(value, None, spread, n)
    return Difference(value, (value - half, value + half), spread, n)


def _gap(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else high - low


def _joined(one: float | None, other: float | None, together: float) -> float | None:
    """How far the difference of two numbers may be off, from how far each may be (MOVER)."""
    if one is None or other is None:
        return None
    return math.sqrt(max(0.0, one * one + other * other - 2 * together * one * other))


def _together(pairs: Pairs, before: float, after: float) -> float:
    """How far the same questions are above the quantile in both arms: a correlation, 0 to 1."""
    both = [(x > before, y > after, n) for x, y, n in pairs if x is not None and y is not None]
    if not both:
        return 0.0
    # One question more crosses each way than was seen to: where all move alike, the interval would
    # have no width otherwise, as if nothing else could happen.
    n = 2 + sum(count for *_, count in both)
    olds, news = (1 + sum(each[2] for each in both if each[side]) for side in (0, 1))
    joint = sum(count for x, y, count in both if x and y)
    square = olds * (n - olds) * news * (n - news)
    share = n / math.sqrt(_size(pairs, 0) * _size(pairs, 1))
    return max(0.0, (n * joint - olds * news) / math.sqrt(square) * min(1.0, share))


def _sorted(values: Distribution) -> Distribution:
    counted: dict[float, int] = {}
    for value, count in values:
        counted[value] = counted.get(value, 0) + count
    return sorted(counted.items())
