"""Names, phrases and lists as people write them, and what is nearly one and is none."""

from __future__ import annotations

import pytest

from ragstone.matching.answer_forms import first_of
from ragstone.matching.claim_reading import Alternative, Match
from ragstone.matching.expectations import Claim, parse, parse_forbidden

pytestmark = pytest.mark.python

CELSIUS = {"words": "the Swedish astronomer Anders Celsius"}
NEET = {"name": "NEET", "also": ["Not in Education, Employment, or Training"]}
FLAG = {"list": ["red", "white", "blue"]}
RONTGEN = {"name": "Wilhelm Conrad Röntgen"}

# An expectation, what a right answer says, and by which rule it is accepted.
RIGHT = [
    (CELSIUS, "Anders Celsius, a Swedish astronomer", "words"),
    ("rear-view mirror", "rearview mirror", "text"),
    (RONTGEN, "Wilhelm Röntgen", "name"),
    ("J.G. Ballard", "J. G. Ballard", "text"),
    ("Not in Education Employment", "Not in Education, Employment, or Training", "text"),
    (NEET, "Those not in education, employment or training.", "text"),
    ({"text": "rearview mirror"}, "the rear-view mirrors", "text"),
    ({"text": "rear view mirror"}, "the rear–view mirror's glass", "text"),
    ({"text": "Gödel"}, "by Goedel in 1931", "text"),
    ({"text": "Goedel"}, "by Gödel in 1931", "text"),
    ({"text": "Łódź"}, "in Lodz", "text"),
    ({"text": "Ærø"}, "on Aero", "text"),
    ({"text": "Strauß"}, "Richard Strauss wrote it", "text"),
    ({"text": "USA"}, "in the U.S.A.", "text"),
    ({"text": "Smith & Wesson"}, "by Smith and Wesson", "text"),
    ({"text": "the Rolling Stones"}, "Rolling Stones", "text"),
    ({"text": "city"}, "the cities", "text"),
    ({"text": "not covered"}, "Damage by water is not covered.", "text"),
    ({"text": "twenty-five days"}, "within 25 days", "text"),
    ({"text": "25 days"}, "within twenty-five days", "text"),
    ({"text": "third amendment"}, "the 3rd Amendment", "text"),
    ({"text": "3 million people"}, "3,000,000 people", "text"),
    ({"text": "48 hours"}, "after 48 hrs", "text"),
    ({"text": "two dozen"}, "24", "text"),
    ({"text": "東京都"}, "首都は東京都です", "text"),
    ({"words": "Paris, France"}, "It is Paris.", "words"),
    ({"words": "Mercury (planet)"}, "It is Mercury.", "words"),
    ({"words": "dancing on the tables"}, "They danced on a table", "words"),
    (RONTGEN, "W. C. Röntgen found them", "name"),
    (RONTGEN, "It was Röntgen.", "surname"),
    (RONTGEN, "Röntgen, Wilhelm", "name"),
    (RONTGEN, "Professor Roentgen did", "surname"),
    ({"name": "J. G. Ballard"}, "James Graham Ballard", "name"),
    ({"name": "J. G. Ballard"}, "JG Ballard", "name"),
    (RONTGEN, "it isWilhelm Röntgen who did", "name"),
    ({"name": "George Bush"}, "George H. W. Bush", "name"),
    ({"name": "Martin Luther King Jr."}, "Dr. Martin Luther King", "name"),
    ({"name": "Ludwig van Beethoven"}, "Beethoven wrote it", "surname"),
    ({"name": "Charles de Gaulle"}, "It was de Gaulle.", "surname"),
    ({"name": "Sir Rowland Hill"}, "Rowland Hill", "name"),
    (FLAG, "It is blue, white and red.", "list"),
    ({"list": ["Paris", "London"], "at_least": 1}, "In London.", "list"),
    ({"list": ["red", {"number": 3}]}, "3 of them are red", "list"),
    (["Paris", "London"], "Paris or London", "text"),
    ({"list": ["Paris", "London"]}, "Paris or London", "list"),
    ({"text": "das Rathaus", "language": "de"}, "im Rathaus", "text"),
    ({"text": "fünfundzwanzig"}, "fünfundzwanzig", "text"),
]


@pytest.mark.parametrize(("expected", "claim", "rule"), RIGHT)
def test_another_wording_is_accepted_by_its_rule(expected, claim, rule):
    match = parse(expected).match(Claim(claim))
    assert match.ok and match.rule == rule
    assert match.spans and all(0 <= a < b <= len(claim) for a, b in match.spans)


