"""A run from beginning to end: plan it, ask what has no answer yet, write the finished files."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import closing, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TextIO, TypeVar

import msgspec

from ragstone import scratch
from ragstone.contracts.questions import Question, questions_of
from ragstone.contracts.sources import Source, find, lines_of
from ragstone.errors import ConfigError, InputError
from ragstone.files import target_of, write_lines
from ragstone.targets.grid import Grid, asks_of, key_of, parse_seeds, read_grid
from ragstone.targets.jitters import jitters_of
from ragstone.targets.journal import Journal, log_line, run_line, timing_line, trace_line
from ragstone.targets.protocol import Opening, Target, open_target, shown_address
from ragstone.targets.runner import Meter, Policy, meter, run

OUTPUT = "runs/trace.jsonl"
Form = Literal["trace", "log", "run"]
Line = Callable[[Mapping[str, object], Mapping[str, object]], dict[str, object]]
T = TypeVar("T")

_LINES: Mapping[Form, Line] = {"trace": trace_line, "log": log_line, "run": run_line}


@dataclass(frozen=True, slots=True)
class Plan:
    """A run to carry out: the questions, the target, and the files to write."""

    questions: Sequence[Question]
    address: str
    output: Path
    grid: Grid = field(default_factory=Grid)
    policy: Policy = field(default_factory=Policy)
    timings: Path | None = None
    journal: Path | None = None
    form: Form = "trace"
    fresh: bool = False
    evidence: str | None = None

    @property
    def shown(self) -> str:
        """The target as the journal names it, without keys and passwords."""
        parts = [self.address] if self.evidence is None else [self.address, self.evidence]
        return " with evidence from ".join(map(shown_address, parts))

    @property
    def journal_path(self) -> Path:
        return self.journal or self.output.with_name(self.output.name + ".journal")


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended. `kept` had an answer before it began; `failed` are in the file too.

    `reasons` counts the failures by code, and `examples` holds the first of each.
    """

    questions: int
    runs: int
    kept: int
    asked: int
    answered: int
    failed: int
    reasons: Mapping[str, int]
    examples: Mapping[str, str]
    complete: bool


def with_target(address: str, opening: Opening, work: Callable[[Target], Awaitable[T]]) -> T:
    """Opens the target, waits for the work that is done with it, and closes it again."""

    async def session() -> T:
        target = open_target(address, opening)
        try:
            return await work(target)
        finally:
            # A connection that cannot be closed does not undo the answers that came over it.
            with suppress(OSError):
                await target.close()

    # A target that prints must not mix its words with our result.
    with redirect_stdout(sys.stderr):
        return asyncio.run(session())


