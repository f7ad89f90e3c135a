"""A run from beginning to end: plan it, ask what has no answer yet, write the finished files."""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar

import msgspec

from ragstone import scratch
from ragstone.contracts.mapped_fields import Ids
from ragstone.contracts.questions import QUESTIONS, Question, questions_of
from ragstone.contracts.record import Given, mapping_of
from ragstone.contracts.record_lines import record_lines
from ragstone.contracts.sources import Source, find
from ragstone.errors import ConfigError, InputError
from ragstone.files import make_folder_of, target_of, write_files, write_standard_output
from ragstone.report.text import visible
from ragstone.targets.chosen_questions import chosen
from ragstone.targets.endpoint import Endpoint, endpoint_of
from ragstone.targets.grid import Grid, asks_of, key_of, parse_seeds, read_grid
from ragstone.targets.jitters import jitters_of
from ragstone.targets.journal import Journal, log_line, run_line, timing_line, trace_line
from ragstone.targets.protocol import Ask, NoAnswer, Opening, Target, open_target
from ragstone.targets.runner import Policy, meter, run
from ragstone.targets.secret_words import shown_address

Form = Literal["trace", "log", "run"]
OUTPUTS: Mapping[Form, str] = {
    "trace": "runs/trace.jsonl",
    "log": "runs/trace.jsonl",
    "run": "runs/stability.jsonl",
}
STANDARD_OUTPUT = "-"
Line = Callable[[Mapping[str, object], Mapping[str, object]], dict[str, object]]
T = TypeVar("T")

_LINES: Mapping[Form, Line] = {"trace": trace_line, "log": log_line, "run": run_line}


