"""Typed answers, nuggets and what must not be said, as the contract and its schema know them.

What fits and why something does not is decided by `ragstone.matching`. Here is what the contract
needs besides: a pattern of the plain forms, so that a million of them are checked in SQL, and the
JSON Schema. A form that no pattern knows is checked in Python, line by line.
"""

from __future__ import annotations

from collections.abc import Callable

_BLANK = r"[ \t\r]*"
# A text without an escape that holds a letter or a digit of ASCII: there is something to look for.
_WORDS = r'"[^"\\\x00-\x1f]*[0-9A-Za-z][^"\\\x00-\x1f]*"'
_DECIMAL = r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?"
# Not every month has a 29th; a line with one is checked in Python.
_DAY = "(?:0[1-9]|1[0-9]|2[0-8])"
_DATE = f'"[12][0-9]{{3}}(?:-Q[1-4]|-(?:0[1-9]|1[0-2])(?:-{_DAY})?)?"'
_UNIT = '"(?:(?:USD|EUR|GBP)(?: (?:thousand|million|billion))?|thousand|million|billion|%)"'


def _pair(key: str, value: str) -> str:
    return f'"{key}"{_BLANK}:{_BLANK}{value}'


def _object(first: str, *more: str, optional: str = "") -> str:
    """An object of these pairs in this order; an optional one comes last."""
    inside = f"{_BLANK},{_BLANK}".join((first, *more))
    if optional:
        inside += f"(?:{_BLANK},{_BLANK}{optional})?"
    return rf"\{{{_BLANK}{inside}{_BLANK}\}}"


def _listed(item: str) -> str:
    return rf"\[{_BLANK}{item}{_BLANK}(?:,{_BLANK}{item}{_BLANK})*\]"


_FLAG = "(?:true|false)"
_ANY = _pair("any", _listed(_WORDS))
_NUMBER = _pair("number", rf'(?:{_DECIMAL}|"{_DECIMAL}")')
_FORMS = (
    _object(_NUMBER, optional=_pair("unit", _UNIT)),
    _object(_pair("date", _DATE)),
    _object(_pair("yesno", _FLAG)),
    _object(_ANY),
    _object(_pair("text", _WORDS)),
    _object(_pair("words", _WORDS)),
    _object(_pair("name", _WORDS), optional=_pair("surname", _FLAG)),
    _object(_pair("list", _listed(_WORDS))),
)
_TYPED = f"(?:{'|'.join(_FORMS)})"

# A list may be empty: then nothing is expected.
_NONE = rf"\[{_BLANK}\]"
ANSWERS_PATTERN = f"(?:{_NONE}|{_TYPED}|{_listed(_TYPED)})"
_NUGGET = _object(_pair("id", _WORDS), _ANY, optional=_pair("vital", _FLAG))
NUGGETS_PATTERN = f"(?:{_NONE}|{_listed(_NUGGET)})"
MUST_NOT_PATTERN = f"(?:{_NONE}|{_listed(f'(?:{_WORDS}|{_TYPED})')})"
# A pattern cannot tell whether two ids are the same.
NUGGETS_RULE = "len(list_distinct(json_extract_string({0}, '$[*].id'))) = json_array_length({0})"


def answers_misfit(value: object) -> str | None:
    """Why a value is neither a typed answer nor a list of them; None if it is."""
    from ragstone.matching.expectations import parse

    return _misfit(parse, value)


def must_not_misfit(value: object) -> str | None:
    """Why a value is no list of phrases and typed answers; None if it is."""
    from ragstone.matching.expectations import parse_forbidden

    return _misfit(parse_forbidden, value)


def nuggets_misfit(value: object) -> str | None:
    """Why a value is no list of nuggets, each with an id of its own; None if it is."""
    from ragstone.matching.nuggets import parse_nuggets

    return _misfit(parse_nuggets, value)


def _misfit(parse: Callable[[object, str], object], value: object) -> str | None:
    """The first fault. An empty list expects nothing, like one that is absent.

    Which mark a run reads decimals by is not known here, so a number may be written by either; a
    run that cannot read it says so.
    """
    from ragstone.matching.misfits import Misfit

    if value == []:
        return None
    reasons = []
    for decimal in (".", ","):
        try:
            parse(value, decimal)
        except Misfit as error:
            reasons.append(error.reason)
        else:
            return None
    return reasons[0]


_TEXT = {"type": "string", "pattern": r"\S"}
_ONE = {"anyOf": [_TEXT, {"$ref": "#/$defs/expectation"}]}
_SOME = {"type": "array", "items": _ONE, "minItems": 1}
_AMOUNT = {"type": ["number", "string", "null"]}
_NAME_SCHEMA = {"type": ["string", "null"]}
_FLAG_SCHEMA = {"type": ["boolean", "null"]}
# Each form, with what may go with it.
_FORM_SCHEMAS: dict[str, dict[str, object]] = {
    "number": {
        "number": {"type": ["number", "string"]},
        "unit": {"type": ["string", "null"]},
        "scale": {"enum": ["exact", None]},
        "abs": _AMOUNT,
        "rel": _AMOUNT,
        "sign": _FLAG_SCHEMA,
        "decimal": {"enum": [".", ",", None]},
        "as_asked": _FLAG_SCHEMA,
    },
    "date": {
        "date": {"type": "string", "pattern": "^[12][0-9]{3}(-Q[1-4]|-[0-9]{2}(-[0-9]{2})?)?$"},
        "order": {"enum": ["mdy", "dmy", "ymd", None]},
        "as_asked": _FLAG_SCHEMA,
    },
    "yesno": {"yesno": {"type": "boolean"}, "language": _NAME_SCHEMA},
    "any": {"any": _SOME},
    "all": {"all": _SOME},
    "regex": {"regex": {"type": "string", "minLength": 1}},
    "text": {"text": _TEXT, "language": _NAME_SCHEMA},
    "words": {"words": _TEXT, "language": _NAME_SCHEMA, "whole": _FLAG_SCHEMA},
    "name": {
        "name": _TEXT,
        "language": _NAME_SCHEMA,
        "surname": _FLAG_SCHEMA,
        "also": {"anyOf": [_SOME, {"type": "null"}]},
    },
    "list": {"list": _SOME, "at_least": {"type": ["integer", "null"], "minimum": 1}},
    "record": {"record": {"type": "object", "minProperties": 1}, "closed": _FLAG_SCHEMA},
}
# A key of another form may be there as null, which is how tables say that it is not.
_ABSENT = {key: {"type": "null"} for keys in _FORM_SCHEMAS.values() for key in keys}


def _either(needed: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    """An object of one of the forms, with no key that is not known."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {**_ABSENT, **keys, **more},
                "required": [form, *needed],
                "additionalProperties": False,
            }
            for form, keys in _FORM_SCHEMAS.items()
        ]
    }


DEFINITIONS = {"expectation": _either()}
# What the list may hold is also enough by itself; an empty list expects nothing.
ANSWERS_SCHEMA = {"anyOf": [*_ONE["anyOf"], {"type": "array", "items": _ONE}]}
MUST_NOT_SCHEMA = ANSWERS_SCHEMA
NUGGETS_SCHEMA = {"type": "array", "items": _either(("id",), id=_TEXT, vital=_FLAG_SCHEMA)}
