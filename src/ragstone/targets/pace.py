"""When may the next question be asked: a rate limit, waits the other side asked for, back-off."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from ragstone.targets.protocol import NoAnswer


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
        """Whether to ask once more; a server that wants to be left alone for long is left."""
        patient = failure.after is None or failure.after <= self.longest_wait
        return failure.again and patient and attempts <= self.retries

    def wait(self, attempt: int, after: float | None, jitter: float) -> float:
        """How long to wait before the attempt after this one; `jitter` lies in 0..1.

        Half of the wait is fixed and half is chance, so that many waiting questions do not come
        back at the same moment. What the other side asks for is honoured, and never shortened.

        >>> [Policy().wait(attempt, None, 0.5) for attempt in (1, 2, 3)]
        [0.375, 0.75, 1.5]
        >>> Policy().wait(1, 7.0, 0.5)
        7.375
        """
        step: float = min(self.backoff * 2 ** (attempt - 1), self.longest_backoff)
        spread = step * (0.5 + 0.5 * jitter)
        return spread if after is None else after + spread


class Stopped(Exception):
    """The run was asked to stop; what has no answer yet is left for the next one."""


class Pace:
    """One for a run: hands out moments to ask at, and stops everyone who waits."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._stop = asyncio.Event()
        self._next = 0.0
        self._random = random.Random()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def hold(self, seconds: float) -> None:
        """Nobody asks before this has passed: a server that is overrun means all of us."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    async def turn(self) -> None:
        """Returns when it is this question's turn; raises Stopped when there will be none."""
        now = asyncio.get_running_loop().time()
        moment = max(self._next, now)
        if self.policy.rate is not None:
            # Each turn takes the next slot at once, so that slots are never handed out twice.
            self._next = moment + 1 / self.policy.rate
        if moment > now:
            await self.sleep(moment - now)
        if self.stopped:
            raise Stopped

    async def back_off(self, attempt: int, after: float | None) -> None:
        if after is not None:
            self.hold(after)
        await self.sleep(self.policy.wait(attempt, after, self._random.random()))

    async def sleep(self, seconds: float) -> None:
        """Sleeps, unless the run is stopped first."""
        try:
            async with asyncio.timeout(seconds):
                await self._stop.wait()
        except TimeoutError:
            return
        raise Stopped
