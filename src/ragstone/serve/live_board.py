"""The live board: the numbers of the rolling windows beside their rules, and the alerts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.measure.metric import Quantile
from ragstone.serve.alert_rules import BESIDE, Rule
from ragstone.serve.asked import Asked
from ragstone.serve.canary_board import CanaryBrief
from ragstone.serve.judged_records import ANSWERS
from ragstone.serve.live_names import NUMBERS, gated_metric, meaning_of, title_of
from ragstone.serve.live_source import LiveSource
from ragstone.serve.moments import minute_in
from ragstone.serve.page_fields import Missing, says
from ragstone.serve.window_numbers import HOUR
from ragstone.suites.answers.metrics import OVER_REFUSAL, PRECISION, UNDER_REFUSAL

_ALERTS = 50
# Every how many seconds the page may be loaded again, where a reader asks for it.
REFRESH = ("15", "30", "60", "300")


@dataclass(frozen=True, slots=True)
class LiveNumber:
    """A number of a rolling window."""

    name: str = says("its name in rules and in /metrics")
    title: str = says("its plain name")
    what: str = says("what it is")
    value: float | None = says("what it comes to; null with too few samples")
    said: str = says("the same, in words")
    rule: str = says("when it is alarming, or nothing")
    limit: float | None = says("the number of that rule")
    status: str = says("FAIL where it is alarming or an alert stands, else PASS, or NONE")
    stands: bool = says("whether an alert on it stands")
    samples: int = says("over how many samples")
    since: str = says("the first minute of its window")
    detail: str = says("what it is about: a build, or a stage")
    values: tuple[float | None, ...] = says("each minute of the last hour by itself")


@dataclass(frozen=True, slots=True)
class ShownAlert:
    """An alert that was raised or resolved."""

    id: str = says("its id")
    alert: str = says("the number that it is about")
    title: str = says("the plain name of that number")
    state: str = says("raised or resolved")
    minute: str = says("the minute that was closed")
    rule: str = says("the rule")
    value: float | None = says("what the number came to")
    samples: int = says("over how many samples")
    since: str = says("the first minute of its window")
    detail: str = says("what it is about")


@dataclass(frozen=True, slots=True)
class ErrorBudget:
    """Of the misses that a rule allows in an hour, how many are used up."""

    name: str = says("the number")
    title: str = says("its plain name")
    used: float | None = says("the share of the budget that is used up")
    missed: float = says("misses in the last hour")
    allowed: float = says("misses that the rule allows in an hour")
    samples: int = says("samples in the last hour")


@dataclass(frozen=True, slots=True)
class JudgedNumber:
    """A number of a suite over the last minutes."""

    suite: str = says("audit, or answers where there is a gold set")
    name: str = says("the metric")
    value: float | None = says("what it comes to")
    samples: int = says("over how many records")
    rule: str = says("when it is alarming, or nothing")
    status: str = says("PASS, FAIL where it is on the wrong side of its rule, or NONE")


@dataclass(frozen=True, slots=True)
class UnwatchedGate:
    """A gate that only a run can judge."""

    name: str = says("the suite and the gate")
    title: str = says("its plain name")
    why: str = says("why no window can judge it")
    required: bool = says("whether the board is not green without a verdict on it")


@dataclass(frozen=True, slots=True)
class LiveVerdict:
    """What the board comes to, in words."""

    status: str = says("PASS, FAIL where an alert stands, or UNMEASURABLE")
    title: str = says(
        "Roll back, Watch closely, Nothing is measured, Not all is judged, or All is well"
    )
    because: str = says("why")


@dataclass(frozen=True, slots=True)
class LivePage:
    """The board, as of the last minute that was closed."""

    minute: str = says("the last minute that was closed, or nothing")
    verdict: LiveVerdict = says("what all of it comes to")  # noqa: RUF009 (what it makes is a field)
    roll_back: bool = says("whether it is time to roll back")
    standing: tuple[ShownAlert, ...] = says("the alerts that stand now")
    alerts: tuple[ShownAlert, ...] = says("the last that were raised or resolved, newest first")
    numbers: tuple[LiveNumber, ...] = says("the numbers of the rolling windows")
    records: tuple[int, ...] = says("how many records each minute of the last hour had")
    budgets: tuple[ErrorBudget, ...] = says("the error budgets of the last hour")
    judged: tuple[JudgedNumber, ...] = says("the suites' own metrics over the last minutes")
    unwatched: tuple[UnwatchedGate, ...] = says("gates that only a run can judge")
    late: int = says("records that came too late to be counted")
    left_out: Mapping[str, int] = says("spans that were left out, and why")
    fault: str = says("what goes wrong in the server's own threads, or nothing")
    refresh: int = says("every how many seconds the page loads itself again; 0 is never")
    canary: CanaryBrief | None = says("what is decided of a shadow, or null")  # noqa: RUF009 (a field)


def live_page(live: LiveSource | None, asked: Asked, canary: CanaryBrief | None = None) -> LivePage:
    """The board now; `canary` is what is decided of a shadow."""
    if live is None:
        raise Missing(404, "no records are kept here: there is no live board")
    state: Mapping[str, Any] = live.state()
    refresh = int(asked.one_of("refresh", REFRESH) or 0)
    rules = {rule.number: rule for rule in live.rules}
    standing = {str(each["alert"]) for each in state.get("standing", ())}
    minutes = _hour(state)
    numbers = tuple(
        _number(name, state["rolling"].get(name, {}), rules.get(name), standing, minutes)
        for name in _shown(state.get("rolling", {}))
    )
    judged = tuple(
        _judged(suite, name, each, rules.get(f"{suite}.{name}"))
        for suite in ("audit", "answers")
        for name, each in state.get(suite, {}).items()
    )
    unwatched = tuple(
        UnwatchedGate(each.name, title_of(each.name), each.why, each.required)
        for each in live.judging.unwatched
    )
    roll_back = bool(state.get("roll_back"))
    return LivePage(
        minute=str(state.get("minute", "")),
        verdict=_verdict(
            roll_back, len(standing), numbers, judged, _not_judged(live, numbers, judged)
        ),
        roll_back=roll_back,
        standing=tuple(shown_alert(each) for each in state.get("standing", ())),
        alerts=tuple(shown_alert(each) for each in [*live.alerts()][: -_ALERTS - 1 : -1]),
        numbers=numbers,
        records=tuple(int(each.get("records", 0)) for each in minutes),
        budgets=tuple(
            ErrorBudget(name, title_of(name), **{key: each[key] for key in _BUDGET})
            for name, each in state.get("error_budget", {}).items()
        ),
        judged=judged,
        unwatched=unwatched,
        late=int(state.get("late", 0)),
        left_out=dict(state.get("spans_left_out", {})),
        fault=live.fault(),
        refresh=refresh,
        canary=canary,
    )


_BUDGET = ("used", "missed", "allowed", "samples")


def shown_alert(each: Mapping[str, Any]) -> ShownAlert:
    return ShownAlert(
        id=str(each["id"]),
        alert=str(each["alert"]),
        title=title_of(str(each["alert"])),
        state=str(each["state"]),
        minute=str(each["minute"]),
        rule=str(each["rule"]),
        value=each["value"],
        samples=int(each["samples"]),
        since=str(each["since"]),
        detail=str(each["detail"]),
    )


def _hour(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The last hour minute by minute; one without records is empty."""
    if not state:
        return []
    known = {minute_in(each["minute"]): each for each in state["minutes"]}
    last = minute_in(state["minute"])
    return [known.get(minute, {}) for minute in range(last - HOUR + 1, last + 1)]


