"""Parts of the gold set: by tag, or by the value of any field of the gold items."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import ConfigError

NONE = "(none)"


def column(fields: Sequence[str]) -> str:
    """The values of the fields as one list of the gold table, in the projection that reads it."""
    values = ", ".join(f"to_json({identifier(field)})" for field in fields)
    return f"[{values}]::json[] as slices,"


def _at(number: int) -> str:
    return f"gold.slices[{number + 1}]"


def _values(column: str) -> str:
    """The values of one item's field, as JSON: a list has several, an absent field has none.

    A tag that stands twice does not make two questions of one.
    """
    return f"""case
        when {column} is null or json_type({column}) = 'NULL' then []
        when json_type({column}) = 'ARRAY' then list_distinct(json_extract({column}, '$[*]'))
        else [{column}]
    end"""


def sliced(number: int, rows: str = "rows") -> str:
    """The rows with each of their values beside them, as a table expression."""
    values = _values(_at(number))
    return f"""(
        select rows.*, unnest(case
            when len({values}) = 0 then [{quoted(NONE)}]
            else list_transform({values}, lambda value: coalesce(value->>'$', 'null'))
        end) as slice
        from {rows} as rows join gold on gold.rowid = rows.gold_row
    )"""


def part(
    duck: Duck,
    where: Sequence[tuple[str, str | int | float | bool]],
    fields: Sequence[str],
    rows: str = "rows",
) -> str:
    """A view of the rows whose gold item has each of the values; returns its name."""
    tests = [
        f"list_contains({_values(_at(fields.index(field)))}::varchar[], "
        f"{quoted(json.dumps(value, ensure_ascii=False))})"
        for field, value in where
    ]
    duck.run(f"""
        create or replace temp view part as
        select rows.* from {rows} as rows join gold on gold.rowid = rows.gold_row
        where {" and ".join(tests)}
    """)
    return "part"


def must_be_known(duck: Duck, fields: Sequence[str]) -> None:
    """A field that no item has is most likely a typo: it would give one slice of all, or none."""
    for number, field in enumerate(fields):
        values = _values(_at(number))
        if duck.one(f"select count(*) from gold where len({values}) > 0")[0] == 0:
            raise ConfigError(f"by {field}: no gold item has this field")


def questions(duck: Duck, table: str) -> int:
    return int(str(duck.one(f"select count(distinct qid) from {table}")[0]))
