"""Measures every configuration under every load, one at a time (`ragstone latency sweep`).

A load is in open loop: requests arrive by the clock, whether or not the last was answered. A client
that waits for an answer before it asks again is slowed down by a slow server, and then measures
fewer of the slow answers. Here each request is due at a planned moment, and its latency runs from
there: what a stalled server keeps waiting, inside it or before it, is counted.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import starmap
from pathlib import Path

from ragstone.contracts.questions import Question
from ragstone.files import write_files
from ragstone.targets.endpoint import Endpoint
from ragstone.targets.grid import Configuration, Grid, asks_of, key_of
from ragstone.targets.journal import measured_of, record_of, trace_line
from ragstone.targets.protocol import Ask, NoAnswer, Opening, Reply, Target, attempt
from ragstone.targets.session import encoded, with_target


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
    late = NoAnswer("timeout", f"no answer within {timeout:g} s")
    try:
        async with asyncio.timeout_at(due + timeout):
            await room.acquire()
    except TimeoutError:
        return Reply(ask, None, late, 0.0, timeout * 1000), clock() - due
    try:
        reply = await attempt(target, ask, max(0.0, due + timeout - clock()))
    finally:
        room.release()
    if reply.failure is not None:
        # The exception holds the frames of the function that raised, and all replies are kept.
        reply.failure.__cause__ = None
    if reply.failure is not None and reply.failure.reason == "timeout":
        # `attempt` knows only the time that was left after waiting, and would name that.
        reply = replace(reply, failure=late)
    return reply, clock() - due


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep to carry out: the questions, the target, the loads, and the files to write."""

    questions: Sequence[Question]
    address: str
    configurations: Sequence[Configuration]
    loads: Sequence[Load]
    output: Path
    traces: Path
    evidence: str | None = None
    endpoint: Endpoint = field(default_factory=Endpoint)
    guard_support: bool = False

    @property
    def seconds(self) -> float:
        """How long it takes at most, in seconds."""
        each = math.fsum(load.warmup + load.duration + load.timeout for load in self.loads)
        return each * len(self.configurations)


Sample = tuple[Configuration, Load, Arrival]
"""One request with the configuration and the load it belongs to."""


def run_sweep(sweep: Sweep, report: Callable[[str], None]) -> tuple[list[Sample], dict[str, str]]:
    """Asks, reports each load when it is done, and writes the samples and traces at the end.

    Files that were there are kept; what they are called now is returned too. Where nothing was
    answered, nothing is written.
    """
    found: list[Sample] = []
    for configuration in sweep.configurations:
        asks = list(asks_of(sweep.questions, Grid(knobs=(configuration.knobs,))))
        for load in sweep.loads:
            # A target of its own for each load: they share nothing but the host.
            withdrawn: dict[str, NoAnswer] = {}
            opening = Opening(
                load.concurrency,
                sweep.evidence,
                withdraw=partial(_note, withdrawn),
                endpoint=sweep.endpoint,
                guard_support=sweep.guard_support,
            )
            work = partial(open_loop, asks=asks, load=load)
            arrivals = [
                _unless(withdrawn, arrival) for arrival in with_target(sweep.address, opening, work)
            ]
            report(_sentence(configuration, load, arrivals))
            found += [(configuration, load, arrival) for arrival in arrivals]
    if not any(arrival.reply.failure is None for *_, arrival in found):
        return found, {}
    files: dict[str | Path, Iterable[bytes]] = {
        sweep.output: map(encoded, starmap(sample_line, found)),
        sweep.traces: (encoded(_trace(arrival)) for *_, arrival in found),
    }
    return found, write_files(files, may_replace=())


def _note(withdrawn: dict[str, NoAnswer], ask: Ask, why: NoAnswer) -> None:
    withdrawn[key_of(ask)] = why


def _unless(withdrawn: Mapping[str, NoAnswer], arrival: Arrival) -> Arrival:
    """The arrival, as a failure if the target has withdrawn an answer to this question.

    The question was asked many times, and which of the answers was meant is not known: none counts.
    """
    why = withdrawn.get(key_of(arrival.reply.ask)) if withdrawn else None
    if why is None or arrival.reply.answer is None:
        return arrival
    return replace(arrival, reply=replace(arrival.reply, answer=None, failure=why))


def sample_line(configuration: Configuration, load: Load, arrival: Arrival) -> dict[str, object]:
    """One request as a line of samples, which the latency suite reads."""
    trace = _trace(arrival)
    answered = ("stage_ms", "answer_json", "refused", "retrieved_ids", "tokens", "cost_usd")
    line: dict[str, object] = {
        "config": configuration.name,
        "knobs": dict(configuration.knobs),
        "rps": load.rps,
        "qid": arrival.reply.ask.qid,
        "planned": round(arrival.planned, 6),
        "latency_ms": trace["latency_ms"],
        **{name: trace[name] for name in answered if name in trace},
    }
    if arrival.reply.failure is not None:
        line["error"] = str(arrival.reply.failure)
    return line


def _trace(arrival: Arrival) -> dict[str, object]:
    timed = {**measured_of(arrival.reply, 1), "latency_ms": round(arrival.latency_ms, 3)}
    return trace_line(record_of(arrival.reply), timed)


def _sentence(configuration: Configuration, load: Load, arrivals: Sequence[Arrival]) -> str:
    failed = sum(arrival.reply.failure is not None for arrival in arrivals)
    slowest = max((arrival.latency_ms for arrival in arrivals), default=0.0)
    return (
        f"{configuration.name} at {load.rps:g} rps: {len(arrivals):,} requests, {failed:,} without "
        f"an answer, the slowest took {slowest:,.0f} ms"
    )
