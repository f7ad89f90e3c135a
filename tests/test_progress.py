"""The line that says how far long work is: never for short work, and gone before anything else."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress

import pytest
from command import INPUTS, Folder, Process
from fake_clock import FakeClock

from ragstone import progress
from ragstone.progress import PROGRESS, Progress, counting, doing, weighing
from ragstone.progress_task import Task


class Terminal(io.StringIO):
    """What was written to a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def listened(clock: FakeClock) -> Iterator[tuple[Progress, Terminal]]:
    """Somebody at a terminal listens; the line is drawn when the test says so."""
    terminal = Terminal()
    made = Progress(terminal, clock)
    token = PROGRESS.set(made)
    yield made, terminal
    PROGRESS.reset(token)


def test_nothing_is_said_of_what_is_done_within_a_second(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("reading"):
        clock.now += progress.FIRST - 0.01
        made.tick()
    assert terminal.getvalue() == ""


def test_the_line_is_drawn_in_place_and_gone_at_the_end(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("reading documents", 400, "files") as task:
        for _ in range(2):
            task.done += 100
            clock.now += 2
            made.tick()
    wiped, first, second, last = terminal.getvalue().split("\r\x1b[2K")
    assert (wiped, last) == ("", "")
    assert first == "reading documents: 100 of 400 files, 50/s, 6 s left"
    assert second == "reading documents: 200 of 400 files, 50/s, 4 s left"


def test_an_error_finds_a_clean_line(listened: tuple[Progress, Terminal], clock: FakeClock) -> None:
    made, terminal = listened
    with pytest.raises(KeyboardInterrupt), doing("reading"):
        clock.now += 5
        made.tick()
        raise KeyboardInterrupt
    assert terminal.getvalue().endswith("reading, 5 s\r\x1b[2K")


def test_what_was_left_in_the_middle_ends_with_what_it_is_part_of(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("writing"):
        rows = counting(range(3), "", "rows")
        next(rows)
        clock.now += 5
        made.tick()
    assert terminal.getvalue().endswith("writing: 0 of 3 rows, 0.0/s\r\x1b[2K")
    clock.now += 5
    made.tick()
    # Python closes what nobody takes up again when it likes.
    rows.close()  # type: ignore[attr-defined]
    made.tick()
    assert terminal.getvalue().endswith("0.0/s\r\x1b[2K")


def test_a_message_in_between_takes_the_line_away(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("reading"):
        clock.now += 5
        made.tick()
        with progress.away():
            print("a bad line", file=terminal)
    assert terminal.getvalue() == "\r\x1b[2Kreading, 5 s\r\x1b[2Ka bad line\n"


def test_the_innermost_work_is_told_and_the_outermost_decides_when(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("scoring"):
        clock.now += 3
        with doing("reading trace", 4e8, "B", share=lambda: 0.45):
            clock.now += 0.5
            made.tick()
        clock.now += 1
        made.tick()
    said = terminal.getvalue().split("\r\x1b[2K")[1:]
    assert said == ["reading trace: 180 of 400 MB, 360 MB/s, 1 s left", "scoring, 4 s", ""]


def test_steps_are_one_bar_that_says_when_all_of_it_is_done(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("score", steps={"reading": 60, "left out": 20, "judging": 20}):
        with doing("reading", 100, "MB", step="reading") as task:
            task.done, clock.now = 50, clock.now + 3
            made.tick()
        with doing("judging", 1000, "rows", step="judging") as task:
            # What was left out counts as done.
            task.done, clock.now = 500, clock.now + 6
            made.tick()
        clock.now += 1
        made.tick()
    assert terminal.getvalue().split("\r\x1b[2K")[1:] == [
        "score 30 %, reading: 50 of 100 MB, 17/s, 7 s left",
        "score 90 %, judging: 500 of 1,000 rows, 83/s, 1 s left",
        "score 100 %",
        "",
    ]


def test_a_statement_after_another_never_takes_the_bar_back(clock: FakeClock) -> None:
    shares = iter([0.2, 0.8, 0.1, 0.5, None, 1.0])
    task = Task("judging", 1000, "rows", share=lambda: next(shares, None))
    with task.piece(500):
        parts = [task.part() for _ in range(6)]
    assert parts == sorted(parts, key=lambda part: part or 0)
    assert parts[0] == pytest.approx(0.1)
    assert (parts[-1], task.part()) == (0.5, 0.5)


def test_what_is_taken_is_counted_and_stays_the_same(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    taken = []
    for item in counting(range(4), "typing", "items"):
        taken.append(item)
        clock.now += 2
        made.tick()
    pieces = weighing([b"ab" * 10**6, b"c" * 10**6], "fetching", 3e6)
    for piece in pieces:
        taken.append(len(piece))
        clock.now += 2
        made.tick()
    assert taken == [0, 1, 2, 3, 2 * 10**6, 10**6]
    said = terminal.getvalue().split("\r\x1b[2K")
    assert "typing: 3 of 4 items, 0.4/s, 3 s left" in said
    assert "fetching: 2 of 3 MB, 0 MB/s, 2 s left" in said


def test_of_what_has_no_known_end_the_amount_and_the_rate_are_told(
    listened: tuple[Progress, Terminal], clock: FakeClock
) -> None:
    made, terminal = listened
    with doing("reading <stdin>", 0, "B") as task:
        task.done, clock.now = 8e6, clock.now + 2
        made.tick()
    assert "reading <stdin>: 8 MB, 4 MB/s" in terminal.getvalue().split("\r\x1b[2K")


def test_without_a_terminal_a_plain_line_comes_now_and_then(clock: FakeClock) -> None:
    log = io.StringIO()
    made = Progress(log, clock)
    with made.doing(Task("comparing", 8, "parts")) as task:
        for _ in range(5):
            task.done += 1
            clock.now += 4
            made.tick()
    assert log.getvalue() == "comparing: 3 of 8 parts, 0.2/s, 20 s left\n"


def test_nobody_listens_to_the_library() -> None:
    with doing("reading", 3) as task:
        task.done += 1
    assert task.done == 1


def test_a_terminal_that_was_closed_ends_nothing(clock: FakeClock) -> None:
    terminal = Terminal()
    made = Progress(terminal, clock)
    with made.doing(Task("reading")):
        clock.now += 5
        terminal.close()
        made.tick()


WORDS = ("score", *INPUTS[:2], "--trace", "-", "--no-config", "--json")


def at_a_terminal(ragstone: Process, *words: str) -> tuple[subprocess.Popen[bytes], int]:
    """A run whose traces have not come yet, and the terminal that its standard error goes to."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [*ragstone.argv, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=ragstone.folder.work,
        env=ragstone.environment,
    )
    os.close(theirs)
    return running, ours


def seen_on(terminal: int, until: bytes = b"never") -> bytes:
    """What the terminal shows, up to a word or to the end."""
    seen = b""
    with suppress(OSError):
        while until not in seen and (part := os.read(terminal, 65536)):
            seen += part
    return seen


def test_a_run_that_takes_long_tells_of_it_and_says_the_same_in_the_end(
    ragstone: Process, folder: Folder
) -> None:
    folder.fill()
    traces = (folder.work / "trace.jsonl").read_bytes()
    running, terminal = at_a_terminal(ragstone, *WORDS)
    assert b"\r\x1b[2Kscore 0 %, reading standard input: 0 MB, 0 MB/s" in seen_on(
        terminal, b" MB/s"
    )
    out, _ = running.communicate(traces)
    rest = seen_on(terminal).decode()
    os.close(terminal)
    # The last line is empty again.
    assert rest.rpartition("\n")[2].endswith("\x1b[2K")
    quiet = ragstone(*WORDS, "--quiet", stdin=traces)
    assert (quiet.code, quiet.out, quiet.err) == (running.returncode, out, "")


def test_an_interrupt_leaves_a_clean_line(ragstone: Process, folder: Folder) -> None:
    folder.fill()
    running, terminal = at_a_terminal(ragstone, *WORDS)
    seen_on(terminal, b" MB/s")
    running.send_signal(signal.SIGINT)
    rest = seen_on(terminal).decode()
    out, _ = running.communicate()
    os.close(terminal)
    assert (running.returncode, out) == (3, b"")
    assert rest.endswith("\r\x1b[2Kragstone: interrupted\r\n")
