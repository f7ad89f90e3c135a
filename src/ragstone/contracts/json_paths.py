"""Paths into JSON, for `--map` and `--reply`: `answer.text`, `docs[].id`, `choices[0]`, `"a.b".c`.

Dots go into objects, `[]` takes every item of a list and `[0]` one of them. A key that has a dot,
a bracket or a quote in it is written in quotes, as a JSON string.
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
_PLAIN_KEY = re.compile(r'[^."\[\]][^.\[\]]*')


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
    steps: list[Step] = []
    at = 0
    while True:
        key, at = _key(text, at)
        if key is not None:
            steps.append(key)
        elif steps or not text.startswith("["):
            raise BadPath(f"expected a key at character {at + 1} of {text!r}")
        while found := _BRACKETS.match(text, at):
            steps.append(int(found[1]) if found[1] else EACH)
            at = found.end()
        if at == len(text):
            return tuple(steps)
        if text[at] != ".":
            hint = "; a key with brackets or quotes goes in quotes"
            raise BadPath(f"expected a dot, [] or [0] at character {at + 1} of {text!r}{hint}")
        at += 1


def _key(text: str, at: int) -> tuple[str | None, int]:
    """The key that begins here and where it ends; None if none does."""
    if text.startswith('"', at):
        try:
            key, end = json.JSONDecoder().raw_decode(text, at)
        except json.JSONDecodeError:
            raise BadPath(f"the quote at character {at + 1} of {text!r} is not closed") from None
        return str(key), end
    found = _PLAIN_KEY.match(text, at)
    return (found[0], found.end()) if found else (None, at)


def spelled(path: Path) -> str:
    """The path as a user writes it.

    >>> spelled(("docs", EACH, "a.b", 0))
    'docs[]."a.b"[0]'
    """
    text = ""
    for step in path:
        if isinstance(step, str):
            plain = _PLAIN_KEY.fullmatch(step)
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
