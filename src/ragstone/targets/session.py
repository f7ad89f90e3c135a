"""One run from beginning to end: ask what is open, then write the finished files."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TextIO

import msgspec

from ragstone.contracts.questions import Question
from ragstone.report.formats import write_lines
from ragstone.targets.asks import Grid, asks_of, key_of
from ragstone.targets.journal import Entry, Journal
from ragstone.targets.pace import Policy
from ragstone.targets.progress import Meter, meter
from ragstone.targets.protocol import Target
from ragstone.targets.registry import Opening, open_target, shown_address
from ragstone.targets.runner import run
from ragstone.targets.trace_lines import log_line, run_line, timing_line, trace_line

Form = Literal["trace", "log", "run"]
Line = Callable[[Mapping[str, object], Mapping[str, object]], dict[str, object]]

_LINES: Mapping[Form, Line] = {"trace": trace_line, "log": log_line, "run": run_line}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked, of whom, how, and where it goes."""

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
        """Who is asked, as the journal remembers it: without passwords."""
        evidence = "" if self.evidence is None else f" with evidence from {self.evidence}"
        return shown_address(self.address + evidence)

    @property
    def journal_path(self) -> Path:
        return self.journal or self.output.with_name(self.output.name + ".journal")


@dataclass(frozen=True, slots=True)
class Summary:
    """What came of a run. `kept` had an answer before it began; `failed` are in the file too.

    `reasons` counts the failures by their code, and `examples` quotes the first of each.
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


def carry_out(plan: Plan, stream: TextIO | None = None) -> Summary:
    """Asks, and when every question has a reply writes the finished file; progress to `stream`."""
    with Journal(plan.journal_path, plan.shown, fresh=plan.fresh) as journal:
        keys = [key_of(ask) for ask in asks_of(plan.questions, plan.grid)]
        kept = sum(key in journal.answered for key in keys)
        told = Meter(len(keys), kept)
        complete = kept == len(keys)
        if not complete:
            # A target that prints must not mix its words with our result.
            with meter(len(keys), kept, stream) as told, contextlib.redirect_stdout(sys.stderr):
                complete = asyncio.run(_ask(plan, journal, told))
        if complete:
            _finish(plan, journal, keys)
        failures = [entry.record for entry in _failures(journal, keys)]
        reasons = Counter(str(record["reason"]) for record in failures)
        return Summary(
            questions=len(plan.questions),
            runs=len(keys),
            kept=kept,
            asked=told.done - kept,
            answered=sum(key in journal.answered for key in keys),
            failed=len(failures),
            reasons=dict(sorted(reasons.items())),
            examples=_examples(failures),
            complete=complete,
        )


async def _ask(plan: Plan, journal: Journal, told: Meter) -> bool:
    target = open_target(plan.address, Opening(plan.policy.concurrency, plan.evidence))
    try:
        asks = asks_of(plan.questions, plan.grid)
        return await run(target, asks, journal, plan.policy, told)
    finally:
        await _closed(target)


async def _closed(target: Target) -> None:
    # Closing is a courtesy: an answer that was given is not lost because of it.
    with contextlib.suppress(OSError):
        await target.close()


def _finish(plan: Plan, journal: Journal, keys: Sequence[str]) -> None:
    """The files, in gold order, then paraphrase, seed, jitter and knobs."""
    line = _LINES[plan.form]
    if plan.timings is not None:
        write_lines(plan.timings, _encoded(timing_line, journal, keys))
        write_lines(plan.output, _encoded(_unmeasured(line), journal, keys))
    else:
        write_lines(plan.output, _encoded(line, journal, keys))


def _unmeasured(line: Line) -> Line:
    return lambda record, measured: line(record, {})


def _encoded(line: Line, journal: Journal, keys: Sequence[str]) -> Iterator[bytes]:
    for entry in journal.entries(iter(keys)):
        yield msgspec.json.encode(line(entry.record, entry.measured)) + b"\n"


def _failures(journal: Journal, keys: Sequence[str]) -> Iterator[Entry]:
    return journal.entries(key for key in keys if key in journal.failed)


def _examples(failures: Sequence[Mapping[str, object]]) -> dict[str, str]:
    first: dict[str, str] = {}
    for record in failures:
        first.setdefault(str(record["reason"]), f"{record['qid']}: {record['error']}")
    return dict(sorted(first.items()))
