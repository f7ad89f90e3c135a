"""Rows of Parquet files whose columns are of the contract's own types: taken without any JSON.

A column of text is text, and a list of texts is one in every row; what is left to ask is whether
a value is there, and what the shape of the lines asks of values (`strict_lines`). A row that does
not pass goes to Python as a line of JSON, as any other. A column of a type that is not the field's
own (a date for a text, a map) has a meaning only as JSON: such files are read so, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragstone.contracts.record import Record
from ragstone.engine.duck import Duck, identifier
from ragstone.engine.few_marks import usual_marks
from ragstone.engine.json_values import sql_type
from ragstone.engine.line_columns import Tree
from ragstone.engine.line_shape import Items, Members, Scalar, Shape
from ragstone.engine.strict_lines import NoText, SqlCheck, most_frequent, value_tests

# Columns with more digits than the engine keeps of a number in JSON.
_LONG_NUMBERS = ("DECIMAL", "HUGEINT")
# Types whose values have one spelling in JSON.
_AS_WRITTEN = ("VARCHAR", "BOOLEAN", "INTEGER", "BIGINT")


class _OtherType(Exception):
    """A column is not of the type that is to be read."""


def typed_check(duck: Duck, record: Record, rows: str, check: SqlCheck) -> SqlCheck | None:
    """The check for rows with typed `cells`; None if some have other types than the contract's."""
    if check.shape is None:
        return None
    try:
        cells = _struct(duck, rows, "cells", check.types)
        tests = [*_tests(check.shape, "parsed", check.types), *check.rules]
    except (_OtherType, NoText):
        return None
    return SqlCheck(check.types, " and ".join(tests or ["true"]), check.types, cells=cells)


def _struct(duck: Duck, rows: str, place: str, types: Tree) -> str:
    """A struct of these types, made of the one at a place of the rows, as SQL."""
    described = duck.query(f"describe select unnest({place}) from {rows}")
    kinds = {str(name): str(kind) for name, kind, *_ in described}
    parts = (
        f"{identifier(name)} := {_cell(duck, rows, place, name, kinds, column)}"
        for name, column in types.items()
    )
    return f"struct_pack({', '.join(parts)})"


def _cell(
    duck: Duck, rows: str, place: str, name: str, kinds: Mapping[str, str], column: object
) -> str:
    # Not by SQL's own look-up, which knows no case: `Claim` is not the contract's `claim`.
    if name not in kinds:
        return f"null::{sql_type(column)}"
    kind, inside = kinds[name], f"{place}.{identifier(name)}"
    if kind == "JSON" or any(word in kind for word in _LONG_NUMBERS):
        # JSON may be spelled in any way, and the contract asks how a number is.
        raise _OtherType
    if column == "JSON":
        # Read as JSON once more, a number has the digits that it would have in a line.
        text = f"to_json({inside})"
        return text if kind in _AS_WRITTEN else f"json_transform({text}, '\"JSON\"')"
    if isinstance(column, dict) and kind.startswith("STRUCT(") and kind.endswith(")"):
        made = _struct(duck, rows, inside, column)
        return f"case when {inside} is null then null else {made} end"
    if (isinstance(column, str) and column == kind) or (
        column == ["VARCHAR"] and kind == "VARCHAR[]"
    ):
        return inside
    raise _OtherType


def _tests(shape: Members, column: str, types: Tree) -> Iterator[str]:
    """What must hold of an object whose values are of their types for it to have the shape."""
    for member in shape.members:
        inside = f"{column}.{identifier(member.key)}"
        if member.needed:
            yield f"{inside} is not null"
        yield from _value_tests(most_frequent(member.value), inside, types.get(member.key))


def _value_tests(shape: Shape, column: str, kind: object) -> Iterator[str]:
    yield from value_tests(shape, column, kind, f"to_json({column})::varchar")
    match shape, kind:
        case Members(), dict():
            yield from _tests(shape, column, kind)
        case Items(item=Scalar(column="VARCHAR")), ["VARCHAR"]:
            # The count is of those that are not null.
            yield f"coalesce(list_count({column}) = len({column}), true)"
            yield usual_marks(f"array_to_string({column}, ' ')")
        case Scalar(column="BOOLEAN"), "BOOLEAN":
            return
        case (Scalar(column="VARCHAR"), "VARCHAR") | (_, "JSON"):
            yield usual_marks(f"{column}::varchar")
        case _:
            raise NoText
