"""What is wrong with a typed answer is said in one sentence, with its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.matching.expectations import (
    Claim,
    Misfit,
    misfit,
    parse,
    parse_forbidden,
)
from ragstone.matching.nuggets import parse_nuggets

pytestmark = pytest.mark.python

WRONG = [
    ([{"number": 1}, {"number": "abc"}], 'gold_answer[1].number: expected a number, found "abc"'),
    ({"number": "1,5"}, 'gold_answer.number: expected a number, found "1,5"'),
    ({"number": "5 and 6"}, 'gold_answer.number: expected a number, found "5 and 6"'),
    ({"number": True}, "gold_answer.number: expected a number, found true"),
    ({"number": float("inf")}, "gold_answer.number: expected a number, found Infinity"),
    ({"number": 5, "rel": -1}, "gold_answer.rel: expected a number of at least 0, found -1"),
    ({"number": 5, "sign": "no"}, 'gold_answer.sign: expected true or false, found "no"'),
    ({"number": 5, "scale": "million"}, 'gold_answer.scale: expected "exact", found "million"'),
    ({"number": 5, "decimal": ";"}, 'gold_answer.decimal: expected "." or ",", found ";"'),
    ({"number": 5, "unit": 7}, "gold_answer.unit: expected a text, found 7"),
    (
        {"number": "$5", "unit": "EUR"},
        "gold_answer.unit: EUR contradicts the number, which is in $",
    ),
    (
        {"number": "5 million", "unit": "USD million"},
        "gold_answer.unit: names a scale, and the number has one already",
    ),
    (
        {"date": "7/1/2023"},
        'gold_answer.date: expected a date such as "2023-07-01", "2023-07", "2023-Q3" or "2023", '
        'found "7/1/2023"',
    ),
    ({"date": "2023-02-30"}, 'gold_answer.date: expected a day that exists, found "2023-02-30"'),
    (
        {"date": "2023", "order": "month"},
        'gold_answer.order: expected "mdy" or "dmy" or "ymd", found "month"',
    ),
    ({"yesno": "yes"}, 'gold_answer.yesno: expected true or false, found "yes"'),
    (
        {"yesno": True, "language": "xx"},
        'gold_answer.language: expected one of en, de, es, fr, zh, ja, ar, found "xx"',
    ),
    ({"any": "Rome"}, 'gold_answer.any: expected a list, found "Rome"'),
    ({"any": []}, "gold_answer.any: the list is empty, so nothing could ever match"),
    ([], "gold_answer: the list is empty, so nothing could ever match"),
    ({"any": ["a", " "]}, "gold_answer.any[1]: the text is empty"),
    ({"all": ["a", {"any": [5]}]}, 'gold_answer.all[1].any[0]: write {"number": 5}'),
    (True, 'gold_answer: write {"yesno": true}'),
    (
        {"regex": "a(?=b)"},
        "gold_answer.regex: 'a(?=b)' looks around with (?=: patterns are RE2's, which has no "
        "look-ahead and no look-behind",
    ),
    ({"nummer": 5}, 'gold_answer: "nummer" is not known; did you mean "number"?'),
    (
        {"number": 5, "date": "2023"},
        'gold_answer: has "number", "date" at once; an answer has one form',
    ),
    ({"date": "2023", "abs": 1}, 'gold_answer: "abs" does not go with "date"'),
    (
        {},
        'gold_answer: has none of "number", "date", "yesno", "any", "all", "regex", "text", '
        '"words", "name", "list", "record"; '
        "an answer has one form",
    ),
]


@pytest.mark.parametrize(("value", "reason"), WRONG)
def test_a_misfit_names_its_place(value, reason):
    assert misfit(value) == reason


def test_an_answer_that_fits_has_no_misfit():
    assert misfit({"number": "$5 million", "unit": "USD", "rel": 0.01, "abs": None}) is None


def test_nesting_without_end_is_a_misfit():
    value = "a"
    for _ in range(30):
        value = {"all": [value]}
    assert misfit(value).endswith("nested more than 20 deep")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["number", "unit", "date", "any", "all", "regex", "yesno", "abs", "id"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


def reason_of(reading: Callable[[object], object], value: object) -> str:
    with pytest.raises(Misfit) as raised:
        reading(value)
    return raised.value.reason


@given(JSON, st.sampled_from([parse, parse_forbidden, parse_nuggets]))
def test_any_json_is_read_or_is_a_misfit_with_a_place(value, reading):
    try:
        reading(value)
    except Misfit as error:
        assert error.reason.startswith(("gold_answer", "must_not", "nuggets"))


def test_a_plain_text_is_words_in_an_answer_and_a_phrase_in_what_is_forbidden():
    claim = Claim("It is free of charges in Rome.")
    assert parse("charge").match(claim).ok
    assert not parse("charge 7").match(claim).ok
    assert parse("Rome").match(claim).ok
    assert parse_forbidden(["of charge"]).match(claim).ok
    assert not parse_forbidden("Rome").match(claim).ok


def test_nuggets_need_ids_of_their_own():
    twice = [{"id": "a", "any": ["x"]}, {"id": "a", "any": ["y"]}]
    assert reason_of(parse_nuggets, twice) == 'nuggets[1].id: "a" is the id of nuggets[0] too'
    assert reason_of(parse_nuggets, [{"any": ["x"]}]) == (
        "nuggets[0].id: expected a text that names the nugget, found null"
    )


def test_a_nugget_is_vital_unless_it_says_no():
    given = [{"id": "a", "any": ["x"], "vital": None}, {"id": "b", "number": 5, "vital": False}]
    assert [nugget.vital for nugget in parse_nuggets(given)] == [True, False]
    assert reason_of(parse_nuggets, [{"id": "a", "any": ["x"], "vital": "yes"}]) == (
        'nuggets[0].vital: expected true or false, found "yes"'
    )
