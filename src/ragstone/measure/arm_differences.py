"""One arm beside another, question by question: differences, tests, flips.

Every comparison of the project comes from here: systems and runs beside a baseline, a shadow index
beside the live one, a configuration beside last week's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ragstone.measure.combined import less, over
from ragstone.measure.interval import Interval, quotient
from ragstone.measure.measure import Rows, first_asked, one_question
from ragstone.measure.metric import (
    Change,
    Count,
    Mean,
    Measured,
    Metric,
    Quantile,
    Ratio,
    value_sql,
)
from ragstone.measure.paired import (
    Difference,
    Pairs,
    difference_of_means,
    difference_of_quantiles,
)
from ragstone.measure.permutation import MID_P, Chance, Method, holm, mcnemar, randomisation

Pair = tuple[str, float | None, float | None]
"""A qid, the baseline's value and the arm's; None where a question is not in the metric's set."""

# Values of a ranking measure that differ by less are equal: the rest is rounding.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Comparison:
    """An arm beside the baseline in one metric, over the questions that both were measured on.

    `difference` is the arm's mean minus the baseline's; `p` is McNemar's for yes/no metrics and a
    randomisation test's for others, `p_holm` the same corrected over the family of comparisons;
    `test` says by which method.
    """

    arm: str
    metric: str
    difference: float
    interval: Interval | None
    p: float
    p_holm: float
    test: Method
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Differing:
    """A question in which an arm and the baseline are far apart."""

    arm: str
    metric: str
    qid: str
    baseline: float
    value: float

    @property
    def difference(self) -> float:
        return self.value - self.baseline


@dataclass(frozen=True, slots=True)
class Flip:
    """The questions that changed on one check, either way, from the baseline to the arm.

    Of condensed rows they are the first, and the totals count all.
    """

    name: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    gained_total: int
    lost_total: int
    p: float


def pairs(
    engine: Rows,
    metric: Ratio | Count | Mean | Quantile,
    baseline: str,
    arm: str,
) -> list[Pair]:
    """Both arms' values of each question, in order of qid; repeats of a question are averaged."""
    rows = engine.query(
        f"{_paired(engine, metric, by='qid')} select qid, before, after from paired order by qid",
        {"baseline": baseline, "arm": arm},
    )
    return cast("list[Pair]", rows)


def counted_pairs(
    engine: Rows,
    metric: Ratio | Count | Mean | Quantile,
    baseline: str,
    arm: str,
) -> Pairs:
    """How many questions have each pair of values, in order; the engine counts, not Python."""
    rows = engine.query(
        f"{_paired(engine, metric)} select before, after, {engine.tally()} "
        "from paired group by before, after "
        "order by all",
        {"baseline": baseline, "arm": arm},
    )
    return cast("Pairs", rows)


def _paired(
    engine: Rows, metric: Ratio | Count | Mean | Quantile, column: str = "", by: str = ""
) -> str:
    """The pairs of all questions, or of those within each value of a column."""
    times, most = ("times,", "max(times) as times,") if engine.condensed else ("", "")
    asked = by or one_question(engine)
    keys, named = (f"{column}, {each}" if column else each for each in ("qid", f"{asked} as qid"))
    return f"""
        with one as (
            select arm, {named}, {times} {value_sql(metric)} as value from {metric.over}
        ),
        paired as (
            select
                {keys},
                {_average("arm = $baseline")} as before,
                {_average("arm = $arm")} as after,
                {most}
            from one where arm in ($baseline, $arm)
            group by {keys} having count(distinct arm) = 2
        )
    """


def _average(condition: str) -> str:
    # Added up in order of size: a sum of doubles in the order of threads has other last digits.
    values = f"list_sort(list(value) filter ({condition} and value is not null))"
    return f"list_sum({values}) / len({values})"


def compare(
    engine: Rows,
    metrics: Iterable[Metric],
    arms: Sequence[str],
    baseline: str,
    level: float = 0.95,
) -> tuple[Comparison, ...]:
    """Every other arm against the baseline in every metric, corrected as one family."""
    found = [
        (arm, metric, _in_both(counted_pairs(engine, metric, baseline, arm)))
        for arm in arms
        if arm != baseline
        for metric in metrics
        if isinstance(metric, Ratio | Count | Mean)
    ]
    tests = [chance(metric, counted) for _, metric, counted in found]
    raised = holm([test.p for test in tests])
    return tuple(
        _comparison(arm, metric, counted, test, p_holm, level)
        for (arm, metric, counted), test, p_holm in zip(found, tests, raised, strict=True)
    )


def _in_both(counted: Pairs) -> list[tuple[float, float, int]]:
    return [(a, b, count) for a, b, count in counted if a is not None and b is not None]


def chance(metric: Metric, counted: Pairs) -> Chance:
    """The test of a metric: McNemar's for yes/no, randomisation for a number per question.

    Questions that only one arm was measured on do not count, and neither do repeats: a question
    whose repeats disagree gained or lost if more of them did.
    """
    both = _in_both(counted)
    if isinstance(metric, Ratio | Count):
        gained = sum(count for a, b, count in both if b > a)
        return Chance(mcnemar(gained, sum(count for a, b, count in both if b < a)), MID_P)
    return randomisation((b - a, count) for a, b, count in both)


