"""From a metric's number and a threshold to a verdict, on the point or with confidence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from ragstone.contracts.kinds import MOST, is_number
from ragstone.contracts.plain_numbers import RANGE, clipped, real_number, whole_number
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged, Op, Status, Threshold
from ragstone.measure.interval import more_for_wilson
from ragstone.measure.metric import Count, Measured, Metric, Quantile, Ratio, Statistic

OFF = "off"
_OPS: Mapping[str, Op] = {">=": ">=", "<=": "<=", ">": ">", "<": "<", "=": "=", "==": "="}
_WRITTEN = re.compile(r"(>=|<=|==|[<>=])?\s*([^<>=\s]+)")

Gates = dict[str, Threshold]


def threshold(metric: Metric, given: str | float) -> Threshold:
    """A threshold as a user writes it; a bare number takes the metric's own direction.

    >>> metric = Ratio(name="over", of="a", hit="r", empty=0.0, better="lower", says="…")
    >>> str(threshold(metric, 0.1)), str(threshold(metric, "= 0"))
    ('<= 0.1', '= 0')
    """
    # Not asked of its text alone: Python writes out no whole number of 5,000 digits.
    large = is_number(given) and abs(given) > MOST  # type: ignore[arg-type]
    found = None if large else _WRITTEN.fullmatch(str(given).strip())
    number = real_number(found[2]) if found else None
    if large or (number is not None and abs(number) > MOST):
        raise ConfigError(f"gate {metric.name}: expected a number {RANGE}, found {clipped(given)}")
    if found is None or number is None or isinstance(given, bool):
        raise ConfigError(
            f"gate {metric.name}: expected a number such as 0.80 or '>= 0.80', "
            f"found {clipped(given)}"
        )
    own = ">=" if metric.better == "higher" else "<="
    return Threshold(_OPS[found[1] or own], number)


def resolve(name: str, metrics: Iterable[Metric], k: int | None = None) -> Metric:
    """The metric behind a name, an alias, or `recall@5` for `recall@k` when k is 5."""
    known: dict[str, Metric] = {}
    for metric in metrics:
        for word in (metric.name, *metric.aliases):
            known.setdefault(word, metric)
    if name in known:
        return known[name]
    stem, at, number = name.partition("@")
    cut = whole_number(number)
    if at and cut is not None and f"{stem}@k" in known:
        if cut == k:
            return known[f"{stem}@k"]
        raise ConfigError(f"gate {name} asks for k = {number}, but k is {k}; set k = {number}")
    raise ConfigError(f"there is no metric {name!r}{suggestion(name, [*known])}")


def suggestion(word: str, known: Sequence[str], otherwise: str = "") -> str:
    """`; did you mean ...?`; where nothing is close, `otherwise` or the list of what is known.

    >>> suggestion("precison", ["precision", "chr"])
    "; did you mean 'precision'?"
    """
    import difflib

    close = difflib.get_close_matches(word, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else otherwise or f"known: {', '.join(known)}"
    return f"; {hint}"


def split_flags(items: Sequence[str]) -> list[tuple[str, str]]:
    """`--gates` in both spellings: `a=1,b=2` and `a=1 b=2`, in any mix.

    >>> split_flags(["precision=0.8,chr=0.75", "under<=0.05"])
    [('precision', '0.8'), ('chr', '0.75'), ('under', '<=0.05')]
    """
    pairs = []
    for part in (part.strip() for item in items for part in item.split(",")):
        if not part:
            continue
        found = re.fullmatch(r"([^=<>]+)(=|[<>]=?)\s*+(.+)", part)
        if found is None:
            raise ConfigError(f"gate {part!r}: expected NAME=NUMBER, such as precision=0.80")
        name, op, number = found.groups()
        pairs.append((name.rstrip(), number if op == "=" else op + number))
    return pairs


def merge(
    base: Gates,
    changes: Iterable[tuple[str, str | float]],
    metrics: Sequence[Metric],
    k: int | None,
) -> Gates:
    """The gates with some set, changed or turned off, in the order of the metrics."""
    gates = dict(base)
    for name, given in changes:
        metric = resolve(name, metrics, k)
        if given is False or (isinstance(given, str) and given == OFF):
            gates.pop(metric.name, None)
        else:
            gates[metric.name] = threshold(metric, given)
    return {metric.name: gates[metric.name] for metric in metrics if metric.name in gates}


def judge(
    measured: Mapping[str, Measured],
    gates: Gates,
    *,
    questions: int,
    strict: bool = False,
    confidence: float | None = None,
    where: str = "",
    arm: str = "",
) -> tuple[Judged, ...]:
    """Every gate with its verdict; `questions` is the size of the gold set behind the rows.

    A gate on a metric that this arm does not have (a limit for high loads, say) does not judge it.
    """
    return tuple(
        _with(_judge_one(measured[name], limit, questions, strict, confidence, where), arm=arm)
        for name, limit in gates.items()
        if name in measured
    )


def _judge_one(
    found: Measured,
    limit: Threshold,
    questions: int,
    strict: bool,
    confidence: float | None,
    where: str,
) -> Judged:
    name = f"{found.name}[{where}]" if where else found.name
    base = Judged(
        name=name,
        metric=found.name,
        threshold=limit,
        value=found.value,
        judged_on=found.value,
        interval=found.interval,
        status=Status.PASS,
        vacuous=found.vacuous,
        note=tested_note(found),
        numerator=found.numerator,
        denominator=found.denominator,
        tested=found.tested,
        needs_samples=found.needs_samples,
    )
    if found.value is None:
        return _with(base, status=Status.UNMEASURABLE, note="could not be computed")
    if found.vacuous:
        status = Status.UNMEASURABLE if strict else _point(limit, found.value)
        return _with(base, status=status, note=f"vacuous: {why_vacuous(found)}")
    if confidence is None:
        return _with(base, status=_point(limit, found.value))
    return _with_confidence(base, found, limit, questions, confidence)


def why_vacuous(found: Measured) -> str:
    """Why nothing was tested, for a metric that is vacuous."""
    if found.denominator:
        return found.metric.untested
    return "its set is empty, so nothing was tested"


def tested_note(found: Measured) -> str:
    """How many rows were tested, where that is not all of them."""
    if not 0 < found.tested < found.denominator:
        return ""
    return f"tested on {found.tested:,} of {found.denominator:,}"


def _point(limit: Threshold, value: float) -> Status:
    return Status.PASS if limit.holds(value) else Status.FAIL


def _with_confidence(
    base: Judged, found: Measured, limit: Threshold, questions: int, level: float
) -> Judged:
    value, interval = found.value, found.interval
    if value is None or interval is None or not _provable(found.metric, limit):
        status = _point(limit, value) if value is not None else Status.UNMEASURABLE
        return _with(base, status=status, note="judged on the point: sampling cannot prove it")
    low, high = interval
    worse, best = (low, high) if limit.op in (">=", ">") else (high, low)
    # Values that are all alike leave no width, and are not thereby certain.
    certain = low != high
    if certain and worse is not None and limit.holds(worse):
        return _with(base, judged_on=worse, proven=True, note=f"proven at {level:.0%}")
    if certain and best is not None and not limit.holds(best):
        note = f"proven to fail at {level:.0%}"
        return _with(base, judged_on=worse, status=Status.FAIL, proven=True, note=note)
    needed = _needed(found, limit, questions, level)
    return _with(
        base,
        judged_on=worse,
        status=Status.FAIL,
        proven=False,
        needed=needed,
        note=f"not proven at {level:.0%}: {_more(found.metric, needed)}",
    )


def _more(metric: Metric, needed: int | None) -> str:
    if needed == 0 or (needed is None and not isinstance(metric, Ratio)):
        return "more questions are needed; how many depends on how they spread"
    if needed is None:
        return "the value is the threshold itself, and no number of questions would settle it"
    return f"about {needed:,} more questions would settle it"


def _provable(metric: Metric, limit: Threshold) -> bool:
    """No sample shows that something never happens, or always does."""
    if isinstance(metric, Count) or limit.op == "=":
        return False
    return isinstance(metric, Quantile | Statistic) or limit.value not in (0.0, 1.0)


def _needed(found: Measured, limit: Threshold, questions: int, level: float) -> int | None:
    """Questions, not rows: only some of the questions end up in the metric's set."""
    if found.numerator is None or not found.denominator:
        return None
    side = "higher" if limit.op in (">=", ">") else "lower"
    rows = more_for_wilson(found.numerator, found.denominator, limit.value, side, level)
    return None if rows is None else math.ceil(rows * questions / found.denominator)


def _with(base: Judged, **changes: object) -> Judged:
    from dataclasses import replace

    return replace(base, **changes)  # type: ignore[arg-type]
