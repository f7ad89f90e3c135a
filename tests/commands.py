"""Runs a command line of `ragstone`, in this process or as one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


def ragstone(*words: str | Path, cwd: Path | None = None) -> Ran:
    """One command line in this process, which saves the start of a Python; files are in `cwd`."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    err = io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main([str(word) for word in words])
        out.flush()
    return Ran(code, out.buffer.getvalue().decode(), err.getvalue())  # type: ignore[attr-defined]


def process(*words: str | Path, cwd: Path | None = None) -> Ran:
    """The same as a user runs it: for what imports the user's own code."""
    ran = subprocess.run(
        [sys.executable, "-m", "ragstone", *map(str, words)],
        capture_output=True,
        check=False,
        cwd=cwd,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
