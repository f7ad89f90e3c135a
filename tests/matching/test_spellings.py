"""A decimal in any spelling is found again, with any text around it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.matching.expectations import Claim, parse
from ragstone.matching.number_words import SCALES
from ragstone.matching.numbers import numbers

pytestmark = pytest.mark.python

FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
THOUSANDS = ("", ",", "'", "\u00a0", "\u2009", "\u202f")
SIGNED = ("{}", "-{}", "−{}", "({})")
CURRENCIES = {"": "", "$": "$", "US$ ": "USD", "€": "EUR", "USD ": "USD", "Rs. ": "INR"}
UNITS_AFTER = {"": "", "%": "%", " percent": "%", " basis points": "bps", " EUR": "EUR"}
AROUND = ("{}", "It was {}.", "Q3 2023: {}, see p1#2", "売上高は{}です", '"{}"', "({}; 5)", "={}")


def grouped(whole: str, mark: str, *, indian: bool) -> str:
    """The digits of a whole number with a mark between their groups."""
    tail, head = whole[-3:], whole[:-3]
    size = 2 if indian and mark == "," else 3
    groups = [head[max(0, end - size) : end] for end in range(len(head), 0, -size)]
    return mark.join([*reversed(groups), tail])


# Parentheses are a minus in a cell of its own and in a row, and in a sentence they are none.
CELLS = ("{}", '"{}"', "({}; 5)", "={}")


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, Decimal, Decimal, str, str]:
    """A text with one spelt number, its value, its scale, its unit, and the decimal mark."""
    whole = str(draw(st.integers(0, 10**12)))
    part = draw(st.from_regex(r"[0-9]{0,6}", fullmatch=True))
    decimal = draw(st.sampled_from(".,"))
    mark = draw(st.sampled_from(THOUSANDS))
    if mark == "," and decimal == ",":
        mark = "."
    digits = grouped(whole, mark, indian=draw(st.booleans())) + (decimal + part if part else "")
    if draw(st.booleans()):
        digits = digits.translate(FULL_WIDTH)
    currency = draw(st.sampled_from(sorted(CURRENCIES)))
    scale = draw(st.sampled_from(["", *(word for word in SCALES if len(word) > 1)]))
    after = draw(st.sampled_from(sorted(UNITS_AFTER))) if not currency else ""
    signed = draw(st.sampled_from(SIGNED))
    written = signed.format(currency + digits) + (f" {scale}" if scale else "") + after
    value = Decimal(f"{whole}.{part}" if part else whole)
    around = draw(st.sampled_from(AROUND))
    minus = around in CELLS or ")%" in written if signed == "({})" else signed != "{}"
    value = -value if minus else value
    unit = CURRENCIES[currency] or UNITS_AFTER[after]
    text = around.format(written)
    return text, value, SCALES.get(scale, Decimal(1)), unit, decimal


@given(spellings())
def test_a_formatted_decimal_is_found_again_in_any_spelling(spelling):
    text, value, scale, unit, decimal = spelling
    found = [(one.value, one.scale, one.unit) for one in numbers(text, decimal)]
    assert (value, scale, unit) in found


@given(spellings())
def test_gold_that_is_spelt_as_the_claim_is_matches_it(spelling):
    text, value, _, unit, decimal = spelling
    gold = parse({"number": str(value), "unit": unit}).quantity
    assert any(gold.equals(one) for one in numbers(text, decimal))


@given(st.integers(1, 10**58), st.booleans())
def test_no_digit_is_lost(digits, negative):
    value = -digits if negative else digits
    assert parse({"number": str(value)}).match(Claim(f"It is {value}.")).ok
    assert not parse({"number": str(value)}).match(Claim(f"It is {value + 1}.")).ok
