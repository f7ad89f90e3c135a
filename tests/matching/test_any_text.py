"""No text makes matching raise, or slow."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.matching.expectations import Claim, parse
from ragstone.matching.phrases import has_phrase

pytestmark = pytest.mark.python

EXPECTED = [
    {"number": "1,577.5", "unit": "USD million"},
    {"number": 0.087},
    {"date": "2023-07-01", "order": "mdy"},
    {"yesno": True},
    {"any": ["v2.1", "東京", "ß"]},
    {"all": ["30 days", {"number": 30}]},
    {"regex": "[0-9]+ days"},
    {"text": "July days"},
    {"words": "the days of July"},
    {"name": "Anna July Straße"},
    {"list": ["days", "million", {"text": "東京"}]},
    {"record": {"days": {"number": 30}}},
]
ANSWERS = [parse(one) for one in EXPECTED]
WORDS = ("million", "USD", "July", "not ", "Q3", "1e9", "e-", "v2.1", "quarter", "third ", "FY")
OTHERS = ("\u00a0", "\u202f", "２０", "ß", "İ", "\u0301", "東京", "\ud800")
PIECES = st.sampled_from([*"0123456789.,'()-−+$€%/:#[] \n年月日億万", *WORDS, *OTHERS])


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)), st.sampled_from(".,"))
def test_no_text_makes_matching_raise(text, decimal):
    claim = Claim(text, decimal)
    for answer in ANSWERS:
        match = answer.match(claim)
        assert all(0 <= begin <= end <= len(text) for begin, end in match.spans)
        assert bool(match.spans) or not match.ok
    has_phrase(text, "30 days")


LONG = {
    "digits": "7",
    "digits and commas": "1,",
    "grouped digits": "123,",
    "parentheses": "(",
    "numbers in parentheses": "(1",
    "spaces": " ",
    "digits and spaces": "1 ",
    "digits and no-break spaces": "1\u00a0",
    "chains": "1-",
    "list markers": "1. ",
    "signs": "-",
    "dollars": "$",
    "brackets": "[1,",
    "plus signs": "+1 ",
    "months": "July ",
    "years": "2023-",
    "quarters": "Q3",
    "exponents": "1e",
    "not": "not ",
    "marks": "\u0301",
    "Hangul letters": "\u1112\u1161",
    "scales": "1億",
    "whole words": "v2.1",
    "phrases": "30 day",
    "words of a text": "july day ",
    "names": "Anna July ",
    "initials": "A. ",
    "surnames": "Straße, ",
    "either": "either July or ",
    "number words": "twenty-five hundred ",
    "fences": "```",
    "rows of a table": "| days | 30 |\n",
    "apostrophes": "a'b",
    "yes": "yess ",
}


def steps(text: str) -> int:
    """How many lines of the project are run to match a text; work within one pattern is bounded
    by the pattern, as each is tried on a window or has nothing to go back to."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += 1
        return trace

    claim = Claim(text)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for answer in ANSWERS:
            answer.match(claim)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_twice_the_text_is_at_most_about_twice_the_work(piece):
    steps(piece)
    once, twice = steps(piece * 300), steps(piece * 600)
    assert twice <= 2.2 * once + 200


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_what_stands_behind_a_long_text_is_found(piece):
    claim = Claim(piece * (20_000 // len(piece)) + "\nIt is 1,577.5 million since July 1, 2023.")
    assert [answer.match(claim).ok for answer in (ANSWERS[0], ANSWERS[2])] == [True, True]
