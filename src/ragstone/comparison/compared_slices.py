"""The differences of the tested metrics by slice: a family of tests of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.comparison.metric_difference import MetricDifference, metric_difference
from ragstone.comparison.pairing import counted_pairs
from ragstone.comparison.row_sets import RowSet, SavedMetric
from ragstone.engine.duck import Duck, quoted
from ragstone.errors import ConfigError
from ragstone.suites import slices

Sliced = dict[str, dict[str, dict[str, MetricDifference]]]
"""From field to value to metric."""


def sliced_differences(
    duck: Duck,
    a: RowSet,
    b: RowSet,
    fields: Sequence[str],
    metrics: Mapping[str, SavedMetric],
    level: float,
) -> Sliced:
    """The difference of every metric in every slice, from the table `pairs`."""
    found: Sliced = {}
    for field in fields:
        side, place = _where(a, b, field)
        items = f"select qid, slices_{side} as slices from pairs"
        duck.run(f"create or replace temp view compared_items as {items}")
        tables, _ = slices.largest(duck, slices.sliced("compared_items", place), "pairs")
        duck.run(f"create or replace temp table sliced_pairs as select * from {tables('pairs')}")
        values = duck.texts("select distinct slice from sliced_pairs order by slice")
        found[field] = {value: _in_slice(duck, value, metrics, level) for value in values}
    return found


def _where(a: RowSet, b: RowSet, field: str) -> tuple[str, int]:
    """The side whose rows hold the field, and its place among the fields there."""
    for side, rows in (("b", b), ("a", a)):
        if field in rows.slice_fields:
            return side, rows.slice_fields.index(field)
    known = ", ".join(dict.fromkeys((*b.slice_fields, *a.slice_fields))) or "none"
    raise ConfigError(
        f"by {field}: neither {a.name} nor {b.name} holds this field (there is {known}); "
        f"write the rows with --by {field}"
    )


def _in_slice(
    duck: Duck, value: str, metrics: Mapping[str, SavedMetric], level: float
) -> dict[str, MetricDifference]:
    table = f"(select * from sliced_pairs where slice = {quoted(value)})"
    made = {
        name: metric_difference(metric, counted_pairs(duck, name, table), level)
        for name, metric in metrics.items()
    }
    return {name: each for name, each in made.items() if each is not None}
