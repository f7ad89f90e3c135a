"""The words around a number: scales, currencies and measures, and how a unit is written in gold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

SCALES = {
    **dict.fromkeys(("thousand", "thousands", "k"), Decimal(1_000)),
    **dict.fromkeys(("lakh", "lakhs", "lac"), Decimal(100_000)),
    **dict.fromkeys(("million", "millions", "mn", "mm", "m", "mio"), Decimal(1_000_000)),
    **dict.fromkeys(("millionen", "millones"), Decimal(1_000_000)),
    **dict.fromkeys(("crore", "crores"), Decimal(10_000_000)),
    **dict.fromkeys(("billion", "billions", "bn", "b", "mrd"), Decimal(1_000_000_000)),
    **dict.fromkeys(("milliarde", "milliarden", "milliard", "milliards"), Decimal(1_000_000_000)),
    **dict.fromkeys(("trillion", "trillions", "tn", "t"), Decimal(1_000_000_000_000)),
}
# Scales of scripts without spaces follow the digits directly and may run into what comes next.
JOINED_SCALES = {
    **dict.fromkeys(("千", "천"), Decimal(1_000)),
    **dict.fromkeys(("万", "萬", "만"), Decimal(10_000)),
    **dict.fromkeys(("百万", "百萬", "백만"), Decimal(1_000_000)),
    **dict.fromkeys(("千万", "千萬", "천만"), Decimal(10_000_000)),
    **dict.fromkeys(("億", "亿", "억"), Decimal(100_000_000)),
    **dict.fromkeys(("十億", "十亿", "십억"), Decimal(1_000_000_000)),
    **dict.fromkeys(("兆", "조"), Decimal(1_000_000_000_000)),
}

# A pattern already: ISO 4217's codes of the currencies that reports are written in.
CODES = (
    "USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|CAD|AUD|NZD|HKD|SGD|TWD|KRW|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON"
    "|RUB|UAH|TRY|ILS|AED|SAR|EGP|ZAR|NGN|KES|BRL|MXN|ARS|CLP|COP|PEN|THB|IDR|MYR|PHP|VND|PKR|BDT"
)
# `$` and `¥` are each the sign of several currencies, and stay what they are: see `same_unit`.
SIGNS = {
    "$": "$",
    "¥": "¥",
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₩": "KRW",
    "₽": "RUB",
    "₺": "TRY",
    "₪": "ILS",
    "₫": "VND",
    "₴": "UAH",
    "₦": "NGN",
    "฿": "THB",
    "₱": "PHP",
    "us$": "USD",
    "u.s.$": "USD",
    "c$": "CAD",
    "ca$": "CAD",
    "a$": "AUD",
    "au$": "AUD",
    "nz$": "NZD",
    "hk$": "HKD",
    "s$": "SGD",
    "nt$": "TWD",
    "r$": "BRL",
    "mx$": "MXN",
    "rs": "INR",
    "rs.": "INR",
}
CURRENCY_WORDS = {
    "us dollars": "USD",
    "us dollar": "USD",
    "u.s. dollars": "USD",
    "u.s. dollar": "USD",
    "dollars": "$",
    "dollar": "$",
    "euros": "EUR",
    "euro": "EUR",
    "yen": "JPY",
    "pounds sterling": "GBP",
    "rupees": "INR",
    "rupee": "INR",
    "yuan": "CNY",
    "renminbi": "CNY",
    "swiss francs": "CHF",
}
JOINED_CURRENCIES = {
    "円": "JPY",
    "元": "CNY",
    "원": "KRW",
    "人民币": "CNY",
    "美元": "USD",
    "ドル": "$",
}
JOINED_CURRENCIES |= {"ユーロ": "EUR", "欧元": "EUR", "달러": "$"}
AMBIGUOUS = {
    "$": frozenset({"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP"}),
    "¥": frozenset(("JPY", "CNY")),
}

# What one of these is as a plain number; `%` and the plain fraction are the same quantity.
SHARES = {"%": Decimal("0.01"), "bps": Decimal("0.0001")}
SHARE_WORDS = {
    **dict.fromkeys(("%", "percent", "per cent", "pct", "percentage points"), "%"),
    **dict.fromkeys(("percentage point", "percent points", "pp", "prozent", "pour cent"), "%"),
    **dict.fromkeys(("bps", "bp", "basis points", "basis point"), "bps"),
}
MEASURES = {
    **dict.fromkeys(("millisecond", "milliseconds", "ms"), "ms"),
    **dict.fromkeys(("second", "seconds"), "seconds"),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), "minutes"),
    **dict.fromkeys(("hour", "hours", "hrs", "h"), "hours"),
    **dict.fromkeys(("day", "days"), "days"),
    **dict.fromkeys(("week", "weeks"), "weeks"),
    **dict.fromkeys(("month", "months"), "months"),
    **dict.fromkeys(("year", "years", "yrs"), "years"),
    "kb": "KB",
    "mb": "MB",
    "gb": "GB",
    "tb": "TB",
    "kib": "KiB",
    "mib": "MiB",
    "gib": "GiB",
    **dict.fromkeys(("byte", "bytes"), "bytes"),
    **dict.fromkeys(("gram", "grams"), "g"),
    "kg": "kg",
    "kilograms": "kg",
    "mg": "mg",
    "milligrams": "mg",
    "km": "km",
    "kilometers": "km",
    "kilometres": "km",
    "cm": "cm",
    "centimeters": "cm",
    "miles": "miles",
    "mile": "miles",
    "feet": "feet",
    "meters": "metres",
    "metres": "metres",
    "°c": "°C",
    "°f": "°F",
    "kwh": "kWh",
    "mwh": "MWh",
    "gwh": "GWh",
    "mw": "MW",
    "gw": "GW",
}
# `3x` and `1.5-fold` are the bare numbers.
MULTIPLES = ("x", "×", "times", "fold")

UNITS = {
    **{code.casefold(): code for code in CODES.split("|")},
    "rmb": "CNY",
    "$": "$",
    "¥": "¥",
    **SIGNS,
    **CURRENCY_WORDS,
    **JOINED_CURRENCIES,
    **SHARE_WORDS,
    **MEASURES,
    **dict.fromkeys(MULTIPLES, ""),
}
ALL_SCALES = SCALES | JOINED_SCALES
JOINED_ENDS = frozenset(word[-1] for word in JOINED_SCALES)


def scale_of(written: str) -> Decimal:
    """The power of ten that a scale word stands for.

    >>> scale_of("bn"), scale_of("-Million")
    (Decimal('1000000000'), Decimal('1000000'))
    """
    return ALL_SCALES[written.casefold().strip(" \u00a0-")]


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest that fits; a space may be any white space.

    Words that begin alike share their beginning, so that a text is compared with it once.

    >>> one_of(["m", "mm", "bn"])
    '(?:b(?:n)|m(?:m)?)'
    """
    by_first: dict[str, list[str]] = {}
    for word in sorted(set(words)):
        by_first.setdefault(word[:1], []).append(word[1:])
    branches = []
    for first, rests in by_first.items():
        letter = r"\s{1,2}" if first == " " else re.escape(first)
        longer = [rest for rest in rests if rest]
        optional = "?" if longer and "" in rests else ""
        branches.append(letter + (one_of(longer) if longer else "") + optional)
    return f"(?:{'|'.join(branches)})"


def same_unit(one: str, other: str) -> bool:
    """Whether two units may be meant by each other: `$` is any dollar, and no unit fits every one.

    >>> same_unit("CAD", "$"), same_unit("USD", "EUR"), same_unit("%", "bps"), same_unit("", "EUR")
    (True, False, True, True)
    """
    if not one or not other or one == other:
        return True
    if one in SHARES and other in SHARES:
        return True
    return other in AMBIGUOUS.get(one, ()) or one in AMBIGUOUS.get(other, ())
