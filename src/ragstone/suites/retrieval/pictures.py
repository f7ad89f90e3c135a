"""The charts of the retrieval suite: recall, ΔS and the title tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

from ragstone.measure.metric import Measured
from ragstone.report.charts import shapes
from ragstone.report.charts.bars import Band, Bar, bars, histogram
from ragstone.report.charts.plot import STYLES, Line, Panel, plot
from ragstone.report.charts.scale import Axis, near
from ragstone.report.document.blocks import Picture
from ragstone.report.document.figures import number, whole_percent
from ragstone.suites.retrieval.delta_s import DeltaS
from ragstone.suites.retrieval.log_facts import Log
from ragstone.suites.retrieval.metrics import KS, RISK, STABLE
from ragstone.suites.retrieval.title_tree import Node

Numbers = Mapping[str, Measured]

SECTIONS = 60

# What the 90th percentile is called in a picture and in a table.
NINETY = "90 % below"


def delta_s(found: DeltaS, numbers: Numbers, counts: Sequence[int]) -> Picture:
    """The ΔS of the questions in twentieths, over the three bands."""
    scale = found.scale
    stable, risk = (min(1.0, cut * scale) for cut in (STABLE, RISK))
    bands = (
        Band("stable", 0.0, stable, shapes.PASS_ZONE),
        Band("transitional", stable, risk, shapes.HOLD_ZONE),
        Band("risk", risk, 1.0, shapes.FAIL_ZONE),
    )
    shares = ", ".join(
        f"{band.name} {number(numbers[f'delta_s_{band.name}'].value)}" for band in bands
    )
    line = f"The line in force is {found.line:.4g}"
    says = {
        "log": f"As the log brings it. {line}, as the spec has it.",
        "computed": f"Computed by {found.embedder}. "
        + (
            f"{line}, calibrated."
            if found.calibrated
            else "Not calibrated: its gates cannot be measured."
        ),
        "none": "",
    }[found.source]
    drawn = histogram(counts, near([0.0, 1.0], 5, "ΔS"), bands, counted="questions")
    return Picture(
        "Distance of question and snippet (ΔS)",
        drawn,
        f"ΔS of {sum(counts):,} questions: {shares}",
        says,
    )


def delta_s_by_rank(logs: Mapping[str, Log], shown: str) -> Picture:
    """Median and 90th percentile of ΔS by rank, of every log; the one shown is drawn in full."""
    order = [shown, *(name for name in logs if name != shown)]
    lines: list[Line] = []
    said = []
    for name in order:
        for what, read in (("median", attrgetter("median")), (NINETY, attrgetter("p90"))):
            points = tuple((float(each.rank), read(each)) for each in logs[name].by_rank)
            color, dash = STYLES[len(lines)]
            words = f"{name} {what}".lstrip()
            lines.append(Line(points, color, dash, dotted=name == shown, name=words))
            said.append(f"{words}: " + ", ".join(f"{x:.0f}: {number(y)}" for x, y in points))
    last = max(2, *(each.rank for log in logs.values() for each in log.by_rank))
    across = Axis(1, last, tuple((rank, str(rank)) for rank in range(1, last + 1)), "rank")
    drawn = plot([Panel(across, _fitted(lines), tuple(lines), title="ΔS")])
    says = (
        "Every item that was retrieved. Where a curve is flat, the ranks below are no further off."
    )
    return Picture("Distance over the ranks (ΔS)", drawn, "; ".join(said), says)


def recall(numbers: Numbers, by_type: Mapping[str, Numbers]) -> Picture:
    """R@k over k, all questions and each type."""
    series = [("all", numbers)]
    if len(by_type) > 1:
        series += list(by_type.items())[:4]
    lines, said = [], []
    for (name, row), (color, dash) in zip(series, STYLES, strict=False):
        points = tuple((float(k), row[f"R@{k}"].value or 0.0) for k in KS)
        words = f"{name} ({row['missing'].denominator:,})"
        lines.append(Line(points, color, dash, dotted=True, name=words))
        said.append(f"{name}: " + ", ".join(f"first {k} {number(row[f'R@{k}'].value)}" for k in KS))
    across = Axis(KS[0], KS[-1], tuple((k, str(k)) for k in KS), "k, the first retrieved")
    drawn = plot([Panel(across, _fitted(lines), tuple(lines), title="Recall")])
    says = (
        "Of a question's relevant ids, the share among the first k (R@k), as a mean over the "
        "questions; in brackets, how many these are."
    )
    return Picture("Recall by k and type", drawn, "; ".join(said), says)


def _fitted(lines: Sequence[Line]) -> Axis:
    """An axis for shares: as long as the lines need, and up to 1 where they come near it."""
    shares = [y for line in lines for _, y in line.points]
    return near([*shares, 1.0] if max(shares, default=1.0) > 0.8 else shares)


def tree(nodes: Sequence[Node], answers: bool) -> Picture:
    """The title tree, each section as wide as its coverage and coloured by it."""
    what = "coverage" if answers else "share found in the first five"
    head = nodes[:SECTIONS]
    rows = []
    for node in head:
        share = node.value or 0.0
        color = shapes.PASS if share >= 0.9 else shapes.HOLD if share >= 0.7 else shapes.FAIL
        asked = "1 question" if node.questions == 1 else f"{node.questions:,} questions"
        note = f"{whole_percent(share)}, {asked}"
        rows.append(Bar(node.section, share, note, color, node.depth))
    says = f"Each section with the questions anchored in it or below it, by {what}."
    if len(nodes) > len(head):
        says += f" The first {len(head)} of {len(nodes):,} sections."
    alt = ", ".join(f"{node.section} {number(node.value)}" for node in head[:12])
    return Picture("Section by section", bars(rows), f"{what}: {alt}", says)
