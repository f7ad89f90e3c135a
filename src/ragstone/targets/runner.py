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
    """Who is told how the run goes."""

    def note(self, reply: Reply) -> None: ...

    def stopping(self) -> None: ...


async def run(
    target: Target,
    asks: Iterable[tuple[str, Ask]],
    journal: Journal,
    policy: Policy,
    watcher: Watcher,
) -> bool:
    """Asks what the journal has no answer to; False when it was interrupted before the end.

    The first interrupt lets the questions in flight finish; the second gives them up.
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
            await _settled(workers)
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
    """The reply of the last attempt, and how many it took."""
    attempts = 1
    while True:
        reply = await attempt(target, ask, pace.policy.timeout)
        if reply.failure is None or not pace.policy.retry(reply.failure, attempts):
            return reply, attempts
        await pace.back_off(attempts, reply.failure.after)
        await pace.turn()
        attempts += 1


async def _settled(workers: list[asyncio.Task[None]]) -> None:
    """Ends what still runs, and waits for it: a target is closed only when nobody asks it."""
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)


@contextmanager
def _interrupts(pace: Pace, workers: list[asyncio.Task[None]], watcher: Watcher) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the run; a second one does not wait for what is in flight."""
    loop = asyncio.get_running_loop()

    def interrupted() -> None:
        if pace.stopped:
            for worker in workers:
                worker.cancel()
        else:
            watcher.stopping()
            pace.stop()

    with ExitStack() as undone:
        # Only the main thread of a process can be told, and on Windows not even that.
        with suppress(NotImplementedError, ValueError, RuntimeError):
            for number in (signal.SIGINT, signal.SIGTERM):
                before = signal.getsignal(number)
                loop.add_signal_handler(number, interrupted)
                undone.callback(signal.signal, number, before)
                undone.callback(loop.remove_signal_handler, number)
        yield
