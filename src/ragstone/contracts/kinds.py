"""The kinds of values that a field can have: all that is known of each, in one table.

A new kind is one entry of `_TABLE`: the checks, the diagnostics, the JSON Schema, the engine's
columns and its check in SQL all read this table.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ragstone.contracts.expected_patterns import (
    ANSWERS_PATTERN,
    ANSWERS_SCHEMA,
    MUST_NOT_PATTERN,
    MUST_NOT_SCHEMA,
    NUGGETS_PATTERN,
    NUGGETS_RULE,
    NUGGETS_SCHEMA,
    answers_misfit,
    must_not_misfit,
    nuggets_misfit,
)

# The regular expressions of JSON text, for DuckDB (RE2): any spelling, escapes included.
BLANK = r"[ \t\r]*"
_HEX = "[0-9a-fA-F]"
_PAIR = rf"[89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
_ESCAPE = rf'\\(?:["\\/bfnrt]|u(?:[0-9a-cA-CeEfF]{_HEX}{{3}}|[dD](?:[0-7]{_HEX}{{2}}|{_PAIR})))'
_CHARACTER = rf'(?:[^"\\\x00-\x1f]|{_ESCAPE})'
TEXT = f'"{_CHARACTER}*"'
FILLED_TEXT = f'"{_CHARACTER}+"'
FLAG = "(?:true|false)"
ANY_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WHOLE = "(?:0|[1-9][0-9]{0,14})"
# An id that --ids text reads; one with more digits is looked at in Python.
ID_OR_WHOLE = f"(?:{FILLED_TEXT}|-?{_WHOLE})"
# So few digits that the number is within `MOST`; one with a larger exponent is checked in Python.
POSITIVE = rf"{_WHOLE}(?:\.[0-9]{{1,30}})?(?:[eE]-[0-9]{{1,2}})?"
_NUMBER = f"-?{POSITIVE}"
# So few digits that the number is finite, whatever they are.
_FINITE = r"-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?"
_SPAN = rf"\[{BLANK}{_WHOLE}{BLANK},{BLANK}{_WHOLE}{BLANK}\]"
# 29 February is not in it, because not every year has one: such a line is checked in Python.
_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_TIME = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.(?:[0-9]{3}|[0-9]{6}))?)?"
    r"(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?"
)
_MOMENT = f'(?:{_FINITE}|"[12][0-9]{{3}}-{_DAY}(?:[T ]{_TIME})?")'

# The largest measure (a time, a cost, a count), of either sign: 10**15 ms are 31,000 years. Two of
# 1e308 are finite and their sum is not; of these, any sum, square or product of two can be held.
MOST = 10**15
# The longest name and label of another tool's score: they name columns.
LONGEST_LABEL = 100
_LARGEST_FLOAT = sys.float_info.max
_NULL = {"type": "null"}


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """One kind of value.

    `expected` are the words after "expected" in a diagnostic, and `fits` is the check in Python.
    `column` is the engine's type: the name of one, a list of one, or a struct as a dictionary.
    `pattern` matches the JSON text of values that fit, in SQL; `rule` is what a pattern cannot say,
    as SQL with `{0}` for the column. A list that may also be an object, which `pattern` is then of,
    has `from_object`: the SQL that makes the list of the JSON `{0}`, or fails. A kind without a
    pattern is checked in Python, or, if it is `free`, has whatever form its values have in the
    lines seen. `item` is the kind of a list's items, `members` are those of an object: the one that
    it `needs` must be there, the others may. `bounds` are the least and the greatest number that a
    kind of numbers takes. `misfit` is for kinds whose rules are many: it gives the whole sentence
    of a diagnostic, and None for what fits.
    """

    name: str
    expected: str
    fits: Callable[[object], bool]
    schema: Mapping[str, object]
    column: object = "JSON"
    pattern: str = ""
    rule: str = ""
    free: bool = False
    from_object: str = ""
    item: Kind | None = None
    members: Mapping[str, Kind] = field(default_factory=dict)
    needs: str = ""
    bounds: tuple[float, float] | None = None
    misfit: Callable[[object], str | None] | None = None


def _is_a(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether a value is a number of any size; true and false are none, though Python adds them."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_finite(value: object) -> bool:
    """Whether a value is a number that a float can hold: a whole number may be too large for it."""
    # Not `math.isfinite`, which turns a whole number into a float first, and fails at 400 digits.
    return is_number(value) and -_LARGEST_FLOAT <= value <= _LARGEST_FLOAT  # type: ignore[operator]


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return value != ""
    # A whole number of any length can be written as text, which is what an id is.
    return _is_whole(value) or _is_finite(value)


def _is_moment(value: object) -> bool:
    if not isinstance(value, str):
        return _is_finite(value)
    try:
        datetime.datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_span(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_whole, value)):
        return False
    begin, end = value
    return bool(0 <= begin <= end < MOST)


def _are_texts(value: object) -> bool:
    # Three times as fast as asking each item, and most lines have such a list.
    return isinstance(value, list) and {str}.issuperset(map(type, value))


def _is_group(value: object) -> bool:
    return _are_texts(value) and value != []


def _is_label(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL


def _is_said(value: object) -> bool:
    return value is None or isinstance(value, bool) or _is_label(value) or _number.fits(value)


def _are_scores(value: object) -> bool:
    given = value.items() if isinstance(value, dict) else [("", None)]
    return all(_is_label(name) and _is_said(said) for name, said in given)


def _are_grades(value: object) -> bool:
    return isinstance(value, dict) and all(
        grade is None or _number.fits(grade) for grade in value.values()
    )


def _numbers(
    name: str, is_one: Callable[[object], bool], least: float, most: float, pattern: str
) -> Kind:
    """A kind of numbers between two bounds, which both belong to it."""
    whole = is_one is _is_whole

    def fits(value: object) -> bool:
        return is_one(value) and least <= value <= most  # type: ignore[operator]

    schema = {"type": "integer" if whole else "number", "minimum": least, "maximum": most}
    expected = "a whole number" if whole else "a number"
    return Kind(name, expected, fits, schema, pattern=pattern, bounds=(least, most))


def _object(needs: str, members: Mapping[str, Kind]) -> Kind:
    """An object that needs one of its members; the others may be absent or null."""

    def fits(value: object) -> bool:
        if not isinstance(value, dict) or value.get(needs) is None:
            return False
        given = ((kind, value.get(name)) for name, kind in members.items())
        return all(item is None or kind.fits(item) for kind, item in given)

    properties = {
        name: kind.schema if name == needs else nullable(kind.schema)
        for name, kind in members.items()
    }
    schema = {"type": "object", "properties": properties, "required": [needs]}
    column = {name: kind.column for name, kind in members.items()}
    return Kind("object", "an object", fits, schema, column, members=members, needs=needs)


def _list(
    name: str,
    expected: str,
    item: Kind,
    fits: Callable[[object], bool] | None = None,
    rule: str = "",
    column: object = None,
) -> Kind:
    def all_fit(value: object) -> bool:
        return isinstance(value, list) and all(map(item.fits, value))

    schema = {"type": "array", "items": item.schema}
    return Kind(
        name, expected, fits or all_fit, schema, column or [item.column], rule=rule, item=item
    )


def _judged(
    name: str,
    expected: str,
    misfit: Callable[[object], str | None],
    schema: Mapping[str, object],
    pattern: str,
    rule: str = "",
) -> Kind:
    """A kind whose rules are those of matching; the pattern knows its plain forms."""

    def fits(value: object) -> bool:
        return misfit(value) is None

    return Kind(name, expected, fits, schema, pattern=pattern, rule=rule, misfit=misfit)


def nullable(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema of the same values and null."""
    if "anyOf" in schema:
        either = schema["anyOf"]
        return {**schema, "anyOf": [*(either if isinstance(either, list) else []), _NULL]}
    kind = schema["type"]
    return {**schema, "type": [*(kind if isinstance(kind, list) else [kind]), "null"]}


