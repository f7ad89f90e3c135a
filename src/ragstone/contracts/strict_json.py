"""RFC 8259, to the letter: the slow and certain reader that says what is wrong with a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NoReturn

# Deeper than any record a person writes, shallower than what exhausts a parser's stack.
MAX_DEPTH = 200

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class NotJson(ValueError):
    """The text is not one RFC 8259 value; the message says why."""


def parse(line: bytes) -> object:
    """The one JSON value on a line.

    >>> parse(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ragstone.contracts.strict_json.NotJson: the key "a" is repeated
    """
    text = _decode(line)
    try:
        if text.startswith("\ufeff"):
            raise json.JSONDecodeError("Unexpected UTF-8 BOM", text, 0)
        value: object = _READER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(_explain(error, text)) from None
    except RecursionError:
        raise NotJson(f"nested more than {MAX_DEPTH} levels deep") from None
    if _deeper_than(text, MAX_DEPTH):
        raise NotJson(f"nested more than {MAX_DEPTH} levels deep")
    if _SURROGATE.search(text):
        _no_lone_surrogates(value)
    return value


def _decode(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8") from None


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    built = dict(pairs)
    if len(built) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotJson(f"the key {json.dumps(key, ensure_ascii=False)} is repeated")
            seen.add(key)
    return built


def _no_constants(word: str) -> NoReturn:
    raise NotJson(f"{word} is not a JSON number")


def _whole(digits: str) -> int | float:
    # Python refuses integers of more than 4300 digits; JSON does not, and no field needs them.
    return int(digits) if len(digits) < 4000 else float(digits)


# Made once: `json.loads` with hooks makes a new one for every line.
_READER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_constant=_no_constants, parse_int=_whole
)


def _explain(error: json.JSONDecodeError, text: str) -> str:
    """Python's message, in the words of the other diagnostics."""
    at = f"(character {error.pos + 1})"
    rest = text[error.pos :]
    if rest.startswith(("//", "/*", "#")):
        return f"a comment is not JSON {at}"
    if error.msg == "Extra data":
        return f"more than one value on the line (from character {error.pos + 1})"
    if error.msg.startswith("Unterminated string") or not rest.strip():
        return "the line ends too early (truncated?)"
    if text[: error.pos].rstrip().endswith(",") and rest[0] in "]}":
        return f"a comma before the closing {rest[0]} {at}"
    if error.msg.startswith("Invalid control character"):
        return f"a control character inside a string, found {_seen(rest, 1)} {at}"
    if error.msg.startswith("Unexpected UTF-8 BOM"):
        return f"a byte-order mark stands at the start of a file only {at}"
    expected = error.msg.removeprefix("Expecting ").removeprefix("Invalid ")
    verb = "expected a" if error.msg.startswith("Expecting") else "not a valid"
    return f"{verb} {expected}, found {_seen(rest, 10)} {at}"


def _seen(rest: str, limit: int) -> str:
    """The start of what was found instead, up to the next mark."""
    word = re.match(r"[\w.+-]+", rest)
    return ascii(word.group()[:limit] if word else rest[0])


def _deeper_than(text: str, limit: int) -> bool:
    """Whether brackets nest deeper than the limit, counted outside strings."""
    if text.count("{") + text.count("[") <= limit:
        return False
    depth = 0
    for bracket in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        if bracket in "[{":
            depth += 1
            if depth > limit:
                return True
        elif bracket in "]}":
            depth -= 1
    return False


def _no_lone_surrogates(value: object) -> None:
    for text in _strings(value):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            code = ord(text[error.start])
            raise NotJson(f"\\u{code:04x} is half of a surrogate pair") from None


def _strings(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
