"""What is said of rows that cost something, in lines that a log can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.progress import counting
from ragstone.report.document.blocks import Offender, Offenders
from ragstone.report.model import Report
from ragstone.report.plain_names import costs
from ragstone.report.text import listed, shown


def wrong(row: Offender) -> tuple[str, ...]:
    """What is wrong with a row; rows kept by older versions have only the names of checks."""
    return row.problems or tuple(f"fails {check}" for check in row.failed_checks)


def complaints(report: Report) -> Iterator[tuple[Offender, str]]:
    """Every offender shown, once, with what is wrong with it."""
    blocks = [block for block in report.blocks if isinstance(block, Offenders)]
    where = {row: block for block in reversed(blocks) for row in block.rows}
    for row in counting(report.shown_offenders(), "", "rows"):
        yield row, complaint(row, costs(report, where[row], row.costs))


def complaint(row: Offender, costs: Sequence[str]) -> str:
    """What is wrong with one row, in lines a log can show; `costs` are metrics in words."""
    parts = [shown(row.qid, 80)]
    if wrong(row):
        parts[0] += f": {listed(wrong(row), limit=5, length=80, between='; ')}"
    if costs:
        parts.append(f"counts against {listed(costs, limit=5, length=120)}")
    if row.question:
        parts.append(f"question: {shown(row.question, 300)}")
    if row.has_answer:
        parts.append(f"claim: {shown(row.claim, 300)}" if row.claim else "claim: none")
    if row.gold_claim_substr:
        parts.append(f"expected: {listed(row.gold_claim_substr, limit=5, length=120)}")
    if row.why:
        parts.append(shown(row.why, 300))
    return "\n".join(parts)
