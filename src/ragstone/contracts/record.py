"""What a record is: a table of fields, from which the checks, the schema and the docs come."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from ragstone.contracts.json_paths import EACH, Path, container, spelled, walk
from ragstone.contracts.kinds import KINDS, Kind, is_number
from ragstone.contracts.mapped_fields import Ids, Mapped, parse_mapped
from ragstone.contracts.mapped_values import read_mapped
from ragstone.contracts.near_keys import Level, NearKey, near_keys
from ragstone.contracts.shown_values import shown as shown
from ragstone.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record; `name` is a dotted path (`answer_json.claim`).

    Absent and null are the same, unless the field is required. A field with `unless` belongs to
    another shape of the record: it is checked only where none of those fields is given; one with
    `or_else` is required where none of those is given. `filled` asks for a string or list that is
    not empty, `beside` for a list with one entry per entry of another, `choices` for one of the
    strings a text, or a hit's `type`, may be; a number is never under `least`. `ids` says that it
    holds ids, of a question or of evidence, which --ids reads otherwise. `aliases` are keys by
    which others mean this field, and nobody misses it where one of `spared` is given.
    """

    name: str
    kind: str
    says: str
    required: bool = False
    filled: bool = False
    unless: tuple[str, ...] = ()
    or_else: tuple[str, ...] = ()
    beside: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    ids: Literal["", "question", "evidence"] = ""
    aliases: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    path: tuple[str, ...] = dataclasses.field(init=False, repr=False, compare=False)
    values: Kind = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Kept, because every field of every line asks for them.
        object.__setattr__(self, "path", tuple(self.name.split(".")))
        object.__setattr__(self, "values", KINDS[self.kind])

    @property
    def leaf(self) -> str:
        """The word a user maps this field by: `claim` for `answer_json.claim`."""
        return self.path[-1]


@dataclass(frozen=True)
class Record:
    """A kind of input line; `tables` says that TSV, CSV and JSON tables of it are read too."""

    name: str
    says: str
    fields: tuple[Field, ...]
    tables: bool = False

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    @cached_property
    def keys(self) -> Level:
        """The keys that a line of the record may have, for those that are nearly one of them."""
        return _level(self.fields)


def _level(fields: Sequence[Field], path: tuple[str, ...] = ()) -> Level:
    """The keys of the objects at a path of a record, and of what is inside of them."""
    depth = len(path)
    below = [field for field in fields if field.path[:depth] == path and len(field.path) > depth]
    ends = {field.path[depth]: field for field in below if len(field.path) == depth + 1}
    inside = {
        name: _level(fields, (*path, name))
        for name in dict.fromkeys(field.path[depth] for field in below)
        if name not in ends
    }
    for name, one in ends.items():
        if one.values.item is not None and one.values.item.members:
            members = dict.fromkeys(one.values.item.members, ())
            inside[name] = Level((*path, name, EACH), members, {}, {}, listed=True)
    names: dict[str, tuple[str, ...]] = {field.path[depth]: () for field in below}
    names |= {name: (*field.unless, *field.or_else, *field.spared) for name, field in ends.items()}
    aliases = {alias: name for name, field in ends.items() for alias in field.aliases}
    return Level(path, names, aliases, inside)


FieldMap = Mapping[str, Mapped]
"""Name of a field → how it is read, where that is not from its own place as it is."""


EVERY_KEY = "*"
"""Who allows this key allows all."""


class Allowing(dict[str, Mapped]):
    """The same, with the keys that are taken as they are, however near they are to a field."""

    allowed: frozenset[str] = frozenset()

    def __init__(self, mapping: FieldMap, allowed: Collection[str]) -> None:
        super().__init__(mapping)
        self.allowed = frozenset(allowed)


@dataclass(frozen=True, slots=True)
class Given:
    """What a user says of where fields are: the words of --map, how ids are read, and which keys
    are not the fields that they are nearly."""

    map: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ids: Ids = ""
    cite_base: int = 1
    allowed: tuple[str, ...] = ()


def mapping_of(record: Record, given: Given) -> Allowing:
    """What a user's mapping says of one record: `claim`, `answer_json.claim` or `trace.claim`.

    >>> claim = Field("answer_json.claim", "text", "a sentence")
    >>> told = Given({"trace.claim": "answer.text", "gold.qid": "id"})
    >>> mapping_of(Record("trace", "", (claim,)), told)["answer_json.claim"].path
    ('answer', 'text')
    """
    found = {}
    for name, text in given.map.items():
        for field in fields_called(record, name):
            found[field.name] = parse_mapped(text)
    for field in record.fields:
        if field.ids and given.ids and (given.ids == "text" or field.ids == "evidence"):
            mapped = found.get(field.name, Mapped(field.path, given=False))
            found[field.name] = dataclasses.replace(mapped, ids=given.ids)
    # Only now every field is there that others have positions of.
    listed = {name: _listing(record, name, found, given.cite_base) for name in found}
    return Allowing(listed, given.allowed)


