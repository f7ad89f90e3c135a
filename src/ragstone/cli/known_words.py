"""Words that people know from other tools: what we have that comes nearest, and the difference."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources

_APART = re.compile(r"[\s_'’-]+")
_NUMBER = re.compile(r"(?<=[@^])[0-9]+$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of others; `nearest` are metrics of ours as SUITE.NAME."""

    word: str
    spellings: tuple[str, ...]
    said_by: str
    nearest: tuple[str, ...]
    difference: str


def plain_spelling(word: str) -> str:
    """A word without what people spell differently: case, spaces, - and _.

    >>> plain_spelling("Hit-Rate@k") == plain_spelling("hit_rate@K")
    True
    """
    return _APART.sub("", word.casefold())


@functools.cache
def known_words() -> tuple[Word, ...]:
    file = resources.files("ragstone.cli").joinpath("known_words.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))["words"]
    lists = ("spellings", "nearest")
    return tuple(Word(**{**each, **{name: tuple(each[name]) for name in lists}}) for each in tables)


def known_word(word: str) -> Word | None:
    """The entry for a word, with a number for its k or without its `@k`.

    >>> known_word("Faithfulness").nearest[-1]
    'answers.unscoped'
    """
    entries = {
        plain_spelling(spelled): entry
        for entry in reversed(known_words())
        for spelled in (entry.word, *entry.spellings)
    }
    wanted = _NUMBER.sub("k", plain_spelling(word))
    return entries.get(wanted) or entries.get(wanted.removesuffix("@k"))
