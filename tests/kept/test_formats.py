"""What `docs/versions.md` promises, held by what was kept: format 1 of everything.

Rows, reports and states of an earlier version are read; flags, calls and exit codes are still
there. What a later version adds is its own affair.
"""

from __future__ import annotations

import inspect
import json
import math
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder

import ragstone
from ragstone.cli.completion import places
from ragstone.cli.main import commands, parser_of
from ragstone.report.formats import FORMATS

KEPT = Path(__file__).parent
FORMAT_1 = KEPT / "format_1"
PAGE = (KEPT.parents[1] / "docs" / "versions.md").read_text(encoding="utf-8")
# Metrics that a later version declares in another way on purpose, by the name of the rows, and why.
REDECLARED: dict[str, dict[str, str]] = {}
SUITES = ("answers", "ships", "retrieval")
CODES: list[dict[str, Any]] = tomllib.loads((FORMAT_1 / "exit_codes.toml").read_text())["command"]


def kept(name: str) -> Any:
    folder = FORMAT_1 if (FORMAT_1 / name).exists() else KEPT / "reports"
    return json.loads((folder / name).read_bytes())


@pytest.fixture
def files(folder: Folder) -> Folder:
    """A folder with a copy of every kept input, and of what was written in format 1."""
    shutil.copytree(KEPT / "files", folder.work, dirs_exist_ok=True)
    for each in (FORMAT_1, KEPT / "reports"):
        shutil.copytree(each, folder.work / "kept", dirs_exist_ok=True)
    return folder


# Rows


def differences(report: dict[str, Any]) -> dict[str, list[float | None]]:
    found = report["difference"]
    return {name: [each[side] for side in ("a", "b", "value")] for name, each in found.items()}


@pytest.mark.parametrize("kind", ["parquet", "json"])
def test_kept_rows_are_compared_as_they_were(files: Folder, command: Command, kind: str) -> None:
    ran = command("compare", f"kept/answers.{kind}", f"kept/ships.{kind}", "--no-config", "--json")
    assert ran.code == 0, ran.err
    before = kept("compare.json")
    fresh = differences(ran.json)
    for name, numbers in differences(before).items():
        pairs = zip(numbers, fresh[name], strict=True)
        assert all(a == b or (a and b and math.isclose(a, b)) for a, b in pairs), name
    for turned in ("broke", "mended", "only_a", "only_b"):
        names = [[row["qid"] for row in each[turned]] for each in (before, ran.json)]
        assert names[0] == names[1]
    assert ran.json["gold"]["equal"] == before["gold"]["equal"] > 0


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("score --gold gold.jsonl --trace trace.jsonl --by tags level", "answers"),
        ("score --gold gold.jsonl --trace good.jsonl --by tags level", "ships"),
        (
            "retrieval --gold retrieval_gold.jsonl --log live.jsonl --manifest manifest.jsonl",
            "retrieval",
        ),
    ],
)
def test_a_run_of_today_is_compared_with_kept_rows(
    files: Folder, command: Command, words: str, rows: str
) -> None:
    baseline = ("--baseline", f"kept/{rows}.parquet")
    found = command(*words.split(), *baseline, "--no-config", "--json").json["comparison"]
    # The same inputs: every gold item is known again, and nothing broke.
    changed = [found["gold"][name] for name in ("added", "removed", "changed")]
    assert (changed, found["broke_total"], found["mended_total"]) == ([0, 0, 0], 0, 0)
    assert found["gold"]["equal"] > 0
    assert {each["value"] for each in found["difference"].values()} <= {0.0, None}
    assert set(found["dropped"]) == set(REDECLARED.get(rows, {}))


def test_rows_of_another_format_are_refused(files: Folder, command: Command) -> None:
    path = files.work / "kept" / "answers.parquet"
    held = path.read_bytes()
    assert held.count(b'{"format": 1,') == 1
    path.write_bytes(held.replace(b'{"format": 1,', b'{"format": 9,'))
    ran = command("compare", "kept/answers.parquet", "kept/ships.parquet", "--no-config")
    assert (ran.code, ran.text) == (2, "")
    assert "has rows of format 9, and this version reads 1" in ran.err


# Reports


@pytest.mark.parametrize("name", [*SUITES, "gate", "compare"])
def test_a_kept_report_is_read(name: str) -> None:
    before = kept(f"{name}.json")
    report = ragstone.Report.from_json(json.dumps(before))
    again = report.to_dict()
    for key, value in before.items():
        assert again[key] == value, key
    assert report.decision == before["decision"]


STATE = next((FORMAT_1 / "ledger" / "runs").glob("*/state.json"))


@pytest.mark.parametrize("format", FORMATS)
def test_a_kept_state_renders_in_every_format(format: str) -> None:
    before = json.loads(STATE.read_bytes())["state"]
    report = ragstone.Report.from_state(STATE.read_bytes())
    assert report.digest == before["digest"]
    assert report.digest[:12] in report.render(format) or format in ("terminal", "github")
    assert len(report.blocks) == len(before["blocks"]) > 0


@pytest.mark.parametrize("read", [ragstone.Report.from_json, ragstone.Report.from_state])
def test_a_report_of_another_format_is_refused(read: Any) -> None:
    whole = (
        kept("answers.json")
        if read is ragstone.Report.from_json
        else json.loads(STATE.read_bytes())
    )
    with pytest.raises(ragstone.InputError, match="has format 9, and this version reads 1"):
        read(json.dumps({**whole, "format": 9}))


# What people and programs type


@pytest.mark.parametrize("case", CODES, ids=lambda case: f"{case['code']}: {case['why']}")
def test_a_command_ends_with_the_code_it_had(
    files: Folder, command: Command, case: dict[str, Any]
) -> None:
    ran = command(*case["words"].split(), "--no-config")
    assert ran.code == case["code"], ran.err
    # Nothing on standard output looks like a result where nothing was scored.
    assert (ran.text == "") is (case["code"] == 2)


def test_every_exit_code_is_kept() -> None:
    assert {case["code"] for case in CODES} == {0, 1, 2, 3}


def test_every_flag_of_every_command_is_still_there() -> None:
    now = {
        place.name: {name for flag in place.flags for name in flag.names}
        for place in places(commands(), parser_of)
    }
    gone = {name: set(flags) - now.get(name, set()) for name, flags in kept("flags.json").items()}
    assert {name: flags for name, flags in gone.items() if flags} == {}


def test_every_call_still_takes_what_it_took() -> None:
    for name, parameters in kept("calls.json").items():
        found = getattr(ragstone, name)
        if parameters is not None:
            now = list(inspect.signature(found).parameters)
            assert [each for each in parameters if each not in now] == [], name
            # What is given by position stays in its place.
            required = [each for each in parameters if each in now][:2]
            assert [each for each in now if each in required] == required, name


# The page


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/.]+)`(?:, `(test_\w+)`)?", PAGE)
    assert named
    for path, test in named:
        where = KEPT.parents[1] / path
        assert where.exists(), path
        if test:
            assert f"def {test}(" in where.read_text(encoding="utf-8"), test


def test_everything_that_is_kept_is_read_by_a_test() -> None:
    tests = sorted(KEPT.glob("test_*.py"))
    text = "".join(path.read_text(encoding="utf-8") for path in tests)
    for path in FORMAT_1.iterdir():
        name = path.name
        stem = name.split(".")[0]
        assert name in text or f'"{stem}"' in text, name
