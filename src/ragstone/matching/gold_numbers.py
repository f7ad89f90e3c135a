"""A number as gold writes it: `{"number": "1577.00", "unit": "USD million", "rel": 0.01}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from ragstone.matching.answer_forms import NumberAnswer
from ragstone.matching.misfits import Misfit, wrong
from ragstone.matching.number_words import ALL_SCALES, UNITS, same_unit
from ragstone.matching.numbers import Number, numbers
from ragstone.matching.quantities import Quantity

_ONE = Decimal(1)
_DECIMAL_MARKS = (".", ",")
# How most gold numbers are written; read as one of a claim, such a text would be the same number.
_PLAIN = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,29})?")


def number_answer(given: Mapping[str, object], at: str, decimal: str) -> NumberAnswer:
    """The number of a typed answer, with its unit, scale and tolerances."""
    own = given.get("decimal")
    if own is not None and own not in _DECIMAL_MARKS:
        raise wrong(f"{at}.decimal", '"." or ","', own)
    number = _number(given["number"], f"{at}.number", str(own or decimal))
    unit, scale = unit_and_scale(_text(given, "unit", at))
    if number.unit and not same_unit(number.unit, unit):
        raise Misfit(f"{at}.unit: {unit} contradicts the number, which is in {number.unit}")
    if number.scaled and scale is not None:
        raise Misfit(f"{at}.unit: names a scale, and the number has one already")
    if given.get("scale") not in (None, "exact"):
        raise wrong(f"{at}.scale", '"exact"', given["scale"])
    if not isinstance(given.get("sign", True), bool):
        raise wrong(f"{at}.sign", "true or false", given["sign"])
    if number.scaled:
        scale = number.scale
    quantity = Quantity(
        value=number.value,
        unit=unit or number.unit,
        scale=scale or _ONE,
        scaled=scale is not None,
        exact=given.get("scale") == "exact",
        absolute=_tolerance(given, "abs", at),
        relative=_tolerance(given, "rel", at),
        signed=given.get("sign", True) is True,
    )
    return NumberAnswer(quantity, _words(quantity), str(own) if own else None)


def unit_and_scale(written: str) -> tuple[str, Decimal | None]:
    """What a unit in words comes to; words that no table knows stay as they are.

    >>> unit_and_scale("USD million")
    ('USD', Decimal('1000000'))
    >>> unit_and_scale("US dollars per share"), unit_and_scale("Barrels")
    (('USD', None), ('barrels', None))
    """
    words = written.casefold().split()
    scales = [ALL_SCALES[word] for word in words if word in ALL_SCALES]
    rest = [word for word in words if word not in ALL_SCALES and word != "in"]
    if "per" in rest and " ".join(rest) not in UNITS:
        rest = rest[: rest.index("per")]
    unit = " ".join(rest)
    return UNITS.get(unit, unit), scales[0] if scales else None


def _number(value: object, at: str, decimal: str) -> Number:
    """The one number that gold's text or JSON number is."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise wrong(at, "a number", value)
    if isinstance(value, str):
        if decimal == "." and _PLAIN.fullmatch(value):
            return _bare(Decimal(value))
        read = numbers(value, decimal)
        if len(read) != 1 or value.strip() != value[read[0].begin : read[0].end]:
            raise wrong(at, "a number", value)
        return read[0]
    exact = _decimal(value)
    if exact is None:
        raise wrong(at, "a number", value)
    return _bare(exact)


def _bare(value: Decimal) -> Number:
    """A number without scale and unit, and without a place in a text."""
    return Number(value, _ONE, scaled=False, unit="", begin=0, end=0, decimals=0)


def _decimal(value: object) -> Decimal | None:
    """A JSON number as the shortest decimal that is read back as it; None if there is none."""
    try:
        exact = Decimal(str(value))
    except InvalidOperation:
        return None
    return exact if exact.is_finite() and abs(exact.adjusted()) < 1000 else None


def _text(given: Mapping[str, object], key: str, at: str) -> str:
    value = given.get(key, "")
    if not isinstance(value, str):
        raise wrong(f"{at}.{key}", "a text", value)
    return value


def _tolerance(given: Mapping[str, object], key: str, at: str) -> Decimal:
    value = given.get(key, 0)
    exact = None if isinstance(value, bool) else _decimal(value)
    if exact is None or exact < 0:
        raise wrong(f"{at}.{key}", "a number of at least 0", value)
    return exact


def _words(quantity: Quantity) -> str:
    """`1,577 USD million`, as a report shows what was expected.

    >>> _words(Quantity(Decimal("1577.00"), "USD", Decimal(1_000_000), scaled=True))
    '1,577 USD million'
    """
    value = quantity.value
    digits = f"{value:,.{quantity.decimals}f}" if abs(value.adjusted()) < 30 else f"{value:e}"
    scale = next((word for word, power in ALL_SCALES.items() if power == quantity.scale), "")
    unit = "" if quantity.unit == "%" else quantity.unit
    sign = " %" if quantity.unit == "%" else ""
    return " ".join(word for word in (digits + sign, unit, quantity.scaled * scale) if word)
