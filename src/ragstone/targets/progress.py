"""How far is the run, how fast, how long still: a bar for a person, plain lines for a log."""

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
    """A duration a person reads at a glance.

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
    """Counts replies and says, not more often than somebody can read, where the run stands."""

    def __init__(self, total: int, done: int, between: float = float("inf")) -> None:
        self.total = total
        self.done = done
        self.failed = 0
        self._asked = 0
        self._between = between
        self._start = self._told = time.monotonic()

    def note(self, reply: Reply) -> None:
        self.done += 1
        self._asked += 1
        self.failed += reply.failure is not None
        now = time.monotonic()
        if now - self._told >= self._between:
            self._told = now
            self.tell()

    def tell(self) -> None:
        """Nothing: this meter only counts."""

    def stopping(self) -> None:
        """Nothing: there is nobody to tell."""

    @property
    def status(self) -> str:
        """Rate, time left and failures, for the end of a bar or a line."""
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

    def tell(self) -> None:
        print(f"{self.done:,}/{self.total:,}, {self.status}", file=self._stream, flush=True)


class _Bar(Meter):
    def __init__(self, total: int, done: int, progress: Progress) -> None:
        super().__init__(total, done, SECONDS_BETWEEN_DRAWINGS)
        self._progress = progress
        self._task: TaskID = progress.add_task("", total=total, completed=done, status="")

    def stopping(self) -> None:
        self._progress.console.print(_STOPPING)

    def tell(self) -> None:
        self._progress.update(self._task, completed=self.done, status=self.status)


@contextmanager
def meter(total: int, done: int, stream: TextIO | None) -> Iterator[Meter]:
    """The meter that suits the stream; without one, a meter that only counts."""
    if stream is None:
        yield Meter(total, done)
    elif not stream.isatty():
        yield (lines := _Lines(total, done, stream))
        lines.tell()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[status]}"))
        with Progress(*columns, console=Console(file=stream)) as progress:
            yield (bar := _Bar(total, done, progress))
            bar.tell()
