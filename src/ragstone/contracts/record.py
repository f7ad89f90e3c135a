"""What a record is: a table of fields, from which the checks, the schema and the docs come."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Literal

Kind = Literal[
    "text", "flag", "number", "integer", "texts", "numbers", "moment", "object", "chunks", "hits",
    "span", "spans", "any", "id", "ids",
]  # fmt: skip

# An offset past 15 digits is no byte of any text, and the engine's whole numbers end soon after.
_LARGEST_OFFSET = 10**15

EXPECTED: Mapping[Kind, str] = {
    "text": "a string",
    "flag": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "texts": "a list of strings",
    "numbers": "a list of numbers",
    "moment": "seconds, milliseconds or an ISO-8601 time",
    "object": "an object",
    "chunks": 'a list of objects with a string "id"',
    "hits": 'a list of objects with a string "id" and, where given, a number "score", '
    '"offsets" [begin, end], a known "type", and strings "section_id" and "hash"',
    "span": "two whole numbers [begin, end], begin not after end",
    "spans": "an object from id to [begin, end]",
    "any": "any value",
    "id": "an id: a string or a number",
    "ids": "a list of ids, or its text",
}


@lru_cache(maxsize=1024)
def _split(name: str) -> tuple[str, ...]:
    """Asked for every field of every line, so it is remembered."""
    return tuple(name.split("."))


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
    kind: Kind
    says: str
    required: bool = False
    filled: bool = False
    unless: tuple[str, ...] = ()
    or_else: tuple[str, ...] = ()
    beside: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None

    @property
    def path(self) -> tuple[str, ...]:
        return _split(self.name)

    @property
    def leaf(self) -> str:
        """The word a user maps this field by: `claim` for `answer_json.claim`."""
        return self.path[-1]


@dataclass(frozen=True)
class Record:
    """A kind of input line."""

    name: str
    says: str
    fields: tuple[Field, ...]

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    @cached_property
    def tests(self) -> Mapping[str, Callable[[object], bool]]:
        """Top-level key → whether a value of it is surely good."""
        inside: dict[str, dict[str, Callable[[object], bool]]] = {}
        tests: dict[str, Callable[[object], bool]] = {}
        for field in self.fields:
            if len(field.path) == 1:
                tests[field.name] = _test(field)
            else:
                inside.setdefault(field.path[0], {})[field.leaf] = _test(field)
        return {**tests, **{name: partial(_all_good, leaves) for name, leaves in inside.items()}}

    @cached_property
    def needs(self) -> tuple[Field, ...]:
        """The fields that must be there, or must be where others are not."""
        return tuple(field for field in self.fields if field.required or field.or_else)


FieldMap = Mapping[str, str]
"""Name of a field → the dotted path it is read from."""


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
            # `label` says nothing where there are two: `scholar.label` does.
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
    """Everything wrong with one parsed line, as (field, reason); the authority on the contract.

    >>> qid = Field("qid", "text", "the join key", required=True, filled=True)
    >>> list(problems(Record("gold", "", (qid,)), {"qid": 7}, {}))
    [('qid', 'expected a string, found 7')]
    """
    if not isinstance(value, dict):
        yield "json", f"expected an object, found {shown(value)}"
        return
    if not mapping and _surely_good(record, value):
        return
    broken: set[tuple[str, ...]] = set()
    for field in record.fields:
        if not (mapping or field.required or field.or_else or field.path[0] in value):
            continue
        if any(look_up(record.field(other), value, mapping)[1] for other in field.unless):
            continue
        name, found, blocked = look_up(field, value, mapping)
        if blocked is not None:
            # `answer_json` that is not an object is one problem, not one per field inside it.
            if blocked not in broken:
                broken.add(blocked)
                parent = _get(value, blocked)
                yield ".".join(blocked), f"expected an object, found {shown(parent)}"
            continue
        others = (record.field(other) for other in field.or_else)
        alone = field.or_else and not any(look_up(other, value, mapping)[1] for other in others)
        reason = _reason(field, found, field.required or bool(alone))
        reason = reason or _uneven(field, found, value, mapping)
        if reason is not None:
            yield name, reason


def _surely_good(record: Record, value: dict[str, object]) -> bool:
    """The quick look: most lines are good, and need no reasons."""
    given = all(_get(value, field.path) is not None for field in record.needs)
    return given and _all_good(record.tests, value)


def _all_good(tests: Mapping[str, Callable[[object], bool]], value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict):
        return False
    return all(tests[key](item) for key, item in value.items() if key in tests)


def _test(field: Field) -> Callable[[object], bool]:
    """Whether a value of a field is surely good; what depends on other fields never is."""
    if field.unless or field.beside:
        return lambda item: item is None
    if field.kind == "texts" and not field.filled:
        return lambda item: item is None or _texts(item)
    return lambda item: _reason(field, item, field.required) is None


def _texts(item: object) -> bool:
    return isinstance(item, list) and {str}.issuperset(map(type, item))


def _uneven(field: Field, found: object, value: dict[str, object], mapping: FieldMap) -> str | None:
    """What is wrong with the length of a list that goes with another."""
    if not field.beside or not isinstance(found, list):
        return None
    other = _get(value, tuple(mapping.get(field.beside, field.beside).split(".")))
    size = len(other) if isinstance(other, list) else 0
    if len(found) == size:
        return None
    return f"expected one number per entry of {field.beside} ({size}), found {len(found)}"


def look_up(
    field: Field, value: dict[str, object], mapping: FieldMap
) -> tuple[str, object, tuple[str, ...] | None]:
    """The field's name as the user wrote it, its value, and the path that bars the way to it."""
    for path in paths_of(field, mapping):
        blocked = _blocked(value, path)
        if blocked is not None:
            return ".".join(path), None, blocked
        found = _get(value, path)
        if found is not None:
            return ".".join(path), found, None
    first = paths_of(field, mapping)[0]
    return ".".join(first), None, None


