"""Asks a target every question that has no recorded answer yet, a bounded number at a time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Protocol

from ragstone.targets.journal import Journal
from ragstone.targets.pace import Pace, Policy, Stopped
from ragstone.targets.protocol import Ask, Reply, Target, attempt


class Watcher(Protocol):
    """Follows the progress of a run."""

    def note(self, reply: Reply) -> None: ...

    def stopping(self) -> None: ...


async def run(
    target: Target,
    asks: Iterable[tuple[str, Ask]],
    journal: Journal,
    policy: Policy,
    watcher: Watcher,
) -> bool:
    """Asks, by key, what the journal has no answer to; False when it was interrupted.

    The first interrupt lets the questions in flight finish; the second cancels them.
    """
    pace = Pace(policy)
    pending = ((key, ask) for key, ask in asks if key not in journal.answered)
    workers = [
        asyncio.create_task(_work(target, pending, journal, pace, watcher))
        for _ in range(policy.concurrency)
    ]
    with _interrupts(pace, workers, watcher):
        try:
            await asyncio.gather(*workers)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not pace.stopped or (task is not None and task.cancelling()):
                raise
        finally:
            await _cancel(workers)
    return not pace.stopped


async def _work(
    target: Target,
    pending: Iterator[tuple[str, Ask]],
    journal: Journal,
    pace: Pace,
    watcher: Watcher,
) -> None:
    for key, ask in pending:
        try:
            await pace.turn()
            reply, attempts = await _answered(target, ask, pace)
        except Stopped:
            return
        journal.write(key, reply, attempts)
        watcher.note(reply)
        if pace.stopped:
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


async def _cancel(workers: list[asyncio.Task[None]]) -> None:
    """Cancels the workers and waits for them: the target is closed after this."""
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)


@contextmanager
def _interrupts(pace: Pace, workers: list[asyncio.Task[None]], watcher: Watcher) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the run; a second one cancels the questions in flight too."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if pace.stopped:
            for worker in workers:
                worker.cancel()
        else:
            watcher.stopping()
            pace.stop()

    with ExitStack() as undone:
        # Python allows this in the main thread only, and asyncio not at all on Windows.
        with suppress(NotImplementedError, ValueError, RuntimeError):
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.getsignal(number)
                loop.add_signal_handler(number, interrupted)
                undone.callback(signal.signal, number, before)
                undone.callback(loop.remove_signal_handler, number)
        yield
