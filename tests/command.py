"""Runs the command: in this process where that is enough, else as a process of its own."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from builders import Record, gold, refusal, trace, write_jsonl

from ragstone import progress, score_eval
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
    # Not every machine lets everybody write into its folder for temporary files.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder.scratch))
        os.seteuid(_NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)


def ragstone(*words: str | Path, cwd: Path | None = None, stdin: bytes = b"") -> Ran:
    """One command line in this process, which saves the start of a Python; files are in `cwd`."""
    given, out, err = (
        io.TextIOWrapper(io.BytesIO(held), encoding="utf-8") for held in (stdin, b"", b"")
    )
    with (
        contextlib.nullcontext() if cwd is None else contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "stdin", given)
        # Work of ten seconds says how far it is, and on a busy machine any work may take so long.
        patch.setattr(progress, "BETWEEN_LINES", math.inf)
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        out.flush()
        err.flush()
    return Ran(code, out.buffer.getvalue(), err.buffer.getvalue().decode())  # type: ignore[attr-defined]


class Command:
    """The command in this process, in the folder."""

    def __init__(self, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder.work)
        monkeypatch.setattr(tempfile, "tempdir", str(folder.scratch))
        self.folder, self.monkeypatch = folder, monkeypatch

    def __call__(self, *words: str, stdin: bytes = b"") -> Ran:
        return ragstone(*words, stdin=stdin)

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


class OnceAProcess(Process):
    """Each command as a process when it is asked for first, and in this process from then on.

    The figures and the bytes are the same, and a process takes ten times as long.
    """

    _started: ClassVar[set[str]] = set()

    def __call__(self, *words: str, **more: Any) -> Ran:
        if more or words[0] not in self._started:
            self._started.add(words[0])
            return super().__call__(*words, **more)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(self.folder.scratch))
            return ragstone(*words, cwd=self.folder.work)


class Scorer:
    """`score_eval.main` in this process with its two files; `main` gives code, stdout, stderr."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.gold, self.trace = folder / "gold.jsonl", folder / "trace.jsonl"
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def write(self, items: Sequence[Record], traces: Sequence[Record]) -> list[str]:
        write_jsonl(self.gold, items)
        write_jsonl(self.trace, traces)
        return ["--gold", str(self.gold), "--trace", str(self.trace)]

    def main(self, *words: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr(sys, "argv", ["score_eval.py", *words])
        with pytest.raises(SystemExit) as ended:
            score_eval.main()
        printed = self.capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    def __call__(
        self, items: Sequence[Record], traces: Sequence[Record], *options: str
    ) -> dict[str, Any]:
        code, out, err = self.main(*self.write(items, traces), *options)
        result: dict[str, Any] = json.loads(out)
        assert err == ""
        assert code == (0 if result["pass"] else 1)
        return result


def at_a_terminal(ragstone: Process, words: Sequence[str], keys: bytes) -> tuple[str, int]:
    """What a person at a terminal sees who types these keys, and the exit code."""
    pty = pytest.importorskip("pty")
    line = [sys.executable, "-m", "ragstone", *words]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ragstone.folder.work)
        os.execve(line[0], line, ragstone.environment)
    os.write(terminal, keys)
    seen = b""
    # Linux says with an error that the other end of the terminal was closed.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            seen += part
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return seen.decode(), os.waitstatus_to_exitcode(status)
