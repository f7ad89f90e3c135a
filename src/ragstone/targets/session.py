"""A run from beginning to end: ask what has no answer yet, then write the finished files."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TextIO, TypeVar

import msgspec

from ragstone.contracts.questions import Question
from ragstone.report.formats import write_lines
from ragstone.targets.asks import Grid, asks_of, key_of
from ragstone.targets.journal import Journal
from ragstone.targets.pace import Policy
from ragstone.targets.progress import Meter, meter
from ragstone.targets.protocol import Target
from ragstone.targets.registry import Opening, open_target, shown_address
from ragstone.targets.runner import run
from ragstone.targets.trace_lines import log_line, run_line, timing_line, trace_line

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
        """The target as the journal names it, without passwords."""
        evidence = "" if self.evidence is None else f" with evidence from {self.evidence}"
        return shown_address(self.address + evidence)

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
            with contextlib.suppress(OSError):
                await target.close()

    # A target that prints must not mix its words with our result.
    with contextlib.redirect_stdout(sys.stderr):
        return asyncio.run(session())


def write_records(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    """Writes one JSON object a line; the file appears when all of it is written."""
    write_lines(path, (msgspec.json.encode(record) + b"\n" for record in records))


def carry_out(plan: Plan, stream: TextIO | None = None) -> Summary:
    """Asks, shows the progress on `stream`, and writes the finished files if not interrupted."""
    with Journal(plan.journal_path, plan.shown, fresh=plan.fresh) as journal:
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
        return Summary(
            questions=len(plan.questions),
            runs=len(keys),
            kept=kept,
            asked=counted.done - kept,
            answered=sum(key in journal.answered for key in keys),
            failed=len(failures),
            reasons=dict(sorted(reasons.items())),
            examples=_examples(failures),
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


def _examples(failures: Sequence[Mapping[str, object]]) -> dict[str, str]:
    first: dict[str, str] = {}
    for record in failures:
        first.setdefault(str(record["reason"]), f"{record['qid']}: {record['error']}")
    return dict(sorted(first.items()))
