"""Asks a target every question that has no recorded answer yet, and shows the progress.

A bounded number is asked at a time, at the pace that the user and the server allow.
"""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TextIO

from ragstone.progress import BETWEEN_LINES
from ragstone.progress_task import shown_rate, shown_time
from ragstone.stopping import stopping_signals
from ragstone.targets.journal import Journal
from ragstone.targets.protocol import Ask, NoAnswer, Reply, Target, attempt

# A bar is drawn more often than a line of progress: it moves with every answer.
SECONDS_BETWEEN_DRAWINGS = 0.1
# So often it is looked whether a line is due, where no answer comes that would bring it.
SECONDS_BETWEEN_LOOKS = 1.0
_STOPPING = "stopping when the questions in flight are answered; once more to give them up"


@dataclass(frozen=True, slots=True)
class Policy:
    """How a target is asked; times in seconds, `rate` in questions a second."""

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 3
    rate: float | None = None
    backoff: float = 0.5
    longest_backoff: float = 30.0
    longest_wait: float = 300.0

    def retry(self, failure: NoAnswer, attempts: int) -> bool:
        """Whether to ask once more; not if the server wants us to wait longer than we do."""
        patient = failure.after is None or failure.after <= self.longest_wait
        return failure.again and patient and attempts <= self.retries

    def wait(self, attempt: int, after: float | None, jitter: float) -> float:
        """How long to wait before the attempt after this one; `jitter` lies in 0..1.

        Half of the wait is random, so that waiting questions are not all asked again at the same
        moment. A wait that the server asks for is never shortened.

        >>> [Policy().wait(attempt, None, 0.5) for attempt in (1, 2, 3)]
        [0.375, 0.75, 1.5]
        >>> Policy().wait(1, 7.0, 0.5)
        7.375
        """
        step: float = min(self.backoff * 2 ** (attempt - 1), self.longest_backoff)
        spread = step * (0.5 + 0.5 * jitter)
        return spread if after is None else after + spread


class Stopped(Exception):
    """The run was interrupted; what has no answer yet is left for the next run."""


class Pace:
    """Tells the workers of one run when to ask, and wakes those who wait when it is stopped."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.stop = asyncio.Event()
        self._next = 0.0
        self._random = random.Random()

    async def turn(self) -> None:
        """Returns when it is this question's turn; raises Stopped when there will be none."""
        now = asyncio.get_running_loop().time()
        moment = max(self._next, now)
        if self.policy.rate is not None:
            # Reserved before the sleep, so that no other worker takes the same moment.
            self._next = moment + 1 / self.policy.rate
        if moment > now:
            await self._sleep(moment - now)
        if self.stop.is_set():
            raise Stopped

    async def back_off(self, attempt: int, after: float | None) -> None:
        if after is not None:
            # No worker asks before this has passed: the server is busy because of all of them.
            self._next = max(self._next, asyncio.get_running_loop().time() + after)
        await self._sleep(self.policy.wait(attempt, after, self._random.random()))

    async def _sleep(self, seconds: float) -> None:
        """Sleeps, unless the run is stopped first."""
        try:
            async with asyncio.timeout(seconds):
                await self.stop.wait()
        except TimeoutError:
            return
        raise Stopped


