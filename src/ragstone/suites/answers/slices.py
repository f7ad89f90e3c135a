"""Parts of the gold set: by tag, or by the value of any field of the gold items."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import ConfigError

NONE = "(none)"

Value = str | int | float | bool


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
    where: Sequence[tuple[str, Value]],
    fields: Sequence[str],
    rows: str = "rows",
) -> str:
    """A view of the rows whose gold item has each of the values; returns its name."""
    tests = [_holds(_values(_at(fields.index(field))), value) for field, value in where]
    duck.run(f"""
        create or replace temp view part as
        select rows.* from {rows} as rows join gold on gold.rowid = rows.gold_row
        where {" and ".join(tests)}
    """)
    return "part"


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


def must_be_known(duck: Duck, fields: Sequence[str]) -> None:
    """A field that no item has is most likely a typo: it would give one slice of all, or none."""
    for number, field in enumerate(fields):
        values = _values(_at(number))
        if duck.one(f"select count(*) from gold where len({values}) > 0")[0] == 0:
            raise ConfigError(f"by {field}: no gold item has this field")


def questions(duck: Duck, table: str) -> int:
    return int(str(duck.one(f"select count(distinct qid) from {table}")[0]))
