"""When the next question may be asked: rate limit, Retry-After, and waits between attempts."""

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
        self._stop = asyncio.Event()
        self._next = 0.0
        self._random = random.Random()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def hold(self, seconds: float) -> None:
        """Lets no worker ask before this has passed: the server is busy because of all of them."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)

    async def turn(self) -> None:
        """Returns when it is this question's turn; raises Stopped when there will be none."""
        now = asyncio.get_running_loop().time()
        moment = max(self._next, now)
        if self.policy.rate is not None:
            # Reserved before the sleep, so that no other worker takes the same moment.
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
