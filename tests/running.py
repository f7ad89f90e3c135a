"""Runs `ragstone run` in this process or as a process of its own, and reads what it wrote."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command import Process

from ragstone.cli.main import main

Line = dict[str, Any]


def lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written_in(folder: Path, *, besides: str) -> str:
    """All that stands in a folder's files. Byte code is Python's, and not text."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return "".join(p.read_text() for p in files if p.name != besides and p.suffix != ".pyc")


def words(gold: Path, target: str, output: Path, *more: str) -> list[str]:
    given = ["--gold", str(gold), "--target", target, "-o", str(output)]
    return ["run", "--no-config", *given, "--quiet", *more]


def run(gold: Path, target: str, output: Path, *more: str) -> list[Line]:
    """The finished file's lines, of a run that must end with 0 only if all of them are answers.

    Where nothing was answered no file is written, and the lines are those of the journal.
    """
    before = output.read_bytes() if output.exists() else None
    code = main(words(gold, target, output, *more))
    replies = replies_in(output)
    if replies and all("error" in line for line in replies):
        assert (output.read_bytes() if output.exists() else None) == before
        assert code == 3
        return replies
    found = lines(output)
    assert code == (3 if any("error" in line for line in found) else 0)
    return found


def replies_in(output: Path) -> list[Line]:
    """The last reply on record to each question, in the order of their ids."""
    entries = [line for line in lines(Path(f"{output}.journal")) if "key" in line]
    latest = {entry["key"]: {**entry["record"], **entry.get("measured", {})} for entry in entries}
    return sorted(latest.values(), key=lambda line: str(line["qid"]))


def until(condition: Callable[[], bool], running: subprocess.Popen[str]) -> None:
    """Waits until it holds, or the process has ended; a minute is a failure, not a measurement."""
    deadline = time.monotonic() + 60
    while running.poll() is None and not condition():
        assert time.monotonic() < deadline, "the run never came so far"
        time.sleep(0.0005)


def start(gold: Path, target: str, output: Path, *more: str) -> subprocess.Popen[str]:
    """The same as a process, in the folder of the output."""
    return subprocess.Popen(
        [*Process.argv, *words(gold, target, output, *more)],
        cwd=output.parent,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
