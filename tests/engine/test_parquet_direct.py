"""Rows of Parquet files are read as the same lines of JSONL are, and no copy of them is made."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from arrow_tables import table_of, write_parquet
from builders import gold, trace
from command import Command, Folder
from engine.test_parquet_files import ODD
from good_lines import GOOD
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from long_runs import examples

from ragstone.contracts.record import FieldMap, Given, Record, mapping_of
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import RUN, TRACE
from ragstone.contracts.sources import find
from ragstone.engine import read_lines
from ragstone.engine.duck import Duck
from ragstone.engine.parquet_files import as_jsonl
from ragstone.engine.read_lines import Loading, load
from ragstone.errors import ContractError

DAY = "2026-11-01 12:30"
IN_PATH = "day=2026-11-01 12%3A30"
ODD_VALUES = (
    None, "", "a", 'ü"\\\n\0\x7f文', "null", 7, -1, 2**53 + 1, 0.5, math.nan, True, False, [], [""],
    ["a", None], [None], [1], [math.nan], ["a", "b", "c"], [[]], [["a"]], {"a": 1}, {"a": None},
    {"a": math.nan}, {"id": "x"}, [{"id": "x"}], [{"text": "x", "citations": None}], "2026-02-30",
    "VALID", "prose", [0, 9], [9, 0],
)  # fmt: skip


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=2) as opened:
        yield opened


@pytest.fixture
def unwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is written out as JSONL, and those of any size are checked in SQL."""

    def refuse(*_: object) -> None:
        raise AssertionError("a copy was written")

    monkeypatch.setattr(read_lines, "as_jsonl", refuse)
    monkeypatch.setattr(read_lines, "_SMALL", -1)


def read(
    duck: Duck, record: Record, mapping: FieldMap, *paths: Path, extra: tuple[str, ...] = ()
) -> list[Any]:
    """Every field of every line as it is in the table, or what is wrong with them."""
    duck.run("drop table if exists lines")
    fields = dict.fromkeys([*(field.path[0] for field in record.fields), *extra])
    names = ", ".join(f'"{name}"' for name in fields)
    sources = find([*paths], "x", duck.scratch)
    try:
        load(duck, Loading(record, sources, "lines", f"{names},", mapping, extra))
    except ContractError as error:
        return [str(found).removeprefix(str(found.file)) for found in error.diagnostics]
    return duck.query(f"select {names}, source from lines order by source, rowid")


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inside:
        yield (*at, key)
        if isinstance(item, dict | list):
            yield from places(item, (*at, key))


def put(row: Any, place: tuple[Any, ...], value: object) -> None:
    for key in place[:-1]:
        row = row[key]
    row[place[-1]] = value


@st.composite
def tables(draw: st.DrawFn) -> tuple[Record, FieldMap, list[dict[str, Any]]]:
    """Rows of some record, good ones and such as have odd values in a place, or in all rows."""
    record, lines, mapping = draw(st.sampled_from(GOOD))
    chosen = draw(st.lists(st.sampled_from(lines), min_size=1, max_size=4))
    rows: list[dict[str, Any]] = [copy.deepcopy(row) for row in chosen]
    for _ in range(draw(st.integers(0, 3))):
        number = draw(st.integers(0, len(rows) - 1))
        place = draw(st.sampled_from([*places(rows[number]), ("note",), ("q_id",), ("extra",)]))
        value = copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        put(rows[number], place, value)
        if draw(st.booleans()):
            for row in rows:
                row[place[0]] = copy.deepcopy(rows[number][place[0]])
    return record, mapping, rows


def as_absent(row: dict[str, Any]) -> dict[str, Any]:
    """A NaN in a column of numbers is how data frames write "absent"."""
    return {
        key: None if isinstance(cell, float) and math.isnan(cell) else cell
        for key, cell in row.items()
    }


