"""The Python call behind the commands: from inputs and options to a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.contracts.sources import Input, Source, find
from ragstone.engine.duck import Duck
from ragstone.engine.line_places import Place, places
from ragstone.errors import ConfigError
from ragstone.gates.config import SliceGates
from ragstone.ledger.digest import digest
from ragstone.report import answers
from ragstone.report.model import Offender, Offenders, Report
from ragstone.suites.answers import evidence, reading
from ragstone.suites.answers.options import Options
from ragstone.suites.answers.suite import Evaluation, evaluate

if TYPE_CHECKING:
    from ragstone.suites.answers.options import Keep, Missing

SHOWN = 10


def score(
    gold: Input,
    trace: Input,
    *,
    k: int = 5,
    missing: Missing = "fail",
    keep: Keep = "last",
    scu: bool = False,
    refusal: Sequence[str] = ("not in context",),
    gates: Mapping[str, str | float] | None = None,
    by: Sequence[str] = (),
    strict: bool = False,
    confidence: float | None = None,
    map: Mapping[str, str] | None = None,
    rules: Sequence[tuple[str, str]] = (),
    slices: Sequence[tuple[Mapping[str, str | int | float | bool], Mapping[str, str | float]]] = (),
    threads: int | None = None,
    all: bool = False,
) -> Report:
    """Scores a gold set and traces, and decides.

    Each input is a path, a glob, a list of paths, a list of dictionaries, or a pandas, polars or
    pyarrow table. No file is looked for beyond those given: the options are all in the call.

    >>> gold = [{"qid": "A1", "answerable": True, "gold_claim_substr": ["null keys"],
    ...          "gold_citations": ["p1#2"]}]
    >>> trace = [{"qid": "A1", "retrieved_ids": ["p1#2"],
    ...           "answer_json": {"claim": "X rejects null keys.", "citations": ["p1#2"]}}]
    >>> report = score(gold, trace)
    >>> report.passed, report["precision"].value, report["precision"].denominator
    (True, 1.0, 1)
    """
    options = Options(
        k=k,
        missing=missing,
        keep=keep,
        scu=scu,
        refusal=(refusal,) if isinstance(refusal, str) else tuple(refusal),
        gates=tuple((gates or {}).items()),
        by=(by,) if isinstance(by, str) else tuple(by),
        strict=strict,
        confidence=confidence,
        mapping=dict(map or {}),
        rules=tuple(rules),
        slices=tuple(SliceGates(tuple(w.items()), tuple(g.items())) for w, g in slices),
    )
    if threads is not None and threads < 1:
        raise ConfigError(f"threads: expected a whole number of at least 1, found {threads!r}")
    duck = Duck(threads)
    golds, traces = find(gold, "gold", duck.scratch), find(trace, "trace", duck.scratch)
    return score_in(duck, golds, traces, options, None if all else SHOWN)


def score_in(
    duck: Duck,
    gold: tuple[Source, ...],
    trace: tuple[Source, ...],
    options: Options,
    limit: int | None,
) -> Report:
    """The same in a given engine; `limit` is how many rows each list of the report shows.

    The report's offenders are asked of the engine when they are wanted, so it must stay open for
    as long as they are.
    """
    evaluation = evaluate(duck, gold, trace, options)
    total, steps = evidence.funnel(duck, limit)
    rows, count = evidence.offenders(duck, evaluation.metrics, evaluation.gates, limit)
    proof = answers.Evidence(
        answerable=total,
        funnel=steps,
        findings=reading.read(
            duck, evaluation.measured, evaluation.gates, limit, repeats=options.keep == "all"
        ),
        offenders=rows,
        offenders_total=count,
        near_refusals=evidence.first_qids(duck, "near_refusal", None),
    )
    mark = digest(
        "answers",
        answers.inputs(evaluation.inputs),
        {**answers.settings(evaluation), "limit": limit},
        evaluation.gates,
        evaluation.metrics,
    )
    return answers.build(evaluation, proof, mark, Offending(duck, evaluation))


class Offending(Mapping[str, tuple[Offender, ...]]):
    """The offenders of each metric, fetched when they are asked for."""

    def __init__(self, duck: Duck, evaluation: Evaluation) -> None:
        self._duck = duck
        self._evaluation = evaluation

    def __getitem__(self, name: str) -> tuple[Offender, ...]:
        found = self._evaluation
        if name not in found.measured:
            raise KeyError(name)
        rows, _ = evidence.offenders(self._duck, found.metrics, found.gates, None, only=name)
        return rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._evaluation.measured)

    def __len__(self) -> int:
        return len(self._evaluation.measured)


def places_of(
    duck: Duck,
    report: Report,
    gold: tuple[Source, ...],
    trace: tuple[Source, ...],
    options: Options,
) -> dict[str, tuple[Place | None, Place | None]]:
    """Where each offender stands: its gold line, and the trace line that was scored."""
    shown = [row for block in report.blocks if isinstance(block, Offenders) for row in block.rows]
    qids = {row.qid for row in shown}
    asked = {row.question: row.qid for row in shown if row.question is not None}
    golds = places(duck, gold, options.mapping_for(GOLD), qids)
    traces = places(duck, trace, options.mapping_for(TRACE), qids, asked)
    pick = 0 if options.keep == "first" else -1
    return {
        qid: (golds[qid][0] if golds[qid] else None, traces[qid][pick] if traces[qid] else None)
        for qid in sorted(qids)
    }
