"""Whether answers to the same question hold other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from ragstone.matching.number_words import AMBIGUOUS, SHARES
from ragstone.matching.numbers import numbers


def differ_in_numbers(claims: Iterable[str], decimal: str = ".") -> bool:
    """Whether two of the claims hold different numbers, whatever their order and spelling.

    A number without a unit goes with the same number in any; `$5` and `€5` differ.

    >>> differ_in_numbers(["$1.5 billion", "It was 1,500 million dollars."])
    False
    >>> differ_in_numbers(["5 %", "0.05", "6 %"]), differ_in_numbers(["$5", "5", "€5"])
    (True, True)
    """
    amounts: set[frozenset[Decimal]] = set()
    units: dict[Decimal, set[frozenset[str]]] = {}
    for claim in claims:
        said = _amounts(claim, decimal)
        amounts.add(frozenset(said))
        for amount, named in said.items():
            if named:
                units.setdefault(amount, set()).add(frozenset(named))
    return len(amounts) > 1 or any(len(different) > 1 for different in units.values())


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
