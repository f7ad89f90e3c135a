"""What is a number in a text, and what is none."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragstone.matching.gold_numbers import number_answer
from ragstone.matching.numbers import numbers
from ragstone.matching.quantities import Quantity

pytestmark = pytest.mark.python

MILLION, BILLION = Decimal(10) ** 6, Decimal(10) ** 9

READ = [
    ("$21,577", [("21577", 1, "$")]),
    ("1.577 billion", [("1.577", BILLION, "")]),
    ("US$ 1.5bn", [("1.5", BILLION, "USD")]),
    ("It was 1,577.", [("1577", 1, "")]),
    ("a ratio of 1.57x", [("1.57", 1, "")]),
    ("1.5-fold", [("1.5", 1, "")]),
    ("10-15", [("10", 1, ""), ("15", 1, "")]),
    ("5%-10%", [("5", 1, "%"), ("10", 1, "%")]),
    ("$5-$10", [("5", 1, "$"), ("10", 1, "$")]),
    ("$5–10 million", [("5", MILLION, "$"), ("10", MILLION, "$")]),
    ("8.7 %", [("8.7", 1, "%")]),
    ("8.7 percentage points", [("8.7", 1, "%")]),
    ("25bps", [("25", 1, "bps")]),
    ("50 basis points", [("50", 1, "bps")]),
    ("in 2018", [("2018", 1, "")]),
    ("1,577百万円", [("1577", MILLION, "JPY")]),
    ("２０２３年", [("2023", 1, "")]),
    ("１，５７７．５％", [("1577.5", 1, "%")]),
    ("٥٬٠٠٠٫٥", [("5000.5", 1, "")]),
    ("−5 and -6", [("-5", 1, ""), ("-6", 1, "")]),
    ("-$5, $-5, ($5), $(5)", [("-5", 1, "$")] * 4),
    ("(1,577)", [("-1577", 1, "")]),
    ("(8.7)%", [("-8.7", 1, "%")]),
    ("rose by $5 million (8.7%)", [("5", MILLION, "$"), ("8.7", 1, "%")]),
    ("$1,832 (636)", [("1832", 1, "$"), ("-636", 1, "")]),
    ("The Tories (£2,980,815) lost", [("2980815", 1, "GBP")]),
    ("Ilze (31), Anna (25)", [("31", 1, ""), ("25", 1, "")]),
    ("$84.3 million (2018)", [("84.3", MILLION, "$"), ("2018", 1, "")]),
    ("Net loss (1,577) (1,832)\nfoo", [("-1577", 1, ""), ("-1832", 1, "")]),
    ("| loss | (1,577) | — |", [("-1577", 1, "")]),
    ("the year (2018)", [("2018", 1, "")]),
    ("(5 of them)", [("5", 1, "")]),
    ("1,00,000 and 12,34,567.5", [("100000", 1, ""), ("1234567.5", 1, "")]),
    ("1'577 1\u202f577 1\u00a0577", [("1577", 1, "")] * 3),
    ("2018\u00a02019", [("2018", 1, ""), ("2019", 1, "")]),
    ("1.5e6, 1.5 x 10^6", [("1.5E+6", 1, "")] * 2),
    ("5e-3", [("0.005", 1, "")]),
    ("30-day", [("30", 1, "days")]),
    ("5GB in 100ms", [("5", 1, "GB"), ("100", 1, "ms")]),
    ("In 2018 USD 5 million", [("2018", 1, ""), ("5", MILLION, "USD")]),
    ("Rs.500 crore", [("500", 10 * MILLION, "INR")]),
    ("$5 CAD, C$5", [("5", 1, "CAD")] * 2),
    ("5 million US dollars", [("5", MILLION, "USD")]),
    ("$1.5T", [("1.5", 1000 * BILLION, "$")]),
    ("$5/share", [("5", 1, "$")]),
    (".5 and ...5", [("0.5", 1, ""), ("5", 1, "")]),
    ("- 5 items", [("5", 1, "")]),
    ("42. That is the answer", [("42", 1, "")]),
    ("No. 5", [("5", 1, "")]),
]
NONE = [
    *("Q3", "p1#2", "#2", "v2.1.3", "2.1.3", "2023-07-01", "2023-07", "COVID-19", "10-K", "FY2018"),
    *("12/31/2018", "1/2", "at 10:30", "5 p.m.", "a ratio of 3:1", "192.168.0.1", "1st", "4x4"),
    *("+1 555 123 4567", "(555) 123-4567", "555-123-4567", "[3] and [1, 2]", "1990s", "0x1F"),
    *("550e8400-e29b-41d4", "1. one\n2. two\n3) three", "(1) one and (2) two", "No.5", "FY'18"),
    *("1,5", "1.234,5", "12,3456", "9" * 100, "", "-", "id_5", "a.5", "a(17)", "(a)(17)"),
    *("a 401(a)(17) plan", "401(k)", "section 12(ii)", "may 30th", "november 14 , 2014"),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_a_number_is_read_with_its_sign_scale_and_unit(text, expected):
    read = [(str(one.value), one.scale, one.unit) for one in numbers(text)]
    assert read == expected


@pytest.mark.parametrize("text", NONE)
def test_digits_that_are_part_of_something_else_are_no_number(text):
    assert numbers(text) == ()


def test_the_other_convention_is_said_and_never_guessed():
    text = "1.234,5 and 1.234.567 and 0,087"
    assert [str(one.value) for one in numbers(text, ",")] == ["1234.5", "1234567", "0.087"]
    assert numbers("1.234,5") == ()


def test_places_are_those_of_the_raw_text():
    text = "It fell by −５ million."
    (number,) = numbers(text)
    assert text[number.begin : number.end] == "−５ million"


@example("2018")
@example("1.5")
@example("9" * 30 + "." + "9" * 29)
@given(st.from_regex(r"[0-9]{1,30}(\.[0-9]{1,29})?", fullmatch=True, alphabet="0123456789."))
def test_plain_digits_of_gold_are_the_number_that_a_claim_would_give(written: str) -> None:
    (number,) = numbers(written)
    quantity = number_answer({"number": written}, "gold_answer", ".").quantity
    assert quantity == Quantity.of(number)
    assert str(quantity.value) == str(number.value)