@dataclass(frozen=True, slots=True)
class Plan:
    """A run to carry out: the questions, the target, and the files to write.

    `output` is None for standard output; then, unless one is named, there is no journal to keep.
    """

    questions: Sequence[Question]
    address: str
    output: Path | None
    grid: Grid = field(default_factory=Grid)
    policy: Policy = field(default_factory=Policy)
    timings: Path | None = None
    journal: Path | None = None
    form: Form = "trace"
    fresh: bool = False
    evidence: str | None = None
    failed: bool = False
    debug: bool = False
    endpoint: Endpoint = field(default_factory=Endpoint)
    guard_support: bool = False

    @property
    def shown(self) -> str:
        """The target as the journal names it, without keys and passwords.

        Another body, reply or header is another target: its answers are not mixed with these.
        """
        parts = [self.address] if self.evidence is None else [self.address, self.evidence]
        identity = self.endpoint.identity
        asked = f" with the header, body and reply {identity}" if identity else ""
        guarded = " with the guard's support" if self.guard_support else ""
        return " with evidence from ".join(map(shown_address, parts)) + asked + guarded

    @property
    def journal_path(self) -> Path | None:
        if self.journal is not None or self.output is None:
            return self.journal
        return self.output.with_name(self.output.name + ".journal")


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended. `kept` had an answer before it began; `failed` are in the file too.

    `unasked` have no reply on record: the run was interrupted, or asked only what had failed.
    `reasons` counts the failures by code, and `examples` holds the first of each. `kept_as` names
    files that were there before and that another wrote, with the names they have now.
    """

    questions: int
    runs: int
    kept: int
    asked: int
    answered: int
    failed: int
    unasked: int
    reasons: Mapping[str, int]
    examples: Mapping[str, str]
    complete: bool
    kept_as: Mapping[str, str]

    @property
    def unanswered(self) -> float:
        """Of what has been asked, the share that has no answer."""
        asked = self.answered + self.failed
        return self.failed / asked if asked else 0.0


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


def encoded(record: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def carry_out(plan: Plan, stream: TextIO | None = None) -> Summary:
    """Asks, shows the progress on `stream`, and writes the finished files if not interrupted."""
    with _journal_of(plan) as journal:
        asks = {key_of(ask): ask for ask in asks_of(plan.questions, plan.grid)}
        kept = sum(key in journal.answered for key in asks)
        pending = [
            (key, ask)
            for key, ask in asks.items()
            if key not in journal.answered and (not plan.failed or key in journal.failed)
        ]
        asked, complete = _asked(plan, journal, pending, kept, stream) if pending else (0, True)
        # A server that is down must not put failures in the place of a log.
        anything = any(key in journal.answered for key in asks)
        kept_as = _finish(plan, journal, asks) if complete and anything else {}
        return _summary(plan, journal, asks, kept, asked, complete, kept_as)


@contextmanager
def _journal_of(plan: Plan) -> Iterator[Journal]:
    with ExitStack() as undone:
        path = plan.journal_path
        if path is None:
            path = undone.enter_context(scratch.folder()) / "journal"
        journal = Journal(path, plan.shown, fresh=plan.fresh, resume=plan.failed)
        yield undone.enter_context(closing(journal))


def _asked(
    plan: Plan,
    journal: Journal,
    pending: Sequence[tuple[str, Ask]],
    kept: int,
    stream: TextIO | None,
) -> tuple[int, bool]:
    """Asks what is pending; returns how many were asked, and whether that was all of them."""

    def withdraw(ask: Ask, why: NoAnswer) -> None:
        journal.withdraw(key_of(ask), ask, why)

    opening = Opening(
        plan.policy.concurrency,
        plan.evidence,
        withdraw=withdraw,
        endpoint=plan.endpoint,
        guard_support=plan.guard_support,
    )
    with meter(kept + len(pending), kept, stream) as counted:
        failed = Tracebacks(counted.say if stream else None).show if plan.debug else None
        complete = with_target(
            plan.address,
            opening,
            lambda target: run(target, pending, journal, plan.policy, counted, failed),
        )
    return counted.done - kept, complete


class Tracebacks:
    """Shows the traceback of the first exception of each kind."""

    def __init__(self, say: Callable[[str], None] | None) -> None:
        self._say = say or partial(print, file=sys.stderr)
        self._seen: set[type[BaseException]] = set()

    def show(self, failure: NoAnswer) -> None:
        error = failure.__cause__
        if error is not None and type(error) not in self._seen:
            self._seen.add(type(error))
            text = "".join(traceback.format_exception(error)).rstrip()
            self._say(visible(text, lines=True))


def _summary(
    plan: Plan,
    journal: Journal,
    keys: Collection[str],
    kept: int,
    asked: int,
    complete: bool,
    kept_as: Mapping[str, str],
) -> Summary:
    failures = [each.record for each in journal.entries(k for k in keys if k in journal.failed)]
    answered = sum(key in journal.answered for key in keys)
    reasons = Counter(str(record["reason"]) for record in failures)
    # Reversed, so that the first of each reason is the one that stays.
    examples = {str(r["reason"]): f"{r['qid']}: {r['error']}" for r in reversed(failures)}
    return Summary(
        questions=len(plan.questions),
        runs=len(keys),
        kept=kept,
        asked=asked,
        answered=answered,
        failed=len(failures),
        unasked=len(keys) - answered - len(failures),
        reasons=dict(sorted(reasons.items())),
        examples=dict(sorted(examples.items())),
        complete=complete,
        kept_as=kept_as,
    )


def _finish(plan: Plan, journal: Journal, keys: Collection[str]) -> dict[str, str]:
    """Writes the files in gold order, then by paraphrase, seed, jitter and knobs.

    Returns what was kept of files that this journal did not write.
    """
    line = _LINES[plan.form]
    apart = plan.timings is not None
    timings = (timing_line(e.record, e.measured) for e in journal.entries(keys))
    lines = (line(e.record, {} if apart else e.measured) for e in journal.entries(keys))
    files: dict[str | Path, Iterable[bytes]] = {
        path: journal.noting(map(encoded, records))
        for path, records in ((plan.timings, timings), (plan.output, lines))
        if path is not None
    }
    kept_as = write_files(files, may_replace=journal.wrote)
    if plan.output is None:
        write_standard_output(map(encoded, lines))
    return kept_as


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
    guard_support: bool = False,
    map: Mapping[str, str] | None = None,
    allow_key: Sequence[str] = (),
    ids: Ids = "",
    cite_base: int = 1,
    qid: str | Sequence[str] = (),
    tag: str | Sequence[str] = (),
    limit: int | None = None,
    failed: bool = False,
    debug: bool = False,
    **endpoint: Any,
) -> Plan:
    """The questions, the target and the files of a run; what is wrong is said now.

    target: py:module:function, http://host/path, cmd:PROGRAM ARGS, index:PATH or openai:URL#model
    gold: the gold set whose questions are asked
    output: the finished file (runs/trace.jsonl), or "-" for standard output
    paraphrases: ask every paraphrase
    seeds, jitters: ask under each of these, as "0-4" and "none,ws,punct"
    knobs: a TOML file of knobs; ask under each configuration of the grid
    concurrency: questions in flight
    timeout: seconds for one question
    retries: more attempts after a transport error, 429 or 5xx
    rate: at most this many questions a second
    timings: move ts, latency_ms and stage_ms to this file
    journal: the journal of the run (the output, with .journal; none is kept for "-")
    form: traces, the log of the retrieval suite, or runs of the stability suite
    fresh: forget earlier answers, and ask everything again
    evidence: where openai: gets its evidence, as index:PATH
    guard_support: its answers are refused if a number or quotation is not in what they cite
    map: fields of the gold set that are found in another place
    allow_key: keys of gold and replies that are taken as they are, though they are nearly fields
    ids, cite_base: how ids are read, of the gold set and of a reply, and where positions begin
    qid, tag, limit: ask only these, those with one of these tags, the first so many
    failed: ask again what failed before, and nothing else
    debug: show the traceback of the first exception of each kind, on standard error
    endpoint: how a target over HTTP is asked, by the names that `endpoint_of` explains
    """
    if retries < 0:
        raise ConfigError(f"--retries {retries}: expected 0 or more")
    named = OUTPUTS[form] if output is None else output
    finished = None if named == STANDARD_OUTPUT else Path(named)
    if STANDARD_OUTPUT in (timings, journal):
        raise ConfigError("only -o can be standard output; a file of that name is ./-")
    beside = [None if path is None else Path(path) for path in (timings, journal)]
    # The folder of a file that nobody named is made, once all else is known to be right.
    made = Path(named).parent if output is None else None
    _check_files([path for path in (finished, *beside) if path is not None], str(gold), made)
    grid = Grid(
        paraphrases,
        parse_seeds(seeds) if seeds else (),
        jitters_of(jitters) if jitters else {},
        tuple(each.knobs for each in read_grid(knobs)) if knobs else (),
    )
    questions = questions_in(str(gold), Given(dict(map or {}), ids, cite_base, tuple(allow_key)))
    planned = Plan(
        chosen(questions, _words(qid), _words(tag), limit),
        target,
        finished,
        grid,
        Policy(concurrency, timeout, retries, rate),
        timings=beside[0],
        journal=beside[1],
        form=form,
        fresh=fresh,
        evidence=evidence,
        failed=failed,
        debug=debug,
        endpoint=endpoint_of(**endpoint, ids=ids, cite_base=cite_base, allow_key=tuple(allow_key)),
        guard_support=guard_support,
    )
    if failed:
        _must_have_a_journal(planned)
    if output is None and finished is not None:
        make_folder_of(finished)
    return planned


def _must_have_a_journal(plan: Plan) -> None:
    if plan.fresh:
        raise ConfigError("--failed and --fresh cannot be given together")
    if plan.journal_path is None or not plan.journal_path.exists():
        where = "journal of one" if plan.journal_path is None else plan.journal_path
        raise ConfigError(f"--failed asks again what failed in an earlier run; there is no {where}")


def _words(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def _check_files(written: Sequence[Path], gold: str, made: Path | None) -> None:
    """Finds out now, not after an hour of asking, that a file cannot be written."""
    targets = {target_of(path) for path in written}
    if len(targets | {Path(os.path.realpath(gold))}) <= len(written):
        raise ConfigError("--gold, -o, --timings and --journal must be different files")
    for path in written:
        if not path.parent.is_dir() and path.parent != made:
            raise InputError(f"{path}: the folder {path.parent} does not exist")
        if path.is_dir():
            raise InputError(f"{path} is a folder; give a file name")


def questions_in(gold: str, given: Given) -> tuple[Question, ...]:
    """Reads the questions of one gold file; ContractError lists every bad line."""
    with scratch.folder() as folder:
        sources = find(gold, "gold", folder)
        if len(sources) > 1:
            raise InputError(f"{gold} matches {len(sources)} files; run one gold set at a time")
        (source,) = sources
        if source.parquet:
            return questions_of(source.name, _unpacked(source, given), given)
        lines = record_lines(source, QUESTIONS, mapping_of(QUESTIONS, given))
        return questions_of(source.name, lines, given)


def _unpacked(source: Source, given: Given) -> list[bytes]:
    """The rows of a Parquet file as lines; the engine that reads it is not needed for others."""
    from ragstone.engine.duck import Duck
    from ragstone.engine.parquet_columns import wanted
    from ragstone.engine.parquet_files import lines_or_rows

    asked = wanted(QUESTIONS, mapping_of(QUESTIONS, given))
    with Duck() as duck:
        return list(lines_or_rows(duck, source, asked))
