"""Values inside of JSON as SQL: the one at a path, and the same as a column of some type."""

from __future__ import annotations

from ragstone.contracts.json_paths import EACH, Path
from ragstone.engine.duck import identifier, quoted


def json_at(path: Path, value: str = "json", depth: int = 0) -> str:
    """The value at a path as JSON, as `json_paths.walk` finds it."""
    if EACH not in path:
        found = f"json_extract({value}, {quoted(_pointer(path))})" if path else value
        return f"nullif({found}::varchar, 'null')::json"
    at = path.index(EACH)
    before, rest = path[:at], path[at + 1 :]
    items = f"try_cast({json_at(before, value)} as json[])"
    if EACH not in rest:
        inside = f"list_transform({items}, lambda i{depth}: {json_at(rest, f'i{depth}')})"
    else:
        # A list inside a list: one list of all, in which an item that has none leaves a null.
        listed = f"try_cast({json_at(rest, f'i{depth}', depth + 1)} as json[])"
        each = f"lambda i{depth}: coalesce({listed}, [null::json])"
        inside = f"flatten(list_transform({items}, {each}))"
    return f"to_json({inside})"


def _pointer(path: Path) -> str:
    """A JSON pointer, which takes any name, as a JSON path does not."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)


def typed(column: object, value: str) -> str:
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
