"""The fast check of a file, in SQL, and the slow one, in Python, agree on what is wrong with it.

The slow one decides. The fast one may never let through what the slow one refuses, nor refuse what
it accepts; lines are broken at random to see that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from good_lines import BYTES, GOOD, WORDS, Line, diagnosed, mapped
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.contracts.record import FieldMap, Record
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError
from ragstone.suites.registry import records

pytestmark = pytest.mark.python


@st.composite
def broken(draw: st.DrawFn) -> tuple[Record, bytes, FieldMap]:
    """A line that was good before some of its bytes were replaced."""
    record, lines, mapping = draw(st.sampled_from(GOOD))
    line = json.dumps(draw(st.sampled_from(lines)), ensure_ascii=draw(st.booleans())).encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(line)))
        length = draw(st.sampled_from((0, 0, 1, 2, 5, 9)))
        line = line[:start] + draw(st.sampled_from((*WORDS, *BYTES))) + line[start + length :]
    return record, line.replace(b"\n", b" "), mapping


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file would be read by the slow pass alone."""
    monkeypatch.setattr("ragstone.engine.read_lines._SMALL", 0)


def fast(duck: Duck, record: Record, path: Path, mapping: FieldMap) -> list[str]:
    duck.run("drop table if exists lines")
    try:
        load(duck, Loading(record, (Source("file", path),), "lines", "", mapping))
    except ContractError as error:
        return [str(found) for found in error.diagnostics]
    return []


@settings(
    max_examples=examples(50, long=1500),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(made=broken(), alone=st.booleans())
def test_the_two_passes_agree(
    made: tuple[Record, bytes, FieldMap], alone: bool, duck: Duck, tmp_path: Path
) -> None:
    record, line, mapping = made
    path = tmp_path / "lines.jsonl"
    path.write_bytes((b"" if alone else b'{"qid": "A0", "answerable": true}\n') + line + b"\n")
    with path.open("rb") as file:
        slow = [str(found) for found in diagnosed(record, "file", file, mapping)]
    assert fast(duck, record, path, mapping) == slow


@pytest.mark.parametrize("record", records().values(), ids=lambda record: record.name)
@pytest.mark.parametrize(
    "line", [b"{}", b'{"x": null}', b'{"run_id": "a"}', b'{"qid": "A1"}'], ids=str
)
def test_they_agree_on_what_every_record_needs(
    record: Record, line: bytes, duck: Duck, tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(line)
    slow = [str(found) for found in diagnosed(record, "file", [line], {})]
    assert fast(duck, record, path, {}) == slow


@pytest.mark.parametrize("ascii", [True, False], ids=["escaped", "plain"])
@pytest.mark.parametrize("good", GOOD, ids=lambda good: good[0].name)
def test_they_agree_on_combining_marks_in_any_text(
    good: tuple[Record, list[Line], FieldMap], ascii: bool, duck: Duck, tmp_path: Path
) -> None:
    record, lines, mapping = good
    path = tmp_path / "lines.jsonl"
    for marks in (30, 31):
        text = json.dumps(
            "e" + "\u0327\u0301\U0001d165" * 10 + "\u0301" * (marks - 30), ensure_ascii=ascii
        )
        line = json.dumps(lines[0])
        for place in [m.end() for m in re.finditer(r'(?<=: )"(?=[^"]*"[,}])', line)]:
            written = f"{json.dumps(lines[0])}\n{line[:place]}{text[1:-1]}{line[place:]}\n".encode()
            path.write_bytes(written)
            slow = [
                str(found) for found in diagnosed(record, "file", written.splitlines(), mapping)
            ]
            assert fast(duck, record, path, mapping) == slow
            assert any("combining marks" in one for one in slow) == (marks > 30)


@pytest.mark.parametrize(
    ("mapping", "good", "bad"),
    [
        # `answer` is a field of its own, which lines with a qid may fill as they like.
        (mapped(TRACE, claim="answer"), {"qid": "A", "answer": "so"}, {"qid": "A", "answer": 7}),
        (mapped(TRACE, claim="q"), {"q": "so"}, {"q": 7}),
        (mapped(TRACE, citations="q"), {"qid": "A", "q": None}, {"qid": "A", "q": 7}),
        (mapped(TRACE, claim="answer.text"), {"answer": None}, {"answer": "so"}),
        (mapped(TRACE, claim="q.text"), {"qid": "A", "q": None}, {"qid": "A", "q": "so"}),
    ],
    ids=str,
)
def test_they_agree_where_two_fields_are_read_from_one_place(
    mapping: FieldMap, good: Line, bad: Line, duck: Duck, tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [json.dumps(line).encode() for line in (good, good, bad)]
    path.write_bytes(b"\n".join(lines))
    slow = [str(found) for found in diagnosed(TRACE, "file", lines, mapping)]
    assert slow
    assert fast(duck, TRACE, path, mapping) == slow
