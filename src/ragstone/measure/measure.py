"""How verdict rows become numbers: every declaration in one pass, by arm, by slice or over all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol, cast

from ragstone.measure.clustered_quantile import clustered_quantile_interval
from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import (
    Clusters,
    Distribution,
    clustered_interval,
    clustered_mean_interval,
    exact_mean,
    has_open_end,
    mean_interval,
    quantile_interval,
    quantile_linear,
    samples_for_quantile,
    shares_interval,
)
from ragstone.measure.metric import (
    Change,
    Count,
    Mean,
    Measured,
    Metric,
    Quantile,
    Ratio,
    Statistic,
    must_be_within,
)
from ragstone.progress import counting

Row = tuple[object, ...]
Numbers = dict[str, Measured]
# The grouping that makes one group of all: it is there even without a row.
WHOLE = "''"
# The table of ids whose question another id has too (`again`), each with the `first` of them.
ASKED_AGAIN = "asked_again"
_FIRST_ASKED = f"(select first from {ASKED_AGAIN} where again = qid)"
Tables = Callable[[str], str]
"""From the table that a metric is declared over to the one it is measured in: a part, a slice."""


class Rows(Protocol):
    """Anything that answers SQL over tables of verdict rows.

    Where these are `condensed`, each row has a column `times`: for how many rows it stands.
    """

    condensed: bool

    def query(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]: ...

    def tally(self, where: str = "") -> str:
        """How many rows there are, as SQL."""

    def total(self, number: str, where: str) -> str:
        """The sum of a whole number of each row, as SQL."""

    def has(self, table: str) -> bool:
        """Whether there is such a table."""


def measure(
    rows: Rows,
    metrics: Sequence[Metric],
    group: str = WHOLE,
    *,
    level: float = 0.95,
    cluster: str | None = None,
    tables: Tables = str,
) -> dict[str, Numbers]:
    """Every metric for each value of a grouping expression, groups in order.

    `cluster` names the column of `rows` whose repeats are one question; intervals then count
    questions. A `Change` needs two arms and is measured by `measure/arm_differences.py`.
    """
    declared = [metric for metric in metrics if not isinstance(metric, Change)]
    found: dict[str, Numbers] = {}
    for over, some in groupby(sorted(declared, key=lambda m: m.over), key=lambda m: m.over):
        part = [_clustered(rows, each, cluster if over == "rows" else None) for each in some]
        for name, numbers in _measured(rows, part, tables(over), group, level).items():
            found.setdefault(name, {}).update(numbers)
    order = {metric.name: metric for metric in declared}
    return {
        name: {
            metric.name: replace(numbers.get(metric.name) or empty(metric), metric=metric)
            for metric in order.values()
        }
        for name, numbers in sorted(found.items())
    }


def first_asked(rows: Rows) -> str:
    """The first id with the question of a row, as SQL; null where no other id has it."""
    return _FIRST_ASKED if rows.has(ASKED_AGAIN) else "null::varchar"


def one_question(rows: Rows, own: str = "qid") -> str:
    """Whose rows rise and fall together, as SQL: those with one text are one question."""
    return f"coalesce({_FIRST_ASKED}, ({own})::varchar)" if rows.has(ASKED_AGAIN) else own


def _clustered(rows: Rows, metric: Metric, cluster: str | None) -> Metric:
    """The metric with the clusters that its interval counts; None where each row is its own."""
    own, again = metric.cluster or cluster, rows.has(ASKED_AGAIN)
    if isinstance(metric, Statistic) and metric.by_question:
        # A question that is asked once, as one of many that came out alike, has no name here.
        first = one_question(rows, own) if own else _FIRST_ASKED if again else "null"
        return replace(metric, columns=(first, *metric.columns))
    return replace(metric, cluster=one_question(rows, own or "qid") if again else own)


def empty(metric: Metric) -> Measured:
    """What a metric is over a set without rows."""
    value = metric.empty if isinstance(metric, Ratio | Count | Mean) else None
    numerator = 0 if isinstance(metric, Ratio | Count) else None
    return Measured(metric, value, numerator, 0, None, vacuous=value is not None)


def _measured(
    rows: Rows, metrics: Sequence[Metric], table: str, group: str, level: float
) -> dict[str, Numbers]:
    counts = _counts(rows, metrics, table, group)
    measured: dict[str, Numbers] = {name: {} for name in sorted(counts)}
    for metric in counting(metrics, "", "metrics"):
        found: dict[str, Any] = {}
        repeats: dict[str, Any] = {}
        if metric.extra and not any(count[metric.name][2] for count in counts.values()):
            # It will not be shown, so its values are not read: each is a pass over all rows.
            for into in measured.values():
                into[metric.name] = empty(metric)
            continue
        if isinstance(metric, Mean | Quantile):
            found = _distributions(rows, metric, table, group)
            if metric.cluster is not None:
                repeats = _values_by_cluster(rows, metric, table, group)
        elif isinstance(metric, Statistic):
            found = _combinations(rows, metric, table, group)
        elif isinstance(metric, Ratio | Count) and metric.cluster is not None:
            found = _clusters(rows, metric, table, group)
        for name, into in measured.items():
            hits, size, tested = counts[name][metric.name]
            if isinstance(metric, Ratio | Count):
                made = share(metric, hits, size, level, found.get(name))
            elif isinstance(metric, Mean | Quantile):
                made = spread(metric, found.get(name, []), level, hits, repeats.get(name))
            elif isinstance(metric, Statistic):
                value, interval = metric.compute(found.get(name, {}), level)
                made = Measured(metric, value, None, size, interval, vacuous=False)
            if metric.tested != "true" and made.denominator and made.value is not None:
                made = replace(made, tested=tested, vacuous=made.vacuous or not tested)
            into[metric.name] = made
    return measured


def _counts(
    rows: Rows, metrics: Sequence[Metric], table: str, group: str
) -> dict[str, dict[str, tuple[int, int, int]]]:
    """Per group and metric: the hits, the size of the set, and how much of it is tested."""
    wanted = {m.name: _counted(rows, m) for m in metrics}
    # Many metrics share a set: each is counted once.
    places = {c: n for n, c in enumerate(dict.fromkeys(c for cs in wanted.values() for c in cs), 1)}
    found = rows.query(
        f"select ({group})::varchar, {', '.join(places) or 0} from {table} group by 1"
    )
    if not found and group == WHOLE:
        found = [("", *[0] * (len(places) or 1))]
    counted = cast("list[tuple[int, ...]]", found)
    return {
        str(row[0]): {
            name: (row[places[hit]], row[places[size]], row[places[tested]])
            for name, (hit, size, tested) in wanted.items()
        }
        for row in counted
    }


def _counted(rows: Rows, metric: Metric) -> tuple[str, str, str]:
    """The hits, the size and the tested part as SQL; the hits of a share are its repeats."""
    size = hits = tested = rows.tally(metric.of)
    if isinstance(metric, Ratio | Count):
        hits = rows.tally(f"({metric.of}) and ({metric.hit})")
    elif isinstance(metric, Mean) and metric.repeats:
        hits = rows.total(metric.repeats, metric.of)
    if metric.tested != "true":
        tested = rows.tally(f"({metric.of}) and ({metric.tested})")
    return hits, size, tested


def _grouped(rows: Rows, select: str, group: str) -> dict[str, list[Any]]:
    """What a statement selects, in order, by the group that stands first in its rows."""
    found: dict[str, list[Any]] = {}
    # The engine's doubles and counts are Python's: with a value for each of many questions, asking
    # once more what they are would take longer than the query.
    for row in rows.query(f"select ({group})::varchar as slice, {select}"):
        found.setdefault(str(row[0]), []).append(row[1:])
    return found


def _clusters(rows: Rows, metric: Ratio | Count, table: str, group: str) -> dict[str, Clusters]:
    """How many questions have so many hits in so many rows, per group."""
    of_questions = f"""
        select {group} as of_group, count(*) filter ({metric.hit}) as cluster_hits,
            count(*) as cluster_size, {_standing_for(rows)} as clusters
        from {table} where {metric.of} group by of_group, {metric.cluster}
    """
    select = f"""
        cluster_hits, cluster_size, sum(clusters)::bigint from ({of_questions})
        group by all order by all
    """
    return {
        name: {(hits, size): count for hits, size, count in counted}
        for name, counted in _grouped(rows, select, "of_group").items()
    }


def _standing_for(rows: Rows) -> str:
    """For how many questions one stands, as SQL over its rows."""
    return "max(times)" if rows.condensed else "1"


def _distributions(
    rows: Rows, metric: Mean | Quantile, table: str, group: str
) -> dict[str, Distribution]:
    """The values with their multiplicities, in order, per group."""
    select = f"""
        ({metric.value})::double as value, {rows.tally()}
        from {table} where ({metric.of}) and ({metric.value}) is not null
        group by slice, value order by slice, value
    """
    return _grouped(rows, select, group)


def _values_by_cluster(
    rows: Rows, metric: Mean | Quantile, table: str, group: str
) -> dict[str, list[tuple[list[float], int]]]:
    """The values of a question and how many have the same, per group."""
    of_questions = f"""
        select {group} as of_group, list_sort(list(({metric.value})::double)) as cluster_values,
            {_standing_for(rows)} as clusters
        from {table} where ({metric.of}) and ({metric.value}) is not null
        group by of_group, {metric.cluster}
    """
    select = f"""
        cluster_values, sum(clusters)::bigint from ({of_questions}) group by all order by all
    """
    return _grouped(rows, select, "of_group")


def _combinations(
    rows: Rows, metric: Statistic, table: str, group: str
) -> dict[str, dict[Row, int]]:
    """How often each combination of the statistic's columns occurs, in order, per group."""
    select = f"""
        {", ".join(metric.columns)}, {rows.tally()} from {table}
        where {metric.counted or metric.of} group by all order by all
    """
    found = _grouped(rows, select, group)
    return {name: {row[:-1]: row[-1] for row in counted} for name, counted in found.items()}


