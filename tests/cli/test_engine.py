"""`--engine`: what is refused before any Spark is started, or looked for."""

from __future__ import annotations

import sys

import pytest
from command import Command, Folder

ON_SPARK = ("--engine", "spark")
REFUSED = {
    "-o rows.csv": "-o rows.csv needs every row, and from Spark come only those that",
    "-o report.md -o rows.csv": "-o rows.csv needs every row",
    "--record": "--record needs every row",
    "--baseline before.parquet": "--baseline needs every row",
    "--memory 2GB": "memory is a limit for --engine duckdb",
    "--spark-conf ab": "spark_conf 'ab': expected KEY=VALUE",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_had_from_spark(words: str, folder: Folder, command: Command) -> None:
    folder.fill()
    command.score("-o", "before.parquet")
    ran = command.score(*ON_SPARK, *words.split())
    assert (ran.code, ran.out) == (2, b"")
    assert REFUSED[words] in ran.err
    assert not (folder.work / "report.md").exists()


@pytest.mark.parametrize("words", ["--master local[2]", "--spark-conf a=b"])
def test_settings_of_spark_need_spark(words: str, folder: Folder, command: Command) -> None:
    folder.fill()
    ran = command.score(*words.split())
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.endswith("needs --engine spark\n")


def test_a_table_needs_spark(folder: Folder, command: Command) -> None:
    folder.fill()
    ran = command("score", "--gold", "gold.jsonl", "--trace", "table:traces")
    assert ran.code == 2
    assert "trace table:traces is a table of Spark's catalogue; it needs --engine spark" in ran.err


def test_other_suites_are_refused_by_name(folder: Folder, command: Command) -> None:
    folder.fill()
    both = ("--scholar", "trace.jsonl", "--auditor", "trace.jsonl")
    ran = command("agreement", *both, *ON_SPARK)
    assert (ran.code, ran.out) == (2, b"")
    assert "agreement cannot be scored on Spark, but answers, " in ran.err


def test_power_needs_every_row(folder: Folder, command: Command) -> None:
    folder.fill()
    folder.write("ragstone.toml", "[engine]\nname = 'spark'\n")
    ran = command("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl")
    assert (ran.code, ran.out) == (2, b"")
    assert "power needs every row" in ran.err


def test_without_pyspark_a_line_says_how_to_get_it(
    folder: Folder, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.fill()
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    ran = command.score(*ON_SPARK)
    assert (ran.code, ran.out) == (2, b"")
    assert "the engine spark needs a package that is not installed: pip install 'pyspark" in ran.err
