"""The questions behind the numbers: what was missed, what was retrieved instead."""

from __future__ import annotations

from collections.abc import Callable

from ragstone.gates.gate import Status
from ragstone.measure.metric import Mean, Ratio
from ragstone.suites.context.metrics import ROW_COLUMNS
from ragstone.suites.context.reading import Answer, Question
from ragstone.suites.context.scoring import Verdict
from ragstone.suites.context.suite import Evaluation
from ragstone.suites.evidence import Offender

# What a question costs is told by these, and by whatever fails its gate.
_TOLD = ("context_recall", "ndcg@10", "missing")


def offenders(evaluation: Evaluation, limit: int | None) -> tuple[tuple[Offender, ...], int]:
    """The questions that cost most: those that fail most gates, then lowest recall, then nDCG."""
    number = evaluation.baseline
    failed = {
        gate.metric
        for gate in evaluation.gates
        if gate.status is Status.FAIL and _is_of(gate.name, evaluation.first.name)
    }
    costly = {
        metric.name: _costs(metric)
        for metric in evaluation.metrics
        if isinstance(metric, Mean | Ratio) and (metric.name in _TOLD or metric.name in failed)
    }
    worst = []
    for row, question in zip(evaluation.rows[number], evaluation.questions, strict=True):
        costs = tuple(name for name, costs in costly.items() if row["scored"] and costs(row))
        if costs:
            order = (-len(failed & set(costs)), row["context_recall"], row["ndcg@10"])
            worst.append((order, question.qid, costs, row, question))
    worst.sort(key=lambda each: (each[0], each[1]))
    answers = evaluation.retrieved[number].answers
    level = evaluation.options.level
    rows = tuple(
        _offender(costs, row, question, answers.get(qid), level)
        for _, qid, costs, row, question in worst[:limit]
    )
    return rows, len(worst)


def rows(evaluation: Evaluation, number: int) -> list[dict[str, object]]:
    """Every scored question under the column names of the output files, in order of qid."""
    return [
        {name: row[column] for name, column in ROW_COLUMNS.items()}
        for row in evaluation.rows[number]
        if row["scored"]
    ]


def _is_of(gate: str, system: str) -> bool:
    """Whether a gate judges this system: `ndcg@10`, or `ndcg@10[system=bm25]`."""
    return "[system=" not in gate or gate.partition("[system=")[2].startswith(system)


def _costs(metric: Mean | Ratio) -> Callable[[Verdict], bool]:
    """Whether a row costs the metric something, from the declaration."""
    if isinstance(metric, Ratio):
        hit, good = metric.hit, metric.better == "higher"
        return lambda row: bool(row[hit]) is not good
    column, best = metric.value.strip('"'), metric.best
    sign = 1 if metric.better == "higher" else -1
    return lambda row: sign * float(str(row[column])) < sign * best


def _offender(
    costs: tuple[str, ...], row: Verdict, question: Question, answer: Answer | None, level: int
) -> Offender:
    fields = {**(answer.fields if answer else {}), **question.fields}
    asked = fields.get("question")
    said = answer.fields.get("answer") if answer else None
    checks = ["missing"] if row["missing"] else [] if row["any_ref"] else ["any_ref"]
    if row["any_ref"] and not row["all_refs"]:
        checks.append("all_refs")
    return Offender(
        qid=question.qid,
        costs=costs,
        failed_checks=tuple(checks),
        question=asked if isinstance(asked, str) else None,
        claim=said if isinstance(said, str) and said else None,
        gold_citations=tuple(sorted(d for d, g in question.gold.items() if g >= level)),
        retrieved_ids=tuple(dict.fromkeys(answer.docs)) if answer else (),
    )
