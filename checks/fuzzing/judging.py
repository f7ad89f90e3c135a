"""Runs one case, inside this process or as a process of its own, and says what is wrong with it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzzing.cases import Case
from fuzzing.good_inputs import write
from fuzzing.peer import serving
from fuzzing.strict_reader import Verdict

_FAULT = "a fault in ragstone"
# The scorer that `ragstone vendor` copies is a program of its own.
_SCORER = "score_eval"
_TRACEBACK = "Traceback (most recent call last)"
# Nothing is scored where two inputs have nothing in common; that is no verdict on a line.
_NO_VERDICT = ("share no question", "no line of")


@dataclass(frozen=True)
class Ran:
    """How a run ended: its exit code, what it printed, and which files it made or changed."""

    code: int
    out: bytes
    err: str
    changed: tuple[str, ...] = ()


def run(case: Case, root: Path, *, apart: bool, limit: float) -> Ran:
    """The case in an empty folder below `root`; `apart` is a process of its own."""
    with tempfile.TemporaryDirectory(dir=root) as name:
        work, scratch = Path(name, "work"), Path(name, "scratch")
        work.mkdir()
        scratch.mkdir()
        write(work, case.files)
        before = _contents(work)
        if case.call:
            ran = _called(case)
        else:
            with serving(case.reply) if case.reply else contextlib.nullcontext(0) as port:
                words = [word.replace("{port}", str(port)) for word in case.words]
                if apart:
                    ran = _apart(words, case.stdin, work, scratch, limit)
                else:
                    ran = _inside(words, case.stdin, work, scratch)
        after = _contents(work)
    changed = sorted(name for name in after if after[name] != before.get(name))
    return Ran(ran.code, ran.out, ran.err, tuple(changed))


def _contents(folder: Path) -> dict[str, str]:
    files = (
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _inside(words: list[str], stdin: bytes, work: Path, scratch: Path) -> Ran:
    """The command in this process, with the case's folder, temporary folder and streams."""
    from ragstone import score_eval
    from ragstone.cli.main import main

    raw, said = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(held, "utf-8", "surrogateescape") for held in (raw, said))
    kept = sys.stdin, sys.argv, tempfile.tempdir, list(sys.path)
    sys.stdin, tempfile.tempdir = io.TextIOWrapper(io.BytesIO(stdin), "utf-8"), str(scratch)
    try:
        with (
            contextlib.chdir(work),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            if words[0] == _SCORER:
                sys.argv = words
                score_eval.main()
            code = main(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc(file=err)
        code = -1
    finally:
        sys.stdin, sys.argv, tempfile.tempdir, sys.path[:] = kept
        # The next case has a pipeline of the same name in another folder.
        sys.modules.pop("pipeline", None)
    out.flush()
    err.flush()
    return Ran(code, raw.getvalue(), said.getvalue().decode("utf-8", "replace"))


def _apart(words: list[str], stdin: bytes, work: Path, scratch: Path, limit: float) -> Ran:
    scorer = words[0] == _SCORER
    program = ["-m", "ragstone.score_eval", *words[1:]] if scorer else ["-m", "ragstone", *words]
    ran = subprocess.run(
        [os.fsencode(word) for word in (sys.executable, *program)],
        input=stdin,
        capture_output=True,
        cwd=work,
        env={**os.environ, "TMPDIR": str(scratch)},
        timeout=limit,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr.decode("utf-8", "replace"))


def _called(case: Case) -> Ran:
    """A call of Python: it gives a report, or raises one of our own errors."""
    import ragstone
    from ragstone.errors import ContractError, RagstoneError

    try:
        if case.call == "answers":
            report = ragstone.answers(*(json.loads(given) for given in case.files.values()))
        else:
            report = getattr(ragstone.Report, case.call)(*case.files.values())
        for kind in ("json", "html", "terminal", "markdown", "junit"):
            report.render(kind)
    except ContractError as error:
        return Ran(error.exit_code, b"", error.render(None))
    except RagstoneError as error:
        return Ran(error.exit_code, b"", f"ragstone: {error}")
    except Exception:
        return Ran(-1, b"", traceback.format_exc())
    return Ran(0, b"", "")


def findings(case: Case, ran: Ran) -> list[str]:
    """Everything that must not be, each as one line."""
    found = []
    if _TRACEBACK in ran.err or _FAULT in ran.err:
        found.append(f"a fault: {_said(ran.err)}")
    if ran.code not in (0, 1, 2, 3):
        found.append(f"exit code {ran.code}: {_said(ran.err)}")
    if ran.code == 2 and ran.out:
        found.append(f"exit 2, and standard output is not empty: {ran.out[:80]!r}")
    if ran.code == 2 and not ran.err.strip():
        found.append("exit 2, and not a word on standard error")
    written = [name for name in ran.changed if not name.endswith(".journal")]
    if ran.code == 2 and written:
        found.append(f"exit 2, and written: {', '.join(written)}")
    if found:
        return found
    for name, lines in case.at_least.items():
        lacking = lines - refused(ran, name)
        if lacking and not (ran.code == 2 and not refused(ran, name)):
            found.append(f"{name}: not JSON, and taken: lines {_some(lacking)}")
    for name, verdict in case.expected.items():
        found += _compared(name, verdict, ran)
        if case.words[:1] == ("check",) and verdict.accepted and ran.code and not found:
            found.append(f"{name}: good, and refused: {_said(ran.err)}")
    return found


def refused(ran: Ran, name: str) -> frozenset[int]:
    """The lines of a file that the messages name."""
    said = re.findall(rf"^{re.escape(name)}:(\d+): ", ran.err, re.MULTILINE)
    return frozenset(map(int, said))


def _compared(name: str, verdict: Verdict, ran: Ran) -> Iterator[str]:
    """How the verdict of the program differs from the strict reader's."""
    lines = refused(ran, name)
    if verdict.lines is None:
        if ran.code != 2:
            yield f"{name}: damaged, and taken with exit {ran.code}"
        return
    if verdict.first_only:
        if not verdict.lines <= lines:
            yield f"{name}: no JSON Lines at all, and line {_some(verdict.lines)} is not refused"
        return
    # One file that is damaged as a whole hides the lines of the other.
    whole = ran.code == 2 and not re.search(r"^\S+:\d+: ", ran.err, re.MULTILINE)
    if verdict.accepted and whole and not any(each in ran.err for each in _NO_VERDICT):
        if f" {name} " in f" {ran.err} ".replace(":", " "):
            yield f"{name}: good, and refused: {_said(ran.err)}"
        return
    if whole and " is damaged" in ran.err:
        return
    missed, wrong = verdict.lines - lines, lines - verdict.lines
    if missed:
        yield f"{name}: bad lines that are not refused (exit {ran.code}): {_some(missed)}"
    if wrong:
        yield f"{name}: good lines that are refused: {_some(wrong)}: {_said(ran.err)}"


def _some(lines: frozenset[int]) -> str:
    shown = sorted(lines)[:8]
    return ", ".join(map(str, shown)) + (f" and {len(lines) - 8} more" if len(lines) > 8 else "")


def _said(text: str) -> str:
    """The line of an error output that says most: the last of a traceback, else the first."""
    lines = [line for line in text.splitlines() if line.strip()] or ["(nothing)"]
    return (lines[-1] if _TRACEBACK in text else lines[0])[:300]
