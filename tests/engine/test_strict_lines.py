"""A line that passes the check in SQL is good, whatever happened to its bytes; good lines pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import duckdb
import pytest
from good_lines import BYTES, GOOD, WORDS, Line, diagnosed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.contracts.record import FieldMap, Record
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.label_records import LABEL, PAIRS
from ragstone.contracts.records.retrieval_records import (
    MANIFEST,
    RETRIEVAL_GOLD,
    RETRIEVAL_LOG,
    TEXTS,
)
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.engine.line_columns import columns_sql
from ragstone.engine.line_files import JsonLines
from ragstone.engine.mapped_columns import mapped_sql
from ragstone.engine.strict_lines import SqlCheck, learn_check

pytestmark = pytest.mark.python

SPELLINGS = ((False, (", ", ": ")), (True, (", ", ": ")), (False, (",", ":")), (True, (",", ":")))


def spelled(line: Line, number: int) -> bytes:
    ascii_only, style = SPELLINGS[number]
    return json.dumps(line, ensure_ascii=ascii_only, separators=style).encode()


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def passes(
    duck: Duck, record: Record, mapping: FieldMap, check: SqlCheck, path: Path
) -> list[bool]:
    """Which lines of a file pass the check; none where the engine cannot read it."""
    raw = JsonLines((Source("file", path),)).sql()
    scan = mapped_sql(record, (), raw, mapping) if mapping else columns_sql(
        record, (), raw, check.types, check.lists
    )  # fmt: skip
    try:
        found = duck.query(f"select coalesce({check.condition}, false) from {scan}")
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        return []
    return [bool(each) for (each,) in found]


@pytest.mark.parametrize("number", range(len(SPELLINGS)))
@pytest.mark.parametrize("case", range(len(GOOD)), ids=lambda case: GOOD[case][0].name)
def test_good_lines_pass_however_they_are_spelled(
    case: int, number: int, duck: Duck, tmp_path: Path
) -> None:
    record, lines, mapping = GOOD[case]
    check = learn_check(record, mapping, (), [spelled(line, 0) for line in lines])
    assert check is not None
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(spelled(line, number) for line in lines))
    assert passes(duck, record, mapping, check, path) == [True] * len(lines)


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
    max_examples=examples(150, long=4000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(made=broken(), number=st.integers(0, 3), seen=st.booleans())
def test_what_passes_is_good_even_if_the_shape_was_learned_from_it(
    made: tuple[int, bytes], number: int, seen: bool, duck: Duck, tmp_path: Path
) -> None:
    case, line = made
    record, lines, mapping = GOOD[case]
    sample = [spelled(each, number) for each in lines]
    check = learn_check(record, mapping, (), [*sample, line] if seen else sample)
    assert check is not None or seen
    path = tmp_path / "lines.jsonl"
    path.write_bytes(line)
    if check is not None and passes(duck, record, mapping, check, path) == [True]:
        assert not diagnosed(record, "file", [line], mapping)


# (record, what the lines look like, the line that is not one of them)
BAD = (
    (LABEL, '{"qid": "A", "label": "VALID"}', '{"qid": "A", "label": "VALID",}'),
    (LABEL, '{"qid": "A", "label": "VALID"}', '{"qid": "A", "label": "VALID", "label": "VALID"}'),
    (LABEL, '{"qid": "A", "label": "VALID"}', '{"qid": "A", "label": "valid"}'),
    (LABEL, '{"qid": "A", "label": "VALID"}', '{"qid": "", "label": "VALID"}'),
    (TEXTS, '{"id": "a", "text": "b"}', '{"id": "a", "text": null}'),
    (TEXTS, '{"id": "a", "text": "b"}', '{"id": "a"}'),
    (RETRIEVAL_GOLD, '{"qid": "a", "paraphrases": ["b"], "relevant": ["c"]}',
     '{"qid": "a", "paraphrases": [], "relevant": ["c"]}'),
    (RETRIEVAL_LOG, '{"qid": "a", "topk": [{"id": "b"}], "dS": [0.5]}',
     '{"qid": "a", "topk": [{"id": "b"}], "dS": [0.5, 0.5]}'),
    (RETRIEVAL_LOG, '{"qid": "a", "topk": [{"id": "b", "offsets": [1, 2]}]}',
     '{"qid": "a", "topk": [{"id": "b", "offsets": [2, 1]}]}'),
    (MANIFEST, '{"id": "a", "section_id": "S", "offsets": [0, 9], "type": "code"}',
     '{"id": "a", "section_id": "S", "offsets": [9, 0], "type": "code"}'),
    (GOLD, '{"qid": "a", "answerable": true, "x": {"b": 1}}\n'
           '{"qid": "a", "answerable": true, "x": {"c": {"d": 1}}}',
     '{"qid": "a", "answerable": true, "x": {"c": {"d": 1, "d": 2}}}'),
    (GOLD, '{"qid": "a", "answerable": true, "x": [{"b": 1}, {"c": 1}]}',
     '{"qid": "a", "answerable": true, "x": [{"b": 1, "b": 1}]}'),
    *((TRACE, '{"qid": "a", "latency_ms": 1.5}', f'{{"qid": "a", "latency_ms": {value}}}')
      for value in ("NaN", "-Infinity", "1e999", "01", '"1"', "true", "[1]", "{}")),
)  # fmt: skip


@pytest.mark.parametrize(("record", "good", "bad"), BAD)
def test_a_bad_line_does_not_pass(
    record: Record, good: str, bad: str, duck: Duck, tmp_path: Path
) -> None:
    assert diagnosed(record, "file", [bad.encode()], {})
    lines = good.splitlines()
    check = learn_check(record, {}, (), [line.encode() for line in lines])
    assert check is not None
    path = tmp_path / "lines.jsonl"
    path.write_text(good, encoding="utf-8")
    assert passes(duck, record, {}, check, path) == [True] * len(lines)
    path.write_text(bad, encoding="utf-8")
    assert passes(duck, record, {}, check, path) in ([], [False])


@pytest.mark.parametrize("key", ["*", "a*", 'a"b', "a\\b", "[0]", "a.b", "", "$"])
def test_odd_keys_are_never_a_reason_to_fail(key: str, duck: Duck, tmp_path: Path) -> None:
    lines = [json.dumps({"qid": "a", "answerable": True, key: {n: 1}}) for n in ("x", "y")]
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    check = learn_check(GOLD, {}, (), [line.encode() for line in lines])
    assert check is not None
    assert len(passes(duck, GOLD, {}, check, path)) == 2


def test_lines_with_nothing_in_common_have_no_check() -> None:
    assert learn_check(GOLD, {}, (), []) is None
    assert learn_check(GOLD, {}, (), [b'{"qid": 1}']) is None
    assert learn_check(GOLD, {}, (), [b"{"]) is None
    orders = [json.dumps(dict.fromkeys(keys, "a")).encode() for keys in permutations("xyz")]
    assert learn_check(TRACE, {}, (), orders[:2]) is not None
    assert learn_check(TRACE, {}, (), orders) is None
    assert learn_check(TRACE, {}, (), [b'{"qid": "a", "answer_json": "so"}']) is None
    assert learn_check(PAIRS, {}, (), [b'{"qid": "a", "scholar": {}, "auditor": {}}']) is None


def test_lists_in_lists_do_not_double_the_check_with_every_level() -> None:
    def size(depth: int) -> int:
        value: object = 1
        for _ in range(depth):
            value = [value]
        lines = [json.dumps({**GOOD[0][1][0], "x": value}).encode()]
        check = learn_check(GOLD, {}, (), lines)
        assert check is not None
        return len(check.condition)

    # 20 levels were 2**20 copies of the innermost pattern; one line of 200 took all memory.
    assert size(20) <= size(2)
