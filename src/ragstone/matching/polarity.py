"""Does a claim say yes or no first? By the words of the language packs, folded."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ragstone.matching.characters import LETTER, SPACELESS, fold, plain
from ragstone.matching.language_packs import LANGUAGES, pack

_SPACELESS = re.compile(f"[{SPACELESS}]")
_NEVER = "(?!)"
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
        kind = (found.lastgroup or "").rstrip("2")
        if kind != "neutral":
            return Polarity(kind == "yes", *found.span())
    return None


@functools.cache
def _words(language: str | None) -> re.Pattern[str]:
    """One pattern for the words of all packs, or of one.

    In Chinese `是` is in every other sentence: a word of one character counts only where it is a
    sentence or a clause of its own. Other words without spaces count anywhere.
    """
    packs = [pack(one) for one in ([language] if language else LANGUAGES)]
    spaced, joined = [], []
    for kind in ("neutral", "yes", "no"):
        words = {plain(fold(word)) for one in packs for word in getattr(one, kind)}
        longest = sorted(words, key=lambda word: (-len(word), word))
        whole = [re.escape(word) for word in longest if not _SPACELESS.match(word)]
        parts = [
            re.escape(word) if len(word) > 1 else rf"(?<!\w){word}(?!\w)"
            for word in longest
            if _SPACELESS.match(word)
        ]
        spaced.append(f"(?P<{kind}>{'|'.join(whole) or _NEVER})")
        joined.append(f"(?P<{kind}2>{'|'.join(parts) or _NEVER})")
    return re.compile(f"{_BEFORE}(?:{'|'.join(spaced)}){_BEHIND}|{'|'.join(joined)}")
