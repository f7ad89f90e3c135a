"""What is an id, and which ids does a cell hold? Lists are parsed as data, never evaluated."""

from __future__ import annotations

import re

from ragstone.contracts.record import shown
from ragstone.contracts.strict_json import NotJson, parse

# Data frames write a column of whole numbers with one gap in it as 1.0, 2.0, ...
_WHOLE = re.compile(r"-?[0-9]+\.0")

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quote>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
        | (?P<number>-?[0-9]+(?:\.[0-9]+)?)
        | (?P<comma>,)
        | (?P<end>\])
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:x(?P<two>[0-9a-fA-F]{2})|u(?P<four>[0-9a-fA-F]{4})|U(?P<eight>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<one>.))",
    re.DOTALL,
)
_ONE = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "r": "\r", "a": "\a",
    "b": "\b", "f": "\f", "v": "\v",
}  # fmt: skip


class NotIds(ValueError):
    """The cell holds no list of ids; the message says why."""


def id_text(value: str | int | float) -> str:
    """An id is text: 1, "1" and 1.0 are the same question.

    >>> id_text(1), id_text("1"), id_text(1.0), id_text("1.0"), id_text("0"), id_text("1.50")
    ('1', '1', '1', '1', '0', '1.50')
    """
    if isinstance(value, str):
        return value[:-2] if _WHOLE.fullmatch(value) else value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def ids_in(value: object) -> list[str]:
    """The ids of a field: a list, the text of a JSON or Python list, one bare id, or nothing.

    >>> ids_in(["a", 7]), ids_in('["a", "b"]'), ids_in("['a', \\"it's\\"]"), ids_in(" one id ")
    (['a', '7'], ['a', 'b'], ['a', "it's"], ['one id'])
    >>> ids_in(None), ids_in(""), ids_in("[]")
    ([], [], [])
    >>> ids_in("['a' 'b']")
    Traceback (most recent call last):
        ...
    ragstone.contracts.ids.NotIds: expected a comma before 'b']
    """
    if value is None:
        return []
    if isinstance(value, list):
        return _from_list(value)
    if not isinstance(value, str):
        raise NotIds(f"expected a list of ids, or its text, found {shown(value)}")
    text = value.strip()
    if not text:
        return []
    if text[0] == "[":
        return _from_text(text)
    if text[0] == "{":
        raise NotIds(f"expected a list of ids, or its text, found {shown(value)}")
    return [text]


def _from_text(text: str) -> list[str]:
    try:
        found = parse(text.encode("utf-8", "surrogatepass"))
    except NotJson:
        return _from_python(text)
    return _from_list(found) if isinstance(found, list) else []


def _from_list(items: list[object]) -> list[str]:
    ids = []
    for position, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, str | int | float) or item == "":
            raise NotIds(f"expected an id, found {shown(item)} at position {position}")
        ids.append(item if isinstance(item, str) else id_text(item))
    return ids


def _from_python(text: str) -> list[str]:
    """The strings and numbers of a Python list as `repr` writes it, read token by token."""
    ids: list[str] = []
    at, wanted = 1, True
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            raise NotIds(f"expected an id in quotes, found {_from(text, at)}")
        if token["end"] is not None:
            if text[token.end() :].strip():
                raise NotIds(f"more after the list: {_from(text, token.end())}")
            return ids
        if token["comma"] is not None:
            if wanted:
                raise NotIds(f"expected an id, found {_from(text, at)}")
            wanted = True
        else:
            if not wanted:
                raise NotIds(f"expected a comma before {_from(text, at)}")
            ids.append(_filled(token["number"] or _unquoted(token["quote"]), text))
            wanted = False
        at = token.end()


def _filled(text: str, cell: str) -> str:
    if not text:
        raise NotIds(f"an id is empty in {shown(cell)}")
    return text


def _unquoted(quoted: str) -> str:
    """The text of a Python string literal.

    >>> _unquoted(r"'it\\'s \\u00e9'")
    "it's é"
    """
    inside = quoted[1:-1]
    return inside if "\\" not in inside else _ESCAPE.sub(_unescaped, inside)


def _unescaped(found: re.Match[str]) -> str:
    digits = found["two"] or found["four"] or found["eight"]
    if digits is not None:
        code = int(digits, 16)
    elif found["octal"] is not None:
        code = int(found["octal"], 8)
    else:
        # As in Python, a backslash before any other character stands for itself.
        return _ONE.get(found["one"], found[0])
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise NotIds(f"{found[0]} is no character")
    return chr(code)


def _from(text: str, at: int) -> str:
    rest = text[at:].strip()
    return (rest if len(rest) <= 40 else f"{rest[:40]}…") or "the end of the cell"
