"""Combining marks in a row: the list of them is whole, and a normal form takes linear time."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from ragstone.matching.combining_marks import marks, normal, too_many

pytestmark = pytest.mark.python

EVERY = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]


def test_whatever_is_nothing_but_marks_once_it_is_taken_apart_is_in_the_list() -> None:
    listed = set(re.findall(f"[{marks()}]", "".join(EVERY)))
    apart = ((each, unicodedata.normalize("NFKD", each)) for each in EVERY)
    those = {each for each, parts in apart if all(map(unicodedata.combining, parts))}
    assert those <= listed
    # What is in the list beyond that is of a later Unicode than this Python's.
    assert {unicodedata.category(each) for each in listed - those} <= {"Cn"}


def test_31_of_any_mark_are_too_many_and_30_are_not() -> None:
    for mark in re.findall(f"[{marks()}]", "".join(EVERY)):
        assert too_many(f"e{mark * 31}e")
        assert not too_many(f"{mark * 30}e{mark * 30}")


def test_a_text_with_too_many_stays_as_it_is() -> None:
    for text in ("e\u0301" + "\u0301\u0327" * 20, "e\u0301" + "\uff9e\u0301" * 20):
        assert normal(text) == normal(text, "NFKC") == text
    assert normal("e\u0301" + "\u0301" * 29) == "\xe9" + "\u0301" * 29
