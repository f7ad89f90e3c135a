"""What a claim says it is not: `not 2023 but 2024` gives 2024 only."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ragstone.matching.characters import LETTER, SPACELESS, fold, plain
from ragstone.matching.language_packs import LANGUAGES, pack

_SPACELESS = re.compile(f"[{SPACELESS}]")
# `not in the year 2023`; but `not until 2024` and `not only 2023` deny nothing.
_BETWEEN = "in|on|at|for|from|the|a|year|im|am|jahr|en|el|le|la|los|les"


@dataclass(frozen=True, slots=True)
class Denials:
    """The places where something denied begins, and those where it ends."""

    begins: frozenset[int]
    ends: frozenset[int]

    def cover(self, begin: int, end: int) -> bool:
        """Whether the part of the claim from begin to end is what it says is not so."""
        return begin in self.begins or end in self.ends


def denials(text: str, folded: str) -> Denials | None:
    """Where a claim denies what follows or what came before; None if it holds no such word.

    >>> found = denials("not 2023 but 2024", "not 2023 but 2024")
    >>> found.cover(4, 8), found.cover(13, 17)
    (True, False)
    """
    words, before, behind = _patterns()
    text, folded = plain(text), plain(folded)
    if not any(word in folded for word in words):
        return None
    begins = frozenset(found.end() for found in before.finditer(text))
    return Denials(begins, frozenset(found.start() for found in behind.finditer(text)))


@functools.cache
def _patterns() -> tuple[tuple[str, ...], re.Pattern[str], re.Pattern[str]]:
    packs = [pack(language) for language in LANGUAGES]
    words = sorted({word for one in packs for word in one.denials}, key=lambda word: -len(word))
    later = [word for one in packs for word in one.denials_after]
    spaced = "|".join(re.escape(word) for word in words if not _SPACELESS.match(word))
    joined = "|".join(re.escape(word) for word in words if _SPACELESS.match(word))
    before = (
        rf"(?<!{LETTER})(?:{spaced})(?:\s{{1,2}}(?:{_BETWEEN})){{0,3}}\s{{1,2}}|(?:{joined})在?"
    )
    return (
        tuple(fold(word) for word in (*words, *later)),
        re.compile(rf"(?:{before}|(?:{joined})在?)[\"“]?", re.IGNORECASE),
        re.compile("|".join(map(re.escape, later))),
    )
