"""What a person means by a phrase, as a table: the question, the phrase, the typed form."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.matching.expectations import Claim, misfit, parse
from ragstone.tools.propose_types import HINT, propose

PLAIN = "What was it?"
MILLIONS = "What was revenue in 2019 (in USD millions)?"

TABLE: list[tuple[str, str, dict[str, Any] | None]] = [
    # Numbers, with the unit and the scale that the question asks for.
    ("The debt? Answer in USD billions.", "$8.70", {"number": "8.70", "unit": "USD billion"}),
    (MILLIONS, "1577.00", {"number": "1577.00", "unit": "USD million"}),
    (MILLIONS, "$1,577", {"number": "1577", "unit": "USD million"}),
    (MILLIONS, "about $1.5bn", {"number": "1.5", "unit": "USD billion"}),
    (MILLIONS, "€1,577", {"number": "1577", "unit": "EUR million"}),
    ("How many units, in thousands?", "1,577", {"number": "1577", "unit": "thousand"}),
    ("What is it in millions of euros?", "12.5", {"number": "12.5", "unit": "EUR million"}),
    ("What is the price in US dollars?", "12.50", {"number": "12.50", "unit": "USD"}),
    ("What is the margin, as a percent?", "93.86", {"number": "93.86", "unit": "%"}),
    ("What is the margin as a % of sales?", "93.86%", {"number": "93.86", "unit": "%"}),
    ("Growth in units of percents?", "-0.4", {"number": "-0.4", "unit": "%"}),
    ("What is the DPO? Round to two decimal places.", "-0.02", {"number": "-0.02"}),
    ("What is the ratio? Round to two decimal places.", "0.6587", {"number": "0.66"}),
    ("Give it to the nearest whole number.", "12.7 days", {"number": "13", "unit": "days"}),
    (PLAIN, "(1,577)", {"number": "-1577"}),
    (PLAIN, "42", {"number": "42"}),
    # Dates; a year alone is one where the question asks when.
    (PLAIN, "July 1, 2023", {"date": "2023-07-01"}),
    (PLAIN, "2023-07", {"date": "2023-07"}),
    (PLAIN, "Q3 2023", {"date": "2023-Q3"}),
    ("When was it?", "2019", {"date": "2019"}),
    ("How many were there?", "2019", {"number": "2019"}),
    (PLAIN, "7/1/2023", {"any": ["7/1/2023"]}),
    (PLAIN, "July 1", None),
    # Yes and no.
    ("Is it?", "Yes", {"yesno": True}),
    ("Is it?", "no.", {"yesno": False}),
    ("Ist es so?", "Nein", {"yesno": False}),
    # Words.
    ("Who?", "Bob", {"text": "Bob"}),
    ("Which version?", "v2.1", {"any": ["v2.1"]}),
    # Sentences: the polarity and the numbers of the first that has some.
    ("Did it grow?", "Yes, it grew.", {"all": [{"yesno": True}]}),
    ("Did it grow?", "No it fell by 3%", {"all": [{"yesno": False}, {"number": "3", "unit": "%"}]}),
    ("Did it grow?", "Yes. It grew by 3% in a year.", {"all": [{"yesno": True}]}),
    (
        "How much was paid?",
        "$1.5bn and $2bn",
        {"all": [{"number": "1.5", "unit": "$ billion"}, {"number": "2", "unit": "$ billion"}]},
    ),
    (
        "How did the margin change from 2021 to 2022?",
        "It fell from 36.8% in FY 2021 to 34.6% in FY 2022.",
        {"all": [{"number": "36.8", "unit": "%"}, {"number": "34.6", "unit": "%"}]},
    ),
    # What the question gives is no evidence, in whatever spelling.
    ("Did it pay the $5 million?", "It paid $5,000,000 of the $7 million.",
     {"all": [{"number": "7", "unit": "$ million"}]}),
    ("How many of the 12 passed?", "9 of the 12 passed.", {"all": [{"number": "9"}]}),
    # A year says when, and is an answer only to a question that asks when.
    ("Who won?", "The Blue Party won by a mile in 1998.", None),
    ("When was it founded?", "It was founded in 1998.", {"all": [{"date": "1998"}]}),
    ("In which year did it close?", "It closed in 2004, after 12 years.",
     {"all": [{"date": "2004"}, {"number": "12", "unit": "years"}]}),
    ("When did it close after 12 May 2003?", "It closed on May 14, 2003, not on 12 May 2003.",
     {"all": [{"date": "2003-05-14"}]}),
    # The dash of a list is no minus.
    ("What was bought?", "These were bought:\n-100% of a mill",
     {"all": [{"number": "100", "unit": "%"}]}),
    # Names; a surname alone is enough only where the question asks who, and does not hold it.
    ("Who?", "Ada Lovelace", {"name": "Ada Lovelace"}),
    ("Who is Byron Lovelace's wife?", "Ada Lovelace", {"name": "Ada Lovelace", "surname": False}),
    ("Who?", "the Tin Woodman", {"name": "Tin Woodman"}),
    ("Which town?", "New York", {"name": "New York", "surname": False}),
    # Lists, and words in any order.
    ("Which colours?", "red, white and blue", {"list": ["red", "white", "blue"]}),
    ("Which countries?", "Chile and Argentina", {"words": "Chile and Argentina"}),
    ("What is it?", "The segment of consumer health was given up",
     {"words": "The segment of consumer health was given up"}),
    ("Where is it?", "on the continent of Antarctica", {"words": "the continent of Antarctica"}),
    ("Which one?", "No. 5", {"text": "No. 5"}),
    # A name is no yes or no, and no number, for a question that asks for neither.
    ("Who sang Don't Speak?", "No Doubt", {"name": "No Doubt"}),
    ("Which Bond villain is it?", "Dr. No", {"name": "Dr. No", "surname": False}),
    ("What kind of group is it?", "non-partisan", {"words": "non-partisan"}),
    ("Is the group partisan?", "non-partisan", {"words": "non-partisan"}),
    ("Which film has Liam Neeson on a plane?", "Non Stop", {"name": "Non Stop", "surname": False}),
    ("What kind of theatre is it?", "No", {"text": "No"}),
    ("Which aircraft has an upper deck?", "Boeing 747", {"text": "Boeing 747"}),
    ("Where does the prime minister live?", "No. 10 Downing Street",
     {"text": "No. 10 Downing Street"}),
    ("Which film won best picture?", "2009 film No Country for Old Men",
     {"text": "2009 film No Country for Old Men"}),
    ("Which film is set in Detroit?", "8 Mile", {"text": "8 Mile"}),
    ("Who won the most majors?", "Jack Nicklaus (6)", {"name": "Jack Nicklaus"}),
    ("Who is the tallest?", "Robert Wadlow (2.72 m) was the tallest man.", None),
    ("What did it gross?", "$84.3 million (2018)",
     {"number": "84.3", "unit": "$ million"}),
    ("How many are on board of the 747?", "416 people sit in it", {"all": [{"number": "416"}]}),
]  # fmt: skip


def item(question: str, *phrases: str, **more: Any) -> dict[str, Any]:
    plain = {"qid": "q", "question": question, "answerable": True}
    return {**plain, "gold_claim_substr": list(phrases), **more}


@pytest.mark.parametrize(("question", "phrase", "form"), TABLE)
def test_what_a_phrase_means(question: str, phrase: str, form: dict[str, Any] | None) -> None:
    found = propose(item(question, phrase))
    assert (found.forms if found else []) == ([] if form is None else [form])


# In a claim the dash of a list cannot be told from a minus.
PLAINLY_WRITTEN = [row for row in TABLE if row[2] and "\n-" not in row[1]]


@pytest.mark.parametrize(("question", "phrase", "form"), PLAINLY_WRITTEN)
def test_what_is_proposed_accepts_the_phrase_itself(
    question: str, phrase: str, form: dict[str, Any]
) -> None:
    assert parse(form).match(Claim(phrase)).ok


@given(st.text(max_size=60), st.text(max_size=80))
def test_whatever_is_proposed_is_gold(question: str, phrase: str) -> None:
    found = propose(item(question, phrase))
    for form in found.forms if found else ():
        assert misfit(form) is None


def test_a_number_that_gold_cannot_hold_stays_a_phrase() -> None:
    assert propose(item(PLAIN, "1e300")) is None


def test_a_long_sentence_stays_and_gets_a_hint() -> None:
    found = propose(item(PLAIN, "The segment of consumer health was given up for lost."))
    assert found is not None
    assert [(each.form, each.why) for each in found.typed] == [(None, HINT)]


def test_typed_answers_take_the_place_of_their_phrases() -> None:
    before = item(PLAIN, "42", "There were forty-two of them.", "Yes", tags=["a"])
    found = propose(before)
    assert found is not None
    made = found.applied(before)
    assert made["gold_claim_substr"] == ["There were forty-two of them."]
    assert made["gold_answer"] == [{"number": "42"}, {"text": "Yes"}]
    assert list(made) == [
        "qid",
        "question",
        "answerable",
        "gold_claim_substr",
        "gold_answer",
        "tags",
    ]
    (only,) = [propose(item(PLAIN, "42"))]
    assert only is not None
    assert "gold_claim_substr" not in only.applied(item(PLAIN, "42"))


@pytest.mark.parametrize(
    "untyped",
    [
        item(PLAIN, "42", gold_answer={"number": "43"}),
        {**item(PLAIN, "42"), "answerable": False},
        {"qid": "q", "answerable": True},
        item(PLAIN, ""),
    ],
)
def test_nothing_is_proposed_where_nothing_is_asked(untyped: dict[str, Any]) -> None:
    assert propose(untyped) is None


@given(
    st.decimals(-1_000_000, 1_000_000, places=2, allow_nan=False),
    st.sampled_from(("{:,}", "${:,}", "{:,} %", "{:,} million", "about {}", "EUR {:,} bn")),
)
def test_the_form_of_a_number_accepts_its_own_phrase(value: Decimal, spelling: str) -> None:
    phrase = spelling.format(value)
    found = propose(item(PLAIN, phrase))
    assert found is not None
    assert parse(found.forms[0]).match(Claim(phrase)).ok