FIRST_NAMES = ["Anna", "Wilhelmine", "Carl", "Wolfgang", "Bertha", "A.", "K.", "Maria Anna"]
OTHER_NUMBERS = ["24", "26", "125", "250", "2.5", "twenty-four", "thirty-five", "2,500", "25.5"]
DENIALS = [
    "It was not {}.",
    "It wasn't {}, but somebody else.",
    "not {} but Becquerel",
    "Becquerel, not {}",
    "Becquerel rather than {}",
    "Becquerel instead of {}",
    "It is not the famous {}.",
    "They are not by {}.",
    "{} was not the one.",
    "{} did not find them.",
    "It is not true that {} found them.",
    "It was never {}.",
    "neither {} nor Becquerel",
    "everybody except {}",
    "{} is wrong.",
]
HEDGES = ["{} or Becquerel", "Becquerel or {}", "either {} or Becquerel", "{}, or Becquerel."]
NAMED = [RONTGEN, {"name": "Anders Celsius"}, {"name": "Marie Curie"}, {"name": "J. G. Ballard"}]
WORDED = ["rear-view mirror", "Swedish astronomer", "the Black Sea", "freezing point"]
MISSES = [
    *((RONTGEN, f"{first} Röntgen") for first in FIRST_NAMES),
    *((RONTGEN, f"{first} Röntgen was his relative; Röntgen died.") for first in FIRST_NAMES[:5]),
    *(({"name": "Anders Celsius"}, f"{first} Celsius") for first in FIRST_NAMES if first != "A."),
    *(({"name": "Marie Curie"}, f"{first} Curie") for first in ("Pierre", "Irène", "Eve", "P.")),
    *(({"text": "25 days"}, f"{number} days") for number in OTHER_NUMBERS),
    *(({"text": "twenty-five days"}, f"within {number} days") for number in OTHER_NUMBERS),
    *(({"words": "within 25 days of the order"}, f"{n} days of the order") for n in OTHER_NUMBERS),
    *((form, said.format(form["name"])) for form in NAMED for said in (*DENIALS, *HEDGES)),
    *(({"text": text}, said.format(text)) for text in WORDED for said in (*DENIALS[:8], *HEDGES)),
    *((FLAG, f"red, white and {other}") for other in ("green", "black", "bluish", "yellow")),
    *((FLAG, f"{other}, white and blue") for other in ("green", "reddish", "rose")),
    *((FLAG, said) for said in ("red and white", "blue", "red, white and not blue")),
    (RONTGEN, "Röntgenstraße"),
    (RONTGEN, "in Röntgen Street"),
    (RONTGEN, "the Röntgen-Museum"),
    (RONTGEN, "it isAnna Röntgen who did"),
    (RONTGEN, "Wilhelm"),
    (RONTGEN, "Conrad"),
    ({"name": "Wilhelm Röntgen", "surname": False}, "Röntgen"),
    ({"name": "George Washington"}, "the Washington Post"),
    ({"name": "The Stanley Hotel", "surname": False}, "the hotel"),
    (CELSIUS, "Anders Celsius, a physicist"),
    (CELSIUS, "the Swedish astronomer Anders Ångström"),
    (CELSIUS, "a Swedish astronomer"),
    ({"words": "Paris, France", "whole": True}, "Paris"),
    ("rear-view mirror", "the mirror at the rear"),
    ("rearview mirror", "rearview"),
    ("US", "contact us"),
    ("IT", "it is"),
    ("Vitamin A", "vitamin C"),
    ("The Who", "who did it"),
    ("C++", "in C"),
    ("C++", "in C#"),
    ("covered", "It is not covered."),
    ("covered", "It isn't covered."),
    ("covered", "uncovered"),
    ("not covered", "It is covered."),
    ("Anders", "Andersen"),
    ("Rome", "Romeo"),
    ("Java", "JavaScript"),
    ("Niger", "Nigeria"),
    ("York", "Yorkshire"),
    ("third amendment", "the 13th Amendment"),
    ("3rd", "33rd"),
    ("new york", "A new idea. York agrees."),
    (NEET, "They are in education, employment or training."),
    ("Not in Education Employment", "in education, employment"),
    ({"list": ["Paris", "London"]}, "In Paris."),
    ({"list": ["Paris", "London", "Rome"], "at_least": 2}, "In Paris and Berlin."),
]


