"""A mapped field is the same in Python, which checks, and in SQL, which reads: for every form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from arrow_tables import table_of
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.contracts.json_paths import EACH, spelled
from ragstone.contracts.mapped_fields import Ids
from ragstone.contracts.record import Field, FieldMap, Given, Record, look_up, mapping_of, problems
from ragstone.contracts.sources import find
from ragstone.engine import read_lines
from ragstone.engine.duck import Duck
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError

RECORD = Record(
    "made_up",
    "A record with a field of every kind that a mapping treats in its own way.",
    (
        Field("qid", "text", "", ids="question"),
        Field("sure", "flag", ""),
        Field("found", "texts", "", ids="evidence"),
        Field("cited", "texts", "", ids="evidence"),
        Field("proof", "evidence", "", ids="evidence"),
        Field("groups", "groups", "", ids="evidence"),
        Field("said", "claims", "", ids="evidence"),
        Field("many", "numbers", ""),
        Field("inner.claim", "text", ""),
        Field("free", "any", ""),
    ),
)
NAMES = ("a", "b", "a.b", "x/y")
WORDS = ("", "u", "é", "e\u0301", "b\0e\u0301", "1", "true", "0123456789abcdef", "[1]")
NUMBERS = (0, 1, 2, -1, 1.0, 2.5, -0.0, 2**53 + 1, 2**63, 2**64, 1e300)
SCALARS = st.none() | st.booleans() | st.sampled_from(WORDS) | st.sampled_from(NUMBERS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    ),
    max_leaves=6,
)
# What paths such as `a[].b` and `a.b` lead to, so that many of them lead somewhere.
LISTED = st.lists(st.fixed_dictionaries({"b": SCALARS}, optional={"a": SCALARS}), max_size=3)
ALIKE = (
    st.lists(st.sampled_from(WORDS), max_size=3)
    | st.lists(st.sampled_from((0, 1, 2, 7)), max_size=3)
    | st.lists(st.fixed_dictionaries({"b": st.sampled_from(WORDS)}), max_size=3)
    | st.lists(st.fixed_dictionaries({"b": st.integers(0, 3)}), max_size=3)
)
OWN = {
    "found": st.lists(st.sampled_from(WORDS), max_size=3),
    "proof": st.dictionaries(st.sampled_from(("u", "é", "1")), st.sampled_from((0, 1, 2.5))),
    "groups": st.lists(st.lists(st.sampled_from(("u", 7, 1.0)), min_size=1, max_size=2)),
    "said": st.just([{"text": "so", "citations": ["é", 7]}, {"text": "and"}]),
    "qid": st.sampled_from(("A1", 7, 7.0)),
}
LINES = st.fixed_dictionaries(
    {}, optional={**dict.fromkeys(NAMES, VALUES | LISTED | ALIKE | ALIKE), **OWN}
)
STEPS = st.sampled_from(NAMES) | st.just(EACH) | st.just(0)
PATHS = (
    st.sampled_from([("a",), ("b",), ("a", EACH), ("a", EACH, "b"), ("b", EACH, "b"), ("a", 0)])
    | st.tuples(st.sampled_from(NAMES), STEPS)
    | st.tuples(st.sampled_from(NAMES), STEPS, STEPS)
).map(spelled)
TABLES = st.dictionaries(
    st.sampled_from((*WORDS[:3], "0", "1", "2", "true", "false")),
    st.sampled_from(("true", "false", "null", "7", "'a'", '"b:c"', "bare word")),
    min_size=3,
).map(lambda made: "{" + ",".join(f"{json.dumps(key)}:{made[key]}" for key in made) + "}")
MAPPED = st.one_of(
    PATHS,
    PATHS.filter(lambda path: "[]" not in path).map("!{}".format),
    st.tuples(PATHS, TABLES).map("".join),
    st.sampled_from(["true", "false", "0", "2.5", "'u'", "'it''s'"]),
)
NAMED = st.dictionaries(
    st.sampled_from([field.leaf for field in RECORD.fields]), MAPPED, max_size=3
)
MAPS = NAMED | st.tuples(NAMED, PATHS).map(lambda made: {**made[0], "cited": f"{made[1]}@found"})
MADE = st.tuples(
    LINES, MAPS, st.sampled_from(("", "text", "hash")), st.integers(0, 1), st.booleans()
)


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def in_python(line: dict[str, Any], mapping: FieldMap) -> list[object]:
    return [_column(field, look_up(field, line, mapping).value) for field in RECORD.fields]


def _column(field: Field, value: Any) -> Any:
    """A value as the engine's column holds it."""
    match field.kind:
        case "evidence" if isinstance(value, dict):
            return {key for key, grade in value.items() if grade is not None and grade >= 1}
        case "evidence" | "groups" if isinstance(value, list):
            return set(value) if field.kind == "evidence" else value
        case "claims" if value is not None:
            return [{"text": one["text"], "citations": one.get("citations")} for one in value]
        case _:
            return value


def in_sql(duck: Duck, path: Path, mapping: FieldMap) -> list[object] | None:
    """The fields of the one row of a file, or None if it is refused."""
    duck.run("drop table if exists lines")
    names = [".".join(f'"{name}"' for name in field.path) for field in RECORD.fields]
    select = "".join(f"{name} as c{n}, " for n, name in enumerate(names))
    try:
        load(duck, Loading(RECORD, find([path], "x", duck.scratch), "lines", select, mapping))
    except ContractError:
        return None
    ((*row,),) = duck.query("select * exclude (source) from lines")
    return [_seen(field, value) for field, value in zip(RECORD.fields, row, strict=True)]


def _seen(field: Field, value: Any) -> Any:
    if value is None:
        return None
    match field.kind:
        case "any":
            return json.loads(value)
        case "numbers":
            return [json.loads(each) for each in value]
        case "evidence":
            return set(value)
        case _:
            return value


@settings(
    max_examples=examples(25, long=600),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(made=MADE)
@example(made=({"a": [2, 9], "found": ["u", "[9]"]}, {"cited": "a[]@found"}, "", 1, True))
@example(made=({"a": [1.0, -1], "b": "é"}, {"cited": "a@found", "found": "b"}, "hash", 0, False))
@example(made=({"a": "u"}, {"found": "a"}, "", 1, True))
@example(made=({}, {"found": "'u'"}, "hash", 0, False))
@example(made=({}, {"qid": "7"}, "text", 0, False))
@example(made=({"a": 1}, {"qid": "true"}, "", 1, True))
@example(made=({"found": ["u"]}, {"claim": "2.5"}, "hash", 0, True))
@example(made=({"a": [[0], [7]], "qid": 7.0}, {"groups": "a", "found": "a[][]"}, "text", 1, False))
def test_python_and_the_engine_read_the_same(
    made: tuple[dict[str, Any], dict[str, str], Ids, int, bool], duck: Duck, tmp_path: Path
) -> None:
    line, words, ids, base, quick = made
    mapping = mapping_of(RECORD, Given(words, ids, base))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_lines, "_SMALL", -1 if quick else 10**9)
        path = tmp_path / "lines.jsonl"
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        good = not list(problems(RECORD, line, mapping))
        event("good" if good else "bad")
        assert in_sql(duck, path, mapping) == (in_python(line, mapping) if good else None)
        table = table_of([line])
        if table is None or not line:
            return
        # A column has one type, and what is absent in a struct is null there.
        (row,) = table.to_pylist()
        pq.write_table(table, tmp_path / "rows.parquet")
        good = not list(problems(RECORD, row, mapping))
        found = in_sql(duck, tmp_path / "rows.parquet", mapping)
        assert found == (in_python(row, mapping) if good else None)
