"""What more questions would prove: at best, and if they go on as those that were seen.

Nobody knows what is still to come. The fewest more questions are those that it takes if their mean
is an end of the interval. The most are those that it takes if their mean is less clear of the line
than the one that was seen: by a quarter of the way to the other end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.measure.betting import ends, enough, moved, times, turned
from ragstone.measure.more_questions import Needed
from ragstone.serve.canary_evidence import Evidence, Plan, State, Watched

# How much less clear. With 0, more questions are needed than were said in four of ten simulated
# canaries; with a half, hardly any range has an end.
_CAUTION = 0.25


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is to be expected of one condition.

    `at_best` is how many questions prove it if the shadow does as well on each as can be expected.
    `proven` and `refuted` are after how many more questions it would be; of these, the most is None
    where more of them need not lead there. `provable` is the end of the interval after the planned
    number of them: the smallest drop, or the largest share, that this number can prove. `by_then`
    is what the condition is at that time.
    """

    name: str
    at_best: int | None
    proven: Needed
    refuted: Needed
    provable: float | None = None
    by_then: State | None = None


def outlook(watched: Watched) -> tuple[Outlook, ...]:
    """What is to be expected of every condition."""
    plan, asked = watched.plan, watched.questions
    return tuple(_of(each, plan, asked) for each in watched.evidence.values())


def _of(found: Evidence, plan: Plan, asked: int) -> Outlook:
    condition = found.condition
    best, line = {condition.best: 1.0}, condition.scaled_line
    # Of the questions to come, as large a part is measured as so far.
    part = found.questions / asked if found.questions else 1.0
    at_best = _questions(enough(best, line, plan.to_prove), part)
    proven, refuted = _settled(found, plan, part)
    if not plan.most:
        return Outlook(condition.name, at_best, proven, refuted)
    seen = dict(sorted(found.counted.items())) or best
    low, high = ends(times(seen, plan.most * part), plan.to_prove, plan.to_refute)
    refutes = State.REFUTED if high < line else State.OPEN
    by_then = State.PROVEN if low >= line else refutes
    return Outlook(condition.name, at_best, proven, refuted, condition.unscaled(low), by_then)


def _settled(found: Evidence, plan: Plan, part: float) -> tuple[Needed, Needed]:
    """After how many more questions a condition is proven, and refuted."""
    if found.state is State.PROVEN:
        return (0, 0), (None, None)
    if found.state is not State.OPEN:
        return (None, None), (None, None)
    seen, line = dict(sorted(found.counted.items())), found.condition.scaled_line
    mean, (low, high) = found.scaled_mean, found.scaled_interval

    def proves(coming: float) -> int | None:
        return _questions(enough(moved(seen, coming), line, plan.to_prove, seen), part)

    def refutes(coming: float) -> int | None:
        against = turned(moved(seen, coming))
        return _questions(enough(against, 1 - line, plan.to_refute, turned(seen)), part)

    worse, better = (mean + (end - mean) * _CAUTION for end in (low, high))
    return (proves(high), proves(worse)), (refutes(low), refutes(better))


def _questions(measured: int | None, part: float) -> int | None:
    """How many questions are asked until so many of them are measured."""
    return None if measured is None else math.ceil(round(measured / part, 6))


def more_needed(found: Sequence[Outlook]) -> Needed:
    """How many more questions settle it: one of these conditions is refuted, or all are proven."""
    proven = [each.proven for each in found]
    every = (_last([few for few, _ in proven]), _last([most for _, most in proven]))
    ways = (every, *(each.refuted for each in found))
    fewest = [few for few, _ in ways if few is not None]
    most = [many for _, many in ways if many is not None]
    return max(1, min(fewest)) if fewest else None, max(1, min(most)) if most else None


def _last(numbers: Sequence[int | None]) -> int | None:
    """The largest of them; None where one is not known."""
    known = [each for each in numbers if each is not None]
    return max(known) if len(known) == len(numbers) else None
