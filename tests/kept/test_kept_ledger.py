"""A ledger and a lock that were kept: they are still read, and mean the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import Command, Folder

from ragstone.report.formats import FORMATS

KEPT = Path(__file__).parent


@pytest.fixture
def user(folder: Folder, command: Command) -> Command:
    """A folder with the inputs of that time, the ledger of one accepted run, and the lock."""
    shutil.copytree(KEPT / "files", folder.work, dirs_exist_ok=True)
    shutil.copytree(KEPT / "format_1" / "ledger", folder.work / ".ragstone")
    shutil.copy(KEPT / "format_1" / "gold.lock", folder.work / "gold.lock")
    return command


def digest(user: Command) -> str:
    (run,) = (user.folder.work / ".ragstone" / "runs").iterdir()
    return run.name


def test_a_kept_recording_is_listed(user: Command) -> None:
    ran = user("runs", "--json", "--no-config")
    assert (ran.code, ran.err) == (0, "")
    (found,) = ran.json["recordings"]
    report = json.loads((KEPT / "reports" / "answers.json").read_bytes())
    assert (found["run"], found["names"]) == (digest(user), ["main"])
    assert (found["decision"], found["labels"], found["version"]) == (
        "FAIL",
        {"model": "v1"},
        report["version"],
    )
    assert user("trend", "--json", "--no-config").code == 0


@pytest.mark.parametrize("kind", FORMATS)
def test_a_kept_run_is_shown_again(user: Command, kind: str) -> None:
    ran = user("render", "main", "-f", kind, "--no-config")
    assert (ran.code, ran.err.replace("ragstone: warning", "")[:1] in ("", ":")) == (0, True)
    if kind == "json":
        before = json.loads((KEPT / "reports" / "answers.json").read_bytes())
        assert ran.json["gates"].keys() == before["gates"].keys()


def test_a_kept_run_is_judged_again_and_compared_with(user: Command) -> None:
    regated = user("regate", "main", "--gates", "precision=0.5", "--json", "--no-config")
    assert regated.json["gates"]["precision"]["status"] == "PASS"
    words = ("--gold", "gold.jsonl", "--trace", "good.jsonl", "--no-config", "--json")
    compared = user("score", *words, "--baseline", "main")
    assert compared.json["comparison"]["a"]["name"] == "main"
    assert compared.json["comparison"]["mended"]


def test_a_kept_lock_says_whether_gold_is_as_it_was_frozen(user: Command) -> None:
    assert user("gold", "verify", "gold.jsonl", "--no-config").code == 0
    path = user.folder.work / "gold.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    assert user("gold", "verify", "gold.jsonl", "--no-config").code == 1


@pytest.mark.parametrize("name", ["names/main.json", "runs/*/files.json", "runs/*/seen/*.json"])
def test_a_file_of_a_later_format_is_refused_and_not_misread(user: Command, name: str) -> None:
    (path,) = (user.folder.work / ".ragstone").glob(name)
    whole = {**json.loads(path.read_bytes()), "format": 2}
    path.write_text(json.dumps(whole), encoding="utf-8")
    ran = user("runs", "show", "main", "--no-config")
    assert (ran.code, ran.out) == (2, b"")
    assert path.name in ran.err
