"""`--max-regression precision=0.02`: a gate on how much worse a metric may be than before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ragstone.comparison.metric_difference import MetricDifference
from ragstone.comparison.row_sets import RowSet
from ragstone.comparison.says import by_chance
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged, Threshold
from ragstone.gates.judge import NOTHING_TO_TEST, judge, not_tested, resolve, suggestion
from ragstone.gates.margin import Margin
from ragstone.measure.metric import Change, Measured
from ragstone.suites.metric_titles import CHANGE, change_title, metric_title
from ragstone.suites.registry import find_suite


def margins_by_metric(
    b: RowSet, given: Mapping[str, Margin], dropped: Mapping[str, str]
) -> dict[str, Margin]:
    """The margins under the metrics' own names; a name that B does not know is an error."""
    known = (*b.metrics, *(name for name in dropped if name not in b.metrics))
    found: dict[str, Margin] = {}
    for name, margin in given.items():
        own = _own_name(b, name, known)
        if own not in known:
            raise ConfigError(
                f"max_regression {name}: {b.name} has no such metric{suggestion(name, known)}"
            )
        found[own] = margin
    return found


def _own_name(b: RowSet, name: str, known: tuple[str, ...]) -> str:
    """`under` is under_refusal, and `recall@5` is recall@k where k is 5."""
    if name in known:
        return name
    suite = find_suite(b.suite)
    if suite.given_metrics:
        return name
    k = b.settings.get("k")
    try:
        return resolve(name, suite.metrics(suite.options(**suite.fullest)), k).name
    except ConfigError:
        return name


def regression_gates(
    found: Mapping[str, MetricDifference],
    margins: Mapping[str, Margin],
    dropped: Mapping[str, str],
    *,
    suite: str,
    barred: Mapping[str, str],
    waived: Mapping[str, int],
    confidence: float | None,
) -> tuple[tuple[Judged, ...], dict[str, Measured]]:
    """Every gate with its verdict, and the changes that they judge.

    A metric that could not be compared is unmeasurable, never a pass; so is one that is `barred`.
    Who sets such a gate asks for it, so there is no verdict where it has nothing to test.
    """
    gates: list[Judged] = []
    changes: dict[str, Measured] = {}
    for name, margin in margins.items():
        measured = replace(
            _change(suite, name, found.get(name), barred.get(name, "")), waived=waived.get(name, 0)
        )
        limit = _limit(measured, found.get(name), margin)
        (made,) = judge(
            {measured.name: measured},
            {measured.name: limit},
            questions=partial(int, measured.denominator),
            confidence=confidence,
        )
        if name not in found:
            why = dropped.get(name, "it could not be compared")
            made = replace(made, note=why)
            if why.startswith(NOTHING_TO_TEST):
                made = not_tested(made, why.removeprefix(f"{NOTHING_TO_TEST} "), required=True)
        if name in found and measured.value is not None:
            chance = by_chance(found[name].seen, margin.around(found[name].a))
            made = replace(made, by_chance=chance)
        gates.append(made)
        changes[measured.name] = measured
    return tuple(gates), changes


def _change(suite: str, name: str, found: MetricDifference | None, barred: str = "") -> Measured:
    """The difference as a metric of its own: `precision_delta`."""
    change = Change(
        name=f"{name}{CHANGE}",
        title=change_title(metric_title(suite, name) or name),
        metric=name,
        how="difference",
        paired=True,
        better="lower" if found is not None and found.better == "lower" else "higher",
        says=f"{name}, minus the baseline's, question by question.",
        barred=barred,
        unbounded=found is not None and found.unbounded,
    )
    if found is None:
        return Measured(change, None, None, 0, None, vacuous=False)
    low, high = found.ends
    interval = None if low is None and high is None else (low, high)
    return Measured(
        change, found.value, None, found.questions, interval, vacuous=False, paired=found.seen
    )


def _limit(measured: Measured, found: MetricDifference | None, margin: Margin) -> Threshold:
    size = margin.around(found.a) if found is not None else margin.size
    if measured.metric.better == "lower":
        return Threshold("<=", size)
    # -0.0 would be shown as such.
    return Threshold(">=", -size if size else 0.0)
