"""The same numbers from rows already in memory: for suites whose rows are few and made in Python.

Here `of`, `hit` and `value` of a declaration are the names of columns; SQL needs an engine, and an
engine takes longer to start than fifty questions take to score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ragstone.measure.measure import share, spread
from ragstone.measure.metric import Count, Mean, Measured, Metric, Quantile, Ratio, Statistic

Columns = Mapping[str, object]


def measure_columns(
    rows: Sequence[Columns], metrics: Iterable[Metric], level: float = 0.95
) -> dict[str, Measured]:
    """Every metric over the rows.

    >>> from ragstone.measure.metric import Mean
    >>> mean = Mean(name="m", of="scored", value="v", empty=1.0, better="higher", says="…")
    >>> rows = [{"scored": True, "v": 0.5}, {"scored": False, "v": 0.0}]
    >>> measure_columns(rows, [mean])["m"].value
    0.5
    """
    # A statistic is its suite's own to compute.
    return {
        metric.name: _measured(rows, metric, level)
        for metric in metrics
        if not isinstance(metric, Statistic)
    }


def _measured(
    rows: Sequence[Columns], metric: Ratio | Count | Mean | Quantile, level: float
) -> Measured:
    inside = [row for row in rows if row[_column(metric.of)]]
    if isinstance(metric, Ratio | Count):
        hits = sum(bool(row[_column(metric.hit)]) for row in inside)
        return share(metric, hits, len(inside), level, None)
    values = (row[_column(metric.value)] for row in inside)
    counted = Counter(float(value) for value in values if isinstance(value, int | float))
    return spread(metric, sorted(counted.items()), level)


def _column(expression: str) -> str:
    return expression.strip('"')