def fields_called(record: Record, name: str) -> list[Field]:
    """The fields that a user's word means."""
    leaves = [field.leaf for field in record.fields]
    wanted = name.removeprefix(f"{record.name}.")
    # Where two fields end in `label`, only the whole `scholar.label` tells which is meant.
    return [
        field
        for field in record.fields
        if wanted == field.name or (wanted == field.leaf and leaves.count(field.leaf) == 1)
    ]


def _listing(record: Record, name: str, found: Mapping[str, Mapped], base: int) -> Mapped:
    """The mapping of a field, with that of the field whose ids its numbers are positions of."""
    mapped = found[name]
    if not mapped.positions_in:
        return mapped
    fields = [field for field in fields_called(record, mapped.positions_in) if field.name != name]
    if len(fields) != 1:
        raise ConfigError(f"map {name}: a {record.name} has no other {mapped.positions_in}")
    listing = places_of(fields[0], found)
    if listing[0].positions_in:
        raise ConfigError(f"map {name}: {mapped.positions_in} is made of positions itself")
    return dataclasses.replace(mapped, listing=listing, base=base)


def problems(record: Record, value: object, mapping: FieldMap) -> Iterator[tuple[str, str]]:
    """Everything wrong with one parsed line, as (field, reason).

    >>> qid = Field("qid", "text", "the join key", required=True, filled=True)
    >>> list(problems(Record("gold", "", (qid,)), {"qid": 7}, {}))
    [('qid', 'expected a string, found 7')]
    """
    if not isinstance(value, dict):
        yield "json", f"expected an object, found {shown(value)}"
        return
    near = {}
    if near_keys(record.keys, value):
        near = {key.meant: key.path for key in near_fields(record, value, mapping) if key.missed}
    for meant, key in near.items():
        yield spelled(key), _meant(spelled(key), spelled(meant))
    broken: set[Path] = set()
    for field in record.fields:
        if not (mapping or field.required or field.or_else or field.path[0] in value):
            continue
        if field.unless and _any_given(record, field.unless, value, mapping):
            continue
        name, found, blocked, wrong, path = look_up(field, value, mapping)
        if blocked is not None:
            # `answer_json` that is not an object is one problem, not one per field inside it.
            if blocked not in broken:
                broken.add(blocked)
                expected = container(path, len(blocked))
                found = value_at(value, blocked)
                yield spelled(blocked), f"expected {expected}, found {shown(found)}"
            continue
        if wrong:
            yield name, wrong
            continue
        if found is None:
            alone = field.or_else and not _any_given(record, field.or_else, value, mapping)
            if (field.required or alone) and field.path not in near:
                yield name, f"expected {field.values.expected}, found nothing"
            continue
        reason = reason_of(field, found)
        if reason is None and field.beside:
            reason = _uneven(record, field, found, value, mapping)
        if reason is not None:
            yield name, reason


def near_fields(record: Record, value: dict[str, object], mapping: FieldMap) -> list[NearKey]:
    """The keys of a line that are nearly fields, but for those that the user has spoken of."""
    allowed = mapping.allowed if isinstance(mapping, Allowing) else frozenset()
    read = [mapped.path for mapped in mapping.values() if mapped.given]
    mapped_fields = [record.field(name).path for name, mapped in mapping.items() if mapped.given]
    return [
        key
        for key in near_keys(record.keys, value)
        if allowed.isdisjoint((spelled(key.path), EVERY_KEY))
        and not any(path[: len(key.path)] == key.path for path in read)
        and not any(path[: len(key.meant)] == key.meant for path in mapped_fields)
    ]


def _meant(key: str, field: str) -> str:
    """What is said of a key that is nearly a field which the line does not have."""
    return (
        f"no field is called so, and the line has no {field}; call it {field}, "
        f"or take it as it is with --allow-key {json.dumps(key) if ' ' in key else key}"
    )


def _any_given(
    record: Record, names: tuple[str, ...], value: dict[str, object], mapping: FieldMap
) -> bool:
    """Whether one of the fields has a value that is not empty."""
    return any(look_up(record.field(name), value, mapping)[1] for name in names)


class LookedUp(NamedTuple):
    """A field of a line: the name of its place as the user wrote it, and its value there.

    `blocked` is the part of the place's `path` that bars the way, and `wrong` says why nothing can
    be made of the value.
    """

    name: str
    value: object
    blocked: Path | None
    wrong: str
    path: Path


