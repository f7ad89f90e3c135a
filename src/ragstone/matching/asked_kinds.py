"""What kind of answer a question asks for: yes or no, a number, a date. By the language packs."""

from __future__ import annotations

from ragstone.matching.characters import fold
from ragstone.matching.claim_reading import encodable
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.user_patterns import compiled
from ragstone.matching.worded_numbers import turns_of

_WHEN = (
    r"\bwhen\b|\b(?:what|which)\s+(?:fiscal\s+|calendar\s+)?"
    r"(?:years?|dates?|days?|months?|quarters?)\b"
)


def asks_yes_or_no(question: str) -> bool:
    """Whether yes or no answers the question.

    >>> asks_yes_or_no("In 2019, did it grow?"), asks_yes_or_no("Which band sang it?")
    (True, False)
    """
    return _says(question, "asks_yes_or_no")


def asks_number(question: str) -> bool:
    """Whether a number answers the question.

    >>> asks_number("How many were there?"), asks_number("Who won?")
    (True, False)
    """
    return _says(question, "asks_number")


def asks_when(question: str) -> bool:
    """Whether a date answers the question."""
    return _found(_WHEN, fold(question))


def asks_for(part: str, question: str) -> bool:
    """Whether a question asks for no more than a `year`, a `month` or a `count`.

    >>> asks_for("year", "In what year was it?"), asks_for("year", "When was it?")
    (True, False)
    """
    asked = f" {' '.join(fold(question).split())} "
    return any(f" {turn} " in asked for turn in turns_of(f"asks_{part}"))


def _says(question: str, kind: str) -> bool:
    asked = fold(question).strip()
    for language in map(pack, LANGUAGES):
        patterns = map(language.spelled_out, getattr(language, kind))
        if any(_found(pattern, asked) for pattern in patterns):
            others = map(language.spelled_out, language.asks_otherwise)
            if kind != "asks_yes_or_no" or not any(_found(other, asked) for other in others):
                return True
    return False


def _found(pattern: str, text: str) -> bool:
    return compiled(pattern).search(encodable(text)) is not None
