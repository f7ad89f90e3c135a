"""What more questions would prove: at best, and if they go on as those that were seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ragstone.measure.betting import ends, enough, times, turned
from ragstone.measure.more_questions import more_questions
from ragstone.serve.canary_evidence import Evidence, Plan, State, Watched


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is to be expected of one condition.

    `at_best` is how many questions prove it if the shadow does as well on each as can be expected.
    `settled_at` is how many it takes in all if they go on as so far, and `becomes` what it is then.
    `provable` is the end of the interval after the planned number of them: the smallest drop, or
    the largest share, that this number can prove. `by_then` is what the condition is at that time.
    """

    name: str
    at_best: int | None
    settled_at: int | None
    becomes: State
    provable: float | None = None
    by_then: State | None = None


def outlook(watched: Watched) -> tuple[Outlook, ...]:
    """What is to be expected of every condition."""
    plan, asked = watched.plan, watched.questions
    return tuple(_of(each, plan, asked) for each in watched.evidence.values())


def _of(found: Evidence, plan: Plan, asked: int) -> Outlook:
    condition = found.condition
    best = {condition.best: 1.0}
    seen = dict(sorted(found.counted.items())) or best
    # Of the questions to come, as large a part is measured as so far.
    part = found.questions / asked if found.questions else 1.0
    at_best = _questions(enough(best, condition.scaled_line, plan.to_prove), part)
    settled, becomes = _settled(found, plan, part)
    if not plan.most:
        return Outlook(condition.name, at_best, settled, becomes)
    low, _ = ends(times(seen, plan.most * part), plan.to_prove, plan.to_refute)
    by_then = becomes if settled is not None and settled <= plan.most else State.OPEN
    return Outlook(condition.name, at_best, settled, becomes, condition.unscaled(low), by_then)


def _settled(found: Evidence, plan: Plan, part: float) -> tuple[int | None, State]:
    """After how many questions a condition is settled if they go on like this, and how."""
    if found.state is not State.OPEN:
        return (found.proven_at or found.refuted_at) or None, found.state
    line, seen = found.condition.scaled_line, dict(sorted(found.counted.items()))
    ways = (
        (_questions(enough(seen, line, plan.to_prove), part), State.PROVEN),
        (_questions(enough(turned(seen), 1 - line, plan.to_refute), part), State.REFUTED),
    )
    known = [(number, state) for number, state in ways if number is not None]
    return min(known) if known else (None, State.OPEN)


def _questions(measured: int | None, part: float) -> int | None:
    """How many questions are asked until so many of them are measured."""
    return None if measured is None else math.ceil(round(measured / part, 6))


def more_in_words(watched: Watched) -> str:
    """How many more questions would settle all that is open, if they go on as those seen."""
    names = {each.condition.name for each in watched.in_state(State.OPEN)}
    found = [each for each in outlook(watched) if each.name in names]
    needed = [each.settled_at for each in found]
    # One that is refuted settles it all.
    refuted = [
        each.settled_at
        for each in found
        if each.becomes is State.REFUTED and each.settled_at is not None
    ]
    known = [each for each in needed if each is not None]
    if not refuted and len(known) < len(needed):
        return more_questions(None, None)
    total = min(refuted) if refuted else max(known, default=0)
    more = max(1, total - watched.questions)
    return more_questions(more, more)
