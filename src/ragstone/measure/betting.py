"""Is the mean of numbers above a line, asked after every number, however often one looks?

Somebody bets on every number before it is seen, that it will be above the line, at odds that are
fair if the mean is on the line. If the mean is on the line or below it, no way of betting makes
money on average. So by Ville's inequality the wealth, which begins with 1, ever reaches 20 with a
probability of 1/20 at most: a wealth of 20 is a proof at 95 %, whenever it is looked at.

The money is parted between a few fixed bets, and nothing is moved between them later. So the wealth
depends on the numbers and not on their order, and every operation is one that IEEE 754 rounds the
same everywhere. Numbers are from 0 to 1; `1 - number` over `1 - line` is the bet that the mean is
below. (After Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting".)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ragstone.measure.interval import Closed

# What each bet risks: this share of its money is lost where the number is 0. Large bets prove
# quickly where hardly anything goes wrong, small ones survive numbers that vary. They are sums of
# few powers of two, so that tests can repeat every step in fractions.
BETS = (15 / 16, 3 / 4, 1 / 2, 3 / 8, 1 / 4, 1 / 8, 1 / 16, 1 / 32)

# Halving 0..1 this often leaves an end exact to 12 places.
_HALVINGS = 40
_MOST = 10**7

Counted = Mapping[float, float]
"""Numbers from 0 to 1, each with how many questions have it; parts of questions where it is what
a longer run would come to."""


def factor(bet: float, number: float, line: float) -> float:
    """What a bet makes of each unit of its money, when this number comes.

    >>> factor(0.5, 1.0, 0.8), factor(0.5, 0.0, 0.8), factor(0.5, 0.8, 0.8)
    (1.125, 0.5, 1.0)
    """
    return (1 - bet) + bet * (number / line)


class Wealth:
    """The money of somebody who bets that the mean of numbers is above a line.

    >>> wealth = Wealth(0.95)
    >>> for _ in range(94):
    ...     wealth.add(1.0)
    >>> wealth.reaches(20), f"{wealth.log10():.2f}"
    (False, '1.29')
    >>> wealth.add(1.0)
    >>> wealth.reaches(20), f"{wealth.log10():.2f}"
    (True, '1.31')
    """

    __slots__ = ("_exponents", "_line", "_parts")

    def __init__(self, line: float) -> None:
        must_be_inside(line)
        self._line = line
        # Each bet's money as a fraction and a power of two: a run of bad luck must not become 0,
        # nor a run of good luck infinite.
        self._parts = [1.0] * len(BETS)
        self._exponents = [0] * len(BETS)

    def add(self, number: float) -> None:
        """The next number."""
        share = number / self._line
        for place, bet in enumerate(BETS):
            part, moved = math.frexp(self._parts[place] * ((1 - bet) + bet * share))
            self._parts[place] = part
            self._exponents[place] += moved

    def _scaled(self) -> tuple[float, int]:
        most = max(self._exponents)
        parts = zip(self._parts, self._exponents, strict=True)
        return math.fsum(math.ldexp(part, by - most) for part, by in parts) / len(BETS), most

    def reaches(self, wanted: float) -> bool:
        """Whether the wealth is as large as this."""
        part, power = self._scaled()
        return power > 1000 or (power > -1000 and math.ldexp(part, power) >= wanted)

    def log10(self) -> float:
        """The wealth as a power of ten, rounded to what is the same everywhere."""
        part, power = self._scaled()
        return round(math.log10(part) + power * math.log10(2), 9) + 0.0


def must_be_inside(line: float) -> None:
    """Refuses a line on which nothing can be bet: no mean is beyond the ends."""
    if not 0 < line < 1:
        raise ValueError(f"expected a line between 0 and 1, found {line}")


def log_wealth(values: Counted, line: float) -> float:
    """The natural logarithm of the wealth after all of these numbers, in any order.

    >>> f"{log_wealth({1.0: 95}, 0.95) / math.log(10):.2f}"
    '1.31'
    """
    return _log_mean(_log_money(values, line))


def _log_money(values: Counted, line: float) -> list[float]:
    """The logarithm of what each bet makes of one unit."""
    return [
        math.fsum(count * math.log(factor(bet, number, line)) for number, count in values.items())
        for bet in BETS
    ]


def _log_mean(sums: Sequence[float]) -> float:
    most = max(sums)
    return most + math.log(math.fsum(math.exp(each - most) for each in sums) / len(BETS))


def lower_end(values: Counted, wanted: float) -> float:
    """The largest line that these numbers prove the mean to be above, at a wealth of `wanted`.

    The higher the line, the smaller the wealth, so halving finds it. Of all lines that ever were
    proven, with a probability of 1 / wanted at most one was above the mean.

    >>> f"{lower_end({1.0: 95}, 20):.4f} {lower_end({1.0: 100, 0.0: 5}, 20):.4f}"
    '0.9502 0.8656'
    >>> lower_end({}, 20)
    0.0
    """
    if not any(values.values()):
        return 0.0
    goal = math.log(wanted)
    proven, open_ = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (proven + open_) / 2
        if log_wealth(values, middle) >= goal:
            proven = middle
        else:
            open_ = middle
    return round(proven, 9)


def ends(values: Counted, below: float, above: float) -> Closed:
    """Between which numbers the mean lies: proven above the first at a wealth of `below`, and
    below the second at a wealth of `above`.

    >>> low, high = ends({1.0: 100, 0.0: 5}, 20, 100)
    >>> f"{low:.4f} {high:.4f}"
    '0.8656 0.9942'
    """
    return lower_end(values, below), round(1 - lower_end(turned(values), above), 9)


def turned(values: Counted) -> dict[float, float]:
    """The same numbers from the other end, for the bet that the mean is below a line."""
    return {1 - number: count for number, count in values.items()}


def times(values: Counted, total: float) -> dict[float, float]:
    """What a run of `total` numbers comes to, if it goes on as these did.

    >>> times({1.0: 3, 0.0: 1}, 8)
    {1.0: 6.0, 0.0: 2.0}
    """
    held = math.fsum(values.values())
    return {number: count * total / held for number, count in values.items()}


def moved(values: Counted, mean: float) -> dict[float, float]:
    """The same numbers with so many of 0, or of 1, among them that their mean is this.

    >>> moved({0.5: 8}, 0.25), moved({0.5: 8}, 0.75)
    ({0.5: 4.0, 0.0: 4.0}, {0.5: 4.0, 1.0: 4.0})
    """
    held = math.fsum(values.values())
    now = math.fsum(number * count for number, count in values.items()) / held
    end = 0.0 if mean < now else 1.0
    share = 0.0 if mean == now else (now - mean) / (now - end)
    made = {number: count * (1 - share) for number, count in values.items()}
    return {**made, end: made.get(end, 0.0) + held * share}


def enough(
    values: Counted, line: float, wanted: float, before: Counted | None = None
) -> int | None:
    """How many numbers like these, after those `before`, prove the mean to be above the line.

    None if ten million do not.

    >>> enough({1.0: 1}, 0.95, 20), enough({0.9: 1}, 0.95, 20)
    (95, None)
    >>> enough({1.0: 1}, 0.95, 20, {1.0: 90})
    5
    """
    goal = math.log(wanted)
    start = _log_money(before or {}, line)
    steps = _log_money(times(values, 1), line)

    def proves(count: int) -> bool:
        return _log_mean([a + count * b for a, b in zip(start, steps, strict=True)]) >= goal

    # The logarithm is convex in how many there are, and below the goal for none: once it reaches
    # the goal it stays there.
    most = 1
    while not proves(most):
        if most >= _MOST:
            return None
        most = min(2 * most, _MOST)
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if proves(middle) else (middle, most)
    return most
