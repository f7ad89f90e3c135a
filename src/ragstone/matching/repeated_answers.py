"""Whether answers to the same question hold other numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from ragstone.matching.number_words import AMBIGUOUS, SHARES
from ragstone.matching.numbers import numbers

# A whole number in English words. Before these it is a part of another number.
_PART_OF = "hundred|thousand|million|billion|trillion|percent|per cent|point"
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *(
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {
    **{word: Decimal(number) for number, word in enumerate(_SMALL)},
    **{word: Decimal(10 * number) for number, word in enumerate(_TENS, 2)},
}
_IN_WORDS = re.compile(
    r"(?<!hundred )(?<!hundred and )(?<!point )\b"
    rf"(?:({'|'.join(_TENS)})[- ]({'|'.join(_SMALL[1:10])})|({'|'.join(_WORDS)}))\b"
    rf"(?![- ](?:{_PART_OF}))",
    re.IGNORECASE,
)


def differ_in_numbers(claims: Iterable[str], decimal: str = ".") -> bool:
    """Whether two of the claims hold different numbers, whatever their order and spelling.

    A number without a unit goes with the same number in any; `$5` and `€5` differ. What one claim
    has in digits, another may have in English words.

    >>> differ_in_numbers(["$1.5 billion", "It was 1,500 million dollars."])
    False
    >>> differ_in_numbers(["5 %", "0.05", "6 %"]), differ_in_numbers(["$5", "5", "€5"])
    (True, True)
    >>> differ_in_numbers(["It is 5.", "It is five."])
    False
    """
    amounts: set[Decimal] = set()
    units: dict[Decimal, set[frozenset[str]]] = {}
    spoken: set[tuple[frozenset[Decimal], frozenset[Decimal]]] = set()
    for claim in claims:
        in_digits = _amounts(claim, decimal)
        amounts.update(in_digits)
        spoken.add((frozenset(in_digits), frozenset(_in_words(claim))))
        for amount, named in in_digits.items():
            if named:
                units.setdefault(amount, set()).add(frozenset(named))
    lacking = any(amounts - digits - words for digits, words in spoken)
    return lacking or any(len(different) > 1 for different in units.values())


def _in_words(claim: str) -> Iterable[Decimal]:
    """Every whole number below a hundred that a claim has in words."""
    for tens, digit, other in _IN_WORDS.findall(claim):
        yield _WORDS[other.lower()] if other else _WORDS[tens.lower()] + _WORDS[digit.lower()]


def _shared_sign(unit: str) -> str:
    """`$` may be any dollar, so no dollar is told apart from another."""
    return next((sign for sign, units in AMBIGUOUS.items() if unit in units), unit)


def _amounts(claim: str, decimal: str) -> dict[Decimal, set[str]]:
    """Every amount of a claim, with the units that are named for it."""
    found: dict[Decimal, set[str]] = {}
    for number in numbers(claim, decimal):
        amount = (number.value * number.scale * SHARES.get(number.unit, 1)).normalize()
        named = found.setdefault(amount, set())
        if number.unit and number.unit not in SHARES:
            named.add(_shared_sign(number.unit))
    return found