@settings(
    max_examples=examples(40, long=1500),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
@given(made=tables(), small=st.booleans(), hive=st.booleans())
def test_rows_are_read_as_the_same_lines_of_jsonl_are(
    made: tuple[Record, FieldMap, list[dict[str, Any]]],
    small: bool,
    hive: bool,
    duck: Duck,
    tmp_path: Path,
) -> None:
    record, mapping, rows = made
    table = table_of(rows)
    assume(table is not None)
    folder = tmp_path / IN_PATH if hive else tmp_path
    folder.mkdir(exist_ok=True)
    pq.write_table(table, folder / "rows.parquet", row_group_size=2)
    # Only what is asked for is read; a NaN in another column, say, is nobody's.
    tops = {each.path[0] for each in mapping.values() if each.path}
    known = {"q_id", "extra", *tops, *(field.path[0] for field in record.fields)}
    lines = [
        {key: cell for key, cell in as_absent(row).items() if key in known}
        | ({"day": DAY} if hive else {})
        for row in table.to_pylist()
    ]
    text = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
    )
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8", newline="\n")
    copies: list[str] = []

    def copied(*given: Any) -> Any:
        copies.append("a copy")
        return as_jsonl(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_lines, "as_jsonl", copied)
        if not small:
            patch.setattr(read_lines, "_SMALL", -1)
        extra = ("extra", "day")
        found = read(duck, record, mapping, folder / "rows.parquet", extra=extra)
        assert found == read(duck, record, mapping, tmp_path / "rows.jsonl", extra=extra)
        good = not found or isinstance(found[0], tuple)
        assert good == (not copies)


def without_column(path: Path, name: str) -> None:
    """Zeros where a column's values are: whoever reads it finds a damaged file."""
    meta = pq.ParquetFile(path).metadata
    data = bytearray(path.read_bytes())
    for group in range(meta.num_row_groups):
        for number in range(meta.num_columns):
            column = meta.row_group(group).column(number)
            if column.path_in_schema.split(".")[0] == name:
                start = column.dictionary_page_offset or column.data_page_offset
                data[start : start + column.total_compressed_size] = bytes(
                    column.total_compressed_size
                )
    path.write_bytes(data)


