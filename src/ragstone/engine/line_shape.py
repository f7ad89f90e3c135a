"""What the lines of a file look like: learned from a few of them, to know the rest by.

A shape is wider than the lines it came from where the contract is (any text, a list of any length)
and never wider than the contract: what has the shape is strict JSON and keeps the contract, but for
the few rules that compare two values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragstone.contracts.record import Field, FieldMap, Record, paths_of

Path = tuple[str, ...]

BLANK = r"[ \t\r]*"
_HEX = "[0-9a-fA-F]"
_PAIR = rf"[89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
_ESCAPE = rf'\\(?:["\\/bfnrt]|u(?:[0-9a-cA-CeEfF]{_HEX}{{3}}|[dD](?:[0-7]{_HEX}{{2}}|{_PAIR})))'
_CHARACTER = rf'(?:[^"\\\x00-\x1f]|{_ESCAPE})'
TEXT = f'"{_CHARACTER}*"'
FILLED = f'"{_CHARACTER}+"'
_FLAG = "(?:true|false)"
_WHOLE = "(?:0|[1-9][0-9]{0,14})"
# So few digits that it is finite whatever they are.
_POSITIVE = r"(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?"
_NUMBER = f"-?{_POSITIVE}"
_ANY_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_SPAN = rf"\[{BLANK}{_WHOLE}{BLANK},{BLANK}{_WHOLE}{BLANK}\]"
# 29 February is left to the second look: not every year has one.
_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.(?:[0-9]{3}|[0-9]{6}))?)?"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?"
)
# A value that nothing is known of, nested as deep as anybody nests what nobody reads.
_DEPTH = 3
# More keys than this, and an object is a dictionary: its keys are values, not names.
_KEYS = 32
# So many orders of keys are told apart in one input.
_ORDERS = 4
_MOMENT = f'(?:{_NUMBER}|"[12][0-9]{{3}}-{_DAY}(?:[T ]{_TIME})?")'


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value without parts: the pattern of its JSON text, and the column that shows it."""

    pattern: str
    column: str = "JSON"


@dataclass(frozen=True, slots=True)
class Items:
    """A list of values of one shape; none that was seen had fewer than `least` items, up to two."""

    item: Shape
    filled: bool = False
    least: int = 0


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
    """A value of one of several shapes."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """An object with keys of all kinds; that none is repeated, a pattern cannot tell."""

    pattern: str


Shape = Scalar | Items | Members | Either | Anything


class _NoShape(Exception):
    """These values have nothing in common that would prove anything."""


def learn(record: Record, mapping: FieldMap, lines: Sequence[object]) -> tuple[Members, ...]:
    """The shapes of the parsed lines, one for each order of keys; none if some keep no contract."""
    places = {path: field for field in record.fields for path in paths_of(field, mapping)}
    if mapping and any(len(paths_of(field, mapping)) > 1 for field in record.fields):
        # A value may come from either of two places: what is needed is left to the second look,
        # unless all of it stands in one.
        places = _settled(record, mapping, lines, places)
    fields = _leaning(record, mapping, places, lines)
    try:
        return tuple(_members((), group, fields) for group in _grouped(lines))
    except _NoShape:
        return ()


def _grouped(lines: Sequence[object]) -> list[list[object]]:
    """Lines that share a key and have theirs in one order; the largest group first."""
    groups: list[tuple[list[str], set[str], list[object]]] = []
    for line in lines:
        if not isinstance(line, dict):
            raise _NoShape
        for order, common, group in groups:
            if common & line.keys() and _in_order(order, line):
                _insert(order, line)
                common &= line.keys()
                group.append(line)
                break
        else:
            groups.append((list(line), set(line), [line]))
    if len(groups) > _ORDERS:
        raise _NoShape
    return sorted((group for _, _, group in groups), key=len, reverse=True)


def _in_order(order: Sequence[str], line: Mapping[str, object]) -> bool:
    places = [order.index(key) for key in line if key in order]
    return places == sorted(places)


def _insert(order: list[str], line: Mapping[str, object]) -> None:
    """Puts the keys that are new after those they follow."""
    at = 0
    for key in line:
        if key in order:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1


def _settled(
    record: Record, mapping: FieldMap, lines: Sequence[object], places: Mapping[Path, Field]
) -> dict[Path, Field]:
    """Where one of a field's two places always holds its value, the other is not needed."""
    settled = dict(places)
    for field in record.fields:
        found = paths_of(field, mapping)
        if len(found) > 1 and field.required:
            always = [p for p in found if all(_get(line, p) is not None for line in lines)]
            for path in found:
                settled[path] = replace(field, required=path in always[:1] or not always)
    return settled


