"""What is wrong with a text that is not JSON, and at which character.

Python's own words change from version to version (3.13 has another text and another place for a
trailing comma), and a diagnostic must not. So a text that `json` refused is walked again here.
"""

from __future__ import annotations

import re

from ragstone.contracts.not_json import MAX_DEPTH, TOO_DEEP, NotJson

_BLANKS = re.compile(r"[ \t\n\r]*")
_NUMBER_OR_WORD = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
)
_GOOD_PART_OF_STRING = re.compile(r'(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_WORD = re.compile(r"[\w.+-]{1,10}")
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def refuse(text: str, begin: int = 0, *, whole: bool = True) -> None:
    """Raises NotJson for the first thing that is wrong with the value that begins at an offset.

    If `whole`, nothing but blanks may follow the value.

    >>> refuse('{"a": 1,}')
    Traceback (most recent call last):
        ...
    ragstone.contracts.not_json.NotJson: a comma before the closing } (character 9)
    """
    end = after_blanks(text, _value(text, after_blanks(text, begin)))
    if whole and end < len(text):
        _no_comment(text, end)
        raise NotJson(f"more than one value on the line (from {_place(text, end)})", end)


def _value(text: str, at: int, depth: int = 0) -> int:
    """The offset after the value that begins here."""
    first = text[at : at + 1]
    if first == '"':
        return _string(text, at)
    if first == "[":
        return _members(text, at, "]", depth + 1)
    if first == "{":
        return _members(text, at, "}", depth + 1)
    scalar = _NUMBER_OR_WORD.match(text, at)
    if scalar is None:
        raise _unexpected(text, at, "value")
    return scalar.end()


def _members(text: str, at: int, closing: str, depth: int) -> int:
    """The offset after the list or object that is opened here."""
    if depth > MAX_DEPTH:
        raise NotJson(TOO_DEEP, at)
    at = after_blanks(text, at + 1)
    if text.startswith(closing, at):
        return at + 1
    while True:
        if closing == "}":
            at = _key(text, at)
        at = after_blanks(text, _value(text, at, depth))
        if text.startswith(closing, at):
            return at + 1
        if not text.startswith(",", at):
            raise _unexpected(text, at, "',' delimiter")
        at = after_blanks(text, at + 1)


def _key(text: str, at: int) -> int:
    """The offset of the value whose key begins here."""
    if not text.startswith('"', at):
        raise _unexpected(text, at, "property name enclosed in double quotes")
    at = after_blanks(text, _string(text, at))
    if not text.startswith(":", at):
        raise _unexpected(text, at, "':' delimiter")
    return after_blanks(text, at + 1)


def _string(text: str, at: int) -> int:
    """The offset after the string whose opening quote is here."""
    good = _GOOD_PART_OF_STRING.match(text, at + 1)
    end = good.end() if good else at + 1
    if text.startswith('"', end):
        return end + 1
    if end == len(text) or _CUT_ESCAPE.match(text, end):
        raise _too_early(text)
    if text[end] == "\\":
        kind = r"\uXXXX escape" if text[end + 1] == "u" else r"\escape"
        raise NotJson(f"not a valid {kind}, found {_found(text, end + 1)}", end + 1)
    raise NotJson(f"a control character inside a string, found {_found(text, end)}", end)


def after_blanks(text: str, at: int) -> int:
    """The offset of the next character that is no blank."""
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _unexpected(text: str, at: int, expected: str) -> NotJson:
    _no_comment(text, at)
    if not text[at:].strip():
        return _too_early(text)
    if text[at] in "]}" and text[:at].rstrip().endswith(","):
        return NotJson(f"a comma before the closing {text[at]} ({_place(text, at)})", at)
    return NotJson(f"expected a {expected}, found {_found(text, at)}", at)


def _no_comment(text: str, at: int) -> None:
    if text.startswith(("//", "/*", "#"), at):
        raise NotJson(f"a comment is not JSON ({_place(text, at)})", at)


def _too_early(text: str) -> NotJson:
    # The last line with something on it: an editor shows no line after the last line break.
    return NotJson("the line ends too early (truncated?)", len(text.rstrip()))


def _found(text: str, at: int) -> str:
    """The start of what was found, up to the next mark, and its place."""
    word = _WORD.match(text, at)
    return f"{word.group() if word else text[at]!a} ({_place(text, at)})"


def _place(text: str, at: int) -> str:
    # Counted from the start of the line, of which a file may have many; people count from 1.
    return f"character {at - text.rfind(chr(10), 0, at)}"
