"""Parts of the rows: by tag, or by the value of any field of the gold items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import ConfigError
from ragstone.measure.measure import Tables

NONE = "(none)"
# A field may have as many values as there are questions; nobody reads a table of so many.
MOST_VALUES = 100

Value = str | int | float | bool


def column(fields: Sequence[str]) -> str:
    """The values of the fields as one list of the gold table, in the projection that reads it."""
    values = ", ".join(f"to_json({identifier(field)})" for field in fields)
    return f"[{values}]::json[] as slices,"


def _values(column: str) -> str:
    """The values of one item's field, as JSON: a list has several, an absent field has none.

    A tag that is given twice does not make two questions of one.
    """
    return f"""case
        when {column} is null or json_type({column}) = 'NULL' then []
        when json_type({column}) = 'ARRAY' then list_distinct(json_extract({column}, '$[*]'))
        else [{column}]
    end"""


def _of(items: str, number: int) -> str:
    return _values(f"{items}.slices[{number + 1}]")


def texts_of(items: str, number: int) -> str:
    """The values of one item's field as sorted texts, none where there is no item, as SQL."""
    values = _of(items, number)
    return f"list_sort(list_transform({values}, lambda value: coalesce(value->>'$', 'null')))"


def sliced(items: str, number: int, key: str = "qid") -> Tables:
    """From a table with qids, or another key, to the same rows with each value of a field of their
    items."""
    values = _of(items, number)

    def table(rows: str) -> str:
        return f"""(
            select rows.*, unnest(case
                when len({values}) = 0 then [{quoted(NONE)}]
                else list_transform({values}, lambda value: coalesce(value->>'$', 'null'))
            end) as slice
            from {rows} as rows join {items} on {items}.{key} = rows.{key}
        )"""

    return table


class LeftOut(NamedTuple):
    """The values of a field that are not shown, and how many questions have one of them."""

    values: int
    questions: int


def largest(duck: Duck, table: Tables, rows: str = "rows") -> tuple[Tables, LeftOut | None]:
    """The rows of the values that most rows have, as many as are shown; and what that leaves out.

    Of values with equally many rows the first by name are shown.
    """
    duck.run(f"""
        create or replace temp table shown_values as
        select slice from {table(rows)} group by slice
        order by {duck.tally()} desc, slice limit {MOST_VALUES}
    """)
    beyond = f"from {table(rows)} where slice not in (select slice from shown_values)"
    values = duck.count(f"select count(distinct slice) {beyond}")
    questions = duck.questions(beyond) if values else 0

    def shown(some: str) -> str:
        return f"(select * from {table(some)} where slice in (select slice from shown_values))"

    return (shown, LeftOut(values, questions)) if values else (table, None)


def in_part(key: str) -> str:
    """That a row is of the part that was made last."""
    return f"{key} in (select {key} from part)"


def part(
    duck: Duck,
    items: str,
    where: Sequence[tuple[str, Value]],
    fields: Sequence[str],
    key: str = "qid",
) -> Tables:
    """From a table with qids, or another key, to those of its rows whose item has the values."""
    tests = " and ".join(_holds(_of(items, fields.index(name)), value) for name, value in where)
    duck.run(f"create or replace temp table part as select {key} from {items} where {tests}")

    def table(rows: str) -> str:
        return f"(select * from {rows} as rows where {in_part(key)})"

    return table


def _holds(values: str, value: Value) -> str:
    """Whether a value is among those of an item; 1 and 1.0 are one number, 1 and "1" are not."""
    if isinstance(value, str | bool):
        spelled = quoted(json.dumps(value, ensure_ascii=False))
        return f"list_contains({values}::varchar[], {spelled})"
    # A JSON string keeps its quotes, so only a number can be cast to one.
    numbers = f"list_transform({values}, lambda each: try_cast(each::varchar as double))"
    return f"list_contains({numbers}, {float(value)!r}::double)"


def name_of(where: Sequence[tuple[str, Value]]) -> str:
    """How a report names a slice: `tags=billing,urgent=true`.

    >>> name_of([("tags", "billing"), ("urgent", True)])
    'tags=billing,urgent=true'
    """
    shown = (value if isinstance(value, str) else json.dumps(value) for _, value in where)
    return ",".join(f"{key}={each}" for (key, _), each in zip(where, shown, strict=True))


def must_be_known(duck: Duck, items: str, fields: Sequence[str]) -> None:
    """A field that no item has is most likely a typo: it would give one slice of all, or none."""
    for number, field in enumerate(fields):
        if not duck.count(f"select count(*) from {items} where len({_of(items, number)}) > 0"):
            raise ConfigError(f"by {field}: no {items} item has this field")
