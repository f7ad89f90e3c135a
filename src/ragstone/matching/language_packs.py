"""The language packs: the words and patterns by which a claim says yes, says no, or refuses."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

LANGUAGES = ("en", "de", "es", "fr", "zh", "ja", "ar")
# RE2 walks a text in one pass only while what it knows of a pattern fits into its memory.
_LONGEST_GROUP = 5_000


@dataclass(frozen=True, slots=True)
class Pack:
    """One language: words that say yes and no, and RE2 patterns of refusals, over folded text.

    `neutral` are turns of phrase that hold such a word and say neither (`not only`, `don't know`);
    `denials` stand before what a claim says is not so (`not 2023`), `denials_after` behind it.
    `version` goes up with every change of a pack, and is part of a report's digest. In a refusal
    `{name}` stands for one of the `parts`, a space for any white space, and a straight apostrophe
    for a curly one too.
    """

    language: str
    version: int
    yes: tuple[str, ...]
    no: tuple[str, ...]
    neutral: tuple[str, ...]
    denials: tuple[str, ...]
    denials_after: tuple[str, ...]
    refusals: tuple[str, ...]
    parts: Mapping[str, str]

    @property
    def patterns(self) -> tuple[str, ...]:
        """The refusals as RE2 reads them."""
        return tuple(map(self._spelled_out, self.refusals))

    def grouped(self) -> tuple[str, ...]:
        """The refusals as few patterns: RE2 is 80 times slower with a single one of them all."""
        groups: list[str] = []
        for pattern in self.patterns:
            if groups and len(groups[-1]) + len(pattern) < _LONGEST_GROUP:
                groups[-1] += f"|(?:{pattern})"
            else:
                groups.append(f"(?:{pattern})")
        return tuple(groups)

    def _spelled_out(self, refusal: str) -> str:
        # A part may hold parts that stand above it in the file.
        for name, part in reversed(list(self.parts.items())):
            refusal = refusal.replace(f"{{{name}}}", f"(?:{part})")
        return refusal.replace(" ", r"\s+").replace("'", "['’]")


@functools.cache
def pack(language: str) -> Pack:
    """The pack of a language.

    >>> pack("en").yes[0]
    'yes'
    """
    file = resources.files(__package__).joinpath("languages", f"{language}.toml")
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    version, parts = table.pop("version"), table.pop("parts", {})
    lists = {name: tuple(words) for name, words in table.items()}
    return Pack(language, version, parts=parts, **lists)
