"""Whether an object read from a file holds what its annotations say, at every depth."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_MOST_BITS = 1023
# What a report has only while it is in the program that made it.
NOT_SAVED = ("kept", "made_of", "parts", "labels")


def fits(value: object, hint: Any) -> bool:
    """Whether the value is of the annotated type; a function, which no file holds, always is.

    >>> fits((0.5, 1), tuple[float, float]), fits((0.5,), tuple[float, float])
    (True, False)
    >>> fits({"a": True}, Mapping[str, int | None]), fits(10**400, float)
    (False, False)
    """
    if hint is float or hint is int:
        # A whole number that no float holds ends whatever draws it.
        large = isinstance(value, int) and value.bit_length() > _MOST_BITS
        return isinstance(value, int | hint) and not isinstance(value, bool) and not large
    if isinstance(hint, type) and is_dataclass(hint):
        return isinstance(value, hint) and all(
            fits(getattr(value, name), each) for name, each in _hints(hint).items()
        )
    if get_origin(hint) is None:
        return hint is Any or isinstance(value, hint)
    return _fits_parts(value, get_origin(hint), get_args(hint))


def _fits_parts(value: object, whole: Any, parts: tuple[Any, ...]) -> bool:
    if whole in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if whole is Literal:
        return value in parts
    if whole is Callable:
        return True
    if whole is tuple:
        if not isinstance(value, tuple):
            return False
        each = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(each) and all(map(fits, value, each))
    if whole is Mapping:
        key, item = parts
        return isinstance(value, Mapping) and all(
            fits(name, key) and fits(each, item) for name, each in value.items()
        )
    return isinstance(value, whole)


@cache
def _hints(kind: type) -> dict[str, Any]:
    # Any JSON is right for what only one suite adds, and verdict rows are in no file.
    return {**get_type_hints(kind, localns={"KeptRows": object, "MadeOf": object}), **_free(kind)}


def _free(kind: type) -> dict[str, Any]:
    free: dict[str, Any] = dict.fromkeys(("settings", "data"), Mapping[str, Any])
    free |= dict.fromkeys(NOT_SAVED, Any)
    return {name: hint for name, hint in free.items() if name in kind.__annotations__}
