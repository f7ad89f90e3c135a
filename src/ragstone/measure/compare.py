"""One arm beside another, question by question: differences, tests, flips.

Every comparison of the project comes from here: systems and runs beside a baseline, a shadow index
beside the live one, a configuration beside last week's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ragstone.measure.interval import Interval, exact_mean, quotient
from ragstone.measure.measure import Rows
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
from ragstone.measure.paired import Difference, difference_of_means, difference_of_quantiles
from ragstone.measure.permutation import holm, mcnemar, paired_interval, randomisation

Pair = tuple[str, float | None, float | None]
"""A qid, the baseline's value and the arm's; None where a question is not in the metric's set."""

# Values of a ranking measure that differ by less are equal: the rest is rounding.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Comparison:
    """An arm beside the baseline in one metric, over the questions that both were measured on.

    `difference` is the arm's mean minus the baseline's; `p` is McNemar's for yes/no metrics and a
    randomisation test's for others, `p_holm` the same corrected over the family of comparisons.
    """

    arm: str
    metric: str
    difference: float
    interval: Interval | None
    p: float
    p_holm: float
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
    """The questions that changed on one check, either way, from the baseline to the arm."""

    name: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p: float


def pairs(
    engine: Rows,
    metric: Ratio | Count | Mean | Quantile,
    baseline: str,
    arm: str,
    where: str = "true",
) -> list[Pair]:
    """Both arms' values of each question, in order of qid; repeats of a question are averaged."""
    rows = engine.query(
        f"""
        with one as (select arm, qid, {value_sql(metric)} as value from {metric.over} where {where})
        select qid, {_average("arm = $baseline")}, {_average("arm = $arm")}
        from one where arm in ($baseline, $arm)
        group by qid having count(distinct arm) = 2 order by qid
        """,
        {"baseline": baseline, "arm": arm},
    )
    return cast("list[Pair]", rows)


def _average(condition: str) -> str:
    # Added up in order of size: a sum of doubles in the order of threads has other last digits.
    values = f"list_sort(list(value) filter ({condition} and value is not null))"
    return f"list_sum({values}) / len({values})"


def compare(
    engine: Rows, metrics: Iterable[Metric], arms: Sequence[str], baseline: str
) -> tuple[Comparison, ...]:
    """Every other arm against the baseline in every metric, corrected as one family."""
    tests = [
        (arm, metric, _both(pairs(engine, metric, baseline, arm)))
        for arm in arms
        if arm != baseline
        for metric in metrics
        if isinstance(metric, Ratio | Count | Mean)
    ]
    raw = [_p(metric, found) for _, metric, found in tests]
    return tuple(
        _comparison(arm, metric.name, [b - a for _, a, b in found], p, p_holm)
        for (arm, metric, found), p, p_holm in zip(tests, raw, holm(raw), strict=True)
    )


def _both(found: Iterable[Pair]) -> list[tuple[str, float, float]]:
    return [(qid, a, b) for qid, a, b in found if a is not None and b is not None]


def _p(metric: Metric, found: Sequence[tuple[str, float, float]]) -> float:
    if isinstance(metric, Mean):
        return randomisation([b - a for _, a, b in found])
    return mcnemar(sum(b > a for _, a, b in found), sum(b < a for _, a, b in found))


def _comparison(
    arm: str, metric: str, differences: list[float], p: float, p_holm: float
) -> Comparison:
    wins = sum(difference > TOLERANCE for difference in differences)
    losses = sum(difference < -TOLERANCE for difference in differences)
    mean = exact_mean([(difference, 1) for difference in differences]) if differences else 0.0
    return Comparison(
        arm=arm,
        metric=metric,
        difference=mean,
        interval=paired_interval(differences) if differences else None,
        p=p,
        p_holm=p_holm,
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
    )


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
            both = _both(pairs(engine, metric, baseline, arm))
            apart = sorted(
                (pair for pair in both if pair[1] != pair[2]),
                key=lambda pair: (-abs(pair[2] - pair[1]), pair[0]),
            )
            found += [Differing(arm, metric.name, *pair) for pair in apart[:limit]]
    return tuple(found)


def difference(
    engine: Rows,
    metric: Ratio | Count | Mean | Quantile,
    baseline: str,
    arm: str,
    level: float,
    where: str = "true",
) -> Difference | None:
    """The arm's number minus the baseline's, with an interval; questions of one arm count too."""
    found = pairs(engine, metric, baseline, arm, where)
    before, after = [a for _, a, _ in found], [b for *_, b in found]
    if isinstance(metric, Quantile):
        return difference_of_quantiles(before, after, metric.q, level)
    bounded = not (isinstance(metric, Mean) and metric.bounds is None)
    return difference_of_means(before, after, level, bounded=bounded)


def flips(engine: Rows, checks: Mapping[str, str], baseline: str, arm: str) -> tuple[Flip, ...]:
    """The questions that changed on each check: its name, and the SQL that says yes."""
    found = []
    for name, yes in checks.items():
        rows = engine.query(
            f"""
            with said as (select arm, qid, bool_or(coalesce({yes}, false)) as yes
                          from rows where arm in ($baseline, $arm) group by arm, qid)
            select qid, one.yes from said as one join said as two using (qid)
            where one.arm = $arm and two.arm = $baseline and one.yes <> two.yes order by qid
            """,
            {"baseline": baseline, "arm": arm},
        )
        gained = tuple(str(qid) for qid, now in rows if now)
        lost = tuple(str(qid) for qid, now in rows if not now)
        found.append(Flip(name, gained, lost, mcnemar(len(gained), len(lost))))
    return tuple(found)


def changed(metric: Change, now: Measured, before: Measured | None) -> Measured:
    """A metric beside the baseline's: their ratio or difference, where both have a number."""
    value = None
    if before is not None and before.value is not None and now.value is not None:
        if metric.how == "ratio":
            value = quotient(now.value, before.value)
        else:
            value = now.value - before.value
            value = -value if metric.how == "drop" else value
    # The number of an empty set is agreed on, not measured: a change from or to it tests nothing.
    nothing = value is not None and (now.vacuous or (before is not None and before.vacuous))
    tested = 0 if nothing else now.tested
    return Measured(metric, value, None, now.denominator, None, nothing, tested)
