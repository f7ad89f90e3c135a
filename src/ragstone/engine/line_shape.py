"""The shape that the lines of a file have: learned from some of them, to check the rest by.

A shape is wider than the lines it came from where the contract is (any text, a list of any length)
and never wider than the contract: a line of the shape is strict JSON and keeps the contract, but
for the few rules that compare two values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragstone.contracts.json_paths import Path
from ragstone.contracts.kinds import (
    ANY_NUMBER,
    BLANK,
    FILLED_TEXT,
    FLAG,
    ID_OR_WHOLE,
    KINDS,
    POSITIVE,
    TEXT,
)
from ragstone.contracts.record import Field, FieldMap, Record, places_of, value_at
from ragstone.engine.mapped_shapes import Asked, InList, NoShape, asked_at, both, is_plain

# Lines with their keys in more orders than this are all checked in Python.
_ORDERS = 4
# An object with more keys than this is a dictionary: its keys are values, not names.
_KEYS = 32
# The pattern of a list holds that of its items twice, so each list in a list doubles it.
_LISTS_IN_LISTS = 6


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value that is checked as a whole: the pattern of its JSON text, and its column's type."""

    pattern: str
    column: str = "JSON"


@dataclass(frozen=True, slots=True)
class Items:
    """A list of values of one shape."""

    item: Shape
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object.

    `needed` members must have a value, and `usual` ones had one in every line seen; `nulled` ones
    are null, not absent, where they have none.
    """

    key: str
    value: Shape
    needed: bool
    usual: bool = True
    nulled: bool = False


@dataclass(frozen=True, slots=True)
class Members:
    """An object. `pivot` is a member that is always there: the others have their comma from it."""

    members: tuple[Member, ...]
    pivot: int


@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of several shapes; of none, no value has it."""

    shapes: tuple[Shape, ...]


Shape = Scalar | Items | Members | Either
Fields = Mapping[Path, Asked]

_NOTHING = Either(())


def learn(record: Record, mapping: FieldMap, lines: Sequence[object]) -> tuple[Members, ...]:
    """The shapes of the parsed lines, one for each order of keys; none if they have none."""
    try:
        fields = _fields_by_path(record, mapping, lines)
        return tuple(_members((), *group, fields) for group in _by_key_order(lines))
    except NoShape:
        return ()


def _fields_by_path(record: Record, mapping: FieldMap, lines: Sequence[object]) -> Fields:
    """The fields as these lines have them: where one is required, and at which of two places.

    The contract asks for `seed` only where there is no `run_id`, and checks `answer` only where
    there is no `qid`. Lines that all have a `run_id` or a `qid` are asked for that one instead.
    """
    found: dict[Path, Asked] = {}
    instead: set[Path] = set()
    for field in record.fields:
        places = places_of(field, mapping)
        others = [places_of(record.field(n), mapping)[0] for n in (*field.unless, *field.or_else)]
        if not all(map(is_plain, others)):
            raise NoShape
        given = [one.path for one in others if all(value_at(line, one.path) for line in lines)]
        instead.update(given[:1])
        if field.unless and given:
            continue
        required = field.required or bool(field.or_else and not given)
        paths = [place.path for place in places if place.path]
        always = [path for path in paths if all(value_at(line, path) is not None for line in lines)]
        for place in places:
            here = required and place.path in (always or paths)[:1]
            for path, asked in asked_at(replace(field, required=here), place):
                found[path] = both(found[path], asked) if path in found else asked
    return found | {path: _instead(found[path]) for path in instead}


def _instead(asked: Asked) -> Asked:
    if isinstance(asked, InList):
        raise NoShape
    return replace(asked, required=True, filled=True)


def _by_key_order(objects: Iterable[object]) -> list[tuple[list[str], list[dict[str, object]]]]:
    """Groups of objects that share a key and have theirs in one order; the largest first."""
    groups: list[tuple[list[str], list[dict[str, object]], set[str]]] = []
    for each in objects:
        if not isinstance(each, dict):
            raise NoShape
        for order, group, common in groups:
            if common & each.keys() and _is_in_order(order, each):
                _insert(order, each)
                common &= each.keys()
                group.append(each)
                break
        else:
            groups.append((list(each), [each], set(each)))
        if len(groups) > _ORDERS:
            raise NoShape
    return sorted(((order, group) for order, group, _ in groups), key=lambda pair: -len(pair[1]))


def _is_in_order(order: Sequence[str], each: Iterable[str]) -> bool:
    places = [order.index(key) for key in each if key in order]
    return places == sorted(places)


def _insert(order: list[str], keys: Iterable[str]) -> None:
    """Puts the keys that are new after those they follow."""
    at = 0
    for key in keys:
        if key in order:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1


def _members(
    path: Path, keys: Sequence[str], objects: Sequence[dict[str, object]], fields: Fields
) -> Members:
    required = {at[len(path)] for at, f in fields.items() if f.required and _is_below(at, path)}
    if not required <= set(keys):
        raise NoShape
    members: list[Member] = []
    pivots: list[int] = []
    for number, key in enumerate(keys):
        given = [each[key] for each in objects if key in each]
        values = [value for value in given if value is not None]
        usual = len(values) == len(objects)
        if len(given) == len(objects):
            pivots.append(number)
        shape = _shape_of((*path, key), values, fields)
        if (key in required and not usual) or (usual and shape == _NOTHING):
            raise NoShape
        nulled = len(values) < len(given)
        members.append(Member(key, shape, key in required, usual, nulled))
    if not pivots:
        raise NoShape
    return Members(tuple(members), next((n for n in pivots if members[n].needed), pivots[0]))


