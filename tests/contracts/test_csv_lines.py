"""Rows of CSV and TSV as lines of JSON: cells are what their fields ask for, or are refused."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts.csv_lines import csv_lines
from ragstone.contracts.mapped_fields import parse_mapped
from ragstone.contracts.record import Field, Record

pytestmark = pytest.mark.python

RECORD = Record(
    "made",
    "",
    (
        Field("qid", "text", ""),
        Field("good", "flag", ""),
        Field("size", "number", ""),
        Field("seed", "any", ""),
        Field("at", "moment", ""),
        Field("tags", "texts", ""),
        Field("answer.text", "text", ""),
        Field("answer.cites", "texts", ""),
        Field("answer.knobs", "object", ""),
    ),
)
TEXTS = st.text(alphabet="ab,\t\"'\\{}%[]\n\r é\U0001f642", min_size=1, max_size=8)
ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "qid": TEXTS,
            "good": st.booleans(),
            "size": st.integers(-5, 5) | st.floats(-1e6, 1e6),
            "seed": st.integers(-9, 9) | st.just("s7"),
            "at": st.just(1.5) | st.just("2026-11-01T10:00:00Z"),
            "tags": st.lists(TEXTS, max_size=3),
            "answer.text": TEXTS,
            "answer.cites": st.lists(TEXTS, max_size=3),
            "answer.knobs": st.dictionaries(TEXTS, st.integers() | TEXTS, max_size=2),
            "other": TEXTS,
        },
    ),
    min_size=1,
    max_size=4,
)


def written(rows: list[dict[str, Any]], mark: str) -> list[bytes]:
    names = ["qid", "good", "size", "answer.cites", "seed", "at", "tags", "other", "answer.text",
             "answer.knobs"]  # fmt: skip
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL)
    writer.writerow(names)
    for row in rows:
        cells = [row.get(name) for name in names]
        writer.writerow(
            [c if isinstance(c, str) else "" if c is None else json.dumps(c) for c in cells]
        )
    return [line + b"\n" for line in file.getvalue().encode().split(b"\n")[:-1]]


def nested(row: dict[str, Any]) -> dict[str, Any]:
    inside = {name[7:]: item for name, item in row.items() if name.startswith("answer.")}
    outside = {name: item for name, item in row.items() if not name.startswith("answer.")}
    return outside | ({"answer": inside} if inside else {})


@given(ROWS, st.sampled_from([",", "\t"]))
def test_cells_become_what_their_fields_ask_for(rows: list[dict[str, Any]], mark: str) -> None:
    lines = list(csv_lines("t", written(rows, mark), mark, RECORD, {}, {}))
    assert [line.fault for line in lines] == [None] * len(rows)
    assert [json.loads(line) for line in lines] == [nested(row) for row in rows]
    assert not any(b"\n" in line for line in lines)


def read(text: str, mapping: dict[str, str] | None = None) -> list[tuple[int, object]]:
    lines = [line.encode() + b"\n" for line in text.split("\n")]
    mapped = {name: parse_mapped(each) for name, each in (mapping or {}).items()}
    found = csv_lines("t", lines, ",", RECORD, mapped, {"day": "2026", "qid": "path"})
    return [(line.line, line.fault or json.loads(line)) for line in found]


def test_python_lists_are_lists_and_other_text_stays_for_the_contract_to_refuse() -> None:
    text = "tags,good,size\n\"['a', 'b']\",TRUE,+1.5\nnone,maybe,nan\n[oops,1,\n"
    assert read(text) == [
        (2, {"day": "2026", "qid": "path", "tags": ["a", "b"], "good": True, "size": 1.5}),
        (3, {"day": "2026", "qid": "path", "tags": "none", "good": "maybe", "size": "nan"}),
        (4, {"day": "2026", "qid": "path", "tags": "[oops", "good": "1"}),
    ]


def test_a_mapped_column_is_of_the_kind_of_its_field() -> None:
    assert read('hits,"out.x"\n"[""a""]",true\n', {"tags": "hits", "good": "out.x"}) == [
        (2, {"day": "2026", "qid": "path", "hits": ["a"], "out": {"x": True}})
    ]


def test_a_cell_is_what_a_mapping_reads_from_it() -> None:
    mapping = {"good": "kind{7:true}", "answer.cites": "places[]@tags"}
    assert read('kind,places\n7,"[1, 2]"\n', mapping) == [
        (2, {"day": "2026", "qid": "path", "kind": "7", "places": [1, 2]})
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qid,good\n1\n2,true,x\n", [(2, "expected 2 cells, found 1"), (3, "expected 2 cells")]),
        ("qid,qid\n", [(1, "the column stands in the header twice")]),
        ('qid,good\n"a\nb",true\n"c"d,true\n', [(4, "text after the closing quote of a cell")]),
        ('qid\n"a\n\n', [(2, "a quoted cell that begins in this row is never closed")]),
        ("qid,good\na\0,true\n", [(2, "byte 2 is zero: no text")]),
        ("answer,answer.text\na,b\n", [(1, "the column 'answer' is in the header too")]),
        ('qid,"""qid"""\na,b\n', [(1, "names the same field")]),
        ("name,age\na,b\n", [(1, "no column is a field of a made: name, age")]),
    ],
)
def test_a_bad_table_is_told_by_line(text: str, said: list[tuple[int, str]]) -> None:
    faults = [(line, fault[1]) for line, fault in read(text) if isinstance(fault, tuple)]
    assert len(faults) == len(said)
    for (line, reason), (expected, words) in zip(faults, said, strict=True):
        assert line == expected
        assert words in reason
