import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.report.text import HIDDEN, few, listed, shown, visible

CASES = {
    "a terminal escape": ("\x1b[31m", "\\x1b[31m"),
    "a null byte": ("\x00", "\\x00"),
    "a C1 control": ("\x9b", "\\x9b"),
    "delete": ("\x7f", "\\x7f"),
    "a right-to-left override": ("\u202e", "\\u202e"),
    "an isolate": ("\u2066", "\\u2066"),
    "a space of no width": ("\u200b", "\\u200b"),
    "a byte-order mark": ("\ufeff", "\\ufeff"),
    "a line separator": ("\u2028", "\\u2028"),
    "a lone surrogate": ("\udc80", "\\udc80"),
    "a tag character": ("\U000e0041", "\\U000e0041"),
    "line breaks and tabs": ("a\nb\r\tc", "a\\nb\\r\\tc"),
}
KEPT = ["plain", "é", "日本語", "עברית", "👩‍🔬", "می‌خواهم", "a\u00a0b", "back\\slash"]


@pytest.mark.parametrize("case", CASES)
def test_a_character_that_acts_is_written_out(case: str) -> None:
    raw, written = CASES[case]
    assert visible(raw) == written


@pytest.mark.parametrize("text", KEPT)
def test_text_of_every_script_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(codec=None)))
def test_no_control_is_left_and_a_second_pass_changes_nothing(text: str) -> None:
    once = visible(text)
    assert not any(unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp") for each in once)
    assert not HIDDEN.search(once)
    assert visible(once) == once


def test_line_breaks_can_be_kept_but_a_carriage_return_cannot() -> None:
    assert visible("a\n\tb\r", lines=True) == "a\n\tb\\r"


def test_a_long_text_is_cut_and_its_length_told() -> None:
    assert shown("x" * 1_000_000, 3) == "xxx… (1,000,000 characters in all)"


def test_a_long_list_is_cut_and_the_rest_counted() -> None:
    assert few("abcde", 5) == (tuple("abcde"), "")
    assert listed((str(n) for n in range(1003)), limit=3, length=9) == "0, 1, 2 and 1,000 more"
    assert listed([], limit=3, length=9) == ""
