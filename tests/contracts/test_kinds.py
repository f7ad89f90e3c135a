"""The columns of the table of kinds agree with each other."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts.kinds import KINDS
from ragstone.contracts.record import Field, Record, problems
from ragstone.contracts.records.gold_record import GOLD

pytestmark = pytest.mark.python

GOOD: dict[str, list[Any]] = {
    "text": ["", "a", 'é"\n'],
    "flag": [True, False],
    "number": [0, -1, 1.5, 1e-5, 10**15 - 1],
    "score": [0, -1.5, -3.4028235e38],
    "integer": [0, -7],
    "texts": [[], ["a", ""]],
    "numbers": [[], [1, 0.5]],
    "evidence": [[], ["a", ""], {}, {"a": 1}, {"a": -2, "b": 0.5, "": None}],
    "groups": [[], [["a"], ["b", ""]]],
    "moment": [1700000000, "2024-01-31T10:00:00.125Z", "2024-01-31"],
    "object": [{}, {"a": 1}],
    "chunks": [[], [{"id": "a"}, {"id": "b", "score": None, "x": 1}]],
    "claims": [[], [{"text": "", "citations": None}, {"text": "b", "citations": ["c"], "x": 1}]],
    "hits": [[{"id": "a", "score": 1, "offsets": [0, 9], "type": "code", "hash": None}]],
    "span": [[0, 0], [3, 10**14]],
    "spans": [{}, {"a": [0, 9]}],
    "any": [None, 1, "a", [], {}],
    "id": ["a", 1, 1.5],
    "ids": ["a", "", [], ["a", 1]],
    "answers": [
        [],
        {"number": 1577},
        {"number": "-1577.00", "unit": "USD million"},
        {"any": ["Yes", "v2.1"]},
        {"yesno": True},
        [{"date": "2023"}, {"date": "2023-Q3"}, {"date": "2023-07-28"}],
        [{"number": 0.5, "unit": "%"}, {"any": ["half"]}],
    ],
    "nuggets": [
        [],
        [{"id": "a", "any": ["Rome"]}, {"id": "b", "any": ["1870", "since"], "vital": False}],
    ],
    "must_not": [[], ["accepts null keys", {"number": 7}, {"any": ["No"]}]],
    "label": ["a", "é" * 100],
    "scores": [{}, {"a": 0.5, "b": True, "c": "polite", "d": None, "e/~": -3}],
}
# Good values that no pattern knows: lines with these are checked in Python.
ODD: dict[str, list[Any]] = {
    "answers": [
        "Rome",
        {"unit": "EUR", "number": "1.577,5", "decimal": ","},
        {"number": "1.577,5"},
        {"all": ["phrase", {"number": 5, "rel": 0.01}, {"any": ["a", {"regex": "b+"}]}]},
        [{"any": ["東京"]}, {"date": "2023-07"}, {"date": "2023-07-01", "order": "mdy"}],
    ],
    "nuggets": [[{"id": "ä", "number": 5, "vital": None}, {"any": ["ä"], "id": "b"}]],
    "must_not": ["ü", {"regex": "(?i)sorry"}],
}
BAD: dict[str, list[Any]] = {
    "text": [1, None, ["a"]],
    "flag": [0, "true"],
    "number": [True, "1", float("nan"), float("inf"), 1.1e15, -1e308, 10**400],
    "score": [True, "1", float("nan"), float("inf"), 10**400],
    "integer": [True, 1.0, "1", 2**64, -(10**400)],
    "texts": ["a", [1], [None]],
    "numbers": [1, [True], [float("inf")], [1e16]],
    "evidence": ["a", 1, [1], {"a": "1"}, {"a": True}, {"a": 1e16}, {"a": [1]}],
    "groups": [["a"], [[]], [["a"], []], [["a", 1]], {"a": ["b"]}],
    "moment": [True, "2024-13-01", "soon"],
    "object": [[], "a"],
    "chunks": [{}, ["a"], [{}], [{"id": 1}], [{"id": "a", "score": "b"}]],
    "claims": [["a"], [{}], [{"text": None}], [{"text": "a", "citations": [1]}], {"text": "a"}],
    "hits": [[{"id": None}], [{"id": "a", "offsets": [2, 1]}], [{"id": "a", "hash": 1}]],
    "span": [[1], [2, 1], [-1, 1], [0, 10**15], [0, 10**400], [0, 1.0], [False, True]],
    "spans": [[], {"a": [1]}, {"a": None}],
    "any": [],
    "id": ["", True, None, ["a"]],
    "ids": [1, [""], [None]],
    "answers": [
        5, True, "", {}, [{}], {"number": "abc"}, {"number": True}, {"number": 5, "untit": "EUR"},
        {"date": "2023-13"}, {"date": "2023-02-30"}, {"yesno": "yes"},
        {"any": []}, {"any": [""]}, {"number": 5, "any": ["5"]}, {"regex": "a(?=b)"}, [[]],
    ],
    "nuggets": [
        {}, [{"any": ["Rome"]}], [{"id": "", "any": ["Rome"]}], [{"id": "a"}],
        [{"id": "a", "any": ["b"], "vital": 1}],
        [{"id": "a", "any": ["b"]}, {"id": "a", "any": ["c"]}],
    ],
    "must_not": [5, [""], [5], [{"any": []}]],
    "label": ["", "é" * 101, 5, True, None],
    "scores": [
        [], "a", {"a": [1]}, {"a": {}}, {"": 1}, {"a": ""}, {"a": 1e16}, {"a": "b" * 101},
        {"a" * 101: 1},
    ],
}  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["id"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)


def test_every_kind_has_examples() -> None:
    assert set(GOOD) == set(BAD) == set(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_the_check_takes_good_values_and_refuses_bad_ones(name: str) -> None:
    kind = KINDS[name]
    assert all(kind.fits(value) for value in GOOD[name])
    assert not any(kind.fits(value) for value in BAD[name])


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.pattern])
@given(value=VALUES)
def test_what_the_pattern_matches_fits(name: str, value: object) -> None:
    kind = KINDS[name]
    pattern = re.compile(kind.pattern)
    if pattern.fullmatch(json.dumps(value)) and not kind.rule:
        assert kind.fits(value)
    # Of a list that may be an object, the pattern is that of the object.
    whole = [good for good in GOOD[name] if not (kind.from_object and isinstance(good, list))]
    assert all(pattern.fullmatch(json.dumps(good)) for good in whole)
    if not kind.rule:
        assert not any(pattern.fullmatch(json.dumps(bad)) for bad in BAD[name])


@pytest.mark.parametrize("name", ODD)
def test_good_values_that_no_pattern_knows_fit_as_well(name: str) -> None:
    kind = KINDS[name]
    assert all(kind.fits(value) for value in ODD[name])
    assert not any(re.fullmatch(kind.pattern, json.dumps(value)) for value in ODD[name])


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("gold_answer", {"number": "abc"}, 'gold_answer.number: expected a number, found "abc"'),
        ("gold_answer", {"nummer": 5}, '"nummer" is not known; did you mean "number"?'),
        ("nuggets", [{"id": "a", "any": ["b"]}] * 2,
         'nuggets[1].id: "a" is the id of nuggets[0] too'),
        ("nuggets", [{"any": ["b"]}],
         "nuggets[0].id: expected a text that names the nugget, found null"),
        ("must_not", [""], "must_not[0]: the text is empty"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_expectation_is_one_sentence_with_its_place(
    field: str, value: object, reason: str
) -> None:
    line = {"qid": "A1", "answerable": True, field: value}
    assert list(problems(GOLD, line, {})) == [(field, reason)]


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.misfit])
def test_a_diagnostic_has_the_words_of_the_kind(name: str) -> None:
    record = Record("record", "", (Field("x", name, "", required=True),))
    for value in [bad for bad in BAD[name] if bad is not None]:
        ((_, reason),) = problems(record, {"x": value}, {})
        assert reason.startswith(f"expected {KINDS[name].expected}")
        assert ", found " in reason
    assert list(problems(record, {}, {})) == [
        ("x", f"expected {KINDS[name].expected}, found nothing")
    ]


def test_a_kind_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(KeyError):
        Field("x", "nonsense", "")


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ("number", 1e16, "expected a number from -1e15 to 1e15, found 1e+16"),
        ("numbers", [0, 10**16], "expected a list of numbers from -1e15 to 1e15, found 1"),
        ("integer", 2**64, "expected a whole number from -9223372036854775808 to 18446744073709"),
        ("chunks", [{"id": "a", "score": 10**400}], 'expected a number "score" from -1.79769313'),
        ("hits", [{"id": "a", "score": 10**400}], 'expected a number "score" from -1.7976931348'),
    ],
)
def test_a_number_out_of_range_is_refused_with_the_range(
    kind: str, value: object, reason: str
) -> None:
    ((_, found),) = problems(Record("record", "", (Field("x", kind, ""),)), {"x": value}, {})
    assert found.startswith(reason)
