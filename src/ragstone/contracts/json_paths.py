"""Paths into JSON, for `--map` and `--reply`: `answer.text`, `docs[].id`, `choices[0]`, `"a.b".c`.

Dots go into objects, `[]` takes every item of a list and `[0]` one of them. A key that has a dot,
a bracket, a brace, an @ or a quote in it is written in quotes, as a JSON string. What else may
stand around a path, such as `!path` or `path{a:true}`, is read by `mapped_fields`.
"""

from __future__ import annotations

import enum
import json
import re
from functools import lru_cache
from typing import TypeAlias


class Each(enum.Enum):
    """The step of a path that takes every item of a list."""

    ITEM = "[]"


EACH = Each.ITEM
Step: TypeAlias = str | int | Each
Path: TypeAlias = tuple[Step, ...]

_BRACKETS = re.compile(r"\[([0-9]{0,9})\]")
# An @ may begin a key, as in JSON-LD; behind a key it says what the numbers there are positions of.
_PLAIN_KEY = re.compile(r'[^."\[\]{}][^.\[\]{}@]*')
# What would be read as a constant, a negation or a text where a path begins with it.
_NOT_FIRST = re.compile(r"(?:true|false|-?[0-9].*|[!'].*)", re.DOTALL)


class BadPath(ValueError):
    """Why a text is not a path, with the place of the mistake."""


@lru_cache(1024)
def parse_path(text: str) -> Path:
    """The steps of a path.

    >>> parse_path('docs[].id'), parse_path('choices[0]."a.b"')
    (('docs', <Each.ITEM: '[]'>, 'id'), ('choices', 0, 'a.b'))
    >>> parse_path("answer..text")
    Traceback (most recent call last):
        ...
    ragstone.contracts.json_paths.BadPath: expected a key at character 8 of 'answer..text'
    """
    path, at = steps_in(text)
    if at < len(text):
        raise expected_at("a dot, [] or [0]", text, at, _IN_QUOTES)
    return path


_IN_QUOTES = "; a key with brackets, braces, @ or quotes goes in quotes"


def steps_in(text: str, at: int = 0) -> tuple[Path, int]:
    """The path that begins at this place of a text, and where it ends: at the end, a { or an @."""
    steps: list[Step] = []
    begin = at
    while True:
        key, at = _key(text, at)
        if key is not None:
            steps.append(key)
        elif at > begin or not text.startswith("[", at):
            raise expected_at("a key", text, at)
        while found := _BRACKETS.match(text, at):
            steps.append(int(found[1]) if found[1] else EACH)
            at = found.end()
        if at == len(text) or text[at] in "{@":
            return tuple(steps), at
        if text[at] != ".":
            raise expected_at("a dot, [] or [0]", text, at, _IN_QUOTES)
        at += 1


def expected_at(what: str, text: str, at: int, hint: str = "") -> BadPath:
    """What is expected at a place of a text and is not there; characters count from 1."""
    return BadPath(f"expected {what} at character {at + 1} of {text!r}{hint}")


def _key(text: str, at: int) -> tuple[str | None, int]:
    """The key that begins here and where it ends; None if none does."""
    if text.startswith('"', at):
        return quoted_in(text, at)
    found = _PLAIN_KEY.match(text, at)
    return (found[0], found.end()) if found else (None, at)


def quoted_in(text: str, at: int) -> tuple[str, int]:
    """The JSON string that begins at this place of a text, and where it ends."""
    try:
        key, end = json.JSONDecoder().raw_decode(text, at)
    except json.JSONDecodeError:
        raise BadPath(f"the quote at character {at + 1} of {text!r} is not closed") from None
    return str(key), end


def spelled(path: Path) -> str:
    """The path as a user writes it.

    >>> spelled(("docs", EACH, "a.b", 0))
    'docs[]."a.b"[0]'
    """
    text = ""
    for step in path:
        if isinstance(step, str):
            plain = _PLAIN_KEY.fullmatch(step) and (text or not _NOT_FIRST.fullmatch(step))
            text += ("." if text else "") + (step if plain else json.dumps(step))
        else:
            text += "[]" if step is EACH else f"[{step}]"
    return text


def walk(value: object, path: Path, absent: object = None) -> tuple[object, Path | None]:
    """The value at a path, and the part of the path that leads to a value of another kind.

    `absent` is what is returned where there is nothing. Behind `[]` the values of all items are one
    list, in which an item that has none leaves `absent`.

    >>> walk({"docs": [{"id": "a"}, {}]}, ("docs", EACH, "id"))
    (['a', None], None)
    >>> walk({"docs": "a"}, ("docs", EACH, "id"))
    (None, ('docs',))
    """
    for depth, step in enumerate(path):
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, absent)
        elif value is None or value is absent:
            return absent, None
        elif isinstance(step, str) or not isinstance(value, list):
            return absent, path[:depth]
        elif isinstance(step, int):
            value = value[step] if step < len(value) else absent
        else:
            return _walk_each(value, path, depth + 1, absent)
    return value, None


def _walk_each(
    items: list[object], path: Path, depth: int, absent: object
) -> tuple[object, Path | None]:
    rest = path[depth:]
    found: list[object] = []
    for item in items:
        inside, blocked = walk(item, rest, absent)
        if blocked is not None:
            return absent, path[:depth] + blocked
        if EACH in rest and isinstance(inside, list):
            found += inside
        else:
            found.append(inside)
    return found, None


def container(path: Path, depth: int) -> str:
    """What must be at this depth of a path for it to go on, in words."""
    return "an object" if isinstance(path[depth], str) else "a list"
