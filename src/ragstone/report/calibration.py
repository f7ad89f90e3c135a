"""The report of `ragstone retrieval calibrate`: the line, and how well it separates."""

from __future__ import annotations

from ragstone._version import __version__
from ragstone.gates.gate import Status
from ragstone.measure.metric import Mean, Measured
from ragstone.report.model import Picture, Report, Table
from ragstone.report.retrieval import settings
from ragstone.report.words import number
from ragstone.suites.retrieval.calibrate import Calibration
from ragstone.suites.retrieval.metrics import LINE
from ragstone.suites.retrieval.options import Options

AUC = Mean(
    name="auc",
    of="true",
    value="relevant_below_other",
    empty=0.0,
    better="higher",
    says="How often a relevant chunk has a smaller ΔS than another: 1 is always, 0.5 is chance.",
)


def build(found: Calibration, options: Options, digest: str) -> Report:
    """Everything a renderer needs, in one object."""
    return Report(
        suite="calibrate",
        version=__version__,
        figures={
            "delta_s_line": found.line,
            "auc": found.auc,
            "sensitivity": found.sensitivity,
            "specificity": found.specificity,
            "relevant_pairs": found.relevant,
            "other_pairs": found.other,
            "questions": found.questions,
        },
        metrics={
            "auc": Measured(AUC, found.auc, None, found.questions, found.interval, vacuous=False)
        },
        gates=(),
        digest=digest,
        settings=settings(options),
        data={"embedder": found.embedder, "scale": found.line / LINE},
        blocks=(_picture(found), _table(found)),
        warnings=tuple(_warnings(found)),
        verdicts={Status.PASS: "CALIBRATED"},
    )


def _warnings(found: Calibration) -> list[str]:
    if found.interval[0] > 0.5:
        return []
    return [
        f"the embedder {found.embedder} does not tell relevant from other chunks on this gold set: "
        f"its AUC could be {number(found.interval[0])}; do not gate on its ΔS"
    ]


def _table(found: Calibration) -> Table:
    rows = (
        ("stable below", 0.40 * found.line / LINE),
        ("the line", found.line),
        ("risk from", 0.60 * found.line / LINE),
    )
    return Table(
        "The thresholds in force",
        ("threshold", "ΔS"),
        rows,
        f"All ΔS thresholds are scaled by {found.line / LINE:.4f}, the line over 0.45.",
    )


def _picture(found: Calibration) -> Picture:
    points = " ".join(f"{40 + 300 * x:g},{320 - 300 * y:g}" for x, y in found.curve)
    x, y = 40 + 300 * (1 - found.specificity), 320 - 300 * found.sensitivity
    svg = (
        '<svg viewBox="0 0 380 360" width="100%" style="max-width:380px" font-size="13" '
        'fill="var(--ink)">'
        '<rect x="40" y="20" width="300" height="300" fill="none" stroke="var(--line)"/>'
        '<line x1="40" y1="320" x2="340" y2="20" stroke="var(--line)" stroke-dasharray="4 4"/>'
        f'<polyline points="{points}" fill="none" stroke="var(--bar)" stroke-width="2.5"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="var(--bar)"/>'
        '<text x="190" y="346" text-anchor="middle">other chunks at or below the line</text>'
        '<text x="18" y="170" text-anchor="middle" transform="rotate(-90 18 170)">'
        "relevant chunks at or below it</text></svg>"
    )
    alt = (
        f"The line {number(found.line)} takes {number(found.sensitivity)} of the relevant pairs "
        f"and leaves out {number(found.specificity)} of the others"
    )
    return Picture("ROC", svg, alt)
