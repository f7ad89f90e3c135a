"""Progress of a run: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from ragstone.targets.protocol import Reply

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_DRAWINGS = 0.1


def shown_time(seconds: float) -> str:
    """A duration in the two largest units.

    >>> shown_time(8.4), shown_time(75), shown_time(7260)
    ('8 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class Meter:
    """Counts replies and shows the progress, at most once in `between` seconds."""

    def __init__(self, total: int, done: int, between: float = float("inf")) -> None:
        self.total = total
        self.done = done
        self.failed = 0
        self._asked = 0
        self._between = between
        self._start = self._shown = time.monotonic()

    def note(self, reply: Reply) -> None:
        self.done += 1
        self._asked += 1
        self.failed += reply.failure is not None
        now = time.monotonic()
        if now - self._shown >= self._between:
            self._shown = now
            self.show()

    def show(self) -> None:
        """Shows the progress; this meter only counts."""

    def stopping(self) -> None:
        """Says that the run was interrupted; this meter has no output."""

    @property
    def status(self) -> str:
        """Rate, time left and failures."""
        rate = self._asked / max(time.monotonic() - self._start, 1e-9)
        left = self.total - self.done
        parts = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
        if left and self._asked:
            parts.append(f"{shown_time(left / rate)} left")
        parts.append(f"{self.failed:,} failed")
        return ", ".join(parts)


_STOPPING = "stopping when the questions in flight are answered; once more to give them up"


class _Lines(Meter):
    def __init__(self, total: int, done: int, stream: TextIO) -> None:
        super().__init__(total, done, SECONDS_BETWEEN_LINES)
        self._stream = stream

    def stopping(self) -> None:
        print(_STOPPING, file=self._stream, flush=True)

    def show(self) -> None:
        print(f"{self.done:,}/{self.total:,}, {self.status}", file=self._stream, flush=True)


class _Bar(Meter):
    def __init__(self, total: int, done: int, progress: Progress) -> None:
        super().__init__(total, done, SECONDS_BETWEEN_DRAWINGS)
        self._progress = progress
        self._task: TaskID = progress.add_task("", total=total, completed=done, status="")

    def stopping(self) -> None:
        self._progress.console.print(_STOPPING)

    def show(self) -> None:
        self._progress.update(self._task, completed=self.done, status=self.status)


@contextmanager
def meter(total: int, done: int, stream: TextIO | None) -> Iterator[Meter]:
    """A bar on a terminal, lines on another stream, and a plain counter without one."""
    if stream is None:
        yield Meter(total, done)
    elif not stream.isatty():
        yield (lines := _Lines(total, done, stream))
        lines.show()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[status]}"))
        with Progress(*columns, console=Console(file=stream)) as progress:
            yield (bar := _Bar(total, done, progress))
            bar.show()
