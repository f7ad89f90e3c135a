"""How likely is it that a comparison finds a regression, and what is the smallest that it finds?

Of two runs over the same questions some get worse and some get better by chance. A regression is
found when McNemar's test tells it from that, and the interval of the difference leaves out 0.
"""

from __future__ import annotations

import math
from functools import cache

from ragstone.measure.interval import binomial_weights
from ragstone.measure.paired import Moves, leaves_out
from ragstone.measure.permutation import mcnemar

ALPHA = 0.05
LEVEL = 0.95
POWER = 0.80

# The share of the questions that change anyway, half of them for the better, unless it is known.
CHURN = 0.05

# Up to this many expected changes all outcomes are counted; beyond, the normal approximation of
# the test is within 0.02 of that.
_COUNTED = 100

# Regressions are told to four places: what is smaller than that, no gold set finds.
_STEPS = 10_000


def chance_to_find(n: int, lost: float, gained: float, alpha: float = ALPHA) -> float:
    """How often a comparison of `n` questions says that more were lost than gained.

    `lost` and `gained` are the true shares of the questions that change for the worse and for the
    better.

    >>> round(chance_to_find(100, 0.12, 0.02), 3)
    0.758
    >>> chance_to_find(4, 0.5, 0.0)
    0.0
    """
    if n * (lost + gained) > _COUNTED:
        return _by_normal(n, lost, gained, alpha)
    first, weights = binomial_weights(n, gained)
    found = [
        weight * _at_least(n - better, lost / (1 - gained), fewest_losses(better, n, alpha))
        for better, weight in enumerate(weights, first)
        # The rest cannot change the fourth place.
        if weight > 1e-9
    ]
    return min(1.0, math.fsum(found) / math.fsum(weights))


@cache
def fewest_losses(gained: int, n: int, alpha: float = ALPHA) -> int:
    """How many of `n` must be lost beside so many gained to call it worse; if none will do, n + 1.

    >>> fewest_losses(0, 100), fewest_losses(10, 100), fewest_losses(0, 4)
    (5, 22, 5)
    """
    lost = fewest_losses(gained - 1, n, alpha) + 1 if gained else 1
    while lost <= n - gained and not (
        mcnemar(gained, lost) <= alpha and leaves_out(Moves(gained, lost, n), 0.0, LEVEL, up=False)
    ):
        lost += 1
    return min(lost, n + 1)


def smallest_found(
    n: int, churn: float, worse: float, better: float, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """The smallest regression that is found with this power, to four places; None if none is.

    `churn` is the share of the questions that change anyway, half of them either way; `worse` and
    `better` are the shares that still can get worse, and better: a perfect run cannot gain.

    >>> smallest_found(100, 0.0, 0.9, 0.1), smallest_found(4, 0.0, 0.9, 0.1)
    (0.0663, None)
    """
    anyway = possible_churn(churn, worse, better) / 2
    most = math.floor((worse - anyway) * _STEPS + 1e-6)

    def enough(steps: int) -> bool:
        return chance_to_find(n, anyway + steps / _STEPS, anyway, alpha) >= power

    if most < 1 or not enough(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high / _STEPS


def possible_churn(churn: float, worse: float, better: float) -> float:
    """The churn that can be: as many get better as get worse, and no more than there are of each.

    >>> possible_churn(0.05, 0.9, 0.1), possible_churn(0.05, 1.0, 0.0)
    (0.05, 0.0)
    """
    return 2 * max(0.0, min(churn / 2, worse, better))


def _at_least(n: int, share: float, wanted: int) -> float:
    """How likely at least so many of n are."""
    first, weights = binomial_weights(n, min(1.0, share))
    return math.fsum(weights[max(0, wanted - first) :]) / math.fsum(weights)


def _by_normal(n: int, lost: float, gained: float, alpha: float) -> float:
    from statistics import NormalDist

    normal, drop = NormalDist(), lost - gained
    line = normal.inv_cdf(1 - alpha / 2) * math.sqrt(lost + gained)
    spread = math.sqrt(max(0.0, lost + gained - drop * drop))
    return normal.cdf((drop * math.sqrt(n) - line) / spread) if spread else 1.0
