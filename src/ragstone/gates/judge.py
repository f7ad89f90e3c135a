"""From a metric's number and a threshold to a verdict, and whether it is proven."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ragstone.contracts.kinds import MOST, is_number
from ragstone.contracts.plain_numbers import RANGE, clipped, real_number, whole_number
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged, Op, Status, Threshold
from ragstone.gates.proof import proof, says
from ragstone.gates.supply import supply
from ragstone.measure.metric import Measured, Metric, is_unbounded

OFF = "off"
_OPS: Mapping[str, Op] = {">=": ">=", "<=": "<=", ">": ">", "<": "<", "=": "=", "==": "="}
_WRITTEN = re.compile(r"(>=|<=|==|[<>=])?\s*([^<>=\s]+)(?:\s+max\s*=\s*([^<>=\s]+))?")

Gates = dict[str, Threshold]


def threshold(metric: Metric, given: str | float) -> Threshold:
    """A threshold as a user writes it; a bare number takes the metric's own direction.

    >>> from ragstone.measure.metric import Ratio
    >>> metric = Ratio(name="over", of="a", hit="r", empty=0.0, better="lower", says="…")
    >>> str(threshold(metric, 0.1)), str(threshold(metric, "= 0"))
    ('<= 0.1', '= 0')
    >>> threshold(metric, "0.02 max = 100").most
    100.0
    """
    # Not asked of its text alone: Python writes out no whole number of 5,000 digits.
    large = is_number(given) and abs(given) > MOST  # type: ignore[arg-type]
    found = None if large else _WRITTEN.fullmatch(str(given).strip())
    number = real_number(found[2]) if found else None
    most = real_number(found[3]) if found and found[3] else None
    if large or (number is not None and abs(number) > MOST):
        raise ConfigError(f"gate {metric.name}: expected a number {RANGE}, found {clipped(given)}")
    if found is None or number is None or isinstance(given, bool) or (found[3] and most is None):
        raise ConfigError(
            f"gate {metric.name}: expected a number such as 0.80, '>= 0.80' or '<= 2 max = 100', "
            f"found {clipped(given)}"
        )
    own = ">=" if metric.better == "higher" else "<="
    return Threshold(_OPS[found[1] or own], number, most)


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
    >>> split_flags(["precision[tags=a,level=1]=0.8"])
    [('precision[tags=a,level=1]', '0.8')]
    """
    pairs = []
    # What stands in brackets is the name of a slice.
    for part in (part.strip() for item in items for part in re.split(r",(?![^\[]*\])", item)):
        if not part:
            continue
        found = re.fullmatch(r"([^=<>\[]++(?:\[[^\]]*+\])?+)\s*+(=|[<>]=?)\s*+(.+)", part)
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
    questions: Callable[[], int],
    optional: Collection[str] = (),
    confidence: float | None = None,
    where: str = "",
    arm: str = "",
) -> tuple[Judged, ...]:
    """Every gate with its verdict; `questions` counts the gold set behind the rows when asked.

    A gate on a metric that this arm does not have (a limit for high loads, say) does not judge it.
    The gates that are `optional` may have nothing to test; without one of the others there is no
    verdict.
    """
    return tuple(
        _with(
            _judge_one(measured[name], limit, questions, name not in optional, confidence, where),
            arm=arm,
        )
        for name, limit in gates.items()
        if name in measured
    )


def _judge_one(
    found: Measured,
    limit: Threshold,
    questions: Callable[[], int],
    required: bool,
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
        numerator=found.numerator,
        denominator=found.denominator,
        tested=found.tested,
        needs_samples=found.needs_samples,
        waived=found.waived,
        unbounded=is_unbounded(found.metric),
    )
    if found.metric.barred:
        return _with(base, status=Status.UNMEASURABLE, note=found.metric.barred)
    if found.value is None:
        return _with(base, status=Status.UNMEASURABLE, note="could not be computed")
    if found.vacuous or not found.tested:
        give = supply(found.metric, tested=found.denominator > 0)
        return not_tested(base, why_vacuous(found), required=required, give=give)
    status = Status.PASS if limit.holds(found.value) else Status.FAIL
    return _proven(_with(base, status=status), found, questions, confidence)


def not_tested(base: Judged, why: str, *, required: bool, give: str = "") -> Judged:
    """The gate neither passing nor failing, because nothing could have failed it.

    `give` is what it would test, where that is known.
    """
    advice = f"give it {give or 'something to test'}, or take the gate out" if required else ""
    said = (f"{NOTHING_TO_TEST}: {why}", advice, waived_words(base.waived))
    return _with(
        base,
        status=Status.NOT_TESTED,
        vacuous=True,
        tested=0,
        proven=None,
        needed=None,
        required=required,
        note="; ".join(filter(None, said)),
    )


def _proven(
    base: Judged, found: Measured, questions: Callable[[], int], confidence: float | None
) -> Judged:
    """The gate with what its interval proves; --confidence takes no pass without the proof."""
    level = confidence or 0.95
    shown = proof(found, base.threshold, questions, level)
    passes = base.status is Status.PASS
    said = says(shown, passes, level)
    changes: dict[str, object] = {}
    if confidence is not None and passes and shown.proven is None:
        said += ", so it is judged on the point"
    elif confidence is not None and passes:
        status = Status.PASS if shown.proven else Status.UNMEASURABLE
        changes = {"judged_on": shown.worse, "status": status}
    note = "; ".join(filter(None, (tested_note(found), said, waived_words(found.waived))))
    return _with(base, proven=shown.proven, needed=shown.needed, note=note, **changes)


# What is said of a gate that is not tested.
NOTHING_TO_TEST = "nothing to test"


def why_vacuous(found: Measured) -> str:
    """Why nothing was tested, for a metric that is vacuous."""
    if found.denominator:
        return found.metric.untested
    return "its set is empty"


def tested_note(found: Measured) -> str:
    """How many rows were tested, where that is not all of them."""
    if not 0 < found.tested < found.denominator:
        return ""
    return f"tested on {found.tested:,} of {found.denominator:,}"


def waived_words(questions: int) -> str:
    """
    >>> waived_words(1), waived_words(0)
    ('without 1 waived question', '')
    """
    many = "question" if questions == 1 else "questions"
    return f"without {questions:,} waived {many}" if questions else ""


def _with(base: Judged, **changes: object) -> Judged:
    from dataclasses import replace

    return replace(base, **changes)  # type: ignore[arg-type]
