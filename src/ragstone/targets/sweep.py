"""Every configuration under every load, one at a time: what `ragstone latency sweep` does."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ragstone.contracts.questions import Question
from ragstone.report.formats import write_lines
from ragstone.targets.knobs import Configuration
from ragstone.targets.open_loop import Arrival, Load, open_loop
from ragstone.targets.protocol import Ask
from ragstone.targets.registry import Opening, open_target
from ragstone.targets.trace_lines import measured_of, record_of, trace_line

Told = Callable[[str], None]
Line = Callable[["Sample"], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is asked, of whom, under which loads, and where it goes."""

    questions: Sequence[Question]
    address: str
    configurations: Sequence[Configuration]
    loads: Sequence[Load]
    output: Path
    traces: Path
    evidence: str | None = None

    @property
    def seconds(self) -> float:
        """How long it takes at most."""
        each = sum(load.warmup + load.duration + load.timeout for load in self.loads)
        return each * len(self.configurations)


@dataclass(frozen=True, slots=True)
class Sample:
    """One request with the configuration and the load it belongs to."""

    configuration: Configuration
    rps: float
    arrival: Arrival


def carry_out(sweep: Sweep, told: Told) -> list[Sample]:
    """Asks, and writes the samples and the traces when all of it is measured."""
    found: list[Sample] = []
    # A target that prints must not mix its words with our result.
    with contextlib.redirect_stdout(sys.stderr):
        for configuration in sweep.configurations:
            for load in sweep.loads:
                arrivals = asyncio.run(_measured(sweep, configuration, load))
                told(_sentence(configuration, load, arrivals))
                found += [Sample(configuration, load.rps, arrival) for arrival in arrivals]
    write_lines(sweep.output, _encoded(found, sample_line))
    write_lines(sweep.traces, _encoded(found, _trace))
    return found


async def _measured(sweep: Sweep, configuration: Configuration, load: Load) -> list[Arrival]:
    """One configuration under one load, with a target of its own: only the host is shared."""
    target = open_target(sweep.address, Opening(load.concurrency, sweep.evidence))
    asks = [
        Ask(each.qid, each.wording, knobs=configuration.knobs, constraints=each.constraints)
        for each in sweep.questions
    ]
    try:
        return await open_loop(target, asks, load)
    finally:
        with contextlib.suppress(OSError):
            await target.close()


def sample_line(sample: Sample) -> dict[str, object]:
    """One request as the latency suite reads it."""
    arrival = sample.arrival
    record = record_of(arrival.reply)
    answer = arrival.reply.answer
    failure = arrival.reply.failure
    line: dict[str, object] = {
        "config": sample.configuration.name,
        "knobs": dict(sample.configuration.knobs),
        "rps": sample.rps,
        "qid": arrival.reply.ask.qid,
        "planned": round(arrival.planned, 6),
        "latency_ms": round(arrival.latency_ms, 3),
    }
    if answer is not None and answer.stage_ms:
        line["stage_ms"] = dict(answer.stage_ms)
    for name in ("answer_json", "retrieved_ids", "tokens", "cost_usd"):
        if name in record:
            line[name] = record[name]
    if failure is not None:
        line["error"] = str(failure)
    return line


def _trace(sample: Sample) -> dict[str, object]:
    arrival = sample.arrival
    timed = {**measured_of(arrival.reply, 1), "latency_ms": round(arrival.latency_ms, 3)}
    return trace_line(record_of(arrival.reply), timed)


def _encoded(found: Sequence[Sample], line: Line) -> Iterator[bytes]:
    for sample in found:
        yield msgspec.json.encode(line(sample)) + b"\n"


def _sentence(configuration: Configuration, load: Load, arrivals: Sequence[Arrival]) -> str:
    failed = sum(arrival.reply.failure is not None for arrival in arrivals)
    slowest = max((arrival.latency_ms for arrival in arrivals), default=0.0)
    return (
        f"{configuration.name} at {load.rps:g} rps: {len(arrivals):,} requests, {failed:,} without "
        f"an answer, the slowest took {slowest:,.0f} ms"
    )
