"""Did the retriever bring the right documents, and in what order? One system, or several.

`evaluate` is the whole suite: read strictly, one verdict row per question and system, numbers from
rows, gates from numbers, systems side by side.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ragstone.contracts.sources import Source
from ragstone.engine.lazy import LazyDuck
from ragstone.errors import ContractError, Diagnostic
from ragstone.gates.gate import Judged
from ragstone.gates.judge import Gates, judge, merge
from ragstone.measure.columns import measure_columns
from ragstone.measure.metric import Mean, Measured, Metric
from ragstone.suites.context import metrics as declared
from ragstone.suites.context.options import Options
from ragstone.suites.context.reading import Question, Retrieved, read_reference, read_results
from ragstone.suites.context.scoring import Verdict, records_hash, verdicts
from ragstone.suites.context.systems import (
    Comparison,
    Differing,
    Pair,
    System,
    baseline_of,
    compare,
    differing,
    unique,
)

COMPARED = ("context_recall", "context_precision", "context_f1", "ndcg@10")
NONE = "(none)"
Slices = Mapping[str, Mapping[str, Mapping[str, Measured]]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of the suite, before it is rendered; the rows of each system are beside it.

    `slices` go from field to system to value; `questions` are all of the reference, by qid.
    """

    options: Options
    metrics: tuple[Metric, ...]
    questions: Sequence[Question]
    retrieved: tuple[Retrieved, ...]
    rows: tuple[Sequence[Verdict], ...]
    reference_hash: str
    systems: tuple[System, ...]
    baseline: int
    gates: tuple[Judged, ...]
    slices: Mapping[str, Slices]
    comparisons: tuple[Comparison, ...]
    differing: tuple[Differing, ...]

    @property
    def first(self) -> System:
        """The system whose figures stand at the top: the only one, or the baseline."""
        return self.systems[self.baseline]

    @property
    def scored(self) -> int:
        """How many questions have gold."""
        return sum(bool(row["scored"]) for row in self.rows[0])

    @property
    def no_gold(self) -> int:
        return len(self.questions) - self.scored


def evaluate(
    engine: LazyDuck,
    results: Sequence[Source],
    reference: Source,
    options: Options,
    limit: int | None = None,
) -> Evaluation:
    """Reads, checks, scores and compares."""
    named = [name for name, _ in options.gates]
    named += [name for part in options.slices for name, _ in part.gates]
    ranked = declared.measures(options.k, named)
    metrics = declared.metrics(ranked)
    # Names and numbers of gates are checked before anything is read.
    gates = merge({}, options.gates, metrics, None)
    parts = [merge({}, part.gates, metrics, None) for part in options.slices]
    questions, retrieved = _read(engine, results, reference, options)
    names = unique([each.name for each in retrieved])
    baseline = baseline_of(names, options.baseline)
    rows = tuple(verdicts(questions, each.answers, ranked, options.level) for each in retrieved)
    systems = tuple(
        _system(each, name, found, questions, metrics, options)
        for each, name, found in zip(retrieved, names, rows, strict=True)
    )

    def pairs(number: int, metric: Mean) -> list[Pair]:
        return _pairs(rows[baseline], rows[number], metric)

    compared = [metric for metric in metrics if metric.name in COMPARED]
    return Evaluation(
        options=options,
        metrics=metrics,
        questions=questions,
        retrieved=retrieved,
        rows=rows,
        reference_hash=_reference_hash(questions, options),
        systems=systems,
        baseline=baseline,
        gates=_judged(systems, rows, questions, metrics, gates, parts, options),
        slices={
            field: {
                name: _by(found, questions, field, metrics, options)
                for name, found in zip(names, rows, strict=True)
            }
            for field in options.by
        },
        comparisons=compare(names, baseline, compared, pairs),
        differing=differing(names, baseline, compared[-1], pairs, limit),
    )


def _read(
    engine: LazyDuck, results: Sequence[Source], reference: Source, options: Options
) -> tuple[list[Question], tuple[Retrieved, ...]]:
    """Everything, checked; one error lists what is wrong in any of the files."""
    bad: list[Diagnostic] = []
    questions: list[Question] = []
    retrieved: list[Retrieved] = []
    try:
        questions = read_reference(engine, reference, options)
    except ContractError as error:
        bad.extend(error.diagnostics)
    for source in results:
        try:
            retrieved.append(read_results(engine, source, options))
        except ContractError as error:
            bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    return questions, tuple(retrieved)


def _system(
    found: Retrieved,
    name: str,
    rows: Sequence[Verdict],
    questions: Sequence[Question],
    metrics: Sequence[Metric],
    options: Options,
) -> System:
    known = {question.qid for question in questions}
    return System(
        name=name,
        source=found.source,
        measured=measure_columns(rows, metrics, options.level_of_intervals),
        questions=len(found.answers),
        missing=sum(bool(row["scored"] and row["missing"]) for row in rows),
        unknown_qid=sum(qid not in known for qid in found.answers),
        repeated=found.repeated,
        hash=records_hash([a.qid, list(a.chunks)] for a in found.answers.values()),
    )


def _pairs(one: Sequence[Verdict], other: Sequence[Verdict], metric: Mean) -> list[Pair]:
    column = metric.value.strip('"')
    return [
        (str(a["qid"]), float(str(a[column])), float(str(b[column])))
        for a, b in zip(one, other, strict=True)
        if a["scored"]
    ]


def _judged(
    systems: Sequence[System],
    rows: Sequence[Sequence[Verdict]],
    questions: Sequence[Question],
    metrics: Sequence[Metric],
    gates: Gates,
    parts: Sequence[Gates],
    options: Options,
) -> tuple[Judged, ...]:
    """Every gate of every system; with several, the gate's name says whose it is."""
    judged: tuple[Judged, ...] = ()
    how = partial(judge, strict=options.strict, confidence=options.confidence)
    for system, found in zip(systems, rows, strict=True):
        whose = f"system={system.name}" if len(systems) > 1 else ""
        size = system.measured["missing"].denominator
        judged += how(system.measured, gates, questions=size, where=whose)
        for part, limits in zip(options.slices, parts, strict=True):
            inside = [
                row
                for row, question in zip(found, questions, strict=True)
                if all(_text(v) in values_of(question, name) for name, v in part.where)
            ]
            measured = measure_columns(inside, metrics, options.level_of_intervals)
            where = ",".join(
                [*([whose] if whose else []), *(f"{k}={_text(v)}" for k, v in part.where)]
            )
            judged += how(measured, limits, questions=measured["missing"].denominator, where=where)
    return judged


def _by(
    rows: Sequence[Verdict],
    questions: Sequence[Question],
    field: str,
    metrics: Sequence[Metric],
    options: Options,
) -> dict[str, dict[str, Measured]]:
    """The metrics for each value of a field of the reference, values in order."""
    groups: dict[str, list[Verdict]] = {}
    for row, question in zip(rows, questions, strict=True):
        for value in values_of(question, field) or (NONE,):
            groups.setdefault(value, []).append(row)
    level = options.level_of_intervals
    return {value: measure_columns(groups[value], metrics, level) for value in sorted(groups)}


def values_of(question: Question, field: str) -> tuple[str, ...]:
    """A field's values as text: a list has several, an absent field none."""
    found = question.fields.get(field)
    listed = found if isinstance(found, list) else [] if found is None else [found]
    return tuple(dict.fromkeys(_text(value) for value in listed))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _reference_hash(questions: Sequence[Question], options: Options) -> str:
    fields = options.slice_fields
    return records_hash(
        [q.qid, sorted(q.gold.items()), [values_of(q, field) for field in fields]]
        for q in questions
    )
