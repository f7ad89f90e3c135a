"""The answers suite's report: its figures, tables and evidence, ready for every renderer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ragstone._version import __version__
from ragstone.measure.metric import Measured
from ragstone.report.model import (
    Block,
    Cell,
    Finding,
    Funnel,
    Json,
    Offender,
    Offenders,
    Reading,
    Report,
    Step,
    Table,
)
from ragstone.suites.answers.suite import Evaluation, Inputs


@dataclasses.dataclass(frozen=True, slots=True)
class Evidence:
    """The rows that prove the numbers, as many of them as the report shows."""

    answerable: int
    funnel: tuple[Step, ...]
    findings: tuple[Finding, ...]
    offenders: tuple[Offender, ...]
    offenders_total: int
    near_refusals: tuple[str, ...]


def build(
    evaluation: Evaluation,
    evidence: Evidence,
    digest: str,
    offending: Mapping[str, tuple[Offender, ...]],
) -> Report:
    """Everything a renderer needs, in one object."""
    return Report(
        suite="answers",
        version=__version__,
        figures=_figures(evaluation),
        metrics=evaluation.measured,
        gates=evaluation.gates,
        digest=digest,
        settings=settings(evaluation),
        data=_data(evaluation, evidence),
        blocks=tuple(_blocks(evaluation, evidence)),
        warnings=tuple(_warnings(evaluation, evidence)),
        offending=offending,
    )


def settings(evaluation: Evaluation) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    options = evaluation.options
    return {
        "k": options.k,
        "missing": options.missing,
        "keep": options.keep,
        "scu": options.scu,
        "refusal": list(options.refusal),
        "by": list(options.by),
        "strict": options.strict,
        "confidence": options.confidence,
        "map": dict(sorted(options.mapping.items())),
        "rules": [list(pair) for pair in options.rules],
    }


def inputs(found: Inputs) -> dict[str, Json]:
    """The counts and hashes of what came in."""
    return {
        "gold": found.gold,
        "lines": found.lines,
        "kept": found.kept,
        "unknown_qid": found.unknown_qid,
        "no_qid": found.no_qid,
        "superseded": found.superseded,
        "gold_hash": found.gold_hash,
        "trace_hash": found.trace_hash,
    }


def _figures(evaluation: Evaluation) -> dict[str, float | int | None]:
    figures: dict[str, float | int | None] = dict(evaluation.figures)
    for name, found in evaluation.measured.items():
        whole = name == "scu_violations" and found.value is not None
        figures[name] = int(found.value or 0) if whole else found.value
    figures["k"] = evaluation.options.k
    return figures


def _data(evaluation: Evaluation, evidence: Evidence) -> dict[str, Json]:
    return {
        "inputs": inputs(evaluation.inputs),
        "funnel": [
            {"step": step.name, "left": step.left, "lost": step.lost, "qids": list(step.qids)}
            for step in evidence.funnel
        ],
        "reading": [
            {"pattern": f.pattern, "reading": f.reading, "qids": list(f.qids)}
            for f in evidence.findings
        ],
        "offenders": [_offender(row) for row in evidence.offenders],
        "offenders_total": evidence.offenders_total,
        "near_refusals": list(evidence.near_refusals),
        "slices": {
            name: {
                value: {metric: _measured(found) for metric, found in row.items()}
                for value, row in values.items()
            }
            for name, values in evaluation.slices.items()
        },
    }


def _offender(row: Offender) -> dict[str, Json]:
    return {
        "qid": row.qid,
        "costs": list(row.costs),
        "failed_checks": list(row.failed_checks),
        "answerable": row.answerable,
        "question": row.question,
        "claim": row.claim,
        "gold_claim_substr": list(row.gold_claim_substr),
        "gold_citations": list(row.gold_citations),
        "citations": list(row.citations),
        "retrieved_ids": list(row.retrieved_ids),
        "constraints": list(row.constraints),
        "constraints_echo": list(row.constraints_echo),
    }


def _measured(found: Measured) -> dict[str, Json]:
    interval = found.interval
    return {
        "value": found.value,
        "numerator": found.numerator,
        "denominator": found.denominator,
        "interval": None if interval is None else list(interval),
        "vacuous": found.vacuous,
    }


def _blocks(evaluation: Evaluation, evidence: Evidence) -> list[Block]:
    blocks: list[Block] = []
    if evidence.findings:
        blocks.append(Reading("What this points to", evidence.findings))
    blocks.append(
        Funnel(
            "Where answerable questions are lost",
            evidence.answerable,
            evidence.funnel,
            "Each step keeps the questions that pass its check and all checks before it.",
        )
    )
    for name, values in evaluation.slices.items():
        blocks.append(_slice_table(name, values))
    if evidence.offenders:
        says = "Those that cost most failed gates come first, then by qid."
        blocks.append(Offenders("Offenders", evidence.offenders, evidence.offenders_total, says))
    if evidence.near_refusals:
        rows = tuple((qid,) for qid in evidence.near_refusals)
        blocks.append(
            Table(
                "Near refusals",
                ("qid",),
                rows,
                "The claim holds the refusal token but is not equal to it, so it was shipped.",
            )
        )
    blocks.append(_inputs_table(evaluation.inputs))
    return blocks


_SLICE_COLUMNS = ("precision", "chr", "under_refusal", "over_refusal", "recall@k")


def _slice_table(name: str, values: Mapping[str, Mapping[str, Measured]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for value, row in values.items():
        cells: list[Cell] = [value, row["missing"].denominator]
        cells += [None if row[m].vacuous else row[m].value for m in _SLICE_COLUMNS]
        rows.append(tuple(cells))
    return Table(
        f"By {name}",
        (name, "questions", *_SLICE_COLUMNS),
        tuple(rows),
        "A dash stands where the slice has nothing to compute the number over.",
    )


def _inputs_table(found: Inputs) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = (
        ("gold items", found.gold),
        ("trace lines", found.lines),
        ("scored", found.kept),
        ("superseded by a later or earlier line", found.superseded),
        ("with a qid gold does not know", found.unknown_qid),
        ("without a qid", found.no_qid),
    )
    return Table("Inputs", ("what", "count"), rows)


def _warnings(evaluation: Evaluation, evidence: Evidence) -> list[str]:
    found = evaluation.inputs
    warnings = [
        f"{gate.name} is vacuous: its set is empty, so nothing was tested"
        for gate in evaluation.gates
        if gate.vacuous
    ]
    warnings += [
        f"the gate {gate.name} {gate.threshold} always ends the same: the metric is from 0 to 1"
        for gate in evaluation.gates
        if gate.metric != "scu_violations" and not 0 <= gate.threshold.value <= 1
    ]
    if found.unknown_qid:
        warnings.append(
            _count(
                found.unknown_qid,
                "has a qid that gold does not know",
                "have a qid that gold does not know",
            )
        )
    if found.no_qid:
        warnings.append(_count(found.no_qid, "has no qid", "have no qid"))
    if evidence.near_refusals:
        shown = ", ".join(evidence.near_refusals[:3])
        more = ", ..." if len(evidence.near_refusals) > 3 else ""
        warnings.append(
            f"{len(evidence.near_refusals)} shipped answers hold the refusal token without being "
            f"equal to it ({shown}{more}); the contract asks for the exact token"
        )
    if found.lines == 0:
        warnings.append("the trace file is empty: every question is missing")
    return warnings


def _count(number: int, one: str, many: str) -> str:
    line = "trace line" if number == 1 else "trace lines"
    return f"{number:,} {line} {one if number == 1 else many}; not scored"
