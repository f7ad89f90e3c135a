"""Processes that run cases, and are replaced when they hang, die or have run many of them."""

from __future__ import annotations

import multiprocessing
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path

# One case in twenty runs as a process of its own, as users run it.
_APART = 20
# What libraries keep for later grows; a worker ends before that counts.
_CASES = 400


@dataclass(frozen=True)
class Result:
    """How one case ended; `code` is None where it did not."""

    number: int
    code: int | None
    findings: tuple[str, ...]


def results(seed: int, numbers: Iterable[int], workers: int, limit: float) -> Iterator[Result]:
    """The result of every case, in the order in which they end."""
    left = iter(numbers)
    with tempfile.TemporaryDirectory(prefix="ragstone-fuzz-") as root:
        running = {_Worker(seed, root, limit) for _ in range(workers)}
        try:
            for worker in running:
                worker.give(next(left, None))
            while any(worker.number is not None for worker in running):
                busy = [worker for worker in running if worker.number is not None]
                wait([worker.pipe for worker in busy], timeout=0.5)
                for worker in busy:
                    result = worker.result()
                    if result is not None:
                        yield result
                        worker.give(next(left, None))
        finally:
            for worker in running:
                worker.end()


class _Worker:
    """One process; `number` is the case that it runs, None if it has none."""

    def __init__(self, seed: int, root: str, limit: float) -> None:
        self._arguments = seed, root, limit
        self._limit = limit
        self.number: int | None = None
        self._start()

    def _start(self) -> None:
        # Not forked: threads of the engine would not be there in the copy.
        how = multiprocessing.get_context("spawn")
        self.pipe, other = how.Pipe()
        self._process = how.Process(target=_serve, args=(other, *self._arguments), daemon=True)
        self._process.start()
        other.close()
        self._ran = 0

    def give(self, number: int | None) -> None:
        if number is not None and self._ran >= _CASES:
            self.end()
            self._start()
        self.number, self._ran, self._since = number, self._ran + 1, time.monotonic()
        if number is not None:
            self.pipe.send(number)

    def result(self) -> Result | None:
        """What came back; a finding if the process died or took too long; None if it goes on."""
        if self.number is None:
            return None
        try:
            if self.pipe.poll():
                found: Result = self.pipe.recv()
                return found
            # Some seconds more than a process of its own gets, which ends itself.
            if time.monotonic() - self._since < self._limit + 10:
                return None
            said = f"it did not end in {self._limit:g} seconds"
        except EOFError:
            self._process.join()
            said = f"the process died with {self._process.exitcode}"
        number = self.number
        self.end()
        self._start()
        return Result(number, None, (said,))

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _serve(pipe: Connection, seed: int, root: str, limit: float) -> None:
    """Runs the cases whose numbers come in, until there are no more."""
    from fuzzing.families import make_case
    from fuzzing.judging import findings, run

    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        case = make_case(seed, number)
        try:
            apart = number % _APART == _APART - 1
            ran = run(case, Path(root), apart=apart, limit=limit)
            found = findings(case, ran)
            if found and not apart and not case.call:
                again = findings(case, run(case, Path(root), apart=True, limit=limit))
                if not again:
                    found = [f"{each} (not in a process of its own)" for each in found]
            pipe.send(Result(number, ran.code, tuple(found)))
        except subprocess.TimeoutExpired:
            said = f"it did not end in {limit:g} seconds"
            pipe.send(Result(number, None, (said,)))
