"""Servers and runs for the tests of the runner."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import gold, write_jsonl

SCRIPT = Path(__file__).parent / "pipeline_server.py"


class Server:
    """A pipeline behind HTTP that can be killed and brought back on the same port."""

    def __init__(self, folder: Path) -> None:
        self.asked_file = folder / "asked.jsonl"
        self.port = 0
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self.port), str(self.asked_file)],
            stdout=subprocess.PIPE,
            text=True,
        )
        if self.process.stdout is not None:
            self.port = int(self.process.stdout.readline())

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    @property
    def asked(self) -> list[dict[str, Any]]:
        if not self.asked_file.exists():
            return []
        # A running server may be in the middle of a line: what has no line feed yet is not read.
        whole, _, _ = self.asked_file.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.kill()


@pytest.fixture
def questions(tmp_path: Path) -> Callable[..., Path]:
    """Writes a gold set of so many questions and gives its path."""

    def write(count: int, **fields: Any) -> Path:
        items = [gold(f"Q{n:04}", question=f"Question {n}?", **fields) for n in range(count)]
        # Not in the order of their names, for gold order is the order of the lines.
        return write_jsonl(tmp_path / "gold.jsonl", items[count // 2 :] + items[: count // 2])

    return write