def _in_order(begin: str, end: str) -> str:
    """That a span does not end before it begins, in SQL."""
    return f"try_cast({begin} as bigint) <= try_cast({end} as bigint)"


_text = Kind("text", "a string", _is_a(str), {"type": "string"}, "VARCHAR", TEXT)
_texts = _list("texts", "a list of strings", _text, _are_texts)
_number = _numbers("number", is_number, -MOST, MOST, _NUMBER)
# A score orders results and is never added up; some systems mark "never" with -3.4e38.
_score = _numbers("score", is_number, -_LARGEST_FLOAT, _LARGEST_FLOAT, _FINITE)
_id = Kind("id", "an id: a string or a number", _is_id, {"type": ["string", "number"]})
_span = Kind(
    "span",
    "two whole numbers [begin, end] below 1e15, begin not after end",
    _is_span,
    {
        "type": "array",
        "items": {"type": "integer", "minimum": 0, "maximum": MOST - 1},
        "minItems": 2,
        "maxItems": 2,
    },
    ["JSON"],
    _SPAN,
    rule=_in_order("{0}[1]::varchar", "{0}[2]::varchar"),
)
_hit = {"id": _text, "score": _score, "offsets": _span, "type": _text}
_hit |= {"section_id": _text, "hash": _text}

_LABEL_SCHEMA = {"minLength": 1, "maxLength": LONGEST_LABEL}
_SAID = {**_number.schema, **_LABEL_SCHEMA, "type": ["number", "boolean", "string", "null"]}
_SCORE = rf"{FILLED_TEXT}{BLANK}:{BLANK}(?:{_NUMBER}|{FLAG}|{FILLED_TEXT}|null){BLANK}"
_GRADE = rf"{TEXT}{BLANK}:{BLANK}(?:{_NUMBER}|null){BLANK}"

