"""Every suite gives the same report for records in any kind of file as for the same lines of JSONL.

Parquet files, JSON arrays, CSV and TSV, packed or not.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from arrow_tables import holdable, write_parquet
from builders import write_jsonl
from long_runs import each_once
from packing import zstd
from test_every_suite import COMMANDS, JUDGING, KEPT, cases, run

from ragstone.contracts.json_paths import spelled
from ragstone.contracts.record import FieldMap, Given, Record, mapping_of
from ragstone.engine import read_lines
from ragstone.suites.registry import entries, find_suite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kept files, each file of records as JSONL and as Parquet, with the same columns."""
    made = tmp_path_factory.mktemp("parquet") / "files"
    shutil.copytree(KEPT / "files", made)
    for path in made.glob("*.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = holdable([json.loads(line) for line in lines if line.strip()])
        if rows:
            write_jsonl(path, rows)
            write_parquet(path.with_suffix(".parquet"), rows)
    return made


@pytest.mark.parametrize("case", cases(6))
@pytest.mark.parametrize("small", [True, False], ids=["in Python", "in SQL"])
def test_records_in_parquet_give_the_same_report(
    case: str, small: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = JUDGING[case]
    expected = run(folder, words)
    packed = {path.with_suffix(".jsonl").name: path.name for path in folder.glob("*.parquet")}
    swapped = [packed.get(word, word) for word in words]
    if not small:
        monkeypatch.setattr(read_lines, "_SMALL", -1)
    found = run(folder, swapped)
    assert (found.code, found.err) == (expected.code, expected.err)
    assert found.out == expected.out


def test_every_suite_that_reads_records_is_among_them() -> None:
    with_records = {
        entry.command
        for entry in entries()
        if any(given.record.fields for given in find_suite(entry.name).inputs)
    }
    assert with_records <= {words[0] for words in JUDGING.values()} <= COMMANDS.keys()


Rows = list[dict[str, Any]]


def array(rows: Rows) -> bytes:
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def indented(rows: Rows) -> bytes:
    return b"\xef\xbb\xbf\n" + json.dumps(rows, indent=2).encode()


def table(rows: Rows, mark: str) -> bytes:
    """The rows under a header, lists and objects as the text of their JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.writer(file, delimiter=mark)
    writer.writerow(names)
    writer.writerows([[cell(row.get(name)) for name in names] for row in rows])
    return file.getvalue().encode()


def cell(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


KINDS: dict[str, Callable[[Rows], bytes]] = {
    ".json": array,
    ".json.gz": lambda rows: gzip.compress(indented(rows)),
    ".json.zst": lambda rows: zstd(array(rows)),
    ".csv": lambda rows: table(rows, ","),
    ".tsv.gz": lambda rows: gzip.compress(table(rows, "\t")),
    ".csv.zst": lambda rows: zstd(table(rows, ",")),
}


def records_in(words: list[str]) -> dict[str, Record]:
    """The files of a command that hold lines of JSON, each with its record."""
    inputs = {given.name: given.record for given in find_suite(COMMANDS[words[0]]).inputs}
    found: dict[str, Record] = {}
    flag = ""
    for word in words:
        flag = word if word.startswith("--") else flag
        record = inputs.get(flag.removeprefix("--").replace("-", "_"))
        if record and word.endswith(".jsonl"):
            found[word] = record
    return found


def flat(record: Record, mapping: FieldMap, rows: Rows) -> Rows:
    """The rows as cells can hold them: one level deep, and of what is no field only texts."""
    if any("passages" in row for row in rows):
        return rows  # LiveRAG's own file of answers, which is no table.
    mapped = {spelled(each.path) for each in mapping.values()}
    known = {field.name for field in record.fields} | mapped
    return [dict(_cells("", row, known)) for row in rows]


def _cells(at: str, value: dict[str, Any], known: set[str]) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        name = f"{at}{key}"
        if isinstance(item, dict) and name not in known:
            yield from _cells(f"{name}.", item, known)
        elif item not in ("", None) and (name in known or isinstance(item, str)):
            yield name, item


def nested(row: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, item in row.items():
        *above, last = name.split(".")
        inside = made
        for key in above:
            inside = inside.setdefault(key, {})
        inside[last] = item
    return made


def maps(words: list[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words if "=" in word and "--map" in words)


def packed_cases() -> list[Any]:
    """Every usual case in one kind of file, and every kind at least once; all for the long runs."""
    usual = [each.values[0] for each in cases(7) if not each.marks]
    usual = [case for case in usual if records_in(JUDGING[case])]
    chosen = [each.values for each in each_once(usual, KINDS) if not each.marks]
    every = ((case, kind) for case in JUDGING for kind in KINDS)
    return [pytest.param(*each, marks=[pytest.mark.long] * (each not in chosen)) for each in every]


@pytest.mark.parametrize(("case", "kind"), packed_cases())
def test_records_in_any_file_give_the_same_report(
    case: str, kind: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = JUDGING[case]
    records = records_in(words)
    if not records:
        pytest.skip("no input of it holds lines of JSON")
    here = tmp_path / "files"
    shutil.copytree(folder, here)
    flats: dict[str, Rows] = {}
    for name, record in records.items():
        lines = (here / name).read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if line.strip()]
        flats[name] = flat(record, mapping_of(record, Given(maps(words))), rows)
        write_jsonl(here / name, list(map(nested, flats[name])))
    expected = run(here, words)
    monkeypatch.setattr(read_lines, "_SMALL", 2_000)
    tabular = ".csv" in kind or ".tsv" in kind
    if tabular and case == "context_live_answers":
        pytest.skip("LiveRAG's own file of answers is no table")
    for name, rows in flats.items():
        path = here / name.replace(".jsonl", kind)
        path.write_bytes(KINDS[kind](rows if tabular else list(map(nested, rows))))
    swapped = [word.replace(".jsonl", kind) if word in flats else word for word in words]
    found = run(here, swapped)
    assert found.err.replace(kind, ".jsonl") == expected.err
    assert (found.code, found.out) == (expected.code, expected.out)
