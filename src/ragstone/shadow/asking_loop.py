"""The thread that reads live answers and asks the shadow, with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from ragstone.shadow.live_answer import LiveAnswer, Unread
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_writer import Finished, PairWriter
from ragstone.shadow.pairs import ArmRecord
from ragstone.shadow.sampling import is_chosen
from ragstone.shadow.shadow_target import LAST_SECONDS, Shadow
from ragstone.shadow.tally import Outcome, Tally
from ragstone.worker import Troubles, Worker, words_of

# Takes a live answer apart, which is not for the caller to do: it is given what says whether a
# question is in the share, and returns nothing for one that is not.
Read = Callable[[Callable[[str], bool]], LiveAnswer | None]
LOOKS_EVERY = 2.0
# What a question takes in memory beside its bytes.
_BESIDE = 1_000
_TOO_MANY = "too many questions were waiting"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that was seen: its number, and how many bytes of it are held in memory."""

    number: int
    size: int


class AskingLoop:
    """Takes what was put in, asks the shadow, and hands both answers to the writer of pairs."""

    def __init__(self, settings: MirrorSettings, tally: Tally, troubles: Troubles) -> None:
        self._settings, self._tally, self._troubles = settings, tally, troubles
        self._writer = PairWriter(settings, tally, troubles)
        self._incoming: deque[tuple[Waiting, Read]] = deque()
        self._held = 0
        # Held for a few steps only: the caller takes it too.
        self._lock = threading.Lock()
        self._until: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shadow = Shadow(settings)
        self._is_chosen = partial(is_chosen, share=settings.share)
        self._worker = Worker("shadow mirror", self._step, troubles)

    def start(self) -> None:
        self._writer.start()
        self._worker.start()

    def forget(self, ids: frozenset[str]) -> None:
        """No pair of these questions, traces or ids that was seen until now will be written."""
        self._writer.forget(ids)

    def put(self, read: Read, size: int) -> None:
        """Takes a question without waiting; one too many is dropped, and counted."""
        number = self._tally.see()
        size += _BESIDE
        with self._lock:
            full = self._held + size > self._settings.held
            if not full:
                self._held += size
                self._incoming.append((Waiting(number, size), read))
        if full:
            self._tally.settle("dropped", _TOO_MANY)

    def end(self, seconds: float) -> None:
        """Asks what waits for at most some seconds, and drops the rest."""
        self._until = time.monotonic() + seconds
        self._call(lambda: self._ending.set())
        self._worker.join(seconds + 3 * LAST_SECONDS)
        # Where a thread is stuck: in a program of the target, or in a disk.
        self._tally.end("the mirror ended")

    def _call(self, function: Callable[[], object]) -> None:
        """Has the loop call something; one that has not begun looks by itself."""
        if self._loop is not None:
            # It has ended: what comes now was counted as dropped.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function)

    def _step(self) -> bool:
        asyncio.run(self._main())
        self._writer.end(LAST_SECONDS)
        return False

    async def _main(self) -> None:
        self._ending = asyncio.Event()
        self._asked: asyncio.Queue[tuple[Waiting, LiveAnswer]] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        # Before there is a question: an index takes its time to be read.
        self._opened(self._shadow.open())
        tasks = [asyncio.create_task(self._ask_on()) for _ in range(self._settings.concurrency)]
        tasks.append(asyncio.create_task(self._read_on()))
        try:
            if self._until is None:
                await self._ending.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, (self._until or 0.0) - time.monotonic())):
                    await self._all_settled()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._shadow.close()

    def _opened(self, failure: str) -> None:
        if failure:
            self._writer.say_once("target", f"{failure}; its questions are counted as failed")

    async def _all_settled(self) -> None:
        await self._read_all()
        await self._asked.join()

    async def _read_on(self) -> None:
        """Reads what came in, every two seconds, so that what follows is done in short bursts.

        A thread that is woken for every question wants the interpreter just when the next one is
        being answered; and where the machine is busy, whoever answers live waits for it to come.
        """
        while not self._ending.is_set():
            try:
                await self._read_all()
            except Exception as error:
                self._troubles.add("shadow mirror", error)
            else:
                self._troubles.end("shadow mirror")
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOKS_EVERY):
                    await self._ending.wait()

    async def _read_all(self) -> None:
        """Reads all that came in: what is left out takes no place among those that wait."""
        while self._incoming:
            self._take(*self._incoming.popleft())
            # Between two of them, what is being asked goes on, and so does whoever answers live.
            await asyncio.sleep(0)

    def _take(self, waiting: Waiting, read: Read) -> None:
        try:
            live = read(self._is_chosen)
        except Unread as error:
            self._settle(waiting, "unread", str(error))
        except Exception as error:
            # A function of the user's may have read it, and its words may quote the question.
            self._settle(waiting, "unread", f"reading it raised {type(error).__name__}")
        else:
            if live is None:
                self._settle(waiting, "left_out", "")
            elif self._asked.qsize() >= self._settings.queue:
                self._settle(waiting, "dropped", _TOO_MANY)
            else:
                self._asked.put_nowait((waiting, live))

    def _settle(self, waiting: Waiting, outcome: Outcome, why: str) -> None:
        self._tally.settle(outcome, why)
        self._release(waiting)

    def _release(self, waiting: Waiting) -> None:
        with self._lock:
            self._held -= waiting.size

    async def _answer(self, live: LiveAnswer) -> tuple[ArmRecord | None, str]:
        try:
            return await self._shadow.ask(live)
        except Exception as error:
            # The shadow raises nothing that is known; the next question is asked all the same.
            self._troubles.add("shadow mirror", error)
            return None, f"exception: {words_of(error)}"

    async def _ask_on(self) -> None:
        """Asks one question after the other; the next one once the last pair is kept."""
        while True:
            waiting, live = await self._asked.get()
            try:
                shadow, failure = await self._answer(live)
                kept = asyncio.Event()
                done = partial(self._call, kept.set)
                self._writer.keep(Finished(waiting.number, live, shadow, failure, done))
                await kept.wait()
            except Exception as error:
                self._troubles.add("shadow mirror", error)
                self._tally.settle("dropped", words_of(error))
            finally:
                self._release(waiting)
                self._asked.task_done()
