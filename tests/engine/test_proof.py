"""A line that is proven is good, whatever happened to its bytes; and good lines are proven."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from good_lines import BYTES, GOOD, WORDS, Line
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragstone.contracts.diagnose import diagnose
from ragstone.contracts.gold import GOLD
from ragstone.contracts.labels import PAIRS
from ragstone.contracts.record import Record
from ragstone.contracts.sources import Source
from ragstone.contracts.trace import TRACE
from ragstone.engine.columns import columns_sql, mapped_sql
from ragstone.engine.duck import Duck
from ragstone.engine.load import _LINE_LIMIT, _raw
from ragstone.engine.proof import Proof, learn_proof

SPELLINGS = ((False, (", ", ": ")), (True, (", ", ": ")), (False, (",", ":")), (True, (",", ":")))


def spelled(line: Line, number: int) -> bytes:
    ascii_only, style = SPELLINGS[number]
    return json.dumps(line, ensure_ascii=ascii_only, separators=style).encode()


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def proven(
    duck: Duck, record: Record, mapping: dict[str, str], proof: Proof, path: Path
) -> list[bool]:
    """Which lines of a file are proven; none where the engine cannot read it."""
    raw = _raw((Source("file", path),), _LINE_LIMIT)
    scan = mapped_sql(record, (), raw, mapping) if mapping else columns_sql(
        record, (), raw, proof.types
    )  # fmt: skip
    try:
        found = duck.query(f"select coalesce({proof.condition}, false) from {scan}")
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        return []
    return [bool(each) for (each,) in found]


@pytest.mark.parametrize("number", range(len(SPELLINGS)))
@pytest.mark.parametrize("case", range(len(GOOD)), ids=lambda case: GOOD[case][0].name)
def test_good_lines_are_proven_however_they_are_spelled(
    case: int, number: int, duck: Duck, tmp_path: Path
) -> None:
    record, lines, mapping = GOOD[case]
    proof = learn_proof(record, mapping, (), [spelled(line, 0) for line in lines])
    assert proof is not None
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(spelled(line, number) for line in lines))
    assert proven(duck, record, mapping, proof, path) == [True] * len(lines)


@st.composite
def broken(draw: st.DrawFn) -> tuple[int, bytes]:
    """A line that was good before some of its bytes were replaced."""
    case = draw(st.integers(0, len(GOOD) - 1))
    line = spelled(draw(st.sampled_from(GOOD[case][1])), draw(st.integers(0, 3)))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(line)))
        length = draw(st.sampled_from((0, 0, 1, 2, 5, 9)))
        line = line[:start] + draw(st.sampled_from((*WORDS, *BYTES))) + line[start + length :]
    return case, line.replace(b"\n", b" ")


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(made=broken(), number=st.integers(0, 3))
@example(made=(12, b'{"qid": "A1", "label": "ABSTAIN", "reason": "r",}'), number=0)
@example(made=(12, b'{"qid": "A1", "label": "ABSTAIN", "label": "VALID", "reason": "r"}'), number=0)
@example(made=(14, b'{"qid": "A1", "config": "c", "rps": NaN, "latency_ms": 1}'), number=0)
@example(made=(9, b'{"id": "a", "section_id": "S", "offsets": [9, 0], "type": "code"}'), number=0)
def test_what_is_proven_is_good(
    made: tuple[int, bytes], number: int, duck: Duck, tmp_path: Path
) -> None:
    case, line = made
    record, lines, mapping = GOOD[case]
    proof = learn_proof(record, mapping, (), [spelled(each, number) for each in lines])
    assert proof is not None
    path = tmp_path / "lines.jsonl"
    path.write_bytes(line)
    if proven(duck, record, mapping, proof, path) == [True]:
        assert not list(diagnose(record, "file", [line], mapping))


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999", "01", '"1"', "true", "[1]", "{}"])
def test_a_number_that_is_none_is_not_proven(value: str, duck: Duck, tmp_path: Path) -> None:
    line = '{"qid": "a", "latency_ms": %s}'
    proof = learn_proof(TRACE, {}, (), [(line % "1.5").encode()])
    path = tmp_path / "lines.jsonl"
    path.write_text(line % value, encoding="utf-8")
    assert proof is not None
    assert proven(duck, TRACE, {}, proof, path) in ([], [False])


def test_lines_with_nothing_in_common_have_no_proof() -> None:
    assert learn_proof(GOLD, {}, (), []) is None
    assert learn_proof(GOLD, {}, (), [b'{"qid": 1}']) is None
    assert learn_proof(GOLD, {}, (), [b"{"]) is None
    assert learn_proof(TRACE, {}, (), [b'{"q": "a"}', b'{"ts": 1}']) is None
    assert learn_proof(PAIRS, {}, (), [b'{"qid": "a", "scholar": {}, "auditor": {}}']) is None