@pytest.mark.parametrize("small", [True, False])
def test_a_column_that_nobody_asks_for_is_not_read(
    small: bool, command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        monkeypatch.setattr(read_lines, "_SMALL", -1)
    folder.write("gold.jsonl", [gold(f"A{number}") for number in range(50)])
    rows = [{**trace(f"A{number}"), "picture": [0.5] * 9, "day": "x"} for number in range(50)]
    path = write_parquet(folder.work / "t.parquet", rows)
    words = ("score", "--gold", "gold.jsonl", "--trace", "t.parquet", "--json")
    expected = command(*words)
    assert expected.code == 0
    without_column(path, "picture")
    assert command(*words) == expected
    assert command(*words, "--map", "trace.claim=answer_json.claim").code == 0
    without_column(path, "answer_json")
    ran = command(*words)
    assert (ran.code, ran.err) == (
        2,
        "ragstone: t.parquet is a damaged Parquet file: its rows cannot be read to the end\n",
    )


@pytest.mark.usefixtures("unwritten")
def test_a_good_file_of_plain_types_is_read_without_any_json(
    duck: Duck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {**gold(f"A{number}"), "tags": ['é"\\'] if number % 2 else None, "notes": 7}
        for number in range(9)
    ]
    inserted: list[str] = []
    count = Duck.count

    def noted(self: Duck, sql: str, *more: Any) -> int:
        inserted.append(sql)
        return count(self, sql, *more)

    monkeypatch.setattr(Duck, "count", noted)
    assert len(read(duck, GOLD, {}, write_parquet(tmp_path / "g.parquet", rows))) == 9
    (insert,) = (sql for sql in inserted if " as select " in sql)
    assert "json_transform" not in insert


@pytest.mark.usefixtures("unwritten")
def test_types_that_are_not_the_contracts_are_read_through_json(duck: Duck, tmp_path: Path) -> None:
    days = pa.array([None, 19_000], pa.date32())
    table = pa.table(
        {
            "qid": pa.array([b"A1", "文".encode()], pa.binary()),
            "q": days,
            "trace_id": pa.array([1, 2**64 - 1], pa.uint64()),
            "stage_ms": pa.array([[("llm", 1.0)], None], pa.map_(pa.string(), pa.float64())),
            "reason": pa.array([None, None]),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    names = [field.path[0] for field in TRACE.fields]
    one, two = (
        dict(zip(dict.fromkeys(names), row, strict=False))
        for row in read(duck, TRACE, {}, tmp_path / "t.parquet")
    )
    assert (one["qid"], one["q"], one["trace_id"]) == ("A1", None, "1")
    assert one["stage_ms"]["llm"] == "1.0"
    assert (two["qid"], two["q"], two["trace_id"]) == ("文", "2022-01-08", str(2**64 - 1))
    assert (two["stage_ms"]["llm"], two["reason"]) == (None, None)


@pytest.mark.parametrize("what", ODD)
def test_odd_columns_are_judged_as_the_lines_that_were_written_of_them(
    what: str, duck: Duck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_lines, "_SMALL", -1)
    values, _ = ODD[what]
    for name in ("notes", "question", "tags", "gold_answer", "extra"):
        table = pa.table({"qid": ["A1"], "answerable": [True]})
        path = tmp_path / "odd.parquet"
        pq.write_table(table.append_column(name, values), path)
        (source,) = find(path, "x", duck.scratch)
        copied = tmp_path / "odd.jsonl"
        copied.write_bytes(as_jsonl(duck, source).path.read_bytes())
        expected = read(duck, GOLD, {}, copied, extra=("extra",))
        assert read(duck, GOLD, {}, path, extra=("extra",)) == expected


def test_text_that_is_not_utf8_is_damage_in_a_column_that_is_read(
    command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", [gold("A1")])
    for name, code in (("q", 2), ("other", 1)):
        broken = pa.array([b"\xff"] * 9000, pa.binary()).view(pa.string())
        table = pa.table({"qid": ["A1"] * 9000, name: broken})
        pq.write_table(table, folder.work / "t.parquet", store_schema=False)
        ran = command("score", "--gold", "gold.jsonl", "--trace", "t.parquet")
        assert ran.code == code
        assert ("t.parquet is a damaged Parquet file: its rows" in ran.err) == (code == 2)


def test_a_row_is_named_by_its_number(command: Command, folder: Folder) -> None:
    rows = [gold(f"A{number}") for number in range(20_000)]
    rows[12_344]["qid"] = ""
    rows[19_999]["gold_citations"] = ["p1", None]
    write_parquet(folder.work / "g.parquet", rows, row_group_size=3000)
    folder.write("t.jsonl", [trace("A1")])
    ran = command("score", "--gold", "g.parquet", "--trace", "t.jsonl")
    assert ran.err.splitlines()[:2] == [
        "g.parquet:12345: qid: expected a string that is not empty",
        "g.parquet:20000: gold_citations: expected a list of strings, or an object from ids to "
        "numbers, found null at position 1",
    ]


def test_a_second_file_of_other_types_is_not_turned_into_those_of_the_first(
    duck: Duck, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_lines, "_SMALL", -1)
    one = write_parquet(tmp_path / "1.parquet", [trace("A1"), trace("A2")])
    two = write_parquet(tmp_path / "2.parquet", [{**trace("A3"), "qid": 7}])
    assert read(duck, TRACE, {}, one, two) == [":1: qid: expected a string, found 7"]
    three = write_parquet(tmp_path / "3.parquet", [{**trace("A4"), "answer_json": {"Claim": "x"}}])
    found = read(duck, TRACE, mapping_of(TRACE, Given(allowed=("*",))), one, three)
    assert [row[0] for row in found] == ["A1", "A2", "A4"]
    assert [row[-1] for row in found] == [0, 0, 1]
    assert "Claim" not in str(found)


@pytest.mark.usefixtures("unwritten")
def test_a_column_called_as_the_engines_own_is_no_trap(duck: Duck, tmp_path: Path) -> None:
    names = ("file_row_number", "filename", "json", "cells")
    odd = dict.fromkeys((*names, "file_index", "line", "parsed"), "x")
    paths = [
        write_parquet(tmp_path / f"{number}.parquet", [{**trace(f"A{number}"), **odd}])
        for number in range(3)
    ]
    found = read(duck, TRACE, {}, *paths, extra=names)
    assert [(row[0], row[-1]) for row in found] == [("A0", 0), ("A1", 1), ("A2", 2)]
    assert [row[-5:-1] for row in found] == [('"x"',) * 4] * 3


def test_folders_name_columns_for_slices_and_fields_with_other_names(
    command: Command, folder: Folder
) -> None:
    rows = [gold(f"A{number}") for number in range(4)]
    days = [DAY, DAY, "x", "x"]
    write_parquet(folder.work / f"g/{IN_PATH}/1.parquet", rows[:2])
    write_parquet(folder.work / "g/day=x/1.parquet", rows[2:])
    folder.write("g.jsonl", [{**row, "day": day} for row, day in zip(rows, days, strict=True)])
    said = [trace(f"A{number}") for number in range(4)]
    folder.write("t.jsonl", [{**row, "run": "r1"} for row in said])
    write_parquet(folder.work / "run=r1/t.parquet", said)
    more = ("--by", "day", "--map", "trace_id=run", "--json")
    expected = command("score", "--gold", "g.jsonl", "--trace", "t.jsonl", *more)
    assert expected.code == 0
    assert set(expected.json["slices"]["day"]) == {DAY, "x"}
    asked = ("score", "--gold", "g/*/1.parquet", "--trace", "run=r1/t.parquet", *more)
    assert command(*asked) == expected
    ran = command(*asked[:-5], "--map", "trace_id=rum")
    assert (ran.code, ran.err) == (
        2,
        "ragstone: map trace_id=rum: no line of trace has rum; did you mean 'run'?\n",
    )


def test_a_folder_is_a_field_only_where_the_file_has_none_and_the_field_takes_text(
    duck: Duck, tmp_path: Path
) -> None:
    said = {"run_id": "own", **trace("A1")}
    names = list(dict.fromkeys(field.path[0] for field in RUN.fields))

    def cells(folder: str, row: dict[str, Any]) -> dict[str, Any]:
        (found,) = read(duck, RUN, {}, write_parquet(tmp_path / folder / "t.parquet", [row]))
        return dict(zip(names, found, strict=False))

    assert cells("run_id=other/q=Why%3F", said)["run_id"] == "own"
    assert cells("run_id=other/q=Why%3F", said)["q"] == "Why?"
    del said["run_id"]
    assert cells("run_id=other/q=__HIVE_DEFAULT_PARTITION__", said)["run_id"] == "other"
    assert cells("run_id=other/q=__HIVE_DEFAULT_PARTITION__", said)["q"] is None
    # A seed is a number, and a folder's name says none.
    found = cells("run_id=other/seed=3/refused=true/answer_json=x", said)
    assert (found["seed"], found["refused"]) == (None, None)
    assert found["answer_json"]["claim"] == said["answer_json"]["claim"]


def test_only_the_path_as_it_was_given_names_columns(
    command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("t.jsonl", [trace("A1")])
    write_parquet(folder.work / "qid=A1/g.parquet", [{"answerable": True}])
    # Gold that expects nothing tests nothing, so the run is unmeasurable; it is read all the same.
    assert command("score", "--gold", "qid=A1/g.parquet", "--trace", "t.jsonl").code == 3
    monkeypatch.chdir(folder.work / "qid=A1")
    ran = command("score", "--gold", "g.parquet", "--trace", "../t.jsonl")
    assert ran.err.startswith("g.parquet:1: qid: expected a string, found nothing\n")
