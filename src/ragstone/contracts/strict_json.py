"""JSON to the letter of RFC 8259. Python's own reader takes more: NaN, and repeated keys."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable
from itertools import accumulate
from typing import NoReturn

from ragstone.contracts.json_paths import Path, spelled
from ragstone.contracts.not_json import MAX_DEPTH, TOO_DEEP, NotJson
from ragstone.matching.combining_marks import TOO_MANY, may_have_too_many, too_many

__all__ = ["NotJson", "decode", "parse", "unknown", "written"]

# Compiled where it is needed, which is seldom. A string that is not closed reaches to the end: the
# brackets in it are text.
_STRING = r'(?s)"(?:[^"\\]|\\.)*+"?'
# A bracket that opens is a step down, one that closes a step up (255 is -1 in a byte with a sign).
_STEPS = bytes.maketrans(b"[{]}", b"\1\1\xff\xff")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))


def parse(line: bytes, *, explain: bool = True) -> object:
    """The one JSON value on a line; finding out why it is none can be left out.

    >>> parse(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parse(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ragstone.contracts.not_json.NotJson: the key "a" is repeated
    """
    text = decode(line)
    if text.startswith("\ufeff"):
        raise NotJson("a byte-order mark stands at the start of a file only (character 1)")
    # Before it is read: how deep Python's reader can go depends on its version.
    if _deeper_than(text, MAX_DEPTH):
        raise NotJson(TOO_DEEP)
    try:
        value: object = _READER.decode(text)
    except json.JSONDecodeError:
        if not explain:
            raise NotJson("not JSON") from None
        # Nearly every run is without a fault, and starts faster without this.
        from ragstone.contracts.json_fault import refuse

        refuse(text)
        raise
    if "\\ud" in text or "\\uD" in text:
        _no_lone_surrogates(value)
    if ("\\u" in text or not text.isascii()) and may_have_too_many(text):
        _few_marks(value, ())
    return value


def written(value: object, plain: Callable[[object], object] | None = None) -> str:
    """The value as JSON text; `plain` turns what JSON does not know into what it does.

    >>> written({"a": {1, 2}})
    Traceback (most recent call last):
        ...
    ragstone.contracts.not_json.NotJson: a set cannot be written as JSON
    """
    try:
        return json.dumps(value, ensure_ascii=False, default=plain or unknown)
    except RecursionError:
        raise NotJson(TOO_DEEP) from None
    except TypeError:
        raise NotJson("a key is neither text nor a number, true, false or null") from None
    except NotJson:
        raise
    except ValueError:
        raise NotJson("a list or an object contains itself, or a number is too long") from None


def unknown(value: object) -> NoReturn:
    """Refuses a value of a type that JSON does not have."""
    raise NotJson(f"a {type(value).__name__} cannot be written as JSON")


def decode(line: bytes) -> str:
    """The line as text; NotJson names the first byte that is not UTF-8."""
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


def _deeper_than(text: str, limit: int) -> bool:
    """Whether brackets nest deeper than the limit, counted outside strings."""
    if text.count("{") + text.count("[") <= limit:
        return False
    outside = re.sub(_STRING, "", text) if '"' in text else text
    steps = array("b", outside.encode().translate(_STEPS, _NO_BRACKETS))
    return max(accumulate(steps), default=0) > limit


def _few_marks(value: object, path: Path) -> None:
    """Refuses a text that takes quadratic time to normalise."""
    if isinstance(value, dict):
        for key, each in value.items():
            if too_many(key):
                raise NotJson(f"a key has {TOO_MANY}", field=spelled(path) or "json")
            _few_marks(each, (*path, key))
    elif isinstance(value, list):
        for each in value:
            _few_marks(each, path)
    elif isinstance(value, str) and too_many(value):
        raise NotJson(TOO_MANY, field=spelled(path) or "json")


def _no_lone_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise NotJson(f"\\u{code:04x} is half of a surrogate pair") from None
