"""Lines are the same however they are packed, and no line that one reading refuses gets through."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from builders import trace
from good_lines import BYTES, GOOD, WORDS, Line, diagnosed
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from long_runs import examples
from packing import zstd

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.record import Record
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import find
from ragstone.engine import read_lines
from ragstone.engine.duck import Duck
from ragstone.engine.line_files import JsonLines
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError, InputError

pytestmark = pytest.mark.python

PACKINGS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd}


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def verdict(duck: Duck, record: Record, content: bytes, path: Path) -> list[str] | int:
    """What is wrong with a file, or how many lines it has."""
    path.write_bytes(content)
    duck.run("drop table if exists lines")
    (source,) = find(path, "x", duck.scratch)
    try:
        return load(duck, Loading(record, (source,), "lines", "", {}))
    except ContractError as error:
        return [str(found).partition(":")[2] for found in error.diagnostics]


# Orders of keys, of which the check in SQL learns four.
SAID = list(trace("A1", echo=["c"]).items())
ORDERS = [dict(SAID[turn:] + SAID[:turn]) for turn in range(len(SAID))]
ORDERS += [dict(reversed(each.items())) for each in ORDERS]
FILLING = b"".join(
    json.dumps({**ORDERS[number % len(ORDERS)], "qid": f"文{number}"}, ensure_ascii=False).encode()
    + b"\n"
    for number in range(1500)
)


@st.composite
def contents(draw: st.DrawFn) -> tuple[Record, bytes]:
    """Some lines, good ones and broken ones, between none or enough to be checked in SQL."""
    record, lines, _ = draw(st.sampled_from(GOOD))
    made = []
    for each in draw(st.lists(st.sampled_from(lines), min_size=1, max_size=3)):
        line = json.dumps(each, ensure_ascii=draw(st.booleans())).encode()
        for _ in range(draw(st.integers(0, 2))):
            start = draw(st.integers(0, len(line)))
            length = draw(st.sampled_from((0, 1, 5)))
            odd = draw(st.sampled_from((*WORDS, *BYTES, b"\r", b"\x01", b"\0", b"\n", b"\x85")))
            line = line[:start] + odd + line[start + length :]
        made.append(line)
    end = draw(st.sampled_from((b"\n", b"\r\n", b"\n\n", b"\n \r\n")))
    content = draw(st.sampled_from((b"", b"\xef\xbb\xbf"))) + end.join(made)
    if draw(st.booleans()):
        return TRACE, FILLING + content + b"\n" + FILLING
    # A file that begins so holds no lines: it is an array, and read as one.
    assume(not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["))
    return record, content


@settings(
    max_examples=examples(25, long=600),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(made=contents(), small=st.booleans())
@example(
    made=(TRACE, b'{"qid": "A", "answer_json": {"claim": "hello"}}\x01not json\n'), small=False
)
@example(made=(TRACE, b'{"qid": "A"}\r{"qid": "B"}\n'), small=False)
@example(made=(TRACE, b'{"qid": "A"}\n{"qid":\r "B"}\n{"qid": 7}\n'), small=False)
@example(made=(TRACE, b"\0" * 3_000_000), small=False)
@example(made=(TRACE, FILLING + b"\x00\n"), small=False)
@example(made=(TRACE, b'{"qid": "A", "q": "' + b"x" * 3_000_000 + b'"}\n{"qid": 7}'), small=False)
@example(made=(TRACE, b'{"qid": "A", "q": "' + "文".encode() * 1_000_000 + b'"}\n'), small=False)
@example(made=(TRACE, b'\xef\xbb\xbf\r\n{"qid": "A"}\r\n \n'), small=False)
@example(made=(TRACE, b""), small=False)
def test_however_lines_are_packed_the_same_is_wrong_with_them(
    made: tuple[Record, bytes], small: bool, duck: Duck, tmp_path: Path
) -> None:
    record, content = made
    content_lines = list(io.BytesIO(content))
    with pytest.MonkeyPatch.context() as patch:
        if not small:
            patch.setattr(read_lines, "_SMALL", 0)
        found = {
            name: verdict(duck, record, pack(content), tmp_path / name)
            for name, pack in PACKINGS.items()
        }
    wrong = [str(each).partition(":")[2] for each in diagnosed(record, "", content_lines, {})]
    expected = wrong or sum(1 for _ in numbered(content_lines))
    assert found == dict.fromkeys(PACKINGS, expected)


def test_a_file_of_many_orders_of_keys_is_good(duck: Duck, tmp_path: Path) -> None:
    assert len(FILLING) > read_lines._SMALL
    for name, pack in PACKINGS.items():
        assert verdict(duck, TRACE, pack(FILLING), tmp_path / name) == 1500


def least(record: Record, line: Line) -> Line:
    """The line without every key that the contract can do without."""
    for key in line:
        rest = {name: value for name, value in line.items() if name != key}
        if rest and not diagnosed(record, "", [json.dumps(rest).encode()], {}):
            return least(record, rest)
    return line


def read(duck: Duck, record: Record, path: Path) -> list[tuple[object, ...]]:
    """Every field of every line, as it is in the table."""
    duck.run("drop table if exists lines")
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(f.path[0] for f in record.fields))
    load(duck, Loading(record, find(path, "x", duck.scratch), "lines", f"{names},", {}))
    return [tuple(row) for row in duck.query(f"select {names} from lines order by source, rowid")]


@pytest.mark.parametrize("escaped", [False, True], ids=["plain", "escaped"])
@pytest.mark.parametrize("case", range(len(GOOD)), ids=lambda case: GOOD[case][0].name)
def test_a_field_that_no_line_of_the_sample_has_is_read_all_the_same(
    case: int, escaped: bool, duck: Duck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, lines, mapping = GOOD[case]
    if mapping:
        pytest.skip("with a mapping, every field is read")
    usual = json.dumps(least(record, lines[0]))
    odd = [json.dumps(line) for line in lines]
    if escaped:
        key = re.compile(r'"(\w)(\w*)":')
        odd = [key.sub(lambda at: f'"\\u{ord(at[1]):04x}{at[2]}":', line) for line in odd]
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join([*[usual] * 100, *odd, *[usual] * 2900]), encoding="utf-8")
    monkeypatch.setattr(read_lines, "_SMALL", 0)
    sampled = {*JsonLines(find(path, "x", duck.scratch)).sample()}
    assert sampled == {usual.encode()}
    found = read(duck, record, path)
    monkeypatch.setattr(read_lines, "_check_in_sql", lambda *_: None)
    assert found == read(duck, record, path)


@pytest.fixture
def loading(tmp_path: Path, duck: Duck) -> Loading:
    duck.run("drop table if exists lines")
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(FILLING))
    return Loading(TRACE, find(path, "x", duck.scratch), "lines", "", {})


def test_a_line_that_only_one_reading_refuses_is_an_error(
    duck: Duck, loading: Loading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Iterator[object]:
        raise read_lines._Refused
        yield

    monkeypatch.setattr(read_lines, "_must_be_good", refuse)
    with pytest.raises(InputError, match=r"t\.gz: a line was refused, and read again nothing"):
        load(duck, loading)


def test_lines_that_the_engine_does_not_see_are_an_error(
    duck: Duck, loading: Loading, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = read_lines._insert
    monkeypatch.setattr(read_lines, "_insert", lambda *given, **more: insert(*given, **more) - 1)
    with pytest.raises(InputError, match=r"reads 1,499 lines where there are 1,500"):
        load(duck, loading)
    monkeypatch.setattr(read_lines, "_SMALL", 10**9)
    duck.run("drop table lines")
    with pytest.raises(InputError, match=r"reads 1,499 lines where there are 1,500"):
        load(duck, loading)


def test_what_the_engine_can_never_read_is_an_error(
    duck: Duck, loading: Loading, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise duckdb.InvalidInputException("no\nmore")

    monkeypatch.setattr(read_lines, "_insert", fail)
    with pytest.raises(InputError, match=r"t\.gz: the engine cannot read it: no$"):
        load(duck, loading)
