"""What of a sentence is looked up in its texts, and when it is found there."""

from __future__ import annotations

import pytest

from ragstone.matching.repeated_answers import differ_in_numbers
from ragstone.matching.sentences import quotations, sentences
from ragstone.matching.support import Facts, judge, parts, said_in, split_claim

pytestmark = pytest.mark.python


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 2.5 m. It is new.", ["It is 2.5 m.", "It is new."]),
        (
            "In the U.S. sales rose, e.g. By 5. Next.",
            ["In the U.S. sales rose, e.g. By 5.", "Next."],
        ),
        (
            "See Fig. 3 of Acme Inc. and others! Why?",
            ["See Fig. 3 of Acme Inc. and others!", "Why?"],
        ),
        ("Rises:\n1. By 3.\n2) By 4\n- By 5", ["Rises:", "By 3.", "By 4", "By 5"]),
        ("他来了。真的！「好吗？」是", ["他来了。", "真的！", "「好吗？」", "是"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("Wait... what? v2.1.3 is out.", ["Wait... what?", "v2.1.3 is out."]),
        (" \n ", []),
    ],
)
def test_a_claim_is_split_where_a_sentence_ends(text: str, expected: list[str]) -> None:
    assert [text[begin:end] for begin, end in sentences(text)] == expected


def test_a_long_text_without_an_end_is_split_in_linear_time() -> None:
    assert len(list(sentences("a. " * 200_000))) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"one two three" and "one two"', ["one two three"]),
        ("“one two three,” he said", ["one two three"]),
        ("„eins zwei drei“ «un deux trois»", ["eins zwei drei", "un deux trois"]),
        ("他说「今天天气很好」和「天气」", ["今天天气很好"]),
        ("it's what 'they say of it'", []),
    ],
)
def test_quotations_of_three_words_are_looked_up(text: str, expected: list[str]) -> None:
    assert [text[begin:end] for begin, end in quotations(text)] == expected


TEXT = """Net revenue was $1,577 million in fiscal 2018, up 8.7%. The board said:
"We REJECT  null keys", on December 31, 2018. Loss: (42)."""


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It was $1.577 billion.", [True]),
        ("It was 1,577.", [True]),
        ("It was $1.58 billion.", [False]),  # fewer digits than the text has
        ("It was $1,577.3 million.", [True]),  # equal when rounded to the digits of the text
        ("It was $577 million.", [False]),
        ("It was €1,577 million.", [False]),
        ("It grew by 0.087 to 42.", [True, False]),
        ("It lost -42 in 2018.", [True, True]),
        ("They “reject null keys”.", [True]),
        ("They “accept null keys”.", [False]),
        ("See [1] and p1#2 of v2.1.", []),
        ("Nothing to check.", []),
    ],
)
def test_a_part_is_looked_up_by_the_rules_of_matching(sentence: str, found: list[bool]) -> None:
    facts = Facts(TEXT)
    assert [facts.holds(part) for part in parts(sentence)] == found


def test_a_number_among_many_is_found() -> None:
    facts = Facts(" ".join(f"{n}.5" for n in range(20_000)))
    held = parts("It is 12,345.5 or 12,345.25 or -3.5.")
    assert [facts.holds(part) for part in held] == [True, False, False]


def verdicts(claim: str, **texts: str | None) -> list[tuple[str, str, str]]:
    beside = {name: None if text is None else Facts(text) for name, text in texts.items()}
    said = split_claim(claim, list(texts))
    found = judge(said, [beside] * len(said))
    return [(each.part.text, each.verdict, each.how) for one in found for each in one.parts]


def test_what_two_supported_numbers_give_is_listed_apart() -> None:
    claim = "Sales rose from $100 million to $120 million, by $20 million or 20 %. Not by 7."
    assert verdicts(claim, p1="100 million USD, then 120 million USD") == [
        ("$100 million", "supported", ""),
        ("$120 million", "supported", ""),
        ("$20 million", "derived?", "$120 million - $100 million"),
        ("20 %", "derived?", "$120 million / $100 million - 1"),
        ("7", "unsupported", ""),
    ]


def test_without_all_of_its_texts_nothing_is_held_against_a_sentence() -> None:
    assert verdicts("It is 5 or 6.", p1="5", p2=None) == [
        ("5", "supported", ""),
        ("6", "unknown", ""),
    ]
    assert verdicts("It is 5.") == [("5", "unknown", "")]


def test_places_are_those_in_the_claim() -> None:
    claim = "It is 5. It is 5."
    given = [("It is 5.", ["p1"]), ("It is 5.", [])]
    for said in (said_in(claim, given), split_claim(claim, ())):
        found = [part for sentence in said for part in sentence.parts]
        assert [(part.begin, part.end) for part in found] == [(6, 7), (15, 16)]


@pytest.mark.parametrize(
    ("claims", "differ"),
    [
        (["It is $1.5 billion.", "1,500 million dollars"], False),
        (["It is 5 in 2020.", "In 2020 it was 5."], False),
        (["It is 5 %.", "It is 0.05."], False),
        (["It is 5.", "It is 6."], True),
        (["It is 5.", "It is high."], True),
        (["$5", "5", "€5"], True),
        (["$5 and €5", "€5 and $5"], False),
        (["It is 5.", "It is five."], False),
        (["Twenty-five days", "25 days", "twenty five"], False),
        (["There are two: 3 and 4.", "3 and 4"], False),
        (["It is 5.", "It is six."], True),
        (["It is 5.", "It is five million."], True),
        (["It is 5.", "It is one hundred and five."], True),
        (["It is five.", "It is 5.", "It is 6."], True),
    ],
)
def test_answers_differ_in_their_numbers(claims: list[str], differ: bool) -> None:
    assert differ_in_numbers(claims) is differ
    assert differ_in_numbers(claims[::-1]) is differ


@pytest.mark.parametrize(
    ("text", "claim", "held"),
    [
        ("Net revenue: 1,577 (USD millions) in 2018.", "It was $1.577 billion.", True),
        ("Net revenue: 1,577 (USD millions) in 2018.", "It was 1,577.", True),
        ("$ in thousands\n| Revenue | 1,577 |", "It was $1.577 billion.", False),
        ("$ in thousands\n| Revenue | 1,577 |", "It was $1.577 million.", True),
        ("In thousands: 5\nIn millions: 7", "7,000,000", True),
        ("In thousands: 5\nIn millions: 7", "5,000,000", False),
        ("The Tories spent £2,980,815.", "The Tories (£2,980,815) spent most.", True),
        ("Ilze is 31.", "Ilze (31) won.", True),
        ("Net loss (1,577) (1,832)", "a loss of -1,577", True),
        ("It was on November 14 , 2014 .", "It was on November 14, 2014.", True),
    ],
)
def test_a_text_says_its_figures_with_the_scale_of_its_heading_and_without_asides(
    text: str, claim: str, held: bool
) -> None:
    facts = Facts(text)
    assert {facts.holds(part) for part in parts(claim)} == {held}