_TABLE = (
    _text,
    Kind("flag", "true or false", _is_a(bool), {"type": "boolean"}, "BOOLEAN", FLAG),
    _number,
    _score,
    # What 64 bits hold, with a sign or without: such a number the engine keeps digit for digit.
    _numbers("integer", _is_whole, -(2**63), 2**64 - 1, f"-?{_WHOLE}"),
    _texts,
    _list("numbers", "a list of numbers", _number),
    Kind(
        "evidence",
        "a list of strings, or an object from ids to numbers",
        lambda value: _are_texts(value) or _are_grades(value),
        {
            "type": ["array", "object"],
            "items": _text.schema,
            "additionalProperties": nullable(_number.schema),
        },
        _texts.column,
        rf"\{{{BLANK}(?:{_GRADE}(?:,{BLANK}{_GRADE})*)?\}}",
        # A key that is repeated makes no map.
        from_object="list_transform(list_filter(map_entries({0}::map(varchar, double)), "
        "lambda graded: graded.value >= 1), lambda graded: graded.key)",
        item=_text,
    ),
    _list(
        "groups",
        "a list of lists of strings, none of them empty",
        replace(_texts, fits=_is_group),
        rule="list_bool_and(list_transform({0}, lambda each: len(each) > 0))",
    ),
    Kind(
        "moment",
        "seconds, milliseconds or an ISO-8601 time",
        _is_moment,
        {"type": ["number", "string"]},
        pattern=_MOMENT,
    ),
    Kind("object", "an object", _is_a(dict), {"type": "object"}, free=True),
    _list(
        "chunks",
        'a list of objects with a string "id"',
        _object("id", {"id": _text, "score": _score, "text": _text}),
        column="JSON",
    ),
    _list(
        "hits",
        'a list of objects with a string "id" and, where given, a number "score", '
        '"offsets" [begin, end], a known "type", and strings "section_id" and "hash"',
        _object("id", _hit),
        rule="list_bool_and(list_transform({0}, lambda hit: "
        f"coalesce({_span.rule.replace('{0}', 'hit.offsets')}, true)))",
    ),
    _list(
        "claims",
        'a list of objects with a string "text" and, where given, a list of strings "citations"',
        _object("text", {"text": _text, "citations": _texts}),
    ),
    _span,
    Kind(
        "spans",
        "an object from id to [begin, end], both below 1e15",
        lambda value: isinstance(value, dict) and all(map(_is_span, value.values())),
        {"type": "object", "additionalProperties": _span.schema},
        # With two entries, a pattern could not tell whether their keys differ.
        pattern=rf"\{{{BLANK}(?:{TEXT}{BLANK}:{BLANK}{_SPAN}{BLANK})?\}}",
        rule="list_bool_and(list_transform(json_extract({0}, '$.*'), "
        f"lambda span: {_in_order('span->>0', 'span->>1')}))",
    ),
    Kind(
        "label",
        f"a text of 1 to {LONGEST_LABEL} characters",
        _is_label,
        {"type": "string", **_LABEL_SCHEMA},
        "VARCHAR",
        FILLED_TEXT,
        rule=f"length({{0}}) <= {LONGEST_LABEL}",
    ),
    Kind(
        "scores",
        "an object from names to numbers, true or false, or labels, with up to "
        f"{LONGEST_LABEL} characters in a name or label",
        _are_scores,
        {"type": "object", "additionalProperties": _SAID},
        pattern=rf"\{{{BLANK}(?:{_SCORE}(?:,{BLANK}{_SCORE})*)?\}}",
        # A pattern cannot tell whether two names are the same.
        rule="len(list_distinct(json_keys({0}))) = len(json_keys({0})) and coalesce(list_max("
        "list_transform(list_concat(json_keys({0}), json_extract_string({0}, '$.*')), "
        f"lambda each: length(each))) <= {LONGEST_LABEL}, true)",
    ),
    Kind("any", "any value", _is_a(object), {}, free=True),
    _id,
    Kind(
        "ids",
        "a list of ids, or its text",
        lambda value: (
            isinstance(value, str) or (isinstance(value, list) and all(map(_is_id, value)))
        ),
        {"type": ["array", "string"], "items": _id.schema},
        item=_id,
    ),
    _judged(
        "answers",
        'a typed answer such as {"number": 5}, or a list of them',
        answers_misfit,
        ANSWERS_SCHEMA,
        ANSWERS_PATTERN,
    ),
    _judged(
        "nuggets",
        'a list of objects such as {"id": "a", "any": ["Rome"]}',
        nuggets_misfit,
        NUGGETS_SCHEMA,
        NUGGETS_PATTERN,
        NUGGETS_RULE,
    ),
    _judged(
        "must_not",
        "a list of phrases and typed answers",
        must_not_misfit,
        MUST_NOT_SCHEMA,
        MUST_NOT_PATTERN,
    ),
)

KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _TABLE}
