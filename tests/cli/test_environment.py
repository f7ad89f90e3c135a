"""What the system does to a run: signals, little memory, and places that cannot be written."""

from __future__ import annotations

import errno
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import INPUTS, Command, Folder, Process

from ragstone.errors import NoMemory

pytestmark = pytest.mark.python


def waiting(ragstone: Process, folder: Folder, *words: str) -> subprocess.Popen[bytes]:
    """A run that has read its gold set and waits for traces on standard input."""
    process = ragstone.start("score", *INPUTS[:2], "--trace", "-", *words)
    deadline = time.monotonic() + 30
    while not list(folder.scratch.glob("ragstone-*/*/stdin")):
        assert time.monotonic() < deadline, "the run never came to its standard input"
        time.sleep(0.01)
    return process


STOPPING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", STOPPING, ids=lambda number: number.name)
def test_an_interrupted_run_exits_3_and_leaves_nothing(
    number: signal.Signals, ragstone: Process, folder: Folder
) -> None:
    folder.fill()
    before = folder.files()
    process = waiting(ragstone, folder, "-o", "out.html", "--json")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (3, b"", b"ragstone: interrupted\n")
    assert folder.files() == before
    assert list(folder.scratch.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next run removes the copy")
def test_a_killed_run_leaves_no_copy_of_standard_input(ragstone: Process, folder: Folder) -> None:
    folder.fill()
    process = waiting(ragstone, folder)
    assert process.stdin is not None
    # More than a pipe holds: once it is written, the run has read the first of it.
    process.stdin.write(b"secret " * 2**20)
    process.stdin.flush()
    process.kill()
    process.communicate()
    left = [path for path in folder.scratch.rglob("*") if path.is_file()]
    assert left
    assert [path for path in left if path.read_bytes()] == []
    assert ragstone("score", *INPUTS).code == 0
    assert list(folder.scratch.iterdir()) == []


def test_a_run_under_nohup_outlives_its_terminal(ragstone: Process, folder: Folder) -> None:
    folder.fill()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = waiting(ragstone, folder, "--json")
    finally:
        signal.signal(signal.SIGHUP, before)
    process.send_signal(signal.SIGHUP)
    process.communicate((folder.work / "trace.jsonl").read_bytes(), timeout=30)
    assert process.returncode == 0


# Every command that reads a file can be made to wait for one: a pipe that nobody writes to.
WAITING = {
    "score": "score --gold wait --trace trace.jsonl",
    "gate": "gate --gold wait",
    "retrieval": "retrieval --gold wait --log trace.jsonl",
    "context": "context --reference wait --results trace.jsonl",
    "trec": "trec wait trace.jsonl",
    "latency": "latency score --gold gold.jsonl --samples wait",
    "sweep": "latency sweep --gold wait --target py:math:sin --rps 1",
    "agreement": "agreement --pairs wait",
    "stability": "stability score --gold gold.jsonl --runs wait",
    "run": "run --gold wait --target py:math:sin -o out.jsonl",
    "check": "check wait",
    "lint": "gold lint wait",
}


def opened_by(process: subprocess.Popen[bytes], pipe: Path) -> int:
    """The end of a pipe to write to, as soon as the command has opened the other."""
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
    process.kill()
    raise AssertionError(process.communicate())


@pytest.mark.parametrize("words", WAITING.values(), ids=WAITING)
def test_every_command_ends_in_order_when_its_terminal_is_closed(
    words: str, ragstone: Process, folder: Folder
) -> None:
    folder.fill()
    folder.write("ragstone.toml", "[paths]\ntrace = 'trace.jsonl'\n[answers]\n")
    os.mkfifo(folder.work / "wait")
    before = folder.files()
    process = ragstone.start(*words.split())
    writer = opened_by(process, folder.work / "wait")
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=30)
    os.close(writer)
    assert (process.returncode, err) == (3, b"ragstone: interrupted\n")
    assert folder.files() == before
    assert list(folder.scratch.iterdir()) == []


def test_what_the_system_refuses_is_no_fault_of_ours(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, told in (
        (PermissionError(errno.EACCES, "Permission denied", "runs"), "runs: permission denied"),
        (OSError(errno.EMFILE, "Too many open files"), "too many open files"),
        (MemoryError(), NoMemory()),
    ):

        def refused(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr("ragstone.cli.schema.run", refused)
        ran = command("schema", "gold")
        assert (ran.code, ran.out, ran.err) == (2, b"", f"ragstone: {told}\n")


@pytest.mark.parametrize("megabytes", [300, 600, 900])
def test_little_memory_is_one_sentence(megabytes: int, ragstone: Process, folder: Folder) -> None:
    folder.fill()
    limited = f"ulimit -v {megabytes * 1000}; exec {shlex.join(ragstone.argv)} score "
    ran = subprocess.run(
        ["bash", "-c", limited + shlex.join([*INPUTS, "-o", "out.html", "--threads", "2"])],
        cwd=folder.work,
        env=ragstone.environment,
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert re.fullmatch(
        rb"ragstone: this process is limited to \d+ MB of memory \(ulimit -v\), and the engine "
        rb"needs 1,000 MB with 2 threads; raise the limit, or give fewer --threads\n",
        ran.stderr,
    )
    assert not (folder.work / "out.html").exists()
    assert list(folder.scratch.iterdir()) == []


# Where each command that writes a file names it.
WRITING = {
    "score": "score --gold gold.jsonl --trace trace.jsonl -o {}.html",
    "rows": "score --gold gold.jsonl --trace trace.jsonl -o {}.parquet",
    "agreement": "agreement --pairs gold.jsonl -o {}.tsv",
    "run": "run --gold gold.jsonl --target py:math:sin -o {}",
    "timings": "run --gold gold.jsonl --target py:math:sin -o out.jsonl --timings {}",
    "journal": "run --gold gold.jsonl --target py:math:sin -o out.jsonl --journal {}",
    "stability": "stability run --gold gold.jsonl --target py:math:sin -o {}",
    "sweep": "latency sweep --gold gold.jsonl --target py:math:sin --rps 1 --duration 1 -o {}",
    "index": "index build docs -o {}",
    "context": "context --reference reference.jsonl --results results.jsonl --output-dir {}",
}


@pytest.mark.parametrize("words", WRITING.values(), ids=WRITING)
def test_an_output_on_links_in_a_circle_is_one_sentence(
    words: str, command: Command, folder: Folder
) -> None:
    folder.fill()
    folder.write("docs/a.md", "# A\n\nText.\n")
    folder.write("reference.jsonl", [{"qid": "A1", "document_ids": ["d"]}])
    folder.write("results.jsonl", [{"qid": "A1", "doc_ids": ["d"]}])
    name = next(word for word in words.split() if "{}" in word).format("circle")
    (folder.work / name).symlink_to(name)
    before = folder.files()
    ran = command(*words.format("circle").split())
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(f"ragstone: {name}")
    assert "fault" not in ran.err
    assert len(ran.err.splitlines()) == 1
    assert folder.files() == before
