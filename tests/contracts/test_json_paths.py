"""Paths into JSON: what they mean in Python, and that the engine finds the same."""

from __future__ import annotations

import json

import pytest
from builders import write_jsonl
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.cli.main import main
from ragstone.contracts.json_paths import EACH, BadPath, Path, parse_path, spelled, walk
from ragstone.engine.duck import Duck
from ragstone.engine.json_values import json_at

pytestmark = pytest.mark.python

KEYS = st.text(min_size=0, max_size=4) | st.sampled_from(["a", "b", "a.b", "x[]", 'q"', "~/", "0"])
STEPS = KEYS | st.integers(0, 3) | st.just(EACH)


@given(st.lists(STEPS, min_size=1, max_size=5).map(tuple))
@example(("a.b", EACH, 0, ""))
def test_a_path_is_spelled_so_that_it_is_read_back(path):
    assert parse_path(spelled(path)) == path


@given(st.lists(st.text("abc-_ 0é\"'/~", min_size=1), min_size=1, max_size=4))
def test_a_plain_path_means_what_it_always_meant(keys):
    text = ".".join(keys)
    if not any(key.startswith('"') for key in keys):
        assert parse_path(text) == tuple(keys)


@given(st.text(max_size=12))
@example('"a')
@example("a[")
@example("a[-1]")
@example("a[]b")
@example(".")
@example("")
def test_a_text_is_a_path_or_refused_with_its_place(text):
    try:
        assert parse_path(spelled(parse_path(text))) == parse_path(text)
    except BadPath as error:
        assert "character" in str(error)


NAMES = st.sampled_from(["a", "b", "a.b", "x/y"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["", "u", "é"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
PATHS = st.tuples(NAMES, NAMES | st.just(EACH), NAMES | st.just(EACH) | st.integers(0, 2))


@pytest.fixture(scope="module")
def duck():
    with Duck() as opened:
        yield opened


@settings(max_examples=examples(50, long=1500), deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=4), PATHS)
@example({"a": [{"b": [1, 2]}, {"b": None}, {}]}, ("a", EACH, "b"))
@example({"a": [[1, None], [2]]}, ("a", EACH, EACH))
@example({"a": None}, ("a", EACH, "b"))
@example({"a": []}, ("a", EACH, "b"))
def test_the_engine_finds_what_python_finds(duck, value, path: Path):
    found, blocked = walk(value, path)
    if blocked is None:
        text = json.dumps(value, ensure_ascii=False).replace("'", "''")
        ((seen,),) = duck.query(f"select {json_at(path)} from (select '{text}'::json as json)")
        assert (None if seen is None else json.loads(str(seen))) == found


def scored(tmp_path, capsys, traces, *words) -> dict[str, object]:
    gold = {"qid": "A1", "answerable": True, "gold_citations": ["p1"], "question": "?"}
    given = [
        *("--gold", str(write_jsonl(tmp_path / "g.jsonl", [gold]))),
        *("--trace", str(write_jsonl(tmp_path / "t.jsonl", traces))),
    ]
    code = main(["score", "--no-config", "--json", *given, *words])
    read = capsys.readouterr()
    return {"code": code, "err": read.err, **json.loads(read.out or "{}")}


NATIVE = {
    "qid": "A1",
    "retrieved_ids": ["p1", "p2"],
    "answer_json": {"claim": "X.", "citations": ["p1"]},
}
FOREIGN = {
    "meta": {"question.id": "A1"},
    "docs": [{"id": "p1"}, {"id": "p2"}],
    "choices": [{"text": "X.", "groups": [{"sources": [{"id": "p1"}]}, {"sources": []}]}],
}
MAP = (
    "--map",
    'trace.qid=meta."question.id"',
    "retrieved_ids=docs[].id",
    "claim=choices[0].text",
    "citations=choices[0].groups[].sources[].id",
)


@pytest.mark.parametrize("lines", [1, 3000], ids=["read in Python", "read by the engine"])
def test_a_mapped_trace_is_scored_as_one_of_our_own(lines, tmp_path, capsys):
    gold = [
        {"qid": f"A{n}", "answerable": True, "gold_citations": ["p1"], "question": "?"}
        for n in range(lines)
    ]
    own = [{**NATIVE, "qid": f"A{n}"} for n in range(lines)]
    foreign = [{**FOREIGN, "meta": {"question.id": f"A{n}"}} for n in range(lines)]
    found = []
    for trace, words in ((own, ()), (foreign, MAP)):
        given = [
            *("--gold", str(write_jsonl(tmp_path / "g.jsonl", gold))),
            *("--trace", str(write_jsonl(tmp_path / "t.jsonl", trace))),
        ]
        main(["score", "--no-config", "--json", *given, *words])
        found.append(json.loads(capsys.readouterr().out)["metrics"])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("retrieved_ids=docs[", "expected a dot, [] or [0] at character 5 of 'docs['"),
        ('claim="a', "the quote at character 1"),
        ("claim=docs[].text", "docs[].text gives a list, and claim is none"),
        ("retrieved_ids=docs[].key", "did you mean 'docs[].id'?"),
    ],
)
def test_a_path_that_cannot_be_is_refused(words, says, tmp_path, capsys):
    found = scored(tmp_path, capsys, [FOREIGN], *MAP[:2], words)
    assert (found["code"], says in found["err"]) == (2, True), found["err"]


@pytest.mark.parametrize(
    ("docs", "says"),
    [
        ({"id": "p1"}, 'docs: expected a list, found {"id": "p1"}'),
        ([{"id": "p1"}, {}], "docs[].id: expected a list of strings, found null at position 1"),
        ([{"id": "p1"}, 7], 'docs[]: expected an object, found [{"id": "p1"}, 7]'),
    ],
)
def test_a_line_that_the_path_does_not_fit_is_named(docs, says, tmp_path, capsys):
    found = scored(tmp_path, capsys, [FOREIGN, {**FOREIGN, "docs": docs}], *MAP)
    assert found["code"] == 2
    assert f"t.jsonl:2: {says}" in found["err"]
