"""Every suite gives the same report for records in Parquet files as for the same lines of JSONL."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from arrow_tables import holdable, write_parquet
from builders import write_jsonl
from test_every_suite import COMMANDS, JUDGING, KEPT, run

from ragstone.engine import read_lines
from ragstone.suites.registry import entries, find_suite

# What suites write is compared byte by byte between all Pythons (scripts/test-all).
pytestmark = pytest.mark.once


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


@pytest.mark.parametrize("case", JUDGING)
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
