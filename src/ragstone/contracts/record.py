"""What a record is: a table of fields, from which the checks, the schema and the docs come."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ragstone.contracts.json_paths import Path, container, parse_path, spelled, walk
from ragstone.contracts.kinds import KINDS, Kind, is_number


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record; `name` is a dotted path (`answer_json.claim`).

    Absent and null are the same, unless the field is required. A field with `unless` belongs to
    another shape of the record: it is checked only where none of those fields is given; one with
    `or_else` is required where none of those is given. `filled` asks for a string or list that is
    not empty, `beside` for a list with one entry per entry of another, `choices` for one of the
    strings a text, or a hit's `type`, may be; a number is never under `least`.
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


FieldMap = Mapping[str, str]
"""Name of a field → the path it is read from, as the user wrote it."""


def mapping_of(record: Record, given: Mapping[str, str]) -> dict[str, str]:
    """What a user's mapping says of one record: `claim`, `answer_json.claim` or `trace.claim`.

    >>> claim = Field("answer_json.claim", "text", "a sentence")
    >>> mapping_of(Record("trace", "", (claim,)), {"trace.claim": "answer.text", "gold.qid": "id"})
    {'answer_json.claim': 'answer.text'}
    """
    leaves = [field.leaf for field in record.fields]
    found = {}
    for name, path in given.items():
        wanted = name.removeprefix(f"{record.name}.")
        for field in record.fields:
            # Where two fields end in `label`, only the whole `scholar.label` tells which is meant.
            short = wanted == field.leaf and leaves.count(field.leaf) == 1
            if wanted == field.name or short:
                found[field.name] = path
    return found


def shown(value: object, limit: int = 60) -> str:
    """A value as a diagnostic shows it: as JSON, on one line, not longer than a line.

    >>> shown({"a": [1, 2]})
    '{"a": [1, 2]}'
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


def problems(record: Record, value: object, mapping: FieldMap) -> Iterator[tuple[str, str]]:
    """Everything wrong with one parsed line, as (field, reason).

    >>> qid = Field("qid", "text", "the join key", required=True, filled=True)
    >>> list(problems(Record("gold", "", (qid,)), {"qid": 7}, {}))
    [('qid', 'expected a string, found 7')]
    """
    if not isinstance(value, dict):
        yield "json", f"expected an object, found {shown(value)}"
        return
    broken: set[Path] = set()
    for field in record.fields:
        if not (mapping or field.required or field.or_else or field.path[0] in value):
            continue
        if field.unless and _any_given(record, field.unless, value, mapping):
            continue
        name, found, blocked = look_up(field, value, mapping)
        if blocked is not None:
            # `answer_json` that is not an object is one problem, not one per field inside it.
            if blocked not in broken:
                broken.add(blocked)
                expected = container(parse_path(name), len(blocked))
                found = value_at(value, blocked)
                yield spelled(blocked), f"expected {expected}, found {shown(found)}"
            continue
        if found is None:
            alone = field.or_else and not _any_given(record, field.or_else, value, mapping)
            if field.required or alone:
                yield name, f"expected {field.values.expected}, found nothing"
            continue
        reason = _reason(field, found)
        if reason is None and field.beside:
            reason = _uneven(field, found, value, mapping)
        if reason is not None:
            yield name, reason


def _any_given(
    record: Record, names: tuple[str, ...], value: dict[str, object], mapping: FieldMap
) -> bool:
    """Whether one of the fields has a value that is not empty."""
    return any(look_up(record.field(name), value, mapping)[1] for name in names)


def look_up(
    field: Field, value: dict[str, object], mapping: FieldMap
) -> tuple[str, object, Path | None]:
    """The field's name as the user wrote it, its value, and the path that bars the way to it."""
    if not mapping:
        found, blocked = walk(value, field.path)
        return field.name, found, blocked
    paths = paths_of(field, mapping)
    for path in paths:
        found, blocked = walk(value, path)
        if blocked is not None or found is not None:
            return spelled(path), found, blocked
    return spelled(paths[0]), None, None


def paths_of(field: Field, mapping: FieldMap) -> tuple[Path, ...]:
    """Where a field is read from: the user's own place first, then the contract's."""
    mapped = mapping.get(field.name)
    return (field.path,) if mapped is None else (parse_path(mapped), field.path)


def column_of(name: str, mapping: FieldMap) -> str:
    """The column of a table that a field is read from: a path of one key, quoted or not."""
    mapped = mapping.get(name, name)
    path = parse_path(mapped)
    return path[0] if len(path) == 1 and isinstance(path[0], str) else mapped


def value_at(value: object, path: Path) -> object:
    """The value at a path; None where there is none."""
    return walk(value, path)[0]


def _reason(field: Field, found: object) -> str | None:
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


def _uneven(field: Field, found: object, value: dict[str, object], mapping: FieldMap) -> str | None:
    """What is wrong with the length of a list that goes with another."""
    if not isinstance(found, list):
        return None
    other = value_at(value, parse_path(mapping.get(field.beside, field.beside)))
    size = len(other) if isinstance(other, list) else 0
    if len(found) == size or field.values.item is None:
        return None
    one = field.values.item.expected.removeprefix("a ")
    return f"expected one {one} per entry of {field.beside} ({size}), found {len(found)}"
