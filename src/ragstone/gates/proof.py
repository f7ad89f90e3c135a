"""Whether a sample proves that a number meets its limit: by an interval wholly on that side."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ragstone.gates.gate import TOLERANCE, Judged, Threshold
from ragstone.measure.interval import Interval
from ragstone.measure.metric import Count, Mean, Measured, Metric, Ratio, is_unbounded
from ragstone.measure.more_questions import (
    Needed,
    more_for_number,
    more_for_share,
    more_questions,
)
from ragstone.measure.outlook import more_to_clear

NO_SAMPLE = "no sample can prove it"
_NO_INTERVAL = "it has no interval, for there is too little to make one"
_WAIVED = "nothing is proven by what is left"
# One value that no sample has shown yet may move such a mean as far as it likes.
_UNBOUNDED = "nothing bounds its values; where you know a bound, name it, as in '{} max = 100'"


@dataclass(frozen=True, slots=True)
class Proof:
    """What an interval says about a limit.

    `proven` is None where no sample can prove it; `refuted` is an interval wholly on the wrong
    side; `needed` is how many more questions would settle it, and `why_open` why none is told.
    """

    proven: bool | None
    refuted: bool = False
    worse: float | None = None
    needed: Needed | None = None
    why_open: str = ""


def proof(found: Measured, limit: Threshold, questions: Callable[[], int], level: float) -> Proof:
    """What the interval of a number that was measured says about its limit.

    `questions` counts those behind the rows, and is asked only where the answer is needed.
    """
    if found.value is None or found.vacuous or not provable(found.metric, limit):
        return Proof(None)
    if is_unbounded(found.metric):
        return Proof(False, why_open=_UNBOUNDED.format(limit))
    if found.waived or found.interval is None:
        return Proof(False, why_open=_WAIVED if found.waived else _NO_INTERVAL)
    worse, _ = _worse_and_best(found.interval, limit)
    if _has_width(found.interval) and worse is not None and limit.holds(worse):
        return Proof(True, worse=worse)
    if _wrong_side(found.interval, limit):
        return Proof(False, refuted=True, worse=worse)
    return Proof(False, worse=worse, needed=_needed(found, limit, questions, level))


def refuted(gate: Judged) -> bool:
    """Whether a gate is proven to fail: its whole interval is on the wrong side."""
    return (
        gate.proven is False
        and not gate.unbounded
        and gate.interval is not None
        and _wrong_side(gate.interval, gate.threshold)
    )


def _wrong_side(interval: Interval, limit: Threshold) -> bool:
    _, best = _worse_and_best(interval, limit)
    return _has_width(interval) and best is not None and not limit.holds(best)


def _worse_and_best(interval: Interval, limit: Threshold) -> Interval:
    low, high = interval
    return (low, high) if limit.op in (">=", ">") else (high, low)


def _has_width(interval: Interval) -> bool:
    """Values that do not differ in the sample may still differ outside of it."""
    low, high = interval
    return low is None or high is None or low < high


def provable(metric: Metric, limit: Threshold) -> bool:
    """No sample shows that something never happens, or always does; a count is no sample at all.

    >>> missing = Ratio(name="missing", hit="missing", better="lower", says="…")
    >>> provable(missing, Threshold("<=", 0.05)), provable(missing, Threshold("<=", 0.0))
    (True, False)
    """
    if isinstance(metric, Count) or limit.op == "=":
        return False
    bounds = (0.0, 1.0) if isinstance(metric, Ratio) else getattr(metric, "bounds", None)
    return limit.value not in (bounds or ())


def says(found: Proof, passes: bool, level: float) -> str:
    """The proof of a gate in words; `passes` is whether the value itself meets the limit.

    >>> says(Proof(False, needed=(40, 120)), True, 0.95)
    'not proven at 95 %: 40 to 120 more questions would settle it'
    >>> says(Proof(False, refuted=True), False, 0.9)
    'proven to fail at 90 %'
    """
    if found.proven is None:
        # A failure needs no proof here: what was counted has happened.
        return NO_SAMPLE if passes else ""
    at = f"at {percent(level)}"
    if found.proven or found.refuted:
        return f"proven {at}" if found.proven else f"proven to fail {at}"
    more = found.why_open or more_questions(*(found.needed or (None, None)))
    return f"not proven {'' if passes else 'to fail '}{at}: {more}"


def percent(level: float) -> str:
    """
    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:g} %"


def _needed(
    found: Measured, limit: Threshold, questions: Callable[[], int], level: float
) -> Needed | None:
    """Questions, not rows: only some of the questions end up in the metric's set."""
    value, metric = found.value, found.metric
    low, high = found.interval or (None, None)
    if found.paired is not None:
        # The interval of the difference itself says when it would leave the limit out.
        edge = limit.value + (TOLERANCE if limit.op in ("<=", "<") else -TOLERANCE)
        return more_to_clear(found.paired, edge, level)
    if found.needs_samples is not None:
        missing = max(1, found.needs_samples - found.denominator)
        return math.ceil(missing * questions() / found.denominator), None
    if value is None or low is None or high is None:
        return None
    if isinstance(metric, Ratio) or (isinstance(metric, Mean) and metric.bounds == (0.0, 1.0)):
        needed = more_for_share(
            value, (low, high), limit.value, found.denominator, questions(), level
        )
    else:
        needed = more_for_number(value, (low, high), limit.value, questions())
    return needed if needed[0] is not None else None