def _leaning(
    record: Record, mapping: FieldMap, places: Mapping[Path, Field], lines: Sequence[object]
) -> dict[Path, Field]:
    """The fields, with those firmly required that another field's rule leans on.

    A field of another shape of the record is free where `unless` is given; one with `or_else` may
    be absent where those are there.
    """
    leaning = dict(places)
    for path, field in places.items():
        # What the first place of a field says is what counts.
        names = (*field.unless, *field.or_else)
        others = [paths_of(record.field(name), mapping)[0] for name in names]
        if not others:
            continue
        firm = [p for p in others if all(_get(line, p) for line in lines)]
        if not firm:
            leaning[path] = replace(field, required=bool(field.or_else))
            continue
        leaning[firm[0]] = replace(leaning[firm[0]], required=True, filled=True)
        if field.unless:
            leaning[path] = Field(field.name, "any", field.says)
    return leaning


def _get(value: object, path: Path) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _members(path: Path, objects: Sequence[object], places: Mapping[Path, Field]) -> Members:
    members: list[Member] = []
    pivots: list[int] = []
    for number, key in enumerate(_ordered(objects)):
        here = (*path, key)
        given = [each[key] for each in objects if isinstance(each, dict) and key in each]
        values = [value for value in given if value is not None]
        needed = any(f.required and at[: len(here)] == here for at, f in places.items())
        if needed and len(values) < len(objects):
            raise _NoShape
        if len(given) == len(objects):
            pivots.append(number)
        shape = _known(places.get(here), values, here, places)
        usual, nulled = len(values) == len(objects), len(values) < len(given)
        members.append(Member(key, shape, needed, usual, nulled))
    keys = {member.key for member in members}
    required = {at[len(path)] for at, f in places.items() if f.required and _below(at, path)}
    if not pivots or not required <= keys:
        raise _NoShape
    return Members(tuple(members), next((n for n in pivots if members[n].needed), pivots[0]))


def _below(at: Path, path: Path) -> bool:
    return len(at) > len(path) and at[: len(path)] == path


def _ordered(objects: Iterable[object]) -> list[str]:
    """The keys of all objects, in an order that most of them have."""
    order: list[str] = []
    for each in objects:
        if not isinstance(each, dict):
            raise _NoShape
        _insert(order, each)
    return order


def _known(
    field: Field | None, values: Sequence[object], path: Path, places: Mapping[Path, Field]
) -> Shape:
    """The shape the contract gives a field, or that its values have where it gives none."""
    if field is None or field.kind in ("any", "object"):
        holds_fields = any(_below(at, path) for at in places)
        if (holds_fields or (field and field.kind == "object")) and not _all(values, dict):
            raise _NoShape
        return _seen(values, path, places)
    if field.choices and field.kind == "text":
        return Scalar(_one_of(field.choices), "VARCHAR")
    match field.kind:
        case "text":
            return Scalar(FILLED if field.filled else TEXT, "VARCHAR")
        case "flag":
            return Scalar(_FLAG, "BOOLEAN")
        case "number" if field.least in (None, 0.0):
            return Scalar(_NUMBER if field.least is None else _POSITIVE)
        case "integer" if field.least is None:
            return Scalar(f"-?{_WHOLE}")
        case "moment":
            return Scalar(_MOMENT)
        case "texts":
            return Items(Scalar(TEXT, "VARCHAR"), field.filled, _least(values))
        case "numbers":
            return Items(Scalar(_NUMBER))
        case "span":
            return Scalar(_SPAN)
        case "spans":
            # With two entries, a pattern could not tell whether their keys differ.
            return Scalar(rf"\{{{BLANK}(?:{TEXT}{BLANK}:{BLANK}{_SPAN}{BLANK})?\}}")
        case "chunks" | "hits":
            return Items(_hits(field, values))
        case _:
            raise _NoShape


