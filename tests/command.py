"""Runs the command: in this process where that is enough, else as a process of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace, write_jsonl

from ragstone.cli.main import main

QUESTIONS = (gold("A1", tags=["a", "b"], level=1), gold("A2", answerable=False, tags=["b"]))
ANSWERS = (trace("A1"), refusal("A2"))
_NOBODY = 65534
INPUTS = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")


@dataclass(frozen=True, slots=True)
class Ran:
    """How one run ended, and what it printed."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


class Folder:
    """A user's folder: commands run in `work`, where the files are, with `scratch` as TMPDIR."""

    def __init__(self, root: Path) -> None:
        self.work, self.scratch = root / "work", root / "scratch"
        self.work.mkdir()
        self.scratch.mkdir()

    def write(self, name: str, content: bytes | str | Iterable[Mapping[str, Any]]) -> Path:
        """A file of bytes, of text, or of one object a line."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = content.encode()
        if isinstance(content, bytes):
            path.write_bytes(content)
            return path
        return write_jsonl(path, content)

    def fill(self) -> None:
        """Two questions, answered rightly: a run of `score` passes every gate."""
        self.write("gold.jsonl", QUESTIONS)
        self.write("trace.jsonl", ANSWERS)

    def files(self) -> set[str]:
        """Every file in the folder and in the scratch folder, by its path from their root."""
        root = self.work.parent
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@contextlib.contextmanager
def nobody_special(folder: Folder) -> Iterator[None]:
    """Inside, this process may read and write no more than any user may; root may do all."""
    if os.geteuid() != 0:
        yield
        return
    folder.scratch.chmod(0o777)
    # The way to the folder is opened, for its name alone; pytest keeps it for its user.
    for above in (folder.work.parent, *folder.work.parent.parents):
        if above.stat().st_mode & 0o011 != 0o011:
            above.chmod(above.stat().st_mode | 0o011)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


class Command:
    """The command in this process, in the folder."""

    def __init__(
        self,
        folder: Folder,
        monkeypatch: pytest.MonkeyPatch,
        capture: pytest.CaptureFixture[bytes],
    ) -> None:
        monkeypatch.chdir(folder.work)
        monkeypatch.setattr(tempfile, "tempdir", str(folder.scratch))
        self.folder, self.monkeypatch, self.capture = folder, monkeypatch, capture

    def __call__(self, *words: str, stdin: bytes = b"") -> Ran:
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self.capture.readouterr()
        try:
            code: object = main(words)
        except SystemExit as end:
            code = end.code
        printed = self.capture.readouterr()
        return Ran(int(str(code or 0)), printed.out, printed.err.decode())

    def score(self, *words: str, stdin: bytes = b"") -> Ran:
        return self("score", *INPUTS, *words, stdin=stdin)


class Process:
    """The command as a process of its own, in the folder."""

    argv = (sys.executable, "-m", "ragstone")

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    @property
    def environment(self) -> dict[str, str]:
        # Unbuffered output would hide what a buffer still holds when the reader has gone.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        return {**kept, "TMPDIR": str(self.folder.scratch)}

    def __call__(
        self,
        *words: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        ran = subprocess.run(
            [*self.argv, *words],
            input=stdin,
            capture_output=True,
            cwd=cwd or self.folder.work,
            env={**self.environment, **(env or {})},
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr.decode())

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """A run that goes on, with pipes at all three ends."""
        return subprocess.Popen(
            [*self.argv, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder.work,
            env=self.environment,
        )
