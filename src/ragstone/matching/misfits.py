"""What is wrong with a typed answer, in one sentence that begins with its place."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches

_MOST_SHOWN = 60


class Misfit(ValueError):
    """A typed answer that cannot be read; `reason` names the place and what is wrong there."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def wrong(at: str, expected: str, found: object) -> Misfit:
    """The misfit of a value that is not what belongs at its place.

    >>> wrong("gold_answer[1].number", "a number", "abc").reason
    'gold_answer[1].number: expected a number, found "abc"'
    """
    return Misfit(f"{at}: expected {expected}, found {shown(found)}")


def shown(value: object) -> str:
    """A value as JSON writes it, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean "number"?`, or the list of what is known.

    >>> nearest("nummer", ["number", "date"])
    '; did you mean "number"?'
    """
    names = list(known)
    close = get_close_matches(word, names, n=1)
    return f'; did you mean "{close[0]}"?' if close else f"; known: {', '.join(names)}"
