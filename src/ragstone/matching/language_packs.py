"""The language packs: the words and patterns by which a claim says yes, says no, or refuses."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources

LANGUAGES = ("en", "de", "es", "fr", "zh", "ja", "ar")


@dataclass(frozen=True, slots=True)
class Pack:
    """One language: words that say yes and no, and RE2 patterns of refusals, over folded text.

    `neutral` are turns of phrase that hold such a word and say neither (`not only`, `don't know`);
    `denials` stand before what a claim says is not so (`not 2023`), `denials_after` behind it.
    `version` goes up with every change of a pack, and is part of a report's digest.
    """

    language: str
    version: int
    yes: tuple[str, ...]
    no: tuple[str, ...]
    neutral: tuple[str, ...]
    denials: tuple[str, ...]
    denials_after: tuple[str, ...]
    refusals: tuple[str, ...]


@functools.cache
def pack(language: str) -> Pack:
    """The pack of a language.

    >>> pack("en").yes[0]
    'yes'
    """
    file = resources.files(__package__).joinpath("languages", f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    version = table.pop("version")
    return Pack(language, version, **{name: tuple(words) for name, words in table.items()})
