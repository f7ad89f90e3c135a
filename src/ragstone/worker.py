"""Threads that go on working: what goes wrong in one is counted and told, and none ends by it.

A worker does its work in steps. A step that raises, whatever it is, is counted; the worker pauses
and goes on with the next step. What goes wrong now stands until a step of that worker succeeds.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from ragstone.errors import RagstoneError

# After a fault, so that one that lasts does not keep a processor busy: twice as long each time.
_PAUSE, _LONGEST_PAUSE = 0.05, 1.0

Hears = Callable[[str, str, bool], None]


class Troubles:
    """What went wrong in the workers of a process, and what goes wrong now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._standing: dict[str, str] = {}
        self._hears: list[Hears] = []

    def add(self, name: str, error: BaseException, then: str = "it is tried again") -> None:
        """Counts a fault of a worker, and what follows; it is told where it did not stand."""
        words = words_of(error)
        with self._lock:
            self._counts[name] += 1
            is_new = name not in self._standing
            self._standing[name] = words
        if is_new:
            say(f"{name}: {words}; {then}")
            self._tell(name, words, begins=True)

    def end(self, name: str) -> None:
        """Says that a worker does its work again."""
        # Nearly always there is nothing to end, and no one waits for a lock.
        if name not in self._standing:
            return
        with self._lock:
            words = self._standing.pop(name, None)
        if words is not None:
            say(f"{name}: it works again")
            self._tell(name, words, begins=False)

    def heard_by(self, hears: Hears) -> None:
        """Has something told of each trouble that stands, and of each that begins or ends."""
        self._hears.append(hears)
        with self._lock:
            standing = [*self._standing.items()]
        for name, words in standing:
            self._tell(name, words, begins=True)

    def counts(self) -> Mapping[str, int]:
        """How many faults there were, by the name of the worker."""
        with self._lock:
            return dict(self._counts)

    @property
    def words(self) -> str:
        """What goes wrong now, in one line; "" while all is well."""
        with self._lock:
            return "; ".join(f"{name}: {words}" for name, words in self._standing.items())

    def _tell(self, name: str, words: str, *, begins: bool) -> None:
        for hears in self._hears:
            try:
                hears(name, words, begins)
            except Exception as error:
                with self._lock:
                    self._counts["alarms"] += 1
                say(f"the trouble with {name} raised no alarm: {words_of(error)}")


class Worker:
    """A thread that calls `step` until it says that there is nothing more to do."""

    def __init__(self, name: str, step: Callable[[], bool], troubles: Troubles) -> None:
        self._name, self._step, self._troubles = name, step, troubles
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self, seconds: float | None = None) -> None:
        """Waits for its end; one that was never started has ended."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        resting, pause = threading.Event(), _PAUSE
        while True:
            try:
                goes_on = self._step()
            # A program of the user's may call `sys.exit`: that would end the thread in silence.
            except BaseException as error:
                self._troubles.add(self._name, error)
                resting.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause = _PAUSE
            self._troubles.end(self._name)
            if not goes_on:
                return


def words_of(error: BaseException) -> str:
    """What is wrong, in words; of a fault that nobody foresaw, only its kind and its place.

    The words of such a fault may quote a record.
    """
    if isinstance(error, RagstoneError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    return f"unforeseen {type(error).__name__}{place}"


def say(text: str) -> None:
    """Tells whoever reads standard error; where that is closed, nobody."""
    with suppress(OSError, ValueError):
        print(f"ragstone: {text}", file=sys.stderr, flush=True)
