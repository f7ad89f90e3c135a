"""Numbers in words: `twenty-five`, `two dozen`, `three million`, `twenty-first`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.matching.vocabularies import Vocabulary

# A number of more words is read in parts.
LONGEST = 16
_TEN, _TWENTY, _HUNDRED, _THOUSAND = 10, 20, 100, 1000
# `soixante-dix` and `quatre-vingt-dix` go on behind these up to nineteen.
_UP_TO_NINETEEN = (60, 80)


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number, and how many words say it."""

    value: int
    ordinal: bool
    length: int


def spelled(words: Sequence[str], vocabulary: Vocabulary) -> Spelled | None:
    """The number that the words begin with, by the lists of a language.

    >>> from ragstone.matching.vocabularies import vocabulary
    >>> spelled(["twenty", "five", "days"], vocabulary("en"))
    Spelled(value=25, ordinal=False, length=2)
    >>> [spelled([word], vocabulary("de")).value for word in ("dreihundert", "funfundzwanzig")]
    [300, 25]
    """
    total = current = length = 0
    for place, word in enumerate(words):
        if word in vocabulary.ordinals:
            low = vocabulary.ordinals[word]
            if not length or _adds(current, low):
                return Spelled(total + current + low, True, place + 1)
            break
        if word in vocabulary.ands:
            if not length or (vocabulary.ands_after_hundreds and current % _HUNDRED):
                break
            continue
        parts = _parts(word, vocabulary)
        joined = place > length
        for value, multiplies in parts:
            if multiplies and value >= _THOUSAND and current < value:
                total, current = total + max(current, 1) * value, 0
            elif multiplies and current < _HUNDRED:
                current = max(current, 1) * value
            elif (current % _HUNDRED, value) == (4, _TWENTY):
                current += 76  # quatre-vingt
            elif _adds(current, value) or (
                (joined or len(parts) > 1) and _adds(value, current % _HUNDRED)
            ):
                current += value
            else:
                parts = []
                break
        if not parts:
            break
        length = place + 1
    return Spelled(total + current, False, length) if length else None


def _adds(current: int, value: int) -> bool:
    """Whether a number goes on with another: 20 with 5, 100 with 25, 60 with 12."""
    low = current % _HUNDRED
    if value >= _HUNDRED:
        return current == 0
    if low == 0:
        return True
    if low in _UP_TO_NINETEEN and _TEN <= value < _TWENTY:
        return True
    return low >= _TWENTY and low % _TEN == 0 and 0 < value < _TEN


def _parts(word: str, vocabulary: Vocabulary) -> list[tuple[int, bool]]:
    """The values that a word is made of, and whether each multiplies: `dreihundert` is 3, 100."""
    if word in vocabulary.multiples:
        return [(vocabulary.multiples[word], True)]
    if word in vocabulary.numbers:
        return [(vocabulary.numbers[word], False)]
    if not vocabulary.joins_numbers:
        return []
    found: list[tuple[int, bool]] = []
    rest = word
    while rest:
        part = next((one for one in vocabulary.number_parts if rest.startswith(one)), None)
        if part is None:
            return []
        if part in vocabulary.multiples:
            found.append((vocabulary.multiples[part], True))
        elif part in vocabulary.numbers:
            found.append((vocabulary.numbers[part], False))
        rest = rest.removeprefix(part)
    return found


def ordinal(value: int) -> str:
    """The number as English writes it in digits.

    >>> [ordinal(value) for value in (1, 2, 3, 11, 21)]
    ['1st', '2nd', '3rd', '11th', '21st']
    """
    last = {1: "st", 2: "nd", 3: "rd"}.get(value % _TEN, "th")
    return f"{value}{'th' if value % _HUNDRED in (11, 12, 13) else last}"
