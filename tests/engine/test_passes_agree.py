"""The fast pass over a file, in SQL, and the slow one, in Python, agree on what is wrong with it.

The slow pass is the authority. The fast one may never let through what the slow one refuses, nor
refuse what it accepts; lines are broken at random to see that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import gold, trace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragstone.contracts.diagnose import diagnose
from ragstone.contracts.gold import GOLD
from ragstone.contracts.record import Record
from ragstone.contracts.run import RUN
from ragstone.contracts.sources import Source
from ragstone.contracts.trace import TRACE
from ragstone.engine.duck import Duck
from ragstone.engine.load import Loading, load
from ragstone.errors import ContractError
from ragstone.gates.config import RECORDS

# Whole values, marks, and everything a lax reader has been seen to take.
WORDS = rb"""
    { } [ ] , : " ' \ / # // /*x*/ - + . 0 1 -1 00 01 1. .5 +1 1e5 1E+5 1e999 -1e999 0x1 null true
    false True None NaN nan -NaN Infinity -Infinity inf -inf undefined "" "a" "\"" "\u0061"
    "\ud800" "\ud83d\ude00" \u0061 [] [1] [null] ["a"] [[]] ["a",] {} {"a":1} {"a":1,"a":2}
    {"a":1,} {"a":{"b":1,"b":1}} "qid" "q_id":"B" "qid":"B" "answerable" "answer_json" "claim"
    "chunks" "id" "score" "tags" "ts" "2024-01-01" "2024-13-01" "2024-01-01T00:00:00Z" ,"x":1
    "x":{"y":NaN} "text" "out"
""".split()
BYTES = (b"\0", b"\v", b"\f", b"\r", b"\t", b" ", b"\x1f", b"\x85", b"\xff", b"\xa0",
         b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc2\xa0")  # fmt: skip

GOOD: tuple[tuple[Record, dict[str, object]], ...] = (
    (GOLD, {**gold("A1"), "constraints": ["c"], "tags": ["t"], "x": {"y": [1, {"z": None}]}}),
    (
        TRACE,
        {
            **trace("A1", echo=["c"]),
            "q": "Why?",
            "ts": 1700000000,
            "latency_ms": 12.5,
            "stage_ms": {"llm": 1},
            "tokens": {"in": 1, "out": 2},
            "ok": True,
            "extra": {"a": [{"b": 1}]},
        },
    ),
    (TRACE, {"q": "Why?", "ts": "2024-01-01", "chunks": [{"id": "p1", "score": 0.5}, {"id": "p2"}],
             "answer": "- so\n- citations: [p1]"}),
    (TRACE, {"key": "A1", "out": {"text": "so", "from": ["p1"]}, "answer_json": None, "chunks": 3}),
    (GOLD, {"key": "A1", "answerable": True, "tags": None}),
)  # fmt: skip
# The last two are read with fields that have other names.
OTHER_NAMES = {"qid": "key", "claim": "out.text", "citations": "out.from"}


@st.composite
def broken(draw: st.DrawFn) -> tuple[Record, bytes, dict[str, str]]:
    """A line that was good before some of its bytes were replaced."""
    number = draw(st.integers(0, len(GOOD) - 1))
    record, good = GOOD[number]
    line = json.dumps(good, ensure_ascii=draw(st.booleans())).encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(line)))
        length = draw(st.sampled_from((0, 0, 1, 2, 5, 9)))
        line = line[:start] + draw(st.sampled_from((*WORDS, *BYTES))) + line[start + length :]
    return record, line.replace(b"\n", b" "), OTHER_NAMES if number > 2 else {}


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def fast(duck: Duck, record: Record, path: Path, mapping: dict[str, str]) -> list[str]:
    duck.run("drop table if exists lines")
    try:
        load(duck, Loading(record, (Source("file", path),), "lines", "", mapping))
    except ContractError as error:
        return [str(found) for found in error.diagnostics]
    return []


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(made=broken(), alone=st.booleans())
def test_the_two_passes_agree(
    made: tuple[Record, bytes, dict[str, str]], alone: bool, duck: Duck, tmp_path: Path
) -> None:
    record, line, mapping = made
    path = tmp_path / "lines.jsonl"
    path.write_bytes((b"" if alone else b'{"qid": "A0", "answerable": true}\n') + line + b"\n")
    with path.open("rb") as file:
        slow = [str(found) for found in diagnose(record, "file", file, mapping)]
    assert fast(duck, record, path, mapping) == slow


@pytest.mark.parametrize("record", (*RECORDS, RUN), ids=lambda record: record.name)
@pytest.mark.parametrize(
    "line", [b"{}", b'{"x": null}', b'{"run_id": "a"}', b'{"qid": "A1"}'], ids=str
)
def test_they_agree_on_what_every_record_needs(
    record: Record, line: bytes, duck: Duck, tmp_path: Path
) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(line)
    slow = [str(found) for found in diagnose(record, "file", [line], {})]
    assert fast(duck, record, path, {}) == slow
