"""The unit, the scale and the decimals that a question asks its answer in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from ragstone.matching.number_words import (
    AMBIGUOUS,
    CODES,
    CURRENCY_WORDS,
    SCALES,
    SHARES,
    UNITS,
    one_of,
)
from ragstone.matching.numbers import Number

# The scales that gold writes out, each by its one name.
SCALE_NAMES = {
    Decimal(1_000): "thousand",
    Decimal(10_000): "万",
    Decimal(100_000): "lakh",
    Decimal(1_000_000): "million",
    Decimal(10_000_000): "crore",
    Decimal(100_000_000): "億",
    Decimal(1_000_000_000): "billion",
    Decimal(1_000_000_000_000): "trillion",
}
CURRENCIES = {*CODES.split("|"), *AMBIGUOUS}

_SCALE = one_of(word for word in SCALES if len(word) > 2)
_CURRENCY = rf"{CODES}|{one_of(CURRENCY_WORDS)}|US\$|[$€£¥₹]"
_BEFORE = r"(?:\b(?:in|as|units? of)\s+|\()(?:units? of\s+)?(?:an?\s+)?"
# `in USD millions`, `(USD billions)`, `in thousands`, `in millions of dollars`, `in US dollars`.
_MONEY = re.compile(
    rf"{_BEFORE}(?:(?P<first>{_CURRENCY})\s*)?(?P<scale>{_SCALE})\b(?:\s+of\s+(?P<last>{_CURRENCY}))?"
    rf"|{_BEFORE}(?P<alone>{_CURRENCY})(?!\w)",
    re.IGNORECASE,
)
_PERCENT = re.compile(rf"{_BEFORE}(?:percent(?:s|ages?)?\b|per\s?cent\b|%)", re.IGNORECASE)
_COUNTS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DECIMALS = re.compile(
    rf"\b(?P<count>[0-6]|{'|'.join(_COUNTS)})\s+(?:decimals?\b|digits after the decimal)"
    r"|\bnearest\s+(?P<whole>whole\s+number|integer)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: a currency or `%`, a scale, a number of decimals; or nothing."""

    unit: str = ""
    scale: Decimal | None = None
    decimals: int | None = None


def asked_of(question: str) -> Asked:
    """What the question says of its answer's form.

    >>> asked_of("What was revenue (in USD millions)? Round to two decimal places.")
    Asked(unit='USD', scale=Decimal('1000000'), decimals=2)
    >>> asked_of("How much is it as a percentage of sales?").unit
    '%'
    """
    unit, scale = "", None
    money = _MONEY.search(question)
    if money is not None:
        currency = money["first"] or money["last"] or money["alone"]
        unit = UNITS[" ".join(currency.casefold().split())] if currency else ""
        scale = SCALES[money["scale"].casefold()] if money["scale"] else None
    elif _PERCENT.search(question):
        unit = "%"
    return Asked(unit, scale, _decimals(question))


def _decimals(question: str) -> int | None:
    found = _DECIMALS.search(question)
    if found is None:
        return None
    if found["whole"]:
        return 0
    count = found["count"].casefold()
    return _COUNTS[count] if count in _COUNTS else int(count)


def unit_of(number: Number, asked: Asked) -> str:
    """The unit of a number as gold writes it: its own, and what it leaves to the question.

    A number that names a share or a measure is complete; a bare one and an amount of money take
    the question's scale, unless they name their own.
    """
    unit = number.unit
    if unit and unit not in CURRENCIES:
        return unit
    if asked.unit in AMBIGUOUS.get(unit, ()) or not unit:
        unit = asked.unit
    scale = number.scale if number.scaled else asked.scale
    if unit in SHARES or scale is None:
        return unit
    return f"{unit} {SCALE_NAMES[scale]}".strip()
