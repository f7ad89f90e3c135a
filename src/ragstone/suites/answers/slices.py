"""Parts of the gold set: by tag, or by the value of any field of the gold items."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragstone.engine.duck import Duck, identifier, quoted

NONE = "(none)"


def names(fields: Sequence[str]) -> tuple[str, ...]:
    """The columns of the gold table that hold the fields' values."""
    return tuple(f"slice_{number}" for number in range(len(fields)))


def columns(fields: Sequence[str]) -> str:
    """The same columns, in the projection that reads the gold set."""
    pairs = zip(fields, names(fields), strict=True)
    return "".join(f"\nto_json({identifier(field)}) as {name}," for field, name in pairs)


def _values(column: str) -> str:
    """The values of one item's field, as JSON: a list has several, an absent field has none."""
    return f"""case
        when {column} is null or json_type({column}) = 'NULL' then []
        when json_type({column}) = 'ARRAY' then json_extract({column}, '$[*]')
        else [{column}]
    end"""


def sliced(number: int) -> str:
    """The rows with each of their values beside them, as a table expression."""
    values = _values(f"gold.slice_{number}")
    return f"""(
        select rows.*, unnest(case
            when len({values}) = 0 then [{quoted(NONE)}]
            else list_transform({values}, lambda value: coalesce(value->>'$', 'null'))
        end) as slice
        from rows join gold on gold.rowid = rows.gold_row
    )"""


def part(
    duck: Duck, where: Sequence[tuple[str, str | int | float | bool]], fields: Sequence[str]
) -> str:
    """A view of the rows whose gold item has each of the values; returns its name."""
    tests = [
        f"list_contains({_values(f'gold.slice_{fields.index(field)}')}::varchar[], "
        f"{quoted(json.dumps(value, ensure_ascii=False))})"
        for field, value in where
    ]
    duck.run(f"""
        create or replace temp view part as
        select rows.* from rows join gold on gold.rowid = rows.gold_row
        where {" and ".join(tests)}
    """)
    return "part"


def questions(duck: Duck, table: str) -> int:
    return int(str(duck.one(f"select count(distinct qid) from {table}")[0]))
