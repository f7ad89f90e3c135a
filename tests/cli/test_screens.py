"""What people see: commands on a real terminal of 80 or 140 columns and 24 lines, as recorded.

RAGSTONE_RECORD=1 records the screens again. Look at each of them before they are kept.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pyte
import pytest

RECORDED = Path(__file__).parent / "screens"
FILES = Path(__file__).parents[1] / "kept" / "files"
LINES = 24
COMMANDS = {
    "score_pass": (0, "score --no-config --gold gold.jsonl --trace good.jsonl"),
    "score_fail": (1, "score --no-config --gold gold.jsonl --trace trace.jsonl -o report.html"),
    "gate": (1, "gate --config everything.toml"),
    "gate_quiet": (1, "gate --config everything.toml -q"),
    "bad_input": (2, "score --no-config --gold trace.jsonl --trace gold.jsonl"),
    "run": (0, "run --no-config --target index:docs.index --gold gold.jsonl -o new.jsonl"),
}


def screen_of(folder: Path, command: str, columns: int) -> tuple[int, list[str], int]:
    """Exit code, the lines on the screen at the end, and how many lines scrolled off it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    quiet = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES"}
    plain = {name: value for name, value in os.environ.items() if name not in quiet}
    running = subprocess.Popen(
        [sys.executable, "-m", "ragstone", *command.split()],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**plain, "TERM": "xterm-256color"},
    )
    os.close(theirs)
    screen = pyte.HistoryScreen(columns, LINES, history=1000)
    stream = pyte.ByteStream(screen)
    with suppress(OSError):
        while part := os.read(ours, 65536):
            stream.feed(part)
    os.close(ours)
    lines = [line.rstrip() for line in screen.display]
    return running.wait(), lines, len(screen.history.top)


def told(lines: list[str]) -> str:
    """The screen without what differs from run to run: digests change with every metric."""
    text = "\n".join(lines).rstrip() + "\n"
    text = re.sub(r"ragstone \S+, digest [0-9a-f]{12}", f"ragstone 1.0, digest {'0' * 12}", text)
    return re.sub(r"[\d.,]+/s", "N/s", text)


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_screen_is_as_recorded_and_nothing_scrolled_off(
    name: str, columns: int, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    shutil.copytree(FILES, folder)
    expected, command = COMMANDS[name]
    code, lines, scrolled = screen_of(folder, command, columns)
    assert (code, scrolled) == (expected, 0), "\n".join(lines)
    # The shell's prompt has a line too.
    assert lines[-1] == ""
    path = RECORDED / f"{name}_{columns}.txt"
    if os.environ.get("RAGSTONE_RECORD"):
        path.write_text(told(lines), encoding="utf-8")
    assert told(lines) == path.read_text(encoding="utf-8")
