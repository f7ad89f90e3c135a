"""One line on standard error that says how far a long piece of work is.

Work that is done within a second says nothing. On a terminal the line is drawn again in place, and
is gone before anything else is printed; elsewhere a plain line is printed now and then. Only the
command line listens: nothing is said to who calls the library.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TextIO, TypeVar

from ragstone.progress_task import Share, Task, left_of, whole_of

T = TypeVar("T")

# In seconds: from when on something is said, and how often it is drawn or printed again.
FIRST = 1.0
BETWEEN_DRAWINGS = 0.2
BETWEEN_LINES = 10.0
# For how many drawings the thread waits for more work: thousands of short pieces share one.
_PATIENCE = 10

_WIPE = "\r\x1b[2K"
# What fits on the narrowest line that is usual, where the terminal does not tell its width.
_NARROW = 80


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
        self._thread: threading.Thread | None = None

    @contextmanager
    def doing(self, task: Task) -> Iterator[Task]:
        """Inside, the line tells of this task; what is outermost decides how long it has taken."""
        task.started = self._clock()
        with self._lock:
            if not self._tasks:
                self._first = self._last = task.started
            self._tasks.append(task)
            if self._thread is None:
                self._thread = threading.Thread(target=self._draw, daemon=True)
                self._thread.start()
        try:
            yield task
        finally:
            with self._lock:
                self._end(task)

    @property
    def now(self) -> str:
        """What is done at the moment; empty where that is nothing."""
        return self._tasks[-1].what if self._tasks else ""

    def _end(self, task: Task) -> None:
        if task not in self._tasks:
            return
        place = self._tasks.index(task)
        if place:
            self._tasks[place - 1].ended(task)
        # What was begun inside and left in the middle, by an error say, is over too.
        del self._tasks[place:]
        if not self._tasks:
            self.wipe()

    def _draw(self) -> None:
        idle = 0
        while idle < _PATIENCE:
            time.sleep(BETWEEN_DRAWINGS)
            self.tick()
            with self._lock:
                idle = 0 if self._tasks else idle + 1
                if idle == _PATIENCE:
                    self._thread = None

    def tick(self) -> None:
        """Says how far it is, where that is due."""
        with self._lock:
            now = self._clock()
            since = now - self._last
            due = since >= (BETWEEN_DRAWINGS if self._in_place else BETWEEN_LINES)
            if not self._tasks or now - self._first < FIRST or not due:
                return
            self._last = now
            self._say(said_of(self._tasks, now, self._width()))

    def _width(self) -> int:
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).columns or _NARROW
        return _NARROW

    def _say(self, text: str) -> None:
        # A terminal that was closed is no reason to end a run.
        with suppress(OSError, ValueError):
            if self._in_place:
                self._drawn = True
                # One column stays free: a terminal may begin a new line behind the last one.
                line = _printable(text)[: self._width() - 1]
                print(f"{_WIPE}{line}", end="", file=self._stream, flush=True)
            else:
                print(_printable(text), file=self._stream, flush=True)

    def wipe(self) -> None:
        """Takes the line away, so that something else can be printed in its place."""
        with self._lock, suppress(OSError, ValueError):
            if self._drawn:
                self._drawn = False
                print(_WIPE, end="", file=self._stream, flush=True)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Inside, there is no line, and none is drawn."""
        with self._lock:
            self.wipe()
            yield


def said_of(tasks: Sequence[Task], now: float, width: int = _NARROW) -> str:
    """The innermost task, and how much of the outermost is done and when it will be.

    `score 41 %, judging: 410,000 of 1,000,000 rows, 80,000/s, 12 s left`
    """
    inner, outer = tasks[-1], tasks[0]
    whole = whole_of(tasks)
    said, left = inner.says(now), left_of(whole, now - outer.started)
    if inner is outer:
        return f"{said}{left}"
    if whole is None or not (outer.steps or outer.total):
        # Nobody knows what else there is to do.
        return f"{said}{left_of(inner.part(), now - inner.started)}"
    line = f"{outer.what} {whole:.0%}, {said}{left}".replace("%,", " %,", 1)
    # Where there is little room, how far all of it is goes first: when it ends is still said.
    return line if len(line) < width else f"{said}{left}"


PROGRESS: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def doing(
    what: str,
    total: float = 0,
    unit: str = "",
    share: Share | None = None,
    *,
    step: str = "",
    steps: Mapping[str, float] | None = None,
) -> Iterator[Task]:
    """Inside, the user sees what is done and how far it is, where somebody listens.

    Without a name it is what is told of already, counted more closely. `steps` are what it
    consists of, each with about how long it takes beside the others; `step` is which of the steps
    of the task around it this is.

    >>> with doing("reading documents", 3, "files") as task:
    ...     task.done += 1
    """
    progress = PROGRESS.get()
    named = what or (progress.now if progress else "") or "working"
    task = Task(named, total, unit, share=share, step=step, steps=dict(steps or {}))
    if progress is None:
        yield task
        return
    with progress.doing(task):
        yield task


def counting(
    things: Iterable[T], what: str, unit: str, total: float | None = None, *, step: str = ""
) -> Iterator[T]:
    """The same things; the user sees how many of them have been taken.

    >>> list(counting("abc", "spelling", "letters"))
    ['a', 'b', 'c']
    """
    known = len(things) if isinstance(things, Sized) else None
    if PROGRESS.get() is None or known == 0:
        yield from things
        return
    many = total if total is not None else known or 0
    with doing(what, many, unit, step=step) as task:
        for thing in things:
            yield thing
            task.done += 1


def weighing(
    pieces: Iterable[bytes], what: str, total: float = 0, step: str = ""
) -> Iterator[bytes]:
    """The same pieces; the user sees how many bytes of them have been taken."""
    if PROGRESS.get() is None:
        yield from pieces
        return
    with doing(what, total, "B", step=step) as task:
        for piece in pieces:
            yield piece
            task.done += len(piece)


@contextmanager
def away() -> Iterator[None]:
    """Inside, there is no line: something else is printed in its place."""
    progress = PROGRESS.get()
    if progress is None:
        yield
        return
    with progress.away():
        yield


def tell(text: str) -> None:
    """A line on standard error, in the place of the line of progress where there is one."""
    with away():
        print(text, file=sys.stderr)


def _printable(text: str) -> str:
    """Without anything that acts on a terminal."""
    return "".join(each if each.isprintable() else "?" for each in text)