class Meter:
    """Counts replies, and calls `draw` with itself at most once in `between` seconds.

    Without a `draw` nobody looks, and nothing is said.
    """

    def __init__(
        self,
        total: int,
        done: int,
        between: float = float("inf"),
        draw: Callable[[Meter], None] | None = None,
        say: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.done = done
        self._failed = 0
        self._asked = 0
        self._between = between
        self._draw = draw
        self._say = say
        self._clock = clock
        self._start = self._shown = clock()

    def note(self, reply: Reply) -> None:
        self.done += 1
        self._asked += 1
        self._failed += reply.failure is not None
        self.tick()

    def tick(self) -> None:
        """Shows how far it is, where that is due."""
        now = self._clock()
        if now - self._shown >= self._between:
            self._shown = now
            self.show()

    async def watch(self) -> None:
        """Shows it also while nothing is answered, until it is cancelled."""
        while self._draw is not None:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            self.tick()

    def show(self) -> None:
        if self._draw is not None:
            self._draw(self)

    def say(self, text: str) -> None:
        """Prints a line above the progress, where there is one."""
        if self._say is not None:
            self._say(text)

    @property
    def status(self) -> str:
        """Rate, time left and failures."""
        rate = self._asked / max(self._clock() - self._start, 1e-9)
        left = self.total - self.done
        parts = [shown_rate(rate)]
        if left and self._asked:
            parts.append(f"{shown_time(left / rate)} left")
        parts.append(f"{self._failed:,} failed")
        return ", ".join(parts)


@contextmanager
def meter(total: int, done: int, stream: TextIO | None) -> Iterator[Meter]:
    """A bar on a terminal, lines on another stream, and a plain counter without one."""
    if stream is None:
        yield Meter(total, done)
    elif not stream.isatty():

        def say(text: str) -> None:
            # A terminal that was closed is no reason to end a run.
            with suppress(OSError):
                print(text, file=stream, flush=True)

        def line(now: Meter) -> None:
            say(f"{now.done:,}/{now.total:,}, {now.status}")

        yield (lines := Meter(total, done, BETWEEN_LINES, line, say))
        lines.show()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[status]}"))
        with Progress(*columns, console=Console(file=stream)) as progress:
            task = progress.add_task("", total=total, completed=done, status="")

            def bar(now: Meter) -> None:
                progress.update(task, completed=now.done, status=now.status)

            # As it is: a traceback holds brackets that rich would take for colours.
            print_above = partial(progress.console.print, markup=False, highlight=False)
            yield (drawn := Meter(total, done, SECONDS_BETWEEN_DRAWINGS, bar, print_above))
            drawn.show()


async def run(
    target: Target,
    asks: Iterable[tuple[str, Ask]],
    journal: Journal,
    policy: Policy,
    meter: Meter,
    failed: Callable[[NoAnswer], None] | None = None,
) -> bool:
    """Asks, by key, what the journal has no answer to; False when it was interrupted.

    The first interrupt lets the questions in flight finish; the second cancels them. `failed` is
    called with every failure.
    """
    pace = Pace(policy)
    pending = ((key, ask) for key, ask in asks if key not in journal.answered)
    workers = [
        asyncio.create_task(_work(target, pending, journal, pace, meter, failed))
        for _ in range(policy.concurrency)
    ]
    watching = asyncio.create_task(meter.watch())
    with _interrupts(pace, workers, meter):
        try:
            await asyncio.gather(*workers)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not pace.stop.is_set() or (task is not None and task.cancelling()):
                raise
        finally:
            # The target is closed after this, so no worker may still be asking.
            _cancel([*workers, watching])
            await asyncio.gather(*workers, watching, return_exceptions=True)
    return not pace.stop.is_set()


async def _work(
    target: Target,
    pending: Iterator[tuple[str, Ask]],
    journal: Journal,
    pace: Pace,
    meter: Meter,
    failed: Callable[[NoAnswer], None] | None,
) -> None:
    for key, ask in pending:
        try:
            await pace.turn()
            reply, attempts = await _answered(target, ask, pace)
        except Stopped:
            return
        journal.write(key, reply, attempts)
        meter.note(reply)
        if reply.failure is not None and failed is not None:
            failed(reply.failure)
        if pace.stop.is_set():
            return


async def _answered(target: Target, ask: Ask, pace: Pace) -> tuple[Reply, int]:
    """The reply of the last attempt, and the number of attempts."""
    attempts = 1
    while True:
        reply = await attempt(target, ask, pace.policy.timeout)
        if reply.failure is None or not pace.policy.retry(reply.failure, attempts):
            return reply, attempts
        await pace.back_off(attempts, reply.failure.after)
        await pace.turn()
        attempts += 1


def _cancel(workers: list[asyncio.Task[None]]) -> None:
    for worker in workers:
        worker.cancel()


@contextmanager
def _interrupts(pace: Pace, workers: list[asyncio.Task[None]], meter: Meter) -> Iterator[None]:
    """A stopping signal ends the run; a second one cancels the questions in flight too."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if pace.stop.is_set():
            _cancel(workers)
        else:
            pace.stop.set()
            # A terminal that was closed takes no more words.
            with suppress(OSError):
                meter.say(_STOPPING)

    with ExitStack() as undone:
        # Python allows this in the main thread only, and asyncio not at all on Windows.
        with suppress(NotImplementedError, ValueError, RuntimeError):
            for number in stopping_signals():
                before = signal.getsignal(number)
                loop.add_signal_handler(number, interrupted)
                undone.callback(signal.signal, number, before)
                undone.callback(loop.remove_signal_handler, number)
        yield