def paths_of(field: Field, mapping: FieldMap) -> tuple[tuple[str, ...], ...]:
    """Where a field is read from: the user's own place first, then the contract's."""
    mapped = mapping.get(field.name) if mapping else None
    return (field.path,) if mapped is None else (tuple(mapped.split(".")), field.path)


def _get(value: object, path: tuple[str, ...]) -> object:
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _blocked(value: object, path: tuple[str, ...]) -> tuple[str, ...] | None:
    for depth, key in enumerate(path[:-1], 1):
        value = value.get(key) if isinstance(value, dict) else None
        if value is not None and not isinstance(value, dict):
            return path[:depth]
    return None


def _reason(field: Field, found: object, required: bool) -> str | None:
    if found is None:
        return f"expected {EXPECTED[field.kind]}, found nothing" if required else None
    bad = _misfit(field, found)
    if bad is not None:
        return f"expected {EXPECTED[field.kind]}, found {bad}"
    if field.filled and found == "":
        return "expected a string that is not empty"
    if field.filled and found == []:
        return "expected a list that is not empty"
    if field.kind == "text" and field.choices and found not in field.choices:
        return f"expected one of {', '.join(field.choices)}, found {shown(found)}"
    if field.least is not None and isinstance(found, int | float) and found < field.least:
        return f"expected {EXPECTED[field.kind]} of at least {field.least:g}, found {shown(found)}"
    return None


def _misfit(field: Field, found: object) -> str | None:
    """What was found instead, or None if the value fits its kind."""
    match field.kind:
        case "text":
            return None if isinstance(found, str) else shown(found)
        case "flag":
            return None if isinstance(found, bool) else shown(found)
        case "number":
            return None if _is_number(found) else shown(found)
        case "integer":
            fits = isinstance(found, int) and not isinstance(found, bool)
            return None if fits else shown(found)
        case "object":
            return None if isinstance(found, dict) else shown(found)
        case "moment":
            return None if _is_number(found) or _is_iso(found) else shown(found)
        case "texts":
            return _misfit_in_list(found, lambda item: isinstance(item, str))
        case "numbers":
            return _misfit_in_list(found, _is_number)
        case "chunks":
            return _misfit_in_list(found, _is_chunk)
        case "hits":
            return _misfit_in_list(found, lambda item: _is_hit(item, field.choices))
        case "span":
            return None if _is_span(found) else shown(found)
        case "spans":
            fits = isinstance(found, dict) and all(_is_span(span) for span in found.values())
            return None if fits else shown(found)
        case "any":
            return None
        case "id":
            return None if _is_id(found) else shown(found)
        case "ids":
            return None if isinstance(found, str) else _misfit_in_list(found, _is_id)


def _misfit_in_list(found: object, fits: Callable[[object], bool]) -> str | None:
    if not isinstance(found, list):
        return shown(found)
    for position, item in enumerate(found):
        if not fits(item):
            return f"{shown(item)} at position {position}"
    return None


def _is_number(found: object) -> bool:
    if isinstance(found, bool) or not isinstance(found, int | float):
        return False
    return isinstance(found, int) or math.isfinite(found)


def _is_id(found: object) -> bool:
    return found != "" if isinstance(found, str) else _is_number(found)


def _is_iso(found: object) -> bool:
    if not isinstance(found, str):
        return False
    try:
        datetime.datetime.fromisoformat(found)
    except ValueError:
        return False
    return True


def _is_chunk(item: object) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("id"), str):
        return False
    score = item.get("score")
    return score is None or _is_number(score)


def _is_span(found: object) -> bool:
    if not isinstance(found, list) or len(found) != 2:
        return False
    whole = all(isinstance(end, int) and not isinstance(end, bool) for end in found)
    return whole and 0 <= found[0] <= found[1] < _LARGEST_OFFSET


def _is_hit(item: object, types: tuple[str, ...]) -> bool:
    if not isinstance(item, dict) or not _is_chunk(item):
        return False
    offsets, kind = item.get("offsets"), item.get("type")
    if offsets is not None and not _is_span(offsets):
        return False
    if kind is not None and (not isinstance(kind, str) or (types and kind not in types)):
        return False
    return all(isinstance(item.get(name, ""), str | None) for name in ("section_id", "hash"))
