"""How work grows with its input: held without a clock on the wall, which a busy machine makes lie.

Work is measured in processor time of this process, because the counters of instructions are closed
in most virtual machines, and valgrind takes fifty times as long. Other programs change it by a
factor of two at most, and what is told apart here differs by far more: over three doublings, work
that is linear in its input grows 8 times, n log n 10 times and quadratic work 64 times.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from ragstone.errors import RagstoneError

SMALLEST = 1 << 9
# Three doublings may cost so much more than the eighth of the size did.
MOST_GROWTH = 24
# Work is doubled until it is well above what a clock can tell.
_ENOUGH, _NOTHING = 0.2, 0.002
_TIMES = 3


def grows_too_fast(work: Callable[[int], object], largest: int) -> str:
    """Doubles the size of work until it takes a while; what is wrong, or nothing."""
    costs: dict[int, float] = {}
    size = SMALLEST
    while size <= largest:
        costs[size] = _cost(work, size)
        if costs[size] >= _ENOUGH and size // 8 in costs:
            break
        size *= 2
    last = max(costs)
    if not _is_too_much(costs, last):
        return ""
    # Whatever else the machine did in the meantime: the least of several is nearest to the work.
    for size in (last, last // 8):
        costs[size] = min(_cost(work, size) for _ in range(_TIMES))
    if not _is_too_much(costs, last):
        return ""
    return f"{last} characters take {costs[last]:.2f} s, an eighth of them {costs[last // 8]:.3f} s"


def _is_too_much(costs: dict[int, float], last: int) -> bool:
    return costs[last] > MOST_GROWTH * max(costs[last // 8], _NOTHING)


def _cost(work: Callable[[int], object], size: int) -> float:
    begin = time.process_time()
    # An input that is refused is refused in linear time, too.
    with suppress(RagstoneError, ValueError, TypeError, ArithmeticError, RecursionError, KeyError):
        work(size)
    return time.process_time() - begin
