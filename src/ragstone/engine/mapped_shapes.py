"""What the contract asks of the values at the place that a user maps a field to.

What is asked for here may be less than what is read there: the lines that have more (a number as
the key of a table, one value for a list of one) are checked in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ragstone.contracts.json_paths import EACH, Path
from ragstone.contracts.mapped_fields import Mapped
from ragstone.contracts.record import Field, look_up, reason_of


class NoShape(Exception):
    """These values have too little in common, or do not keep the contract."""


@dataclass(frozen=True, slots=True)
class InList:
    """What is asked of the items of a list, by their paths inside of it; () is the item itself."""

    inside: Mapping[Path, Asked] = field(default_factory=dict)
    required: bool = False
    filled: bool = False


Asked = Field | InList

_WITH_NUMBERS = {"text": "id", "texts": "ids", "evidence": "ids"}


def is_plain(mapped: Mapped) -> bool:
    """Whether a field is the value at a path of keys, and is there where that is."""
    made = mapped.negated or mapped.table or mapped.positions_in
    return not made and bool(mapped.path) and all(isinstance(step, str) for step in mapped.path)


def asked_at(field: Field, mapped: Mapped) -> Iterator[tuple[Path, Asked]]:
    """Where a field is read, and what must be there for it to keep the contract."""
    if mapped.constant is not None:
        found = look_up(field, {}, {field.name: mapped})
        if found.wrong or reason_of(field, found.value):
            # It is wrong on every line, which Python says of each.
            raise NoShape
        return
    if any(isinstance(step, int) for step in mapped.path) or mapped.path[0] is EACH:
        raise NoShape
    at = mapped.path.index(EACH) if mapped.each else len(mapped.path)
    before, rest = mapped.path[:at], mapped.path[at + 1 :]
    listed = mapped.each or bool(mapped.positions_in)
    value = _value(field, mapped)
    if not listed:
        yield before, value
        return
    if field.filled and EACH in rest:
        # Lists none of which is empty do not make one that is not.
        raise NoShape
    inside = _inside(rest, _item(value))
    yield before, InList(inside, field.required, field.filled)


def _value(field: Field, mapped: Mapped) -> Field:
    """What is asked of the value that the field is made of."""
    if mapped.negated:
        return replace(field, kind="flag")
    if mapped.table:
        # What stands for nothing is left to Python, as the field may be required.
        words = tuple(key for key, made in mapped.table if made is not None)
        return replace(field, kind="text", choices=words, filled=False, least=None)
    if mapped.positions_in:
        return replace(field, kind="integer", choices=(), filled=False, least=None)
    if mapped.ids == "text" and field.kind in _WITH_NUMBERS:
        return replace(field, kind=_WITH_NUMBERS[field.kind])
    return field


def _item(value: Field) -> Field:
    """The same for an item of a list: none of these may be null."""
    item = value.values.item
    if item is not None and not item.members:
        return Field(value.name, item.name, "", required=True)
    if value.kind in ("text", "integer"):
        return replace(value, required=True)
    raise NoShape


def _inside(path: Path, item: Field) -> dict[Path, Asked]:
    if EACH not in path:
        if any(isinstance(step, int) for step in path):
            raise NoShape
        return {path: item}
    at = path.index(EACH)
    return {path[:at]: InList(_inside(path[at + 1 :], item), required=True)}


def both(one: Asked, other: Asked) -> Asked:
    """What two fields that are read from one place ask for together."""
    if isinstance(one, InList) or isinstance(other, InList):
        return _both_lists(one, other)
    kept = other if one.kind == "any" else one
    kinds = {(f.kind, f.choices, f.least) for f in (one, other) if f.kind != "any"}
    if len(kinds) > 1:
        raise NoShape
    filled, required = one.filled or other.filled, one.required or other.required
    return replace(kept, filled=filled, required=required)


def _both_lists(one: Asked, other: Asked) -> InList:
    if not isinstance(one, InList) or not isinstance(other, InList):
        raise NoShape
    inside = dict(one.inside)
    for path, asked in other.inside.items():
        inside[path] = both(inside[path], asked) if path in inside else asked
    return InList(inside, one.required or other.required, one.filled or other.filled)
