"""How verdict rows become numbers: every declaration in one pass, overall or by group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from ragstone.measure.interval import (
    clustered_wilson,
    exact_mean,
    mean_interval,
    quantile_interval,
    quantile_linear,
    shares_interval,
    wilson,
)
from ragstone.measure.metric import Count, Mean, Measured, Metric, Quantile, Ratio, Statistic

Row = tuple[object, ...]
Distribution = list[tuple[float, int]]


class Rows(Protocol):
    """Anything that answers SQL over a table of verdict rows."""

    def query(self, sql: str) -> list[Row]: ...


def measure(
    rows: Rows,
    metrics: Sequence[Metric],
    table: str,
    level: float = 0.95,
    cluster: str | None = None,
) -> dict[str, Measured]:
    """Every metric over all rows of the table.

    `cluster` names the column whose repeats are one question; intervals then count questions.
    """
    return measure_by(rows, metrics, table, "''", level, cluster).get("", {})


def measure_by(
    rows: Rows,
    metrics: Sequence[Metric],
    table: str,
    group: str,
    level: float = 0.95,
    cluster: str | None = None,
) -> dict[str, dict[str, Measured]]:
    """The same for each value of a grouping expression, groups in order."""
    # A statistic is not made of rows one by one: its suite computes it.
    declared = [metric for metric in metrics if not isinstance(metric, Statistic)]
    shares = [metric for metric in declared if isinstance(metric, Ratio | Count)]
    counts = _counts(rows, shares, table, group)
    measured: dict[str, dict[str, Measured]] = {name: {} for name in sorted(counts)}
    clusters = _clusters(rows, shares, table, group, cluster) if cluster else {}
    spreads = {
        metric.name: _distributions(rows, metric, table, group)
        for metric in declared
        if isinstance(metric, Mean | Quantile)
    }
    for name, into in measured.items():
        for metric in declared:
            if isinstance(metric, Ratio | Count):
                hits, size = counts[name][metric.name]
                into[metric.name] = share(
                    metric, hits, size, level, clusters.get((name, metric.name))
                )
            else:
                into[metric.name] = spread(metric, spreads[metric.name].get(name, []), level)
    return measured


def _counts(
    rows: Rows, metrics: Sequence[Ratio | Count], table: str, group: str
) -> dict[str, dict[str, tuple[int, int]]]:
    sums = ", ".join(
        f"count(*) filter (({m.of}) and ({m.hit})), count(*) filter ({m.of})" for m in metrics
    )
    found = rows.query(f"select ({group})::varchar, {sums or 0} from {table} group by 1")
    return {
        str(row[0]): {
            metric.name: (_int(row[1 + 2 * n]), _int(row[2 + 2 * n]))
            for n, metric in enumerate(metrics)
        }
        for row in found or [("", *[0] * (2 * len(metrics) or 1))]
    }


def _clusters(
    rows: Rows, metrics: Sequence[Ratio | Count], table: str, group: str, cluster: str
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Hits and size of each question, per group and metric."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for metric in metrics:
        sql = f"""
            select ({group})::varchar as slice, count(*) filter ({metric.hit}), count(*)
            from {table} where {metric.of} group by slice, {cluster} order by slice, {cluster}
        """
        for name, hits, size in rows.query(sql):
            found.setdefault((str(name), metric.name), []).append((_int(hits), _int(size)))
    return found


def _distributions(
    rows: Rows, metric: Mean | Quantile, table: str, group: str
) -> dict[str, Distribution]:
    """The values with their multiplicities, in order, per group."""
    found: dict[str, Distribution] = {}
    sql = f"""
        select ({group})::varchar as slice, ({metric.value})::double as value, count(*)
        from {table} where ({metric.of}) and ({metric.value}) is not null
        group by slice, value order by slice, value
    """
    # The engine's doubles and counts are Python's: with a value for each of many questions, asking
    # once more what they are would take longer than the query.
    for name, value, count in cast("list[tuple[str, float, int]]", rows.query(sql)):
        found.setdefault(str(name), []).append((value, count))
    return found


def share(
    metric: Ratio | Count,
    hits: int,
    size: int,
    level: float,
    clusters: Iterable[tuple[int, int]] | None,
) -> Measured:
    if size == 0:
        return Measured(metric, float(metric.empty), 0, 0, None, vacuous=True)
    if isinstance(metric, Count):
        return Measured(metric, float(hits), hits, size, None, vacuous=False)
    interval = wilson(hits, size, level) if clusters is None else clustered_wilson(clusters, level)
    return Measured(metric, hits / size, hits, size, interval, vacuous=False)


def spread(metric: Mean | Quantile, values: Distribution, level: float) -> Measured:
    size = sum([count for _, count in values])
    if isinstance(metric, Quantile):
        if size == 0:
            return Measured(metric, None, None, 0, None, vacuous=False)
        value = quantile_linear(values, metric.q)
        around = quantile_interval(values, metric.q, level)
        return Measured(metric, value, None, size, around, vacuous=False)
    if size == 0:
        return Measured(metric, metric.empty, None, 0, None, vacuous=True)
    if metric.share:
        # Without repeats every share is 0 or 1, and the mean is a plain ratio.
        hits = sum(count for value, count in values if value == 1.0)
        whole = all(value in (0.0, 1.0) for value, _ in values)
        around = shares_interval(values, level)
        return Measured(metric, exact_mean(values), hits if whole else None, size, around, False)
    mean = exact_mean(values)
    interval = mean_interval(values, level, metric.bounds, mean)
    return Measured(metric, mean, None, size, interval, False)


def _int(value: object) -> int:
    return int(str(value))
