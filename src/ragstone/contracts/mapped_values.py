"""The value of a field in a line, read as the user maps it: the one evaluation in Python.

`engine/mapped_columns` says the same in SQL, and `tests/engine/test_mapped_values_agree.py` holds
that both do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ragstone.contracts.json_paths import Path, walk
from ragstone.contracts.kinds import KINDS, Kind, is_number
from ragstone.contracts.mapped_fields import Ids, Mapped
from ragstone.contracts.shown_values import shown
from ragstone.matching.combining_marks import normal

# What --ids hash makes of a text; such an id is left as it is.
HASHED = "[0-9a-f]{16}"
_HASHED = re.compile(HASHED)
# Beyond these, a float has no digit behind the point, and is whole by accident.
WHOLE_FLOAT = 2**53
_TEXTS = KINDS["texts"]


class Found(NamedTuple):
    """What was found: a value, or the part of the path that bars the way, or what is `wrong`."""

    value: object = None
    blocked: Path | None = None
    wrong: str = ""


class _Wrong(Exception):
    """Nothing can be made of a value."""


def read_mapped(mapped: Mapped, line: object, kind: Kind, absent: object = None) -> Found:
    """The value that a mapping gives a field of this kind; `absent` where the line has none.

    >>> from ragstone.contracts.kinds import KINDS
    >>> from ragstone.contracts.mapped_fields import parse_mapped
    >>> read_mapped(parse_mapped("!no"), {"no": "yes"}, KINDS["flag"]).wrong
    'expected true or false to turn round with !, found "yes"'
    """
    if mapped.constant is not None:
        return Found(with_ids(_listed(mapped.constant, kind), kind, mapped.ids))
    value, blocked = walk(line, mapped.path, absent)
    if blocked is not None or value is absent:
        return Found(absent, blocked)
    if isinstance(value, list) and absent is not None and any(each is absent for each in value):
        return Found(absent)
    try:
        value = None if value is None else _made(mapped, value, line)
    except _Wrong as error:
        return Found(wrong=str(error))
    if value is None or mapped.positions_in:
        # The ids at positions are those of the other field, read as that one is.
        return Found(value)
    if mapped.given:
        value = _listed(value, kind)
    return Found(with_ids(value, kind, mapped.ids))


def _made(mapped: Mapped, value: object, line: object) -> object:
    """What is made of the value at the path."""
    if mapped.negated:
        if not isinstance(value, bool):
            raise _Wrong(f"expected true or false to turn round with !, found {shown(value)}")
        return not value
    if mapped.table:
        known = dict(mapped.table)
        return _each(mapped, value, lambda one: _looked_up(known, one))
    if mapped.positions_in:
        ids = _ids_listed(mapped, line)
        places = value if isinstance(value, list) else [value]
        return [None if one is None else _id_at(ids, one, mapped.base) for one in places]
    return value


def _each(mapped: Mapped, value: object, make: Callable[[object], object]) -> object:
    if mapped.each and isinstance(value, list):
        return [None if one is None else make(one) for one in value]
    return make(value)


def _looked_up(known: Mapping[str, object], value: object) -> object:
    """What the table has for a text, for true and false, or for a whole number."""
    whole = whole_of(value)
    key = str(value).lower() if isinstance(value, bool) else value if whole is None else str(whole)
    if not isinstance(key, str) or key not in known:
        words = ", ".join(each or '""' for each in known)
        raise _Wrong(f"expected one of {words}, found {shown(value)}")
    return known[key]


def _ids_listed(mapped: Mapped, line: object) -> list[object]:
    """The ids of the field that the numbers are positions of."""
    for place in mapped.listing:
        found = read_mapped(place, line, _TEXTS).value
        if isinstance(found, list):
            return found
    return []


def _id_at(ids: list[object], value: object, base: int) -> object:
    """The id at a position; one that points nowhere is called by it, and is no retrieved id.

    It is what `--cite-pattern` makes of a marker such as [99].
    """
    place = whole_of(value)
    if place is None:
        raise _Wrong(f"expected positions, which are whole numbers, found {shown(value)}")
    if 0 <= place - base < len(ids):
        return ids[place - base]
    name = f"[{place}]"
    return f"{name} (points nowhere)" if name in ids else name


def whole_of(value: object) -> int | None:
    """The whole number that a number is, of 64 bits; data frames with gaps write 1 as 1.0.

    >>> whole_of(7), whole_of(7.0), whole_of(7.5), whole_of("7"), whole_of(True)
    (7, 7, None, None, None)
    """
    if not is_number(value):
        return None
    if isinstance(value, float):
        return int(value) if abs(value) < WHOLE_FLOAT and value.is_integer() else None
    return value if isinstance(value, int) and -(2**63) <= value < 2**64 else None


def _listed(value: object, kind: Kind) -> object:
    """A scalar where the field is a list is a list of one."""
    if kind.item is None or isinstance(value, list | dict) or kind.fits(value):
        return value
    return [value]


def with_ids(value: object, kind: Kind, ids: Ids) -> object:
    """The value of a field of ids, with each id read as the user asks for."""
    if not ids or kind.name == "ids":
        # The text of a list is first taken apart (`context_items`).
        return value
    if kind.name == "claims" and isinstance(value, list):
        return [_claim(claim, ids) for claim in value]
    return _ids_in(value, ids)


def _claim(claim: object, ids: Ids) -> object:
    if not isinstance(claim, dict) or not isinstance(claim.get("citations"), list):
        return claim
    cited = claim["citations"]
    # The engine reads these as text, and a float would keep its point.
    whole = [each if isinstance(each, float) else _ids_in(each, ids) for each in cited]
    return {**claim, "citations": whole}


def _ids_in(value: object, ids: Ids) -> object:
    if isinstance(value, list):
        return [_ids_in(each, ids) for each in value]
    if ids == "hash":
        if isinstance(value, dict):
            return {hashed(key): grade for key, grade in value.items()}
        return hashed(value) if isinstance(value, str) else value
    whole = whole_of(value)
    return value if whole is None else str(whole)


def hashed(text: str) -> str:
    """The id of a text: the first 16 hex digits of the SHA-256 of its NFC form.

    >>> hashed("Cafe\\u0301") == hashed("Caf\\xe9") == hashed(hashed("Café"))
    True
    """
    if text == "" or _HASHED.fullmatch(text):
        return text
    # Few runs hash, and it takes time to import.
    import hashlib

    plain = normal(text).encode("utf-8", "surrogatepass")
    return hashlib.sha256(plain).hexdigest()[:16]