def share(
    metric: Ratio | Count,
    hits: int,
    size: int,
    level: float,
    clusters: Clusters | None,
) -> Measured:
    """A ratio or count from its hits and the size of its set."""
    if size == 0:
        return Measured(metric, float(metric.empty), 0, 0, None, vacuous=True)
    if isinstance(metric, Count):
        return Measured(metric, float(hits), hits, size, None, vacuous=False)
    if clusters is None:
        interval = exact_interval(hits, size, level)
    else:
        interval = clustered_interval(clusters, level)
    return Measured(metric, hits / size, hits, size, interval, vacuous=False)


def spread(
    metric: Mean | Quantile,
    values: Distribution,
    level: float,
    repeats: int = 0,
    clusters: Sequence[tuple[list[float], int]] | None = None,
) -> Measured:
    """A mean or quantile from the values of its set with their multiplicities, in order.

    `repeats` is over how many rows shares were taken in all, where the metric counts them;
    `clusters` are the values of a question, where these are repeats of one another, and how many
    questions have the same.
    """
    size = sum([count for _, count in values])
    if size == 0:
        return empty(metric)
    each, times = zip(*clusters, strict=True) if clusters else ((), ())
    if isinstance(metric, Quantile):
        value = quantile_linear(values, metric.q)
        if clusters:
            ends, needs = clustered_quantile_interval(each, metric.q, level, times)
        else:
            ends = quantile_interval(values, metric.q, level)
            needs = samples_for_quantile(metric.q, level) if has_open_end(ends) else None
        return Measured(metric, value, None, size, ends, vacuous=False, needs_samples=needs)
    must_be_within(metric.name, values, metric.bounds)
    mean, hits, around = exact_mean(values), None, None
    if clusters:
        around = clustered_mean_interval(each, mean, level, metric.bounds, times)
    elif metric.share:
        # Without repeats every share is 0 or 1, and the mean is a plain ratio.
        if not metric.repeats and all(value in (0.0, 1.0) for value, _ in values):
            hits = sum(count for value, count in values if value == 1.0)
        around = shares_interval(values, level, repeats if metric.repeats else 0)
    else:
        around = mean_interval(values, level, metric.bounds, mean)
    return Measured(metric, mean, hits, size, around, vacuous=False)
