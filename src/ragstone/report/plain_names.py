"""What metrics and gates are called where people read: the plain name, then the specialist's."""

from __future__ import annotations

from ragstone.gates.gate import Judged
from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Finding
from ragstone.report.document.figures import number
from ragstone.report.document.figures import titled as titled
from ragstone.report.model import Report

# What a suite's plain numbers are called where people read; files keep the names of others' tools.
_FIGURES = {
    "avg_context_recall": "context recall, on average",
    "avg_context_precision": "context precision, on average",
    "avg_context_f1": "context F1, on average",
    "ndcg_10": "nDCG of the first 10",
    "ndcg_10_retrieved": "nDCG of the first 10 retrieved",
    "pct_records_with_at_least_one_ref": "questions with a right document",
    "pct_records_with_all_refs": "questions with all right documents",
    "no_gold": "questions without gold",
    "unknown_qid": "questions that gold does not know",
    "only_scholar": "labelled by the scholar only",
    "only_auditor": "labelled by the auditor only",
}


def figure_title(name: str) -> str:
    """What a plain number of a suite is called.

    >>> figure_title("pct_records_with_all_refs"), figure_title("failed_questions")
    ('questions with all right documents', 'failed questions')
    """
    return _FIGURES.get(name, name.replace("_", " "))


def figure_text(name: str, value: float | int | None) -> str:
    """A plain number of a suite; what is in per cent is written so.

    >>> figure_text("pct_records_with_all_refs", 73.3333), figure_text("k", 5)
    ('73.3 %', '5')
    """
    if name.startswith("pct_") and value is not None:
        return f"{number(float(value), 1)} %"
    return number(value)


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
