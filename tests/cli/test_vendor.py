"""`ragstone vendor`: the one-file scorer, copied."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from command import INPUTS, Command, Folder

from ragstone import score_eval


def test_the_copy_runs_on_its_own_and_agrees(command: Command, folder: Folder) -> None:
    folder.fill()
    ran = command("vendor")
    assert (ran.code, ran.err) == (0, "")
    copy = folder.work / "score_eval.py"
    assert copy.read_text() == Path(score_eval.__file__).read_text()
    alone = subprocess.run(
        [sys.executable, "-I", "-S", str(copy), *INPUTS],
        capture_output=True,
        cwd=folder.work,
        check=True,
    )
    found, engine = json.loads(alone.stdout), command.score("--json").json
    assert found["pass"] is True
    for name in ("answered", "refused", "precision", "chr", "under_refusal", "recall@k"):
        assert found[name] == engine[name]


def test_it_replaces_a_file_that_differs_only_when_told_to(
    command: Command, folder: Folder
) -> None:
    (folder.work / "tools").mkdir()
    copy = folder.work / "tools" / "score_eval.py"
    assert command("vendor", "tools").code == 0
    assert command("vendor", "tools").text == "tools/score_eval.py is up to date\n"
    copy.write_text("mine")
    ran = command("vendor", "tools")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err == "ragstone: tools/score_eval.py exists and differs; --force replaces it\n"
    assert copy.read_text() == "mine"
    assert command("vendor", "tools", "--force").code == 0
    assert copy.read_text() != "mine"


def test_the_folder_must_be_there(command: Command) -> None:
    ran = command("vendor", "nowhere")
    assert (ran.code, ran.err) == (2, "ragstone: the folder nowhere does not exist\n")
