"""The report of `ragstone trec`, and its other face: the lines that trec_eval prints."""

from __future__ import annotations

from ragstone._version import __version__
from ragstone.engine.duck import Duck, identifier
from ragstone.report.model import Block, Cell, Json, Report, Table
from ragstone.report.systems_json import (
    comparisons_json,
    differing_json,
    measured_json,
    warnings,
)
from ragstone.suites.context.measures import measure
from ragstone.suites.context.systems import System
from ragstone.suites.context.trec import OVER, TrecEvaluation, table_of


def build(evaluation: TrecEvaluation, digest: str) -> Report:
    """Everything a renderer needs, in one object."""
    first = evaluation.first
    return Report(
        suite="trec",
        version=__version__,
        figures={
            **_named(evaluation, first),
            "questions": evaluation.questions,
            "missing": first.missing,
            "no_gold": evaluation.no_gold,
            "unknown_qid": first.unknown_qid,
            "duplicates": first.repeated,
        },
        metrics=first.measured,
        gates=evaluation.gates,
        digest=digest,
        settings=settings(evaluation),
        data=_data(evaluation),
        blocks=tuple(_blocks(evaluation)),
        warnings=tuple(_warnings(evaluation)),
    )


def settings(evaluation: TrecEvaluation) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    options = evaluation.options
    return {
        "metrics": [each.name for each in options.measures],
        "level": options.level,
        "over": options.over,
        "baseline": evaluation.first.name if len(evaluation.systems) > 1 else None,
        "strict": options.strict,
        "confidence": options.confidence,
    }


def inputs(evaluation: TrecEvaluation) -> dict[str, Json]:
    """What came in: the hash of a run covers the judgments it was read with."""
    return {
        "runs": [
            {
                "system_name": system.name,
                "questions": system.questions,
                "missing": system.missing,
                "unknown_qid": system.unknown_qid,
                "duplicates": system.repeated,
                "hash": system.hash,
            }
            for system in evaluation.systems
        ]
    }


def _named(evaluation: TrecEvaluation, system: System) -> dict[str, float | None]:
    """A run's averages by the names that were asked for."""
    found: dict[str, float | None] = {}
    for name in evaluation.options.names:
        measured = system.measured[measure(name).name]
        found[name] = None if measured.vacuous else measured.value
    return found


def _data(evaluation: TrecEvaluation) -> dict[str, Json]:
    data: dict[str, Json] = {"inputs": inputs(evaluation)}
    if len(evaluation.systems) == 1:
        return {**data, "system_name": evaluation.first.name}
    return {
        **data,
        "baseline": evaluation.first.name,
        "systems": [
            {
                "system_name": system.name,
                **_named(evaluation, system),
                "metrics": {name: measured_json(found) for name, found in system.measured.items()},
                "missing": system.missing,
                "unknown_qid": system.unknown_qid,
                "duplicates": system.repeated,
            }
            for system in evaluation.systems
        ],
        "comparisons": comparisons_json(evaluation.comparisons),
        "differing": differing_json(evaluation.differing),
    }


def _blocks(evaluation: TrecEvaluation) -> list[Block]:
    blocks: list[Block] = []
    if len(evaluation.systems) > 1:
        from ragstone.report.systems import blocks as systems_blocks

        blocks += systems_blocks(
            evaluation.systems,
            evaluation.baseline,
            [metric.name for metric in evaluation.metrics],
            evaluation.comparisons,
            evaluation.differing,
            evaluation.options.level_of_intervals,
        )
    rows: list[tuple[Cell, ...]] = [("questions averaged", evaluation.questions)]
    for system in evaluation.systems:
        rows += [
            (f"{system.name}: questions ranked", system.questions),
            (f"{system.name}: questions missing", system.missing),
            (f"{system.name}: questions not judged", system.unknown_qid),
            (f"{system.name}: repeated documents", system.repeated),
        ]
    return [*blocks, Table("Inputs", ("what", "count"), tuple(rows))]


def _warnings(evaluation: TrecEvaluation) -> list[str]:
    found = [
        f"{gate.name} is vacuous: its set is empty, so nothing was tested"
        for gate in evaluation.gates
        if gate.vacuous
    ]
    return found + warnings(evaluation.systems, "qrels")


def as_trec_eval(
    duck: Duck, evaluation: TrecEvaluation, number: int, tag: str, by_question: bool, full: bool
) -> str:
    """The lines of trec_eval: measure, question or `all`, value.

    `full` adds the counts that trec_eval prints when no measure is asked for.
    """
    measures = list(dict.fromkeys(measure(name) for name in evaluation.options.names))
    system = evaluation.systems[number]
    lines = []
    if by_question:
        lines += _by_question(duck, evaluation, number, full)
    counts = duck.one(f"""
        select count(*), sum(retrieved_docs)::bigint, sum(gold_docs)::bigint,
            sum(correct_docs)::bigint
        from {table_of(number)} where {OVER[evaluation.options.over]}
    """)
    if full:
        lines.append(_line("runid", "all", tag))
        names = ("num_q", "num_ret", "num_rel", "num_rel_ret")
        lines += [_line(n, "all", str(v or 0)) for n, v in zip(names, counts, strict=True)]
    for each in measures:
        found = system.measured[each.name]
        value = 0.0 if found.vacuous or found.value is None else found.value
        lines.append(_line(each.trec_name, "all", f"{value:6.4f}"))
    return "\n".join(lines) + "\n"


def _by_question(duck: Duck, evaluation: TrecEvaluation, number: int, full: bool) -> list[str]:
    measures = list(dict.fromkeys(measure(name) for name in evaluation.options.names))
    chosen = ", ".join(identifier(each.name) for each in measures)
    lines = []
    for qid, retrieved, gold, correct, *values in duck.query(f"""
        select qid, retrieved_docs, gold_docs, correct_docs, {chosen}
        from {table_of(number)} where {OVER[evaluation.options.over]} order by qid
    """):
        if full:
            counts = {"num_ret": retrieved, "num_rel": gold, "num_rel_ret": correct}
            lines += [_line(name, str(qid), str(count)) for name, count in counts.items()]
        lines += [
            _line(each.trec_name, str(qid), f"{float(str(value)):6.4f}")
            for each, value in zip(measures, values, strict=True)
        ]
    return lines


def _line(name: str, qid: str, value: str) -> str:
    return f"{name:<22}\t{qid}\t{value}"