def look_up(field: Field, value: object, mapping: FieldMap) -> LookedUp:
    """What a line has for a field."""
    if field.name not in mapping:
        found, blocked = walk(value, field.path)
        return LookedUp(field.name, found, blocked, "", field.path)
    places = places_of(field, mapping)
    for place in places:
        found, blocked, wrong = read_mapped(place, value, field.values)
        if blocked is not None or found is not None or wrong:
            return LookedUp(spelled(place.path), found, blocked, wrong, place.path)
    return LookedUp(spelled(places[0].path), None, None, "", places[0].path)


def places_of(field: Field, mapping: FieldMap) -> tuple[Mapped, ...]:
    """Where a field is read from: the user's own place first, then the contract's."""
    mapped = mapping.get(field.name)
    if mapped is None:
        return (Mapped(field.path, given=False),)
    if mapped.constant is not None or not mapped.given:
        return (mapped,)
    return mapped, Mapped(field.path, ids=mapped.ids, given=False)


def column_of(name: str, mapping: FieldMap) -> str:
    """The column of a table that a field is read from: a path of one key, quoted or not."""
    path = mapping[name].path if name in mapping else ()
    return path[0] if len(path) == 1 and isinstance(path[0], str) else spelled(path) or name


def value_at(value: object, path: Path) -> object:
    """The value at a path; None where there is none."""
    return walk(value, path)[0]


def reason_of(field: Field, found: object) -> str | None:
    """Why a value is not what the field asks for; None if it is."""
    kind = field.values
    if kind.misfit is not None:
        reason = kind.misfit(found)
        # It begins with the field, which a diagnostic names anyway.
        return reason and reason.removeprefix(f"{field.name}: ")
    if not kind.fits(found) or (field.choices and not _is_chosen(field, found)):
        return _misfit(field, found)
    if field.filled and found in ("", []):
        return f"expected a {'list' if kind.item else 'string'} that is not empty"
    if field.least is not None and isinstance(found, int | float) and found < field.least:
        return f"expected {kind.expected} of at least {field.least:g}, found {shown(found)}"
    return None


def _is_chosen(field: Field, found: object) -> bool:
    """Whether a text, or the `type` of each hit, is one of the choices."""
    if not isinstance(found, list):
        return found in field.choices
    return all(hit.get("type") in (None, *field.choices) for hit in found)


def _misfit(field: Field, found: object) -> str:
    """What was expected, and what was found instead of it."""
    kind = field.values
    if isinstance(found, str) and kind.fits(found):
        return f"expected one of {', '.join(field.choices)}, found {shown(found)}"
    if kind.from_object and isinstance(found, dict):
        name, value = next(pair for pair in found.items() if not kind.fits(dict([pair])))
        return f"expected {kind.expected}, found {shown(value)} at {shown(name)}"
    if kind.item is None or not isinstance(found, list):
        within = _range(kind, found, field.least)
        return f"expected {kind.expected}{within}, found {shown(found)}"
    for position, item in enumerate(found):
        if not kind.item.fits(item) or (field.choices and not _is_chosen(field, [item])):
            return f"expected {_wrong_item(kind, kind.item, item)} at position {position}"
    raise AssertionError("every item fits")


def _wrong_item(kind: Kind, item: Kind, found: object) -> str:
    """What was expected of an item of a list, and what it is."""
    for name, member in item.members.items():
        value = found.get(name) if isinstance(found, dict) else None
        if is_number(value) and not member.fits(value) and member.bounds:
            return f'{member.expected} "{name}"{_range(member, value)}, found {shown(value)}'
    return f"{kind.expected}{_range(item, found)}, found {shown(found)}"


def _range(kind: Kind, found: object, least: float | None = None) -> str:
    """The words for the range of a kind, where a number outside of it was found."""
    if kind.bounds is None or not is_number(found):
        return ""
    low, high = kind.bounds
    return f" from {_bound(low if least is None else least)} to {_bound(high)}"


def _bound(number: float) -> str:
    """A bound as it is shown: every digit of a whole number, unless they are mostly zeros.

    >>> _bound(10**15), _bound(2**64 - 1), _bound(0.0)
    ('1e15', '18446744073709551615', '0')
    """
    text = f"{number:g}"
    return text.replace("e+", "e") if float(text) == number else repr(number)


def _uneven(
    record: Record, field: Field, found: object, value: dict[str, object], mapping: FieldMap
) -> str | None:
    """What is wrong with the length of a list that goes with another."""
    if not isinstance(found, list):
        return None
    other = look_up(record.field(field.beside), value, mapping).value
    size = len(other) if isinstance(other, list) else 0
    if len(found) == size or field.values.item is None:
        return None
    one = field.values.item.expected.removeprefix("a ")
    return f"expected one {one} per entry of {field.beside} ({size}), found {len(found)}"