def _is_below(at: Path, path: Path) -> bool:
    return len(at) > len(path) and at[: len(path)] == path


def _shape_of(path: Path, values: Sequence[object], fields: Fields) -> Shape:
    """The shape that the contract gives a field, or that its values have where it gives none."""
    field = fields.get(path)
    if isinstance(field, InList):
        return _list_of(field, path, values, fields)
    kind = field.values if field else KINDS["any"]
    holds_fields = any(_is_below(at, path) for at in fields)
    if field is None or kind.free:
        if (holds_fields or kind.name == "object") and not all(
            isinstance(value, dict) for value in values
        ):
            raise NoShape
        return _seen(path, values, fields)
    if holds_fields:
        # A mapping reads a field from inside another that is no object.
        raise NoShape
    if kind.item is None:
        column = kind.column if isinstance(kind.column, str) else "JSON"
        return Scalar(_pattern_of(field), column)
    if not kind.from_object and not all(isinstance(value, list) for value in values):
        # One value for a list of one, where a user maps it so.
        raise NoShape
    if not kind.item.members:
        listed = Items(_shape_of(("",), (), {("",): Field("", kind.item.name, "")}), field.filled)
        if kind.from_object and not all(isinstance(value, list) for value in values):
            return Either((listed, Scalar(kind.pattern)))
        return listed
    items = [item for value in values if isinstance(value, list) for item in value]
    inside: dict[Path, Asked] = {
        (name,): Field(
            name,
            each.name,
            "",
            name == kind.item.needs,
            choices=field.choices if name == "type" else (),
        )
        for name, each in kind.item.members.items()
    }
    return Items(_objects((), items, inside), field.filled)


def _list_of(asked: InList, path: Path, values: Sequence[object], fields: Fields) -> Shape:
    """The shape of lists inside of which fields are."""
    lists = [value for value in values if isinstance(value, list)]
    if len(lists) < len(values) or any(_is_below(at, path) for at in fields):
        raise NoShape
    items = [item for value in lists for item in value]
    if () in asked.inside:
        return Items(_shape_of((), items, asked.inside), asked.filled)
    return Items(_objects((), items, asked.inside), asked.filled)


def _pattern_of(field: Field) -> str:
    """The pattern of what a field may hold; those without one are checked in Python."""
    if field.kind == "text" and field.choices:
        spelled = {
            json.dumps(c, ensure_ascii=plain) for c in field.choices for plain in (True, False)
        }
        return f"(?:{'|'.join(sorted(map(re.escape, spelled)))})"
    if field.kind == "id":
        return ID_OR_WHOLE
    if field.kind == "text" and field.filled:
        return FILLED_TEXT
    if field.kind == "number" and field.least == 0:
        return POSITIVE
    if field.least is not None or not field.values.pattern:
        raise NoShape
    return field.values.pattern


def _seen(path: Path, values: Sequence[object], fields: Fields) -> Shape:
    """The shape of values that the contract says nothing of."""
    shapes: list[Shape] = []
    objects = [value for value in values if isinstance(value, dict)]
    if any(objects):
        shapes.append(_objects(path, [each for each in objects if each], fields))
    if not all(objects):
        if any(field.required and _is_below(at, path) for at, field in fields.items()):
            raise NoShape
        shapes.append(Scalar(rf"\{{{BLANK}\}}"))
    if any(isinstance(value, str) for value in values):
        shapes.append(Scalar(TEXT, "VARCHAR"))
    if any(isinstance(value, bool) for value in values):
        shapes.append(Scalar(FLAG, "BOOLEAN"))
    if any(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        shapes.append(Scalar(ANY_NUMBER))
    lists = [value for value in values if isinstance(value, list)]
    if lists:
        items = [item for value in lists for item in value]
        null = [Scalar("null")] if None in items else []
        deep = max(map(_lists_in, lists)) > _LISTS_IN_LISTS
        item = _NOTHING if deep else _seen((), [item for item in items if item is not None], {})
        shapes.append(Items(Either((item, *null)) if null else item))
    return shapes[0] if len(shapes) == 1 else Either(tuple(shapes))


def _lists_in(value: object) -> int:
    """How many lists stand in one another in a value, at the deepest."""
    if not isinstance(value, dict | list):
        return 0
    inside = value.values() if isinstance(value, dict) else value
    return isinstance(value, list) + max(map(_lists_in, inside), default=0)


def _objects(path: Path, objects: Sequence[object], fields: Fields) -> Shape:
    """The shape of objects, the most frequent order of keys first."""
    is_known = any(_is_below(at, path) for at in fields)
    try:
        groups = _by_key_order(objects)
        if not is_known and sum(len(keys) for keys, _ in groups) > _KEYS:
            return _NOTHING
        shapes = tuple(_members(path, *group, fields) for group in groups)
    except NoShape:
        if is_known:
            raise
        return _NOTHING
    return shapes[0] if len(shapes) == 1 else Either(shapes)