def write_records(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    """Writes one JSON object a line; the file appears when all of it is written."""
    write_lines(path, (msgspec.json.encode(record) + b"\n" for record in records))


def carry_out(plan: Plan, stream: TextIO | None = None) -> Summary:
    """Asks, shows the progress on `stream`, and writes the finished files if not interrupted."""
    with closing(Journal(plan.journal_path, plan.shown, fresh=plan.fresh)) as journal:
        asks = list(asks_of(plan.questions, plan.grid))
        keys = [key_of(ask) for ask in asks]
        kept = sum(key in journal.answered for key in keys)
        counted = Meter(len(keys), kept)
        complete = kept == len(keys)
        if not complete:
            opening = Opening(plan.policy.concurrency, plan.evidence)
            keyed = zip(keys, asks, strict=True)
            with meter(len(keys), kept, stream) as counted:
                complete = with_target(
                    plan.address,
                    opening,
                    lambda target: run(target, keyed, journal, plan.policy, counted),
                )
        if complete:
            _finish(plan, journal, keys)
        failures = [each.record for each in journal.entries(k for k in keys if k in journal.failed)]
        reasons = Counter(str(record["reason"]) for record in failures)
        # Reversed, so that the first of each reason is the one that stays.
        examples = {str(r["reason"]): f"{r['qid']}: {r['error']}" for r in reversed(failures)}
        return Summary(
            questions=len(plan.questions),
            runs=len(keys),
            kept=kept,
            asked=counted.done - kept,
            answered=sum(key in journal.answered for key in keys),
            failed=len(failures),
            reasons=dict(sorted(reasons.items())),
            examples=dict(sorted(examples.items())),
            complete=complete,
        )


def _finish(plan: Plan, journal: Journal, keys: Sequence[str]) -> None:
    """Writes the files in gold order, then by paraphrase, seed, jitter and knobs."""
    line, entries = _LINES[plan.form], journal.entries
    if plan.timings is None:
        write_records(plan.output, (line(e.record, e.measured) for e in entries(keys)))
    else:
        write_records(plan.timings, (timing_line(e.record, e.measured) for e in entries(keys)))
        write_records(plan.output, (line(e.record, {}) for e in entries(keys)))


def plan(
    target: str,
    gold: str | Path,
    output: str | Path | None = None,
    *,
    paraphrases: bool = False,
    seeds: str | None = None,
    jitters: str | None = None,
    knobs: str | None = None,
    concurrency: int = 8,
    timeout: float = 60.0,
    retries: int = 3,
    rate: float | None = None,
    timings: str | Path | None = None,
    journal: str | Path | None = None,
    form: Form = "trace",
    fresh: bool = False,
    evidence: str | None = None,
    map: Mapping[str, str] | None = None,
) -> Plan:
    """The questions, the target and the files of a run; what is wrong is said now.

    target: py:module:function, http://host/path, cmd:PROGRAM ARGS, index:PATH or openai:URL#model
    gold: the gold set whose questions are asked
    output: the finished file (runs/trace.jsonl)
    paraphrases: ask every paraphrase
    seeds, jitters: ask under each of these, as "0-4" and "none,ws,punct"
    knobs: a TOML file of knobs; ask under each configuration of the grid
    concurrency: questions in flight
    timeout: seconds for one question
    retries: more attempts after a transport error, 429 or 5xx
    rate: at most this many questions a second
    timings: move ts, latency_ms and stage_ms to this file
    journal: the journal of the run (the output, with .journal)
    form: traces, the log of the retrieval suite, or runs of the stability suite
    fresh: forget what was recorded, and ask everything again
    evidence: where openai: gets its evidence, as index:PATH
    map: fields of the gold set that are found in another place
    """
    if retries < 0:
        raise ConfigError(f"--retries {retries}: expected 0 or more")
    if output is None:
        Path(OUTPUT).parent.mkdir(exist_ok=True)
    files = [None if path is None else Path(path) for path in (output or OUTPUT, timings, journal)]
    _check_files([path for path in files if path is not None], str(gold))
    grid = Grid(
        paraphrases,
        parse_seeds(seeds) if seeds else (),
        jitters_of(jitters) if jitters else {},
        tuple(each.knobs for each in read_grid(knobs)) if knobs else (),
    )
    return Plan(
        questions_in(str(gold), dict(map or {})),
        target,
        files[0] or Path(OUTPUT),
        grid,
        Policy(concurrency, timeout, retries, rate),
        timings=files[1],
        journal=files[2],
        form=form,
        fresh=fresh,
        evidence=evidence,
    )


def _check_files(written: Sequence[Path], gold: str) -> None:
    """Finds out now, not after an hour of asking, that a file cannot be written."""
    targets = {target_of(path) for path in written}
    if len(targets | {Path(os.path.realpath(gold))}) <= len(written):
        raise ConfigError("--gold, -o, --timings and --journal must be different files")
    for path in written:
        if not path.parent.is_dir():
            raise InputError(f"{path}: the folder {path.parent} does not exist")
        if path.is_dir():
            raise InputError(f"{path} is a folder; give a file name")


def questions_in(gold: str, mapping: dict[str, str]) -> tuple[Question, ...]:
    """Reads the questions of one gold file; ContractError lists every bad line."""
    with scratch.folder() as folder:
        sources = find(gold, "gold", folder)
        if len(sources) > 1:
            raise InputError(f"{gold} matches {len(sources)} files; run one gold set at a time")
        (source,) = sources
        if source.parquet:
            return questions_of(source.name, _unpacked(source), mapping)
        return questions_of(source.name, lines_of(source), mapping)


def _unpacked(source: Source) -> list[bytes]:
    """The rows of a Parquet file as lines; the engine that reads it is not needed for others."""
    from ragstone.engine.duck import Duck
    from ragstone.engine.parquet_files import as_jsonl

    with Duck() as duck:
        return list(lines_of(as_jsonl(duck, source)))
