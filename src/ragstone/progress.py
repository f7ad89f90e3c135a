"""One line on standard error that says how far a long piece of work is.

Work that is done within a second says nothing. On a terminal the line is drawn again in place, and
is gone before anything else is printed; elsewhere a plain line is printed now and then. Only the
command line listens: nothing is said to who calls the library.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO

# In seconds: from when on something is said, and how often it is drawn or printed again.
FIRST = 1.0
BETWEEN_DRAWINGS = 0.2
BETWEEN_LINES = 10.0

_WIPE = "\r\x1b[2K"
_LEFT_FROM = 0.02


@dataclass(slots=True, eq=False)
class Task:
    """A piece of work. `done` counts what is done of `total`; or `share` knows, from 0 to 1."""

    what: str
    total: float = 0
    unit: str = ""
    done: float = 0
    share: Callable[[], float | None] | None = None
    started: float = 0.0

    def part(self) -> float | None:
        """How much of it is done, from 0 to 1; None where nobody knows."""
        if self.share is not None:
            return self.share()
        return min(self.done / self.total, 1.0) if self.total else None

    def says(self, now: float) -> str:
        """`reading trace: 180 of 400 MB, 60 MB/s, 4 s left`, or how long it has taken."""
        part, spent = self.part(), now - self.started
        if part is None or not self.total:
            return f"{self.what}, {shown_time(spent)}"
        done = part * self.total
        if self.unit == "B":
            said = f"{self.what}: {done / 1e6:,.0f} of {self.total / 1e6:,.0f} MB"
            rate = f"{done / 1e6 / max(spent, 1e-9):,.0f} MB/s"
        else:
            said = f"{self.what}: {done:,.0f} of {self.total:,.0f}{self.unit and f' {self.unit}'}"
            rate = shown_rate(done / max(spent, 1e-9))
        if not _LEFT_FROM <= part < 1:
            return said
        return f"{said}, {rate}, {shown_time(spent / part - spent)} left"


class Progress:
    """The line of one command. A thread draws it, so that work need not stop to tell of itself."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._in_place = stream.isatty()
        self._tasks: list[Task] = []
        self._lock = threading.RLock()
        self._first = 0.0
        self._last = 0.0
        self._drawn = False

    @contextmanager
    def doing(self, task: Task) -> Iterator[Task]:
        """Inside, the line tells of this task; what is outermost decides how long it has taken."""
        task.started = self._clock()
        done = threading.Event()
        if not self._tasks:
            self._first = self._last = task.started
            threading.Thread(target=self._draw_until, args=(done,), daemon=True).start()
        with self._lock:
            self._tasks.append(task)
        try:
            yield task
        finally:
            with self._lock:
                self._tasks.remove(task)
                if not self._tasks:
                    self.wipe()
            done.set()

    def _draw_until(self, done: threading.Event) -> None:
        while not done.wait(BETWEEN_DRAWINGS):
            self.tick()

    def tick(self) -> None:
        """Says how far it is, where that is due."""
        with self._lock:
            now = self._clock()
            since = now - self._last
            due = since >= (BETWEEN_DRAWINGS if self._in_place else BETWEEN_LINES)
            if not self._tasks or now - self._first < FIRST or not due:
                return
            self._last = now
            self._say(self._tasks[-1].says(now))

    def _say(self, text: str) -> None:
        # A terminal that was closed is no reason to end a run.
        with suppress(OSError, ValueError):
            if self._in_place:
                self._drawn = True
                print(f"{_WIPE}{_one_line(text)}", end="", file=self._stream, flush=True)
            else:
                print(text, file=self._stream, flush=True)

    def wipe(self) -> None:
        """Takes the line away, so that something else can be printed in its place."""
        with self._lock, suppress(OSError, ValueError):
            if self._drawn:
                self._drawn = False
                print(_WIPE, end="", file=self._stream, flush=True)


PROGRESS: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def doing(
    what: str,
    total: float = 0,
    unit: str = "",
    share: Callable[[], float | None] | None = None,
) -> Iterator[Task]:
    """Inside, the user sees what is done and how far it is, where somebody listens.

    >>> with doing("reading documents", 3, "files") as task:
    ...     task.done += 1
    """
    task = Task(what, total, unit, share=share)
    progress = PROGRESS.get()
    if progress is None:
        yield task
        return
    with progress.doing(task):
        yield task


def wipe() -> None:
    """Takes the line away where there is one."""
    progress = PROGRESS.get()
    if progress is not None:
        progress.wipe()


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


def shown_rate(rate: float) -> str:
    """How many a second.

    >>> shown_rate(1234.5), shown_rate(2.25)
    ('1,234/s', '2.2/s')
    """
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def _one_line(text: str) -> str:
    """What fits on the narrowest line that is usual, without anything that acts on a terminal."""
    return "".join(each if each.isprintable() else "?" for each in text)[:79]