def _number(
    name: str,
    found: Mapping[str, Any],
    rule: Rule | None,
    standing: set[str],
    minutes: Sequence[Mapping[str, Any]],
) -> LiveNumber:
    value = found.get("value")
    return LiveNumber(
        name=name,
        title=title_of(name),
        what=meaning_of(name),
        value=value,
        said=_said(name, value),
        rule="" if rule is None else str(rule),
        limit=None if rule is None else rule.limit,
        status="FAIL" if name in standing else _status(value, rule),
        stands=name in standing,
        samples=int(found.get("samples", 0)),
        since=str(found.get("since", "")),
        detail=str(found.get("detail", "")),
        values=tuple(each.get(name) for each in minutes),
    )


def _not_judged(
    live: LiveSource, numbers: Sequence[LiveNumber], judged: Sequence[JudgedNumber]
) -> list[str]:
    """What nobody has judged: the main question of the suite, and gates that the user wrote."""
    # A gate with too few samples for an alert is judged on those all the same.
    tested = {each.name for each in numbers if each.status == "PASS"}
    tested |= {f"{each.suite}.{each.name}" for each in judged if each.status == "PASS"}
    why = {
        rule.number: "has no sample"
        for rule in live.rules
        if rule.required and rule.number not in tested
    }
    why |= {each.name: each.why for each in live.judging.unwatched if each.required}
    said = [f"{title_of(name)}: {words}" for name, words in why.items()]
    if live.judging.answers is not None and not tested & _on_main(judged):
        said.insert(0, f"no rule with a sample says {ANSWERS.main.asks}")
    return said


