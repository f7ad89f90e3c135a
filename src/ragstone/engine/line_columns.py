"""How the fields of a line become columns: each of its own type, whatever place it is read from."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from ragstone.contracts.json_paths import EACH, Path
from ragstone.contracts.kinds import BLANK
from ragstone.contracts.record import Field, FieldMap, Record, paths_of
from ragstone.engine.duck import identifier, quoted

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


def mapped_sql(record: Record, extra: Sequence[str], raw: str, mapping: FieldMap) -> str:
    """The same, where some fields have another name."""
    columns = []
    known = dict.fromkeys(field.path[0] for field in record.fields)
    for name in known:
        inside = [field for field in record.fields if field.path[0] == name]
        if len(inside[0].path) == 1:
            columns.append(f"{_value(inside[0], mapping)} as {identifier(name)}")
        else:
            leaves = (f"{identifier(f.leaf)} := {_value(f, mapping)}" for f in inside)
            columns.append(f"struct_pack({', '.join(leaves)}) as {identifier(name)}")
    columns += [f"{_json((name,))} as {identifier(name)}" for name in extra if name not in known]
    return f"(select json::varchar as line, file_index, {', '.join(columns)} from {raw})"


def _list_or_object(field: Field, listed: str) -> str:
    """The list that was read, or the one that is made of an object.

    The text is looked at before a line without a list is read again, which takes long.
    """
    # A line with an escape may spell the key in another way.
    likely = f"{has_object(field.name, 'line')} or contains(line, chr(92))"
    made = field.values.from_object.replace("{0}", _json(field.path))
    return f"case when {listed} is null and ({likely}) then {made} else {listed} end"


def has_object(name: str, line: str) -> str:
    """That a line without escapes may have an object under this key, as SQL."""
    key = f'"{name}"{BLANK}:{BLANK}' + r"\{"
    return f"regexp_matches({line}, {quoted(key)})"


def _value(field: Field, mapping: FieldMap) -> str:
    places = [_json(path) for path in paths_of(field, mapping)]
    listed = f"coalesce({', '.join(_typed(field.values.column, place) for place in places)})"
    if not field.values.from_object:
        return listed
    first = f"coalesce({', '.join(places)})"
    made = field.values.from_object.replace("{0}", first)
    return f"case when json_type({first}) = 'OBJECT' then {made} else {listed} end"


def _typed(column: object, value: str) -> str:
    """JSON as a column of this type; null where it is something else."""
    match column:
        case "VARCHAR":
            return f"({value}->>'$')"
        case "BOOLEAN":
            return f"({value}::varchar = 'true')"
        case _:
            return f"try_cast({value} as {sql_type(column)})"


def sql_type(column: object) -> str:
    if isinstance(column, list):
        return f"{sql_type(column[0])}[]"
    if isinstance(column, dict):
        return f"struct({', '.join(f'{identifier(n)} {sql_type(c)}' for n, c in column.items())})"
    return str(column)


def _json(path: Path, value: str = "json", depth: int = 0) -> str:
    """The value at a path as JSON, as `json_paths.walk` finds it."""
    if EACH not in path:
        found = f"json_extract({value}, {quoted(_pointer(path))})" if path else value
        return f"nullif({found}::varchar, 'null')::json"
    at = path.index(EACH)
    before, rest = path[:at], path[at + 1 :]
    items = f"try_cast({_json(before, value)} as json[])"
    if EACH not in rest:
        inside = f"list_transform({items}, lambda i{depth}: {_json(rest, f'i{depth}')})"
    else:
        # A list inside a list: one list of all, in which an item that has none leaves a null.
        listed = f"try_cast({_json(rest, f'i{depth}', depth + 1)} as json[])"
        each = f"lambda i{depth}: coalesce({listed}, [null::json])"
        inside = f"flatten(list_transform({items}, {each}))"
    return f"to_json({inside})"


def _pointer(path: Path) -> str:
    """A JSON pointer, which takes any name, as a JSON path does not."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
