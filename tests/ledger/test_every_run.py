"""What must hold of the recorded runs of every suite: made again they are the same bytes, one
changed byte is found and named, and other gates give what scoring with them would have given."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from command import Ran, ragstone
from long_runs import each_once
from once_a_session import ran_once
from test_every_suite import JUDGING, ONE_EACH, cases

from ragstone.suites.registry import find_suite

STORED = ("report.json", "report.html", "state.json", "rows.parquet", "files.json")


def the(command: str, folder: Path, *words: str) -> Ran:
    return ragstone(*command.split(), *words, "--no-config", cwd=folder)


class Recorded:
    """A folder for each command that judges, with its inputs and a ledger of its one run.

    A worker that is asked for it takes a copy of the one that all share.
    """

    def __init__(self, root: Callable[[str], Path]) -> None:
        self._root, self._folders = root, dict[str, Path]()

    def __getitem__(self, case: str) -> Path:
        if case not in self._folders:
            folder = self._root("recorded") / "files"
            words = (*JUDGING[case], "--no-config", "--json", "--quiet", "--record")
            ran, shared = ran_once(*words)
            assert ran.code in (0, 1, 3), ran.err
            assert ran.err == ""
            self._folders[case] = shutil.copytree(shared, folder)
        return self._folders[case]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory.mktemp)


def run_of(folder: Path) -> Path:
    (found,) = (folder / ".ragstone" / "runs").iterdir()
    return found


@pytest.mark.parametrize("case", cases(4))
def test_a_run_made_again_is_the_same_bytes(case: str, recorded: Recorded) -> None:
    folder = recorded[case]
    ran = the("verify last --json", folder)
    assert ran.json["differs"] == []
    assert (ran.code, ran.json["agrees"], ran.json["remarks"]) == (0, True, [])
    assert {path.name for path in run_of(folder).iterdir()} == {*STORED, "seen"}


@pytest.mark.parametrize(("case", "name"), each_once(ONE_EACH.values(), STORED))
def test_a_flipped_byte_of_a_stored_file_is_found_and_named(
    case: str, name: str, recorded: Recorded, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    shutil.copytree(recorded[case], folder)
    path = run_of(folder) / name
    flip(path, len(path.read_bytes()) // 2)
    ran = the(f"verify {run_of(folder).name}", folder)
    if name == "files.json" and ran.code == 2:
        # Without the list of its files a run cannot be told from a damaged one.
        assert f"{name} is damaged" in ran.err
    else:
        assert ran.code == 1
        assert name == "files.json" or f"{name} was changed after it was recorded" in ran.text


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("case", ONE_EACH.values())
def test_a_changed_input_is_found_and_named(case: str, recorded: Recorded, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    shutil.copytree(recorded[case], folder)
    (seen,) = (run_of(folder) / "seen").iterdir()
    held = json.loads(seen.read_bytes())["held"]
    (inputs,) = (each["inputs"] for each in held.values())
    name, kept = next(iter(inputs.items()))
    path = folder / kept["files"][0]["path"]
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    ran = the("verify last", folder)
    assert ran.code == 1, ran.text
    assert f"{name}: {path} has changed since it was recorded" in ran.text
    path.unlink()
    ran = the("verify last", folder)
    assert (ran.code, f"{name}: {path} is gone" in ran.text) == (1, True)


@pytest.mark.parametrize("case", cases(4))
def test_other_gates_give_what_scoring_with_them_gives(case: str, recorded: Recorded) -> None:
    folder = recorded[case]
    before = json.loads((run_of(folder) / "report.json").read_bytes())
    changed = changed_gates(before)
    if not changed:
        return
    scored = ragstone(*JUDGING[case], "--no-config", "--json", "--gates", *changed, cwd=folder).json
    regated = the("regate last --json --gates", folder, *changed)
    assert gates(regated.json) == gates(scored)
    assert regated.json["decision"] == scored["decision"]
    assert regated.json["metrics"] == before["metrics"]
    for flip in regated.json["flips"]:
        assert flip["gate"] in scored["gates"]


def changed_gates(report: dict[str, Any]) -> list[str]:
    """A threshold beyond each gate's value, and a gate on a number that has none."""
    changed = [
        f"{gate['metric']}{gate['op']}{gate['value'] + (0.01 if gate['status'] == 'PASS' else 0)}"
        for gate in report["gates"].values()
        if gate["value"] is not None and gate["metric"] in report["metrics"]
    ]
    gated = {gate["metric"] for gate in report["gates"].values()}
    plain = [
        name
        for name, found in report["metrics"].items()
        if name not in gated and found["value"] is not None and found["kind"] == "ratio"
    ]
    # A suite that judges in its own way needs the rows themselves for a gate that was not there.
    new = plain[:1] if find_suite(report["suite"]).judge is None else []
    return [*changed, *(f"{name}=0.5" for name in new)]


def gates(report: dict[str, Any]) -> dict[str, Any]:
    names = ("metric", "threshold", "op", "value", "status", "proven", "interval")
    return {name: {key: gate[key] for key in names} for name, gate in report["gates"].items()}


@pytest.mark.parametrize("case", ONE_EACH.values())
def test_a_run_is_shown_again_as_it_was(case: str, recorded: Recorded) -> None:
    folder = recorded[case]
    # All of the report: when it was made takes a line of the summary.
    words = (*JUDGING[case], "--no-config", "--report-texts", "clip", "-v")
    state = ragstone(*words, cwd=folder)
    shown = the("render last -v", folder)
    assert shown.code == 0
    (came,) = [line for line in shown.text.splitlines() if line.startswith("recorded 2")]
    without = [line for line in shown.text.splitlines() if line != came]
    told = state.text.splitlines()
    # The digest covers how much of the texts a report shows, and the ledger shows less of them.
    digest = re.compile("[0-9a-f]{64}")
    assert [digest.sub("", line) for line in without] == [digest.sub("", line) for line in told]


def test_the_rows_of_all_suites_are_one_table_to_duckdb(recorded: Recorded) -> None:
    runs = [
        str(folder / ".ragstone/runs/**/rows.parquet")
        for folder in map(recorded.__getitem__, ONE_EACH.values())
    ]
    rows = duckdb.sql(f"select arm, qid, filename from read_parquet({runs}, union_by_name=true)")
    assert len({row[2] for row in rows.fetchall()}) == len(ONE_EACH)


def test_the_recordings_of_all_suites_are_one_table_to_duckdb(recorded: Recorded) -> None:
    seen = [
        str(folder / ".ragstone/runs/*/seen/*.json")
        for folder in map(recorded.__getitem__, ONE_EACH.values())
    ]
    found = duckdb.sql(
        f'select run, suite, decision, "at"::varchar from read_json({seen}, union_by_name=true)'
    ).fetchall()
    assert len(found) == len(ONE_EACH)
    assert all(run and suite and at for run, suite, _, at in found)