def _comparison(
    arm: str,
    metric: Ratio | Count | Mean,
    counted: Sequence[tuple[float, float, int]],
    test: Chance,
    p_holm: float,
    level: float,
) -> Comparison:
    wins = sum(count for a, b, count in counted if b - a > TOLERANCE)
    losses = sum(count for a, b, count in counted if b - a < -TOLERANCE)
    apart = difference_of_means(counted, level, bounds(metric))
    return Comparison(
        arm=arm,
        metric=metric.name,
        difference=apart.value if apart else 0.0,
        interval=apart.interval if apart else None,
        p=test.p,
        p_holm=p_holm,
        test=test.method,
        wins=wins,
        ties=sum(count for *_, count in counted) - wins - losses,
        losses=losses,
    )


def bounds(metric: Ratio | Count | Mean) -> tuple[float, float] | None:
    """What one question's number cannot leave: yes and no are 1 and 0."""
    return metric.bounds if isinstance(metric, Mean) else (0.0, 1.0)


def differing(
    engine: Rows,
    metric: Ratio | Count | Mean | Quantile,
    arms: Sequence[str],
    baseline: str,
    limit: int | None,
) -> tuple[Differing, ...]:
    """The questions in which each arm is furthest from the baseline, the furthest first."""
    found: list[Differing] = []
    for arm in arms:
        if arm != baseline:
            both = [
                (qid, a, b)
                for qid, a, b in pairs(engine, metric, baseline, arm)
                if a is not None and b is not None and a != b
            ]
            apart = sorted(both, key=lambda pair: (-abs(pair[2] - pair[1]), pair[0]))
            found += [Differing(arm, metric.name, *pair) for pair in apart[:limit]]
    return tuple(found)


def difference(
    engine: Rows,
    metric: Ratio | Count | Mean | Quantile,
    baseline: str,
    arm: str,
    level: float,
) -> Difference | None:
    """The arm's number minus the baseline's, with an interval; questions of one arm count too."""
    return _apart(metric, counted_pairs(engine, metric, baseline, arm), level)


def differences_by(
    engine: Rows,
    column: str,
    metric: Ratio | Count | Mean | Quantile,
    baseline: str,
    arm: str,
    level: float,
) -> dict[str, Difference | None]:
    """The same within each value of a column, from one statement."""
    rows = engine.query(
        f"{_paired(engine, metric, column)} "
        f"select {column}, before, after, {engine.tally()} "
        f"from paired group by {column}, before, after order by all",
        {"baseline": baseline, "arm": arm},
    )
    within: dict[str, list[tuple[float | None, float | None, int]]] = {}
    for value, before, after, count in cast("list[tuple[str, float, float, int]]", rows):
        within.setdefault(value, []).append((before, after, count))
    return {value: _apart(metric, counted, level) for value, counted in within.items()}


def _apart(
    metric: Ratio | Count | Mean | Quantile, counted: Pairs, level: float
) -> Difference | None:
    if isinstance(metric, Quantile):
        return difference_of_quantiles(counted, metric.q, level)
    return difference_of_means(counted, level, bounds(metric))


def flips(engine: Rows, checks: Mapping[str, str], baseline: str, arm: str) -> tuple[Flip, ...]:
    """The questions that changed on each check: its name, and the SQL that says yes."""
    found = []
    times = "max(times)" if engine.condensed else "1"
    for name, yes in checks.items():
        rows = engine.query(
            f"""
            with said as (
                select arm, qid, bool_or(coalesce({yes}, false)) as yes, {times} as times
                from rows where arm in ($baseline, $arm) group by arm, qid
            )
            select qid, one.yes, one.times, {first_asked(engine)}
            from said as one join said as two using (qid)
            where one.arm = $arm and two.arm = $baseline and one.yes <> two.yes order by qid
            """,
            {"baseline": baseline, "arm": arm},
        )
        turned = cast("list[tuple[str, bool, int, str | None]]", rows)
        gained = {qid: number for qid, now, number, _ in turned if now}
        lost = {qid: number for qid, now, number, _ in turned if not now}
        totals = sum(gained.values()), sum(lost.values())
        # Ids with one text are one question, which goes the way that most of them go.
        moved: Counter[str] = Counter()
        ways = Counter[bool]()
        for _, now, number, first in turned:
            if first is None:
                ways[now] += number
            else:
                moved[first] += 1 if now else -1
        ways.update(net > 0 for net in moved.values() if net)
        p = mcnemar(ways[True], ways[False])
        found.append(Flip(name, tuple(gained), tuple(lost), *totals, p))
    return tuple(found)


def changed(metric: Change, now: Measured, before: Measured | None) -> Measured:
    """A metric beside the baseline's: their ratio or difference, where both have a number.

    Its interval comes from theirs, as if the two arms had nothing in common; one that is taken
    question by question (`paired`) is measured elsewhere.
    """
    if before is None or before.value is None or now.value is None:
        return Measured(metric, None, None, now.denominator, None, vacuous=False, tested=now.tested)
    ends: Interval | None
    value: float | None
    if metric.how == "ratio":
        value, ends = quotient(now.value, before.value), over(now, before)
    elif metric.how == "drop":
        value, ends = before.value - now.value, less(before, now)
    else:
        value, ends = now.value - before.value, less(now, before)
    # The number of an empty set is agreed on, not measured: a change from or to it tests nothing.
    nothing = value is not None and (now.vacuous or before.vacuous)
    needs = max(filter(None, (now.needs_samples, before.needs_samples)), default=None)
    return Measured(
        metric,
        value,
        None,
        now.denominator,
        None if metric.paired or value is None else ends,
        vacuous=nothing,
        tested=0 if nothing else now.tested,
        needs_samples=needs if ends and None in ends else None,
    )
