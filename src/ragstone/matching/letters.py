"""The letters of a word as phrases and names are compared: without case and without accents."""

from __future__ import annotations

import functools
import unicodedata

from ragstone.matching.combining_marks import too_many

# Letters with a stroke or of two parts, which no normal form takes apart.
_ONE_BY_ONE = str.maketrans(
    {
        **dict(zip("øØłŁđĐðÐıŧŦħĦ", "oOlLdDdDitThH", strict=True)),
        "þ": "th",
        "Þ": "TH",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ß": "ss",
        "ẞ": "SS",
    }
)
# How these are written where a keyboard has no such letter: `Roentgen`.
_SPELLED_OUT = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
    | {"Ä": "AE", "Ö": "OE", "Ü": "UE", "Å": "AA", "Ø": "OE"}
)
# Marks are accents on the letters of these scripts; in other scripts they are letters themselves.
_ACCENTED = (("\u0041", "\u024f"), ("\u0370", "\u052f"), ("\u1e00", "\u1fff"))
_MARKS = ("\u0300", "\u036f")


@functools.lru_cache(maxsize=100_000)
def cased_letters(word: str, *, spelled_out: bool = False) -> str:
    """The letters of a word without accents, its case as it is.

    >>> cased_letters("Röntgen"), cased_letters("Röntgen", spelled_out=True)
    ('Rontgen', 'Roentgen')
    """
    if word.isascii() or too_many(word):
        return word
    composed = unicodedata.normalize("NFKC", word)
    if spelled_out:
        composed = composed.translate(_SPELLED_OUT)
    composed = composed.translate(_ONE_BY_ONE)
    apart = unicodedata.normalize("NFD", composed)
    kept: list[str] = []
    accented = False
    for letter in apart:
        if _MARKS[0] <= letter <= _MARKS[1]:
            if accented:
                continue
        else:
            accented = any(low <= letter <= high for low, high in _ACCENTED)
        kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def letters_of(word: str) -> str:
    """The letters of a word without accents and without case.

    >>> letters_of("STRASSE") == letters_of("Straße"), letters_of("Łódź")
    (True, 'lodz')
    """
    return cased_letters(word).casefold()


def is_spelled_out(text: str) -> bool:
    """Whether a text has a letter that may be spelled out."""
    return not text.isascii() and text.translate(_SPELLED_OUT) != text
