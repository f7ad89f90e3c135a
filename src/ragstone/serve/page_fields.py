"""Pages as data: each is a frozen class, and each of its fields says what it is.

The template of a page and its JSON are made from the same object, and the description of the
server is made from its class: none of them knows anything that another does not.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, field, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

_JSON = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def says(help: str, default: Any = MISSING) -> Any:
    """A field of a page, and what it is."""
    if default is MISSING:
        return field(metadata={"says": help})
    return field(default=default, metadata={"says": help})


class Missing(Exception):
    """That there is nothing to show: the status of HTTP, and a sentence that says why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def as_data(page: Any) -> dict[str, Any]:
    """A page for a program: its fields by their names."""
    return asdict(page)


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of a page, or of a type inside of one.

    >>> schema_of(int | None)
    {'type': ['integer', 'null']}
    """
    if is_dataclass(kind) and isinstance(kind, type):
        return _object(kind)
    if kind in _JSON:
        return {"type": _JSON[kind]}
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _either([schema_of(each) for each in inside])
    if origin is tuple:
        return {"type": "array", "items": schema_of(inside[0])}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inside[1])}
    return {}


def _either(several: list[dict[str, Any]]) -> dict[str, Any]:
    if all(list(each) == ["type"] for each in several):
        return {"type": [each["type"] for each in several]}
    return {"anyOf": several}


def _object(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    made = {
        each.name: {"description": each.metadata.get("says", ""), **schema_of(hints[each.name])}
        for each in fields(kind)
    }
    return {"type": "object", "properties": made, "required": list(made)}