def _hits(field: Field, values: Sequence[object]) -> Shape:
    fields = [Field("id", "text", "", required=True), Field("score", "number", "")]
    if field.kind == "hits":
        fields += [Field("offsets", "span", ""), Field("type", "text", "", choices=field.choices)]
        fields += [Field("section_id", "text", ""), Field("hash", "text", "")]
    items = [item for value in values if isinstance(value, list) for item in value]
    return _members((), items, {each.path: each for each in fields}) if items else _NOTHING


def _one_of(choices: Iterable[str]) -> str:
    spelled = {json.dumps(c, ensure_ascii=plain) for c in choices for plain in (True, False)}
    return f"(?:{'|'.join(sorted(map(re.escape, spelled)))})"


# Nothing has this shape: the list that was always empty may hold no item yet.
_NOTHING = Either(())


def _least(lists: Sequence[object]) -> int:
    return min((min(len(value), 2) for value in lists if isinstance(value, list)), default=0)


def _all(values: Sequence[object], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)


def _seen(values: Sequence[object], path: Path, places: Mapping[Path, Field]) -> Shape:
    """The shape of values that the contract says nothing of."""
    shapes: list[Shape] = []
    if any(isinstance(value, str) for value in values):
        shapes.append(Scalar(TEXT, "VARCHAR"))
    if any(isinstance(value, bool) for value in values):
        shapes.append(Scalar(_FLAG, "BOOLEAN"))
    if any(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        shapes.append(Scalar(_ANY_NUMBER))
    lists = [value for value in values if isinstance(value, list)]
    if lists:
        items = [item for value in lists for item in value]
        null = [Scalar("null")] if None in items else []
        item = _seen([item for item in items if item is not None], (), {})
        shapes.append(Items(Either((item, *null)) if null else item, least=_least(lists)))
    objects = [value for value in values if isinstance(value, dict)]
    if objects and not all(objects):
        if any(field.required and _below(at, path) for at, field in places.items()):
            raise _NoShape
        shapes.append(Scalar(rf"\{{{BLANK}\}}"))
        objects = [value for value in objects if value]
    if objects:
        shapes += _objects(path, objects, places)
    return shapes[0] if len(shapes) == 1 else Either(tuple(shapes))


def _objects(
    path: Path, objects: Sequence[dict[str, object]], places: Mapping[Path, Field]
) -> list[Shape]:
    common = set(objects[0]).intersection(*objects[1:])
    if not any(_below(at, path) for at in places):
        # Where there are many keys, and none is in every object, they are values and not names.
        if not common or len(set().union(*objects)) > _KEYS:
            return [Anything(_object(_DEPTH))]
    elif not common:
        alike = {tuple(each): [o for o in objects if tuple(o) == tuple(each)] for each in objects}
        if len(alike) > _ORDERS:
            raise _NoShape
        return [_members(path, some, places) for some in alike.values()]
    return [_members(path, objects, places)]


def _object(depth: int) -> str:
    """The pattern of any object that is nested no deeper than this."""
    pair = f"{TEXT}{BLANK}:{BLANK}{_value(depth)}{BLANK}"
    return rf"\{{{BLANK}(?:{pair}(?:,{BLANK}{pair})*)?\}}"


def _value(depth: int) -> str:
    plain = f"{TEXT}|{_ANY_NUMBER}|true|false|null"
    if depth == 0:
        return f"(?:{plain})"
    item = f"{_value(depth - 1)}{BLANK}"
    return rf"(?:{plain}|\[{BLANK}(?:{item}(?:,{BLANK}{item})*)?\]|{_object(depth - 1)})"
