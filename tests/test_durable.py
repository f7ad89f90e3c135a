"""What a command writes is on the disk before it has its name: a power loss leaves old or new."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from command import INPUTS, Folder, Process
from traced_calls import (
    Call,
    calls_in,
    is_named_for_good,
    new_folders,
    renamed_too_soon,
    renames,
    traced,
)

pytestmark = pytest.mark.python

COMMANDS = {
    "reports": ("score", *INPUTS, "-o", "r.html", "-o", "rows.parquet"),
    "a frozen gold set": ("gold", "freeze", "gold.jsonl", "--who", "Ann", "--why", "read"),
    "an index": ("index", "build", "docs", "-o", "made.index"),
    "a recorded run": ("score", *INPUTS, "--record"),
    "a name of a run": ("runs", "accept", "last", "--name", "main"),
}


def calls_of(ragstone: Process, log: Path, *words: str) -> list[Call]:
    folder = ragstone.folder.work
    line = [*traced(log), *ragstone.argv, *words]
    ran = subprocess.run(
        line, cwd=folder, env=ragstone.environment, capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return calls_in(log, folder)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_file_is_synced_before_it_has_its_name(
    ragstone: Process, folder: Folder, tmp_path: Path, words: tuple[str, ...]
) -> None:
    folder.fill()
    folder.write("docs/a.md", "# Notice\n\nThe notice period is 30 days.\n")
    if words[0] == "runs":
        assert ragstone("score", *INPUTS, "--record").code == 0
    calls = calls_of(ragstone, tmp_path / "calls", *words)
    assert renames(calls, folder.work)
    assert [*renamed_too_soon(calls, folder.work)] == []


@pytest.mark.parametrize("name", ["a recorded run", "a name of a run"])
def test_what_the_ledger_keeps_is_there_for_good(
    ragstone: Process, folder: Folder, tmp_path: Path, name: str
) -> None:
    """The folder of a new name is synced as well: the run cannot vanish with a power loss."""
    folder.fill()
    if name == "a name of a run":
        assert ragstone("score", *INPUTS, "--record").code == 0
    calls = calls_of(ragstone, tmp_path / "calls", *COMMANDS[name])
    end = calls[-1].ends + 1
    kept = folder.work / ".ragstone"
    names = [(call, new) for call, _, new in renames(calls, kept)]
    names += [each for each in new_folders(calls, kept) if ".ragstone-" not in each[1]]
    for call, name in names:
        assert is_named_for_good(calls, call, name, end), name
