"""Jitters keep the meaning: what holds for any text, and what each does to a question."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragstone.targets.jitters import JITTERS, order, punct, syn, ws

PIECES = (
    "Explain", "list", "COMPARE", "show", "the", "a", "linked", "with citations", "in one sentence",
    "In one sentence", "With Citations", "http://x.org/a,b?c=1", "www.y.org", "12:30", "1,000",
    ",", ":", ", :", "?", "?!", "—", "–", "-", ".", " ", "  ", "\n", "\u00a0", "é", "ſ", "İ", "(",
    '"', "a::b",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)
spaced = st.lists(st.sampled_from(PIECES), max_size=10).map(" ".join)
VERBS = {"explain": "describe", "list": "enumerate", "compare": "contrast", "show": "display"}


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize("name", JITTERS)
@given(text=texts | spaced)
def test_a_jitter_is_a_function_of_the_text(name: str, text: str) -> None:
    assert JITTERS[name](text) == JITTERS[name]("".join(list(text)))


@pytest.mark.parametrize("name", ["none", "ws", "punct", "syn"])
@given(text=texts | spaced)
@example(text="a ,: ::b")
@example(text="http://a.b, c")
@example(text="x \u2014?")
def test_a_second_time_changes_nothing(name: str, text: str) -> None:
    once = JITTERS[name](text)
    assert JITTERS[name](once) == once


@given(texts | spaced)
@example("with citations with citations in one sentence")
def test_order_undoes_itself(text: str) -> None:
    assert order(order(text)) == text


@pytest.mark.parametrize("name", ["none", "ws", "punct", "order"])
@given(text=texts | spaced)
@example(text="with citations²in one sentence")
def test_no_word_is_lost_or_added(name: str, text: str) -> None:
    assert words(JITTERS[name](text)) == words(text)


@given(texts | spaced)
def test_syn_swaps_four_verbs_and_nothing_else(text: str) -> None:
    before = re.findall(r"\w+|\W+", text)
    after = re.findall(r"\w+|\W+", syn(text))
    assert len(before) == len(after)
    for one, two in zip(before, after, strict=True):
        assert one == two or VERBS.get(one.lower().replace("ſ", "s")) == two.lower()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b", "a , b"),
        ("Note: x", "Note : x"),
        ("at 12:30 and 1,000", "at 12:30 and 1,000"),
        ("see https://x.org/a:b,c now", "see https://x.org/a:b,c now"),
        ("is std::map ordered?", "is std::map ordered?"),
    ],
)
def test_ws(text: str, expected: str) -> None:
    assert ws(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is X?", "What is X ?"),
        ("A\u2013B \u2014 C", "A-B - C."),
        ("see http://x.org/?q=1", "see http://x.org/?q=1 ."),
        ("Done.", "Done."),
        ("", ""),
    ],
)
def test_punct(text: str, expected: str) -> None:
    assert punct(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Explain it", "Describe it"),
        ("please LIST and compare", "please ENUMERATE and contrast"),
        ("show me", "display me"),
        ("reverse a linked list", "reverse a linked list"),
        ("call list(x) and list.sort", "call list(x) and list.sort"),
        ("explained lists", "explained lists"),
    ],
)
def test_syn(text: str, expected: str) -> None:
    assert syn(text) == expected


def test_order_needs_both_phrases() -> None:
    assert order("Answer with citations.") == "Answer with citations."
    swapped = order("Say it with citations and in one sentence.")
    assert swapped == "Say it in one sentence and with citations."
