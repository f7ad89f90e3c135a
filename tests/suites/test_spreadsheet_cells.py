"""Tables that we write are safe to open in a spreadsheet, and say what they said."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from builders import gold, trace
from command import Command, Folder
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.engine.duck import Duck
from ragstone.suites.spreadsheet_cells import cell, cell_sql

FORMULAS = ("=cmd|calc!A1", "@SUM(1)", "+1+1", "-1-1", "＝1+1", "-", "=")
NUMBERS = ("-0.5", "+3", "1e5", "-1E-3", ".5", "-.5")
OTHERS = ("p1#2", "a=b", "'=1", " =1", "文", "1-1")


@pytest.mark.parametrize("text", FORMULAS)
def test_what_looks_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", (*NUMBERS, *OTHERS))
def test_numbers_and_other_texts_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


@settings(max_examples=30)
@given(st.lists(st.text("=+-@\t\r＝'0123.eE ab文", max_size=8), min_size=1, max_size=50))
def test_the_engine_writes_cells_as_python_does(texts: list[str]) -> None:
    with Duck() as duck:
        select = f"select {cell_sql('text')} from (select unnest($texts) as text)"
        assert duck.texts(select, {"texts": texts}) == tuple(map(cell, texts))


def column(path: Path, name: str, delimiter: str) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file, delimiter=delimiter)]


QIDS = (*FORMULAS, *NUMBERS)


def test_verdict_rows(folder: Folder, command: Command) -> None:
    folder.write("gold.jsonl", [gold(qid) for qid in QIDS])
    folder.write("trace.jsonl", [trace(qid) for qid in QIDS])
    assert command.score("-o", "rows.csv").code == 0
    assert sorted(column(folder.work / "rows.csv", "qid", ",")) == sorted(map(cell, QIDS))


def test_disagreements(folder: Folder, command: Command) -> None:
    for name, label in (("scholar", "VALID"), ("auditor", "REJECT")):
        folder.write(f"{name}.jsonl", [{"qid": qid, "label": label} for qid in QIDS])
    ran = command(
        *("agreement", "--scholar", "scholar.jsonl", "--auditor", "auditor.jsonl"),
        *("-o", "apart.tsv"),
    )
    assert ran.code != 2, ran.err
    written = (folder.work / "apart.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert sorted(line.split("\t")[0] for line in written) == sorted(map(cell, QIDS))


def test_rows_of_a_system(folder: Folder, command: Command) -> None:
    folder.write("results.jsonl", [{"qid": qid, "doc_ids": ["d1"]} for qid in QIDS])
    folder.write("reference.jsonl", [{"qid": qid, "document_ids": ["d1"]} for qid in QIDS])
    ran = command(
        *("context", "--results", "results.jsonl", "--reference", "reference.jsonl"),
        *("-o", "written/"),
    )
    assert ran.code != 2, ran.err
    (path,) = (folder.work / "written").glob("*.rows.tsv")
    assert sorted(column(path, "qid", "\t")) == sorted(map(cell, QIDS))