def test_there_are_two_hundred_near_misses():
    assert len(MISSES) >= 200


@pytest.mark.parametrize(("expected", "claim"), MISSES)
def test_a_near_miss_is_rejected(expected, claim):
    assert not parse(expected).match(Claim(claim)).ok


def test_an_alternative_is_said_to_be_one():
    match = parse("Paris").match(Claim("Paris or London"))
    assert not match.ok and match.hedged


def test_two_alternatives_that_gold_has_are_accepted_by_one_rule_whatever_the_order_of_sets():
    sides = [Alternative(6, True, (0, 5), rule) for rule in ("text", "name", "words", "list")]
    other = Match(False, (), "", "", hedged=frozenset([Alternative(6, False, (9, 15), "text")]))
    for turn in range(len(sides)):
        hedged = frozenset(sides[turn:] + sides[:turn])
        match = first_of([Match(False, (), "", "", hedged=hedged), other], "")
        assert match.ok and match.rule == "list"


def test_a_question_gives_words_that_an_answer_may_leave_out():
    river = parse({"words": "the long river Rhine in Germany"}, question="Which river is it?")
    assert river.match(Claim("the long Rhine, in Germany")).ok
    assert not river.match(Claim("a long river in Germany")).ok
    alone = parse({"words": "the river Rhine"}, question="Which river?")
    assert not alone.match(Claim("the Rhine")).ok


def test_a_surname_alone_is_not_forbidden():
    forbidden = parse_forbidden([{"name": "Anna Röntgen"}])
    assert not forbidden.match(Claim("It was Röntgen.")).ok
    assert forbidden.match(Claim("It was Anna Röntgen.")).ok


def test_the_share_of_a_list_that_was_found_is_told():
    match = parse(FLAG).match(Claim("red and white"))
    assert not match.ok and match.list_found == pytest.approx(2 / 3)


RECORD = {
    "record": {
        "revenue": {"number": "1577", "unit": "USD million"},
        "country": {"words": "France"},
        "listed": True,
        "board": {"record": {"chair": {"name": "Anna Berg"}}},
    }
}
FRENCH = (
    '{"revenue": "$1.577 billion", "country": "in France", "listed": true, '
    '"board": {"chair": "A. Berg"}}'
)


@pytest.mark.parametrize(
    ("claim", "ok"),
    [
        (FRENCH, True),
        (f"Here it is:\n```json\n{FRENCH}\n```\n", True),
        (f"```json\n{FRENCH}\n```\n```json\n{FRENCH}\n```", False),
        (FRENCH.replace("true", "false"), False),
        (FRENCH.replace("1.577", "1.8"), False),
        (FRENCH.replace('"listed": true, ', ""), False),
        (FRENCH.replace("A. Berg", "B. Berg"), False),
        (FRENCH[:-1], False),
    ],
)
def test_a_record_meets_each_of_its_forms(claim, ok):
    assert parse(RECORD).match(Claim(claim)).ok is ok


def test_a_table_of_two_columns_is_a_record_and_a_closed_one_has_no_other_field():
    table = "| field | value |\n|---|---|\n| city | Rome |\n| year | 1871 |\n"
    city = {"record": {"city": "Rome"}}
    assert parse(city).match(Claim(table)).ok
    assert not parse({**city, "closed": True}).match(Claim(table)).ok
    assert parse({"record": {"city": "Rome", "x": 1}}).match(Claim(table)).field_accuracy == 0.5


@pytest.mark.parametrize(
    ("form", "question", "claim", "ok"),
    [
        ({"date": "1975-12-06"}, "In what year was it?", "in 1975", True),
        ({"date": "1975-12-06"}, "In what year was it?", "in 1976", False),
        ({"date": "1975-12-06"}, "Which month was it?", "December 1975", True),
        ({"date": "1975-12-06"}, "Which month was it?", "November 1975", False),
        ({"date": "1975-12-06"}, "When was it?", "in 1975", False),
        ({"number": 9, "unit": "days"}, "How many days?", "9 weeks", True),
        ({"number": 9, "unit": "days"}, "How long?", "9 weeks", False),
        ({"number": 9, "unit": "days"}, "How many days?", "8 days", False),
    ],
)
def test_as_asked_wants_no_more_than_the_question(form, question, claim, ok):
    assert parse({**form, "as_asked": True}, question=question).match(Claim(claim)).ok is ok
    assert not (ok and parse(form, question=question).match(Claim(claim)).ok)
