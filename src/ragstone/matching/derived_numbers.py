"""Whether a number may have been worked out from two others: a sum, a difference or a ratio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ragstone.matching.number_words import SHARES, same_unit
from ragstone.matching.numbers import Number

# Pairs are tried of so many numbers; an answer with more is a table, and pairs prove nothing there.
MOST = 40
# Powers of ten beyond this are never results of bookkeeping, and would be slow to work out.
_LARGEST = 40


def derivation(number: Number, held: Sequence[tuple[Number, str]]) -> str:
    """How the number comes from two of those held, in their own words; "" where it does not.

    >>> from ragstone.matching.numbers import numbers
    >>> held = [(numbers(text)[0], text) for text in ("$100 million", "$120 million")]
    >>> for number in numbers("by $20 million, or 20%, to 1.2 times, and not 7"):
    ...     print(derivation(number, held) or "no")
    $120 million - $100 million
    $120 million / $100 million - 1
    $120 million / $100 million
    no
    """
    wanted = _amount(number)
    if wanted is None:
        return ""
    unit = SHARES.get(number.unit, 1)
    half = Fraction(number.scale) * Fraction(unit) / 10**number.decimals / 2
    for one, other in _pairs(held[:MOST]):
        for result, sign, is_ratio in _results(one, other):
            if _fits(number, one.number, is_ratio=is_ratio) and abs(result - wanted) <= half:
                return sign.format(one.text, other.text)
    return ""


@dataclass(frozen=True, slots=True)
class _Held:
    """A number that stands in the texts, what it amounts to, and how it is written."""

    number: Number
    amount: Fraction
    text: str


def _amount(number: Number) -> Fraction | None:
    exponent = number.value.adjusted() + number.scale.adjusted()
    if abs(exponent) > _LARGEST:
        return None
    return Fraction(number.value) * Fraction(number.scale) * Fraction(SHARES.get(number.unit, 1))


def _pairs(held: Sequence[tuple[Number, str]]) -> Iterator[tuple[_Held, _Held]]:
    """Every two different amounts whose units go together, in both orders."""
    known = {
        (amount, number.unit): _Held(number, amount, text)
        for number, text in held
        if (amount := _amount(number)) is not None
    }
    for one in known.values():
        for other in known.values():
            if one.amount != other.amount and same_unit(one.number.unit, other.number.unit):
                yield one, other


def _results(one: _Held, other: _Held) -> Iterator[tuple[Fraction, str, bool]]:
    yield one.amount + other.amount, "{} + {}", False
    yield one.amount - other.amount, "{} - {}", False
    if other.amount:
        yield one.amount / other.amount, "{} / {}", True
        # A change in per cent is how most ratios are told.
        yield one.amount / other.amount - 1, "{} / {} - 1", True


def _fits(number: Number, held: Number, *, is_ratio: bool) -> bool:
    """A ratio has no unit but per cent; a sum has that of what is added."""
    if is_ratio:
        return number.unit in ("", *SHARES) and not number.scaled
    return same_unit(number.unit, held.unit) and (number.unit in SHARES) == (held.unit in SHARES)
