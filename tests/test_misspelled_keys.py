"""A misspelled key is refused by every reader: in files of every form, and by every command."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import ragstone
from packing import zstd

import ragstone as rs
from ragstone.engine.duck import Duck

Lines = list[dict[str, Any]]
Written = Callable[[Path, Lines], Path]

ITEM = {"answerable": True, "gold_claim_substr": ["rejects"], "gold_citations": ["p1#2"]}
SAID = {"claim": "X rejects null keys.", "citations": ["p1#2"]}


def gold(count: int) -> Lines:
    return [{"qid": f"A{n}", "question": f"Why {n}?", **ITEM} for n in range(count)]


def traces(count: int) -> Lines:
    return [
        {"qid": f"A{n}", "retrieved_ids": ["p1#2"], "answer_json": dict(SAID)} for n in range(count)
    ]


def jsonl(path: Path, lines: Lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def array(path: Path, lines: Lines) -> Path:
    path.write_text(json.dumps(lines))
    return path


def packed(path: Path, lines: Lines) -> Path:
    plain = jsonl(path, lines).read_bytes()
    path = path.with_suffix(".jsonl.gz")
    path.write_bytes(gzip.compress(plain))
    return path


def zstandard(path: Path, lines: Lines) -> Path:
    plain = jsonl(path, lines).read_bytes()
    path = path.with_suffix(".jsonl.zst")
    path.write_bytes(zstd(plain))
    return path


def parquet(path: Path, lines: Lines) -> Path:
    plain, path = jsonl(path, lines), path.with_suffix(".parquet")
    with Duck() as duck:
        duck.run(f"copy (from read_json('{plain}')) to '{path}' (format parquet)")
    return path


def in_folder(path: Path, lines: Lines) -> Path:
    folder = path.with_suffix("")
    folder.mkdir()
    jsonl(folder / "part-0.jsonl", lines[: len(lines) // 2])
    jsonl(folder / "part-1.jsonl", lines[len(lines) // 2 :])
    return folder


FORMS: dict[str, Written] = {
    "lines": jsonl,
    "array": array,
    "gz": packed,
    "zst": zstandard,
    "parquet": parquet,
    "folder": in_folder,
}
# How many lines, and which is wrong: the check in SQL learns from some lines of a large file, and a
# mistake may be among them or not.
GOLD_FILES = [("lines", 3, 1), *((form, 4000, 1) for form in FORMS)]
TRACE_FILES = [("lines", 4000, 1), *((form, 4000, 3333) for form in FORMS)]


def renamed(line: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in line.items()}


@pytest.mark.parametrize(("form", "count", "at"), GOLD_FILES)
def test_a_misspelled_key_of_gold_is_refused_in_files_of_every_form(
    form: str, count: int, at: int, tmp_path: Path
) -> None:
    lines = gold(count)
    lines[at] = renamed(lines[at], "gold_claim_substr", "gold_claim_substring")
    file = FORMS[form](tmp_path / "gold.jsonl", lines)
    trace = jsonl(tmp_path / "trace.jsonl", traces(count))
    ran = ragstone("score", "--gold", file, "--trace", trace, "--no-config", cwd=tmp_path)
    assert ran.code == 2
    assert ": gold_claim_substring: " in ran.err
    assert "gold_claim_substr" in ran.err
    assert "--allow-key gold_claim_substring" in ran.err
    assert ran.err.count("gold_claim_substring: ") == 1


@pytest.mark.parametrize(("form", "count", "at"), TRACE_FILES)
def test_a_misspelled_key_of_a_trace_is_refused_in_files_of_every_form(
    form: str, count: int, at: int, tmp_path: Path
) -> None:
    lines = traces(count)
    lines[at]["answer_json"] = {"claim": "X rejects.", "citatons": ["p1#2"]}
    file = FORMS[form](tmp_path / "trace.jsonl", lines)
    there = jsonl(tmp_path / "gold.jsonl", gold(count))
    words = ["score", "--gold", there, "--trace", file, "--no-config"]
    ran = ragstone(*words, cwd=tmp_path)
    assert (ran.code, ran.err.count("answer_json.citatons: ")) == (2, 1), ran.err
    allowed = ragstone(*words, "--allow-key", "answer_json.citatons", "--json", cwd=tmp_path)
    assert allowed.code in (0, 1), allowed.err
    assert json.loads(allowed.out)["metrics"]["chr"]["numerator"] == count - 1


@pytest.mark.parametrize("form", ["lines", "parquet"])
def test_a_key_beside_its_field_is_no_mistake(form: str, tmp_path: Path) -> None:
    lines = [{**line, "Gold_Citations": 7, "gold_citatons": ["p9"]} for line in gold(4000)]
    file = FORMS[form](tmp_path / "gold.jsonl", lines)
    assert ragstone("check", "--as", "gold", file, cwd=tmp_path).code == 0
    lines[3000] = {key: v for key, v in lines[3000].items() if key != "gold_citations"}
    shutil.rmtree(file) if file.is_dir() else file.unlink()
    file = FORMS[form](tmp_path / "gold.jsonl", lines)
    assert ragstone("check", "--as", "gold", file, cwd=tmp_path).code == 2


def test_columns_of_a_table_are_keys(tmp_path: Path) -> None:
    for ending, mark in (("csv", ","), ("tsv", "\t")):
        file = tmp_path / f"gold.{ending}"
        cells = (["qid", "answerable", "Question"], ["A1", "true", "Why?"])
        file.write_text("".join(mark.join(row) + "\n" for row in cells))
        ran = ragstone("check", "--as", "gold", file, cwd=tmp_path)
        assert ran.code == 2
        assert "Question: no field" in ran.err


@pytest.fixture
def slip(tmp_path: Path) -> Path:
    """A folder whose gold has a misspelled key."""
    lines = [renamed(line, "gold_claim_substr", "gold_claim_substring") for line in gold(3)]
    jsonl(tmp_path / "gold.jsonl", lines)
    jsonl(tmp_path / "trace.jsonl", traces(3))
    (tmp_path / "ragstone.toml").write_text(
        '[paths]\ngold = "gold.jsonl"\ntrace = "trace.jsonl"\n[answers]\n'
    )
    return tmp_path


COMMANDS = {
    "check": ["check", "gold.jsonl"],
    "score": ["score"],
    "gate": ["gate"],
    "compare": ["compare", "--gold", "gold.jsonl", "trace.jsonl", "trace.jsonl"],
    "power": ["power"],
    "lint": ["gold", "lint"],
    "type": ["gold", "type", "gold.jsonl"],
    "freeze": ["gold", "freeze", "--who", "Ada", "--why", "read"],
    "in parts": ["score", "--memory", "500MB"],
    "run": ["run", "--target", "cmd:cat", "-o", "out.jsonl"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_refuses_it_unless_the_user_allows_it(name: str, slip: Path) -> None:
    ran = ragstone(*COMMANDS[name], cwd=slip)
    assert ran.code == 2
    assert "gold.jsonl:1: gold_claim_substring: no field is called so" in ran.err
    with (slip / "ragstone.toml").open("a") as file:
        file.write('[contracts]\nallow = ["gold_claim_substring"]\n')
    assert "gold_claim_substring: " not in ragstone(*COMMANDS[name], cwd=slip).err


def test_a_call_in_python_refuses_it(slip: Path) -> None:
    paths = {"gold": str(slip / "gold.jsonl"), "trace": str(slip / "trace.jsonl")}
    with pytest.raises(rs.ContractError, match="gold_claim_substring"):
        rs.score(**paths)
    assert rs.score(**paths, allow_key=["gold_claim_substring"]).passed
