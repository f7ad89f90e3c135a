"""At a real terminal, every command draws its line in place, leaves nothing of it behind, and ends
at once when somebody presses Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from long_runs import one_of_each
from test_progress_of_commands import TOLD, prepared, words_of

DRAWN = "\r\x1b[2K"

# Tells of every phase, however short it is: it is drawn as it begins, and takes a moment.
EAGER = """
import sys, time
from contextlib import contextmanager
from ragstone import progress
from ragstone.cli import main
progress.FIRST = 0
class Eager(progress.Progress):
    @contextmanager
    def doing(self, task):
        with super().doing(task):
            self._last = 0
            self.tick()
            time.sleep({pause})
            yield task
main.Progress = Eager
sys.exit(main.main(sys.argv[1:]))
"""


def at_a_terminal(
    words: Sequence[str], folder: Path, pause: float = 0.0, until: str = ""
) -> tuple[str, int]:
    """What a person sees, and the exit code; Ctrl-C is pressed where `until` is seen."""
    ours, theirs = pty.openpty()
    scratch = folder.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    running = subprocess.Popen(
        [sys.executable, "-c", EAGER.format(pause=pause), *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(scratch), "COLUMNS": "100", "TERM": "xterm"},
        # A terminal of its own sends it the signal of Ctrl-C.
        start_new_session=True,
        preexec_fn=lambda: _own(theirs),
    )
    os.close(theirs)
    seen = b""
    # Linux says with an error that the other end of the terminal was closed.
    with suppress(OSError):
        while part := os.read(ours, 65536):
            seen += part
            if until and re.search(until, seen.decode(errors="replace")):
                os.write(ours, b"\x03")
                until = ""
    code = running.wait()
    os.close(ours)
    assert not [*scratch.iterdir()], "a folder for temporary files was left"
    return seen.decode(), code


def _own(terminal: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)


def left_on(screen: str) -> str:
    """What stands on the screen in the end: a line that is drawn again takes the old one away."""
    return "\n".join(line.rpartition(DRAWN)[2] for line in screen.replace("\r\n", "\n").split("\n"))


def kind(place: str) -> str:
    """What a command is like: one that judges, one that looks after gold or an index, another."""
    words = TOLD[place][0]
    return "judges" if "report.html" in words else place.partition(" ")[0]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return prepared(tmp_path / "files")


@pytest.mark.parametrize("place", one_of_each(TOLD, kind))
def test_the_line_is_drawn_in_place_and_nothing_of_it_stays(place: str, files: Path) -> None:
    seen, code = at_a_terminal(words_of(place), files)
    assert code in (0, 1, 3), seen
    # What is printed ends with a line break, and what is drawn never does.
    drawn = [part for part in seen.split(DRAWN) if part and "\n" not in part]
    assert all(len(line) < 100 for line in drawn), drawn
    assert any(re.search(r": [\d,]+ .*, [\d,.]+( MB)?/s", line) for line in drawn), drawn
    rest = left_on(seen)
    assert not re.search(r"\d/s| left$", rest, re.MULTILINE), rest


@pytest.mark.parametrize("place", one_of_each(TOLD, kind, 1))
def test_an_interrupt_ends_it_and_leaves_a_clean_line(place: str, files: Path) -> None:
    before = contents(files)
    seen, code = at_a_terminal(words_of(place), files, 0.3, r"\d+ %|\d/s")
    assert code == 3, seen
    assert left_on(seen).strip("\n ^C").endswith("ragstone: interrupted"), seen
    assert contents(files) == before


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
