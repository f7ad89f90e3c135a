"""A key that is nearly a field is an error where the field is absent; other keys are allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from good_lines import GOOD
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts.near_keys import Level, near_keys, nearest
from ragstone.contracts.questions import QUESTIONS
from ragstone.contracts.record import Given, Record, mapping_of, problems
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.live_record import LIVE
from ragstone.contracts.records.retrieval_records import RETRIEVAL_LOG
from ragstone.contracts.records.trace_records import RUN, SAMPLE, TRACE
from ragstone.formats.known_formats import built_in
from ragstone.suites.registry import records

pytestmark = pytest.mark.python

EVERY = (*records().values(), LIVE, QUESTIONS)
ITEM = {"qid": "a", "answerable": True}


def wrong(record: Record, line: dict[str, object], *allowed: str) -> list[str]:
    mapping = mapping_of(record, Given(allowed=allowed))
    return [name for name, _ in problems(record, line, mapping)]


def levels(level: Level) -> Iterator[Level]:
    yield level
    for below in level.inside.values():
        yield from levels(below)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gold_claim_substring", ["x"]),
        ("Gold_Claim_Substr", ["x"]),
        ("gold-claim-substr", ["x"]),
        ("gold claim substr", ["x"]),
        ("goldClaimSubstr", ["x"]),
        ("gold_claim_sbustr", ["x"]),
        ("gold_citatons", ["p1"]),
        ("gold_answers", {"number": 5}),
        ("constraint", ["x"]),
        ("nugget", []),
        ("mustnot", ["x"]),
        ("Question", "why"),
    ],
)
def test_a_key_that_is_nearly_a_field_of_gold_is_an_error(key: str, value: object) -> None:
    assert wrong(GOLD, {**ITEM, key: value}) == [key]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ({"retrieved_id": ["p1"]}, "retrieved_id"),
        ({"answer_json": {"claim": "X.", "citatons": ["p1"]}}, "answer_json.citatons"),
        ({"answer_json": {"clam": "X."}}, "answer_json.clam"),
        ({"answerJson": {"claim": "X."}}, "answerJson"),
        ({"stage_ms": {"Retrieval": 5}}, "stage_ms.Retrieval"),
        ({"QID": "a"}, "QID"),
        (
            {"answer_json": {"claims": [{"text": "X."}, {"text": "Y.", "citaions": ["p1"]}]}},
            "answer_json.claims[].citaions",
        ),
    ],
)
def test_a_key_that_is_nearly_a_field_of_a_trace_is_an_error(
    line: dict[str, object], name: str
) -> None:
    assert wrong(TRACE, line) == [name]


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (GOLD, {**ITEM, "gold_citations": [], "gold_citatons": ["p1"]}),
        (GOLD, {**ITEM, "gold_citatons": None}),
        (TRACE, {"qid": "a", "q-id": "b"}),
        (TRACE, {"answer_json": {"claim": "X."}, "Answer": "X."}),
        (TRACE, {"qid": "a", "Chunks": [], "Answer": "X."}),
        (RETRIEVAL_LOG, {"qid": "a", "topk": [], "ΔS": [], "Delta_S": []}),
    ],
)
def test_a_field_that_is_there_is_not_missed(record: Record, line: dict[str, object]) -> None:
    assert wrong(record, line) == []


def test_null_is_absent() -> None:
    assert wrong(GOLD, {**ITEM, "gold_citations": None, "gold_citatons": ["p1"]}) == [
        "gold_citatons"
    ]


@pytest.mark.parametrize("record", [GOLD, TRACE], ids=lambda record: record.name)
@pytest.mark.parametrize(
    "key",
    [
        "event",
        "events",
        "answers",
        "chunk",
        "contexts",
        "latency_s",
        "reasons",
        "id",
        "person",
        "node",
        "kind",
        "sources",
    ],
)
def test_what_others_call_something_else_passes(record: Record, key: str) -> None:
    line = ITEM if record is GOLD else {}
    assert wrong(record, {**line, key: "x"}) == []


def _keys(value: object) -> Iterator[str]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    yield from value if isinstance(value, dict) else ()
    for each in inside:
        yield from _keys(each)


def _names_of_formats() -> Iterator[str]:
    """The keys by which a format is known, its columns, and all keys of its samples."""
    for format in (*built_in("traces").values(), *built_in("gold").values()):
        yield from (*format.columns, *(key for some in format.keys for key in some))
        for text in (text for sample in format.samples for text in sample.files.values()):
            try:
                yield from _keys(json.loads(text))
            except json.JSONDecodeError:
                yield from re.findall(r'"(\w+)"\s*:', text)


@pytest.mark.parametrize(
    "record", [GOLD, QUESTIONS, TRACE, RUN, SAMPLE, LIVE], ids=lambda record: record.name
)
def test_no_name_of_another_format_is_nearly_a_field(record: Record) -> None:
    names = sorted(set(_names_of_formats()))
    assert len(names) > 50
    near = {(n, nearest(level, n)) for level in levels(record.keys) for n in names}
    assert {pair for pair in near if pair[1]} == set()


@pytest.mark.parametrize("record", EVERY, ids=lambda record: record.name)
def test_no_field_is_nearly_another(record: Record) -> None:
    for level in levels(record.keys):
        for name in level.names:
            others = {key: () for key in level.names if key != name}
            assert not nearest(Level((), others, level.aliases, {}), name)


@pytest.mark.parametrize("record", EVERY, ids=lambda record: record.name)
def test_no_good_line_is_refused(record: Record) -> None:
    for each, lines, _ in GOOD:
        for line in lines if each is record else ():
            assert not [key for key in near_keys(record.keys, line) if key.missed]


@pytest.mark.parametrize("record", EVERY, ids=lambda record: record.name)
def test_every_long_field_is_known_by_one_wrong_letter(record: Record) -> None:
    for level in levels(record.keys):
        for name in level.names:
            assert nearest(level, f" {name.upper()} ") or name.upper() == name
            if sum(letter.isalnum() for letter in name) >= 8:
                exchanged = name[0] + name[2] + name[1] + name[3:]
                for slip in (name[:-1], f"{name}z", f"{name[:-1]}z", exchanged):
                    assert slip in level.names or nearest(level, slip) == name


def test_a_user_may_say_that_a_key_is_another() -> None:
    line = {**ITEM, "gold_citatons": ["p1"], "Tags": ["x"]}
    assert wrong(GOLD, line) == ["gold_citatons", "Tags"]
    assert wrong(GOLD, line, "gold_citatons") == ["Tags"]
    nested: dict[str, object] = {"answer_json": {"claim": "X.", "citatons": 5}}
    assert wrong(TRACE, nested, "answer_json.citatons") == []


def test_who_maps_a_field_has_said_where_it_is() -> None:
    mapping = mapping_of(GOLD, Given({"gold_citations": "evidence", "tags": "Tags"}, "text"))
    line = {**ITEM, "gold_citatons": ["p1"], "Tags": None}
    assert list(problems(GOLD, line, mapping)) == []
    other = {**ITEM, "goldAnswer": {"number": 5}}
    assert [name for name, _ in problems(GOLD, other, mapping)] == ["goldAnswer"]


def test_a_required_field_that_is_misspelled_is_one_problem() -> None:
    assert wrong(GOLD, {"qid": "a", "Answerable": True}) == ["Answerable"]


def test_problems_come_in_the_order_of_the_line() -> None:
    keys = ["Tags", "Notes", "Question", "Constraints", "gold_citatons", "Nuggets"]
    assert wrong(GOLD, {**ITEM, **dict.fromkeys(keys, "x")}) == keys


@given(key=st.text(max_size=80))
def test_any_key_is_looked_at(key: str) -> None:
    meant = nearest(GOLD.keys, key)
    assert meant == "" or meant in GOLD.keys.names
