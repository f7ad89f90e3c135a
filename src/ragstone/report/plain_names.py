"""What metrics and gates are called where people read: the plain name, then the specialist's."""

from __future__ import annotations

from ragstone.gates.gate import Judged
from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Finding
from ragstone.report.document.figures import titled as titled
from ragstone.report.model import Report


def gate_title(report: Report, gate: Judged) -> str:
    """A gate's plain name; behind it the whole name, with its suite and slice where it has them."""
    found = metric_of(report, gate)
    return titled(gate.name, found.metric if found else None)


def finding_title(finding: Finding) -> str:
    """A reading's pattern in plain words first, and how many rows show it.

    >>> finding_title(Finding("scu_violations > 0", "…", ("A1",), "constraints not kept", 12))
    'constraints not kept (scu_violations > 0): 12 rows'
    """
    pattern = finding.pattern
    said = f"{finding.title} ({pattern})" if finding.title else pattern
    rows = f": {finding.rows:,} row{'s' if finding.rows > 1 else ''}" if finding.rows else ""
    return f"{said}{rows}"


def metric_of(report: Report, gate: Judged) -> Measured | None:
    """The metric a gate judges, also where the report names it with its suite in front."""
    return report.metrics.get(metric_name(report, gate))


def metric_name(report: Report, gate: Judged) -> str:
    """What the report calls that metric."""
    name, _, _ = gate.name.partition("[")
    return name if name in report.metrics else gate.metric
