"""Measures every configuration under every load, one at a time (`ragstone latency sweep`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ragstone.contracts.questions import Question
from ragstone.targets.asks import Grid, asks_of
from ragstone.targets.knobs import Configuration
from ragstone.targets.open_loop import Arrival, Load, open_loop
from ragstone.targets.registry import Opening
from ragstone.targets.session import with_target, write_records
from ragstone.targets.trace_lines import measured_of, record_of, trace_line


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

    @property
    def seconds(self) -> float:
        """How long it takes at most, in seconds."""
        each = sum(load.warmup + load.duration + load.timeout for load in self.loads)
        return each * len(self.configurations)


@dataclass(frozen=True, slots=True)
class Sample:
    """One request with the configuration and the load it belongs to."""

    configuration: Configuration
    rps: float
    arrival: Arrival


def run_sweep(sweep: Sweep, report: Callable[[str], None]) -> list[Sample]:
    """Asks, reports each load when it is done, and writes the samples and traces at the end."""
    found: list[Sample] = []
    for configuration in sweep.configurations:
        asks = list(asks_of(sweep.questions, Grid(knobs=(configuration.knobs,))))
        for load in sweep.loads:
            # A target of its own for each load: they share nothing but the host.
            opening = Opening(load.concurrency, sweep.evidence)
            work = partial(open_loop, asks=asks, load=load)
            arrivals = with_target(sweep.address, opening, work)
            report(_sentence(configuration, load, arrivals))
            found += [Sample(configuration, load.rps, arrival) for arrival in arrivals]
    write_records(sweep.output, map(sample_line, found))
    write_records(sweep.traces, map(_trace, found))
    return found


def sample_line(sample: Sample) -> dict[str, object]:
    """One request as a line of samples, which the latency suite reads."""
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


def _sentence(configuration: Configuration, load: Load, arrivals: Sequence[Arrival]) -> str:
    failed = sum(arrival.reply.failure is not None for arrival in arrivals)
    slowest = max((arrival.latency_ms for arrival in arrivals), default=0.0)
    return (
        f"{configuration.name} at {load.rps:g} rps: {len(arrivals):,} requests, {failed:,} without "
        f"an answer, the slowest took {slowest:,.0f} ms"
    )
