"""The context suite's report: its figures, tables and evidence, ready for every renderer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone._version import __version__
from ragstone.measure.metric import Measured
from ragstone.report.model import Block, Cell, Json, Offender, Offenders, Report, Table
from ragstone.report.systems_json import (
    comparisons_json,
    differing_json,
    measured_json,
    warnings,
)
from ragstone.suites.context.suite import COMPARED, Evaluation
from ragstone.suites.context.systems import averages

_SHOWN = ("context_recall", "context_precision", "context_f1", "ndcg@10", "any_ref", "all_refs")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The questions that prove the numbers, as many of them as the report shows."""

    offenders: tuple[Offender, ...]
    total: int


def build(evaluation: Evaluation, evidence: Evidence, digest: str) -> Report:
    """Everything a renderer needs, in one object."""
    return Report(
        suite="context",
        version=__version__,
        figures=_figures(evaluation),
        metrics=evaluation.first.measured,
        gates=evaluation.gates,
        digest=digest,
        settings=settings(evaluation),
        data=_data(evaluation, evidence),
        blocks=tuple(_blocks(evaluation, evidence)),
        warnings=tuple(_warnings(evaluation)),
    )


def settings(evaluation: Evaluation) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    options = evaluation.options
    return {
        "k": options.k,
        "level": options.level,
        "id_pattern": options.id_pattern,
        "baseline": evaluation.first.name if len(evaluation.systems) > 1 else None,
        "by": list(options.by),
        "strict": options.strict,
        "confidence": options.confidence,
        "map": dict(sorted(options.mapping.items())),
    }


def inputs(evaluation: Evaluation) -> dict[str, Json]:
    """The counts and hashes of what came in."""
    return {
        "reference": {
            "questions": len(evaluation.questions),
            "no_gold": evaluation.no_gold,
            "hash": evaluation.reference_hash,
        },
        "results": [
            {
                "system_name": system.name,
                "questions": system.questions,
                "missing": system.missing,
                "unknown_qid": system.unknown_qid,
                "duplicates": system.repeated,
                "hash": system.hash,
            }
            for system in evaluation.systems
        ],
    }


def _figures(evaluation: Evaluation) -> dict[str, float | int | None]:
    system = evaluation.first
    return {
        **averages(system),
        "questions": evaluation.scored,
        "no_gold": evaluation.no_gold,
        "missing": system.missing,
        "unknown_qid": system.unknown_qid,
        "duplicates": system.repeated,
        "k": evaluation.options.k,
    }


def _data(evaluation: Evaluation, evidence: Evidence) -> dict[str, Json]:
    data: dict[str, Json] = {"inputs": inputs(evaluation)}
    if len(evaluation.systems) > 1:
        data["baseline"] = evaluation.first.name
        data["systems"] = [
            {
                "system_name": system.name,
                **averages(system),
                "metrics": {n: measured_json(found) for n, found in system.measured.items()},
                "missing": system.missing,
                "unknown_qid": system.unknown_qid,
                "duplicates": system.repeated,
            }
            for system in evaluation.systems
        ]
        data["comparisons"] = comparisons_json(evaluation.comparisons)
        data["differing"] = differing_json(evaluation.differing)
    else:
        data["system_name"] = evaluation.first.name
    data["offenders"] = [_offender(row) for row in evidence.offenders]
    data["offenders_total"] = evidence.total
    data["slices"] = {
        field: _slice_json(by_system, len(evaluation.systems) > 1)
        for field, by_system in evaluation.slices.items()
    }
    return data


def _slice_json(
    by_system: Mapping[str, Mapping[str, Mapping[str, Measured]]], several: bool
) -> dict[str, Json]:
    """By value, or by system and value where there are several systems."""
    made: dict[str, dict[str, Json]] = {
        system: {
            value: {name: measured_json(found) for name, found in row.items()}
            for value, row in values.items()
        }
        for system, values in by_system.items()
    }
    if several:
        return dict(made.items())
    return next(iter(made.values()), {})


def _offender(row: Offender) -> dict[str, Json]:
    return {
        "qid": row.qid,
        "costs": list(row.costs),
        "failed_checks": list(row.failed_checks),
        "question": row.question,
        "gold_docs": list(row.gold_citations),
        "retrieved_docs": list(row.retrieved_ids),
    }


def _blocks(evaluation: Evaluation, evidence: Evidence) -> list[Block]:
    blocks: list[Block] = []
    if len(evaluation.systems) > 1:
        from ragstone.report.systems import blocks as systems_blocks

        blocks += systems_blocks(
            evaluation.systems,
            evaluation.baseline,
            COMPARED,
            evaluation.comparisons,
            evaluation.differing,
            evaluation.options.level_of_intervals,
        )
    for field, by_system in evaluation.slices.items():
        for system, values in by_system.items():
            of = f" ({system})" if len(by_system) > 1 else ""
            blocks.append(_slice_table(f"By {field}{of}", field, values))
    if evidence.offenders:
        of = f" of {evaluation.first.name}" if len(evaluation.systems) > 1 else ""
        says = (
            "Those that fail most gates come first, then the lowest recall, then the lowest nDCG."
        )
        blocks.append(Offenders(f"Offenders{of}", evidence.offenders, evidence.total, says))
    blocks.append(_inputs_table(evaluation))
    return blocks


def _slice_table(title: str, field: str, values: Mapping[str, Mapping[str, Measured]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for value, row in values.items():
        cells: list[Cell] = [value, row["missing"].denominator]
        cells += [None if row[name].vacuous else row[name].value for name in _SHOWN]
        rows.append(tuple(cells))
    return Table(title, (field, "questions", *_SHOWN), tuple(rows))


def _inputs_table(evaluation: Evaluation) -> Table:
    rows: list[tuple[Cell, ...]] = [
        ("questions scored", evaluation.scored),
        ("questions without gold, left out", evaluation.no_gold),
    ]
    for system in evaluation.systems:
        rows += [
            (f"{system.name}: results", system.questions),
            (f"{system.name}: questions missing", system.missing),
            (f"{system.name}: results of unknown questions", system.unknown_qid),
            (f"{system.name}: repeated ids", system.repeated),
        ]
    return Table("Inputs", ("what", "count"), tuple(rows))


def _warnings(evaluation: Evaluation) -> list[str]:
    found = [
        f"{gate.name} is vacuous: its set is empty, so nothing was tested"
        for gate in evaluation.gates
        if gate.vacuous
    ]
    if evaluation.no_gold:
        one = evaluation.no_gold == 1
        count = "1 question has" if one else f"{evaluation.no_gold:,} questions have"
        found.append(f"{count} no gold document, and {'is' if one else 'are'} in no average")
    return found + warnings(evaluation.systems, "the reference")