def _on_main(judged: Sequence[JudgedNumber]) -> set[str]:
    """The gates of answers of which one must be judged."""
    asked = {each.name: each.samples for each in judged if each.suite == ANSWERS.name}
    some = (PRECISION,) if asked.get(OVER_REFUSAL.name) else (PRECISION, UNDER_REFUSAL)
    return {f"{ANSWERS.name}.{metric.name}" for metric in some}


def _verdict(
    roll_back: bool,
    stand: int,
    numbers: Sequence[LiveNumber],
    judged: Sequence[JudgedNumber],
    not_judged: Sequence[str],
) -> LiveVerdict:
    """All is well only where what has to be judged is, and nothing is alarming."""
    alerts = f"{stand} {'alert stands' if stand == 1 else 'alerts stand'}"
    if roll_back:
        why = f"{alerts}, two windows in a row, or the index has drifted."
        return LiveVerdict("FAIL", "Roll back", why)
    if stand:
        return LiveVerdict("FAIL", "Watch closely", f"{alerts}.")
    wrong = [each for each in numbers if each.status == "FAIL"]
    beyond = {each.name: f"{each.title} is {each.said}" for each in wrong}
    for one in judged:
        name = f"{one.suite}.{one.name}"
        if one.status == "FAIL" and name not in beyond:
            few = f"{_said(name, one.value)} over {one.samples:,}, too few for an alert"
            beyond[name] = f"{title_of(name)} is {few}"
    if beyond:
        why = f"No alert stands, but {'; '.join(beyond.values())}."
        return LiveVerdict("UNMEASURABLE", "Watch closely", why)
    ruled = [each for each in numbers if each.rule]
    measured = [each for each in ruled if each.status == "PASS"]
    if all(each.name in BESIDE for each in measured):
        why = "No number about answers that has a rule has enough samples."
        return LiveVerdict("UNMEASURABLE", "Nothing is measured", why)
    if not_judged:
        why = f"No alert stands, but {'; '.join(not_judged)}."
        return LiveVerdict("UNMEASURABLE", "Not all is judged", why)
    why = f"No alert stands. {len(measured)} of {len(ruled)} numbers with a rule are measured."
    return LiveVerdict("PASS", "All is well", why)


def _shown(rolling: Collection[str]) -> list[str]:
    """The numbers in the order that people read them: the gates follow what is only live."""
    return [*(name for name in NUMBERS if name in rolling), *(n for n in rolling if "." in n)]


def _judged(suite: str, name: str, each: Mapping[str, Any], rule: Rule | None) -> JudgedNumber:
    value = each["value"] if each["samples"] else None
    said = "" if rule is None else str(rule)
    return JudgedNumber(suite, name, each["value"], each["samples"], said, _status(value, rule))


def _status(value: float | None, rule: Rule | None) -> str:
    if value is None or rule is None:
        return "NONE"
    return "FAIL" if rule.holds(value) else "PASS"


def _said(name: str, value: float | None) -> str:
    """A number in words.

    >>> [_said(*each) for each in (("coverage", 0.9), ("p95_llm", 1840.2), ("index_hashes", 2.0))]
    ['0.9000', '1,840 ms', '2']
    """
    metric = gated_metric(name)
    if isinstance(metric, Quantile) and value is not None:
        return f"{value:,.0f} {metric.unit}"
    if value is None:
        return "–"
    if name == "index_hashes":
        return f"{value:.0f}"
    if name in ("p95_ratio", "traffic"):
        return f"{value:.2f} times"
    return f"{value:,.0f} ms" if name.startswith("p95_") else f"{value:.4f}"
