"""How the fields of a line become columns: each of its own type, whatever place it is read from."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from ragstone.contracts.kinds import BLANK
from ragstone.contracts.record import Field, Record
from ragstone.engine.duck import identifier, quoted
from ragstone.engine.json_values import json_at, sql_type

Tree = dict[str, object]
"""The types of a line, as the engine's JSON reader takes them."""


def types_of(record: Record, extra: Sequence[str]) -> Tree:
    """The types of what is read of a line: the contract's fields, and what else is asked for."""
    tree: Tree = {}
    for field in record.fields:
        inside = tree
        for name in field.path[:-1]:
            inside = _inside(inside, name)
        inside[field.leaf] = field.values.column
    for name in extra:
        tree.setdefault(name, "JSON")
    return tree


def _inside(tree: Tree, name: str) -> Tree:
    found = tree.setdefault(name, {})
    return found if isinstance(found, dict) else {}


def columns_sql(
    record: Record, extra: Sequence[str], raw: str, tree: Tree, lists: Collection[str] = ()
) -> str:
    """The lines of `raw` with the record's top-level fields beside them, as a table expression.

    Fields that are not in `tree` are not read: their columns are null. Fields among `lists` are
    never given as an object.
    """
    read = {
        name: _read(f"parsed.{identifier(name)}", column, tree.get(name))
        for name, column in types_of(record, extra).items()
    }
    for field in record.fields:
        if field.values.from_object and field.name in tree and field.name not in lists:
            read[field.name] = _list_or_object(field, read[field.name])
    shown = ", ".join(f"{value} as {identifier(name)}" for name, value in read.items())
    types = quoted(json.dumps(tree, ensure_ascii=False))
    return f"""(
        select line, file_index, parsed, {shown}
        from (
            select
                json, json::varchar as line, file_index, json_transform(json, {types}) as parsed
            from {raw}
        )
    )"""


def typed_sql(record: Record, extra: Sequence[str], rows: str, parsed: str, tree: Tree) -> str:
    """The same for rows that have `cells`, of which `parsed` is made.

    Here `line` is the struct of these cells: its text is made only where somebody wants to see it.
    """
    shown = ", ".join(
        f"{_read(f'parsed.{identifier(name)}', column, tree.get(name))} as {identifier(name)}"
        for name, column in types_of(record, extra).items()
    )
    return f"""(
        select cells as line, file_index, parsed, {shown}
        from (select cells, file_index, {parsed} as parsed from {rows})
    )"""


def _read(place: str, column: object, read: object) -> str:
    """A column at its place in the parsed line, or the parts of it that are read there."""
    if read is None or (isinstance(column, dict) and not isinstance(read, dict)):
        return f"null::{sql_type(column)}"
    if not isinstance(column, dict) or not isinstance(read, dict) or column.keys() <= read.keys():
        return place
    parts = (
        f"{identifier(name)} := {_read(f'{place}.{identifier(name)}', inside, read.get(name))}"
        for name, inside in column.items()
    )
    return f"struct_pack({', '.join(parts)})"


def _list_or_object(field: Field, listed: str) -> str:
    """The list that was read, or the one that is made of an object.

    The text is looked at before a line without a list is read again, which takes long.
    """
    # A line with an escape may spell the key in another way.
    likely = f"{has_object(field.name, 'line')} or contains(line, chr(92))"
    made = field.values.from_object.replace("{0}", json_at(field.path))
    return f"case when {listed} is null and ({likely}) then {made} else {listed} end"


def has_object(name: str, line: str) -> str:
    """That a line without escapes may have an object under this key, as SQL."""
    key = f'"{name}"{BLANK}:{BLANK}' + r"\{"
    return f"regexp_matches({line}, {quoted(key)})"
