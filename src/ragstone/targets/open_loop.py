"""A load in open loop: requests arrive by the clock, whether or not the last was answered.

A client that waits for an answer before it asks again is slowed down by a slow server, and then
measures fewer of the slow answers. Here each request is due at a planned moment, and its latency
runs from there: what a stalled server keeps waiting, inside it or before it, is counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragstone.targets.protocol import Ask, NoAnswer, Reply, Target, attempt


@dataclass(frozen=True, slots=True)
class Load:
    """How many requests a second, for how long, and how long each may take, in seconds.

    Requests of the warm-up are asked and not measured.
    """

    rps: float
    duration: float
    warmup: float = 2.0
    timeout: float = 30.0
    concurrency: int = 256

    def arrivals(self) -> tuple[int, int]:
        """How many requests arrive in the warm-up, and how many after it.

        >>> Load(5, 30, warmup=2).arrivals(), Load(0.5, 1, warmup=0).arrivals()
        ((10, 150), (0, 1))
        """
        return round(self.rps * self.warmup), max(1, round(self.rps * self.duration))


@dataclass(frozen=True, slots=True)
class Arrival:
    """One measured request: due `planned` seconds into the load, answered `latency_ms` later."""

    planned: float
    latency_ms: float
    reply: Reply


async def open_loop(target: Target, asks: Sequence[Ask], load: Load) -> list[Arrival]:
    """The measured requests in the order they were due; `asks` are repeated as often as needed.

    The time-out of a request runs from its planned arrival too, so the whole ends on time.
    """
    clock = asyncio.get_running_loop().time
    warm, measured = load.arrivals()
    room = asyncio.Semaphore(load.concurrency)
    begin = clock()
    tasks = []
    for number in range(-warm, measured):
        due = begin + (number + warm) / load.rps
        # A request that is already due is sent at once.
        await asyncio.sleep(max(0.0, due - clock()))
        ask = asks[number % len(asks)]
        tasks.append(asyncio.create_task(_answered(target, ask, due, load.timeout, room)))
    replies = await asyncio.gather(*tasks)
    return [
        Arrival((number / load.rps), latency * 1000, reply)
        for number, (reply, latency) in enumerate(replies[warm:])
    ]


async def _answered(
    target: Target, ask: Ask, due: float, timeout: float, room: asyncio.Semaphore
) -> tuple[Reply, float]:
    """The reply, and the seconds it took from the planned arrival."""
    clock = asyncio.get_running_loop().time
    try:
        async with asyncio.timeout_at(due + timeout):
            await room.acquire()
    except TimeoutError:
        late = NoAnswer("timeout", f"no answer within {timeout:g} s")
        return Reply(ask, None, late, 0.0, timeout * 1000), clock() - due
    try:
        reply = await attempt(target, ask, max(0.0, due + timeout - clock()))
    finally:
        room.release()
    if reply.failure is not None and reply.failure.reason == "timeout":
        # `attempt` knows only the time that was left after waiting, and would name that.
        late = NoAnswer("timeout", f"no answer within {timeout:g} s")
        reply = replace(reply, failure=late)
    return reply, clock() - due
