"""Which rows does a report accuse, and where do they stand in the inputs? For SARIF and CI logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.gates.gate import Judged, Status
from ragstone.report.model import Offender, Offenders, Place, Report
from ragstone.report.text import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the suite calls the file with what the pipeline did.
_ANSWERED_IN = {"retrieval": "log", "canary": "log", "context": "results"}
CLAIM = 300
ITEMS = 5


def accused(report: Report) -> tuple[Offender, ...]:
    """Every offender shown in the report, once, in the order shown."""
    blocks = (block for block in report.blocks if isinstance(block, Offenders))
    return tuple(dict.fromkeys(row for block in blocks for row in block.rows))


def standing(report: Report, qid: str) -> Iterator[tuple[str, Place]]:
    """The gold line of a question and that of its answer, where these are lines of files."""
    inputs = ("gold", _ANSWERED_IN.get(report.suite, "trace"))
    for input_, place in zip(inputs, report.places.get(qid, ()), strict=False):
        # Standard input and in-memory tables have no line that anybody could open.
        if place is not None and place.file != "-" and not place.file.startswith("<"):
            yield input_, place


def not_passed(report: Report) -> tuple[Judged, ...]:
    """The gates that stand in the way: failed ones first, then those without a number."""
    return tuple(
        gate
        for status in (Status.FAIL, Status.UNMEASURABLE)
        for gate in report.gates
        if gate.status is status
    )


def complaint(row: Offender) -> str:
    """What is wrong with one row, in lines a log can show."""
    parts = [f"{shown(row.qid, 80)} costs {listed(row.costs, limit=ITEMS, length=80)}"]
    if row.failed_checks:
        parts.append(f"failed checks: {listed(row.failed_checks, limit=ITEMS, length=80)}")
    if row.question:
        parts.append(f"question: {shown(row.question, CLAIM)}")
    if row.has_answer:
        parts.append(f"claim: {shown(row.claim, CLAIM)}" if row.claim else "claim: none")
    if row.gold_claim_substr:
        parts.append(f"expected: {listed(row.gold_claim_substr, limit=ITEMS, length=120)}")
    return "\n".join(parts)
