"""From questions to numbers and verdicts: averages over questions, gates question by question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.gates.judge import judge
from ragstone.measure.interval import Interval, exact_mean, mean_interval, wilson
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.deciding import Deciding
from ragstone.suites.stability.metrics import (
    ACR,
    CGHC,
    CSS,
    IAA,
    METRICS,
    NED50,
    NO_RUNS,
    RCR,
    SCU_CONS,
    SHARES,
)
from ragstone.suites.stability.questions import Question

_ANSWERABLE = (ACR.name, CGHC.name, CSS.name, NED50.name)


def belongs(question: Question, name: str) -> bool:
    """Whether a question is in a metric's set; the declaration says the same in SQL."""
    if not question.runs:
        return False
    if name in _ANSWERABLE:
        return question.answerable
    if name == RCR.name:
        return not question.answerable
    return name == IAA.name or (name == SCU_CONS.name and question.constrained)


def measure_questions(questions: Sequence[Question], level: float) -> dict[str, Measured]:
    """Every metric, with questions as the clusters of their runs."""
    return {metric.name: _measured(metric, questions, level) for metric in METRICS}


def _measured(metric: Metric, questions: Sequence[Question], level: float) -> Measured:
    if metric is NO_RUNS:
        silent = sum(not question.runs for question in questions)
        size = len(questions)
        return Measured(metric, silent / size, silent, size, wilson(silent, size, level), False)
    chosen = [question for question in questions if belongs(question, metric.name)]
    values = [value for each in chosen if (value := each.value(metric.name)) is not None]
    if not values:
        empty = 0.0 if metric is NED50 else 1.0
        return Measured(metric, empty, None, 0, None, vacuous=True)
    spread = sorted(Counter(values).items())
    mean = exact_mean(spread)
    if metric.name in SHARES:
        rows = len(values) if metric is SCU_CONS else sum(len(each.runs) for each in chosen)
        interval: Interval | None = clustered(values, mean, rows, level)
    else:
        interval = mean_interval(spread, level, (0.0, 1.0))
    return Measured(metric, mean, None, len(values), interval, vacuous=False)


def clustered(shares: Sequence[float], mean: float, rows: int, level: float) -> Interval:
    """Wilson's interval for a mean of shares, each over the runs of one question.

    Runs that rise and fall together are worth fewer than they are: Wilson gets as many rows as
    would vary as much if they were independent, never more than there are; where questions do not
    vary at all, each counts once.

    >>> low, high = clustered([1.0, 0.0, 1.0], 2 / 3, 12, 0.95)
    >>> (low, high) == wilson(2, 3)
    True
    """
    spread = math.fsum((share - mean) ** 2 for share in shares)
    count = len(shares)
    worth = min(rows, mean * (1 - mean) * count * count / spread) if spread else count
    worth = round(worth, 9)
    low, high = wilson(min(mean * worth, worth), worth, level)
    return min(low, mean), max(high, mean)


def fails(question: Question, name: str, limit: Threshold) -> bool:
    """Whether this question fails a gate on this metric."""
    value = question.value(name)
    if not belongs(question, name) or value is None:
        return False
    if name == RCR.name and question.refusal_share <= 0.5:
        return True
    return not limit.holds(value)


def judge_questions(
    questions: Sequence[Question],
    measured: Mapping[str, Measured],
    gates: Mapping[str, Threshold],
    deciding: Deciding,
) -> tuple[tuple[Judged, ...], dict[str, tuple[str, ...]]]:
    """Every gate with its verdict, and the gates that each failing question fails."""
    judged: list[Judged] = []
    failed: dict[str, list[str]] = {}
    for name, limit in gates.items():
        if name == NO_RUNS.name or measured[name].vacuous:
            judged += judge(
                measured,
                {name: limit},
                questions=len(questions),
                strict=deciding.strict,
                confidence=deciding.confidence,
            )
        else:
            judged.append(_question_gate(questions, measured[name].metric, limit))
    for question in questions:
        names = [name for name, limit in gates.items() if fails_any(question, name, limit)]
        if names:
            failed[question.qid] = names
    return tuple(judged), {qid: tuple(names) for qid, names in failed.items()}


def fails_any(question: Question, name: str, limit: Threshold) -> bool:
    if name == NO_RUNS.name:
        return not question.runs
    return fails(question, name, limit)


def _question_gate(questions: Sequence[Question], metric: Metric, limit: Threshold) -> Judged:
    """The gate on the question that fares worst: the value shown is that question's."""
    chosen = [question for question in questions if belongs(question, metric.name)]
    losers = [question.qid for question in chosen if fails(question, metric.name, limit)]
    # A question that is answered every time is consistent, and wrong: its refusals are what counts.
    name = "refusal_share" if metric is RCR else metric.name
    values = [value for each in chosen if (value := each.value(name)) is not None]
    worst = max(values) if metric.better == "lower" else min(values)
    note = f"every one of {len(chosen):,} questions passes; the worst is shown"
    if losers:
        few = ", ".join(losers[:3]) + (", ..." if len(losers) > 3 else "")
        note = f"{len(losers):,} of {len(chosen):,} questions fail it ({few}); the worst is shown"
    status = Status.FAIL if losers else Status.PASS
    return Judged(metric.name, metric.name, limit, worst, worst, None, status, note=note)
