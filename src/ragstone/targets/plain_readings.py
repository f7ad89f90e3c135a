"""How a claim reads to a person, where its characters are not what they look like.

`X аccepts null keys` with a Cyrillic а, a space of no width inside a word, or full-width letters
read like plain text, and no pattern finds them. A double negation says what it seems to deny.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from ragstone.contracts.toml_file import packaged
from ragstone.matching.combining_marks import normal

# Marks that change how a letter is drawn, or nothing at all.
_SELECTORS = {"\u034f", *map(chr, range(0xFE00, 0xFE10))}
# Letters to Unicode, blanks to a reader.
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"


@cache
def _lookalikes() -> dict[int, str]:
    """From each look-alike to the Latin letter that it passes for."""
    table: dict[str, str] = packaged("ragstone.targets", "lookalikes.toml")["letters"]
    return {ord(each): letter for letter, every in table.items() for each in every}


@cache
def _double_negations() -> list[tuple[re.Pattern[str], str]]:
    pairs = packaged("ragstone.targets", "lookalikes.toml")["double_negations"]
    return [(re.compile(found, re.IGNORECASE), plain) for found, plain in pairs]


def readings(text: str) -> tuple[str, ...]:
    """The text as it is, and as it reads, each once.

    What is not seen is left out, and also read as a blank: it may stand inside a word or for one.

    >>> readings("X аccepts null keys.")
    ('X аccepts null keys.', 'X accepts null keys.')
    >>> readings("It is not false that X accepts it.")
    ('It is not false that X accepts it.', 'It is true that X accepts it.')
    """
    plain = (_without_double_negations(in_latin(text, unseen)) for unseen in ("", " "))
    return tuple(dict.fromkeys((text, *plain)))


def in_latin(text: str, unseen: str = "") -> str:
    """The text with plain letters for their look-alikes, and `unseen` for what is not seen."""
    hidden = {ord(each): unseen for each in set(text) if _is_unseen(each)}
    return normal(text.translate(hidden), "NFKC").translate(_lookalikes())


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text.

    >>> is_blank("\\u00a0\\u200b"), is_blank("."), is_blank("\\u3164")
    (True, False, True)
    """
    return all(each.isspace() or each in _BLANK_LETTERS or _is_unseen(each) for each in set(text))


def _is_unseen(character: str) -> bool:
    """Controls, marks without width and variation selectors; line breaks and tabs are blanks."""
    if character.isascii():
        return not character.isprintable() and not character.isspace()
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cf", "Cn", "Co") or character in _SELECTORS


def _without_double_negations(text: str) -> str:
    for found, plain in _double_negations():
        text = found.sub(plain, text)
    return text
