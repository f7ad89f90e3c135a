"""Does a claim say yes or no first? By the words of the language packs, folded."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ragstone.matching.characters import LETTER, SPACELESS, fold, plain
from ragstone.matching.language_packs import LANGUAGES, pack

_SPACELESS = re.compile(f"[{SPACELESS}]")
# `non-GAAP` does not say no, and `No. 5` is a number.
_BEFORE = rf"(?<!{LETTER})(?<![0-9_'-])"
_BEHIND = rf"(?!{LETTER}|[0-9_]|['-]{LETTER}|\.[ ]?[0-9]{{1,3}}(?![0-9]))"


@dataclass(frozen=True, slots=True)
class Polarity:
    """The first word of a claim that says yes or no, and where it stands in the folded claim."""

    yes: bool
    begin: int
    end: int


def polarity(folded: str, language: str | None = None) -> Polarity | None:
    """What a folded claim says first; None if it says neither yes nor no.

    >>> said = polarity("not only that: yes, it does")
    >>> said.yes, said.begin
    (True, 15)
    """
    for found in _words(language).finditer(plain(folded)):
        if found.lastgroup in ("yes", "no"):
            return Polarity(found.lastgroup == "yes", *found.span(found.lastgroup))
    return None


@functools.cache
def _words(language: str | None) -> re.Pattern[str]:
    """One pattern for the words of all packs, or of one; the longest is tried first."""
    kinds: dict[str, str] = {}
    for pack_of in map(pack, [language] if language else LANGUAGES):
        for kind in ("yes", "no", "neutral"):
            kinds |= {plain(fold(word)): kind for word in getattr(pack_of, kind)}
    longest = sorted(kinds, key=lambda word: (-len(word), word))
    groups = (
        "|".join(_whole(word) for word in longest if kinds[word] == kind)
        for kind in ("neutral", "yes", "no")
    )
    return re.compile("(?P<neutral>{})|(?P<yes>{})|(?P<no>{})".format(*groups))


def _whole(word: str) -> str:
    """The pattern of one word. In Chinese `是` is in every other sentence: alone it says yes only
    where a sentence is made of nothing else."""
    if not _SPACELESS.match(word):
        return rf"{_BEFORE}{re.escape(word)}{_BEHIND}"
    if len(word) > 1:
        return re.escape(word)
    return rf"(?<!\w){re.escape(word)}(?!\w)"
