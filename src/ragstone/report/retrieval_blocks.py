"""What a reader sees of the retrieval suite: its pictures and tables, in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ragstone.measure.metric import Measured
from ragstone.measure.paired import Difference
from ragstone.report import retrieval_pictures as pictures
from ragstone.report.model import Block, Cell, Finding, Offender, Offenders, Reading, Table
from ragstone.suites.retrieval.canary import Canary
from ragstone.suites.retrieval.evidence import Node
from ragstone.suites.retrieval.side import Side
from ragstone.suites.retrieval.suite import Evaluation

_BY_COLUMNS = ("P@5", "R@1", "R@5", "R@10", "coverage", "citation_accuracy", "delta_s_median")


@dataclasses.dataclass(frozen=True, slots=True)
class Evidence:
    """The rows that prove the numbers, as many of them as the report shows."""

    findings: tuple[Finding, ...]
    offenders: tuple[Offender, ...]
    offenders_total: int
    histogram: tuple[int, ...]
    tree: tuple[Node, ...]
    broken: tuple[tuple[str, str, str], ...] = ()


def index_blocks(found: Evaluation, evidence: Evidence) -> list[Block]:
    side = found.side
    blocks: list[Block] = []
    if evidence.findings:
        blocks.append(Reading("What this points to", evidence.findings))
    blocks += _pictures(side, evidence)
    blocks += _shared_tables(side)
    blocks += _offender_blocks(evidence)
    blocks.append(_inputs_table([side], found.gold, found.manifest))
    return blocks


def canary_blocks(found: Canary, evidence: Evidence, limit: int | None) -> list[Block]:
    blocks: list[Block] = [pictures.versus(found), _delta_table(found), _drop_table(found)]
    if evidence.findings:
        blocks.append(Reading("What the shadow log points to", evidence.findings))
    blocks.append(_type_delta_table(found))
    blocks += _flip_tables(found, limit)
    rows = tuple((name, each.value, each.denominator) for name, each in found.overlaps.items())
    blocks.append(
        Table(
            "How alike the two rankings are",
            ("measure", "value", "questions"),
            rows,
            "Ids that both indexes know: after re-chunking they share none, and this says nothing.",
        )
    )
    blocks += _pictures(found.shadow, evidence)
    blocks += _shared_tables(found.shadow)
    blocks += _offender_blocks(evidence)
    blocks.append(_inputs_table([found.live, found.shadow], found.gold, found.manifest))
    return blocks


def _pictures(side: Side, evidence: Evidence) -> list[Block]:
    drawn: list[Block] = [pictures.recall(side)]
    if sum(evidence.histogram):
        drawn.append(pictures.delta_s(side, evidence.histogram))
    if evidence.tree:
        drawn.append(pictures.tree(evidence.tree, bool(side.answers)))
    return drawn


def _shared_tables(side: Side) -> list[Block]:
    blocks: list[Block] = [_by_table("type", side.by_type)]
    blocks += [_by_table(name, values) for name, values in side.slices.items()]
    over = "runs" if side.lambdas.logged else "questions"
    rows: list[tuple[Cell, ...]] = [(state, n) for state, n in side.lambdas.states.items()]
    rows.append(("fewer than 2 runs", side.lambdas.unmeasurable))
    source = "as logged" if side.lambdas.logged else "computed from the runs"
    blocks.append(Table("λ", ("state", over), tuple(rows), f"States {source}."))
    if side.lambdas.scattered:
        qids = tuple((qid,) for qid in side.lambdas.scattered)
        blocks.append(Table("Scattered (×)", ("qid",), qids))
    if side.bad_qids:
        qids = tuple((qid,) for qid in side.bad_qids)
        says = "Not covered by their answer, or with a ΔS above the line of risk."
        blocks.append(Table("Bad qids", ("qid",), qids, says))
    return blocks


def _by_table(name: str, values: Mapping[str, Mapping[str, Measured]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for value, row in values.items():
        cells: list[Cell] = [value, row["missing"].denominator]
        cells += [None if row[m].vacuous else row[m].value for m in _BY_COLUMNS]
        rows.append(tuple(cells))
    return Table(f"By {name}", (name, "questions", *_BY_COLUMNS), tuple(rows))


def _offender_blocks(evidence: Evidence) -> list[Block]:
    if not evidence.offenders:
        return []
    says = "Those that cost most failed gates come first, then by qid; one run of each is shown."
    return [Offenders("Offenders", evidence.offenders, evidence.offenders_total, says)]


def _delta_table(found: Canary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, delta in found.deltas.items():
        rows.append((name, _value(found.live, name), _value(found.shadow, name), *_cells(delta)))
    return Table(
        "Live, shadow and the difference",
        ("metric", "live", "shadow", "delta", "from", "to"),
        tuple(rows),
        "Paired by question; from and to are the ends of the interval of the difference.",
    )


def _type_delta_table(found: Canary) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for kind, deltas in found.deltas_by_type.items():
        for name in ("P@5", "R@1", "R@5", "R@10", "coverage", "citation_accuracy"):
            if deltas[name] is not None:
                live = found.live.by_type[kind][name].value
                shadow = found.shadow.by_type[kind][name].value
                rows.append((kind, name, live, shadow, *_cells(deltas[name])))
    return Table(
        "The difference by type",
        ("type", "metric", "live", "shadow", "delta", "from", "to"),
        tuple(rows),
    )


def _cells(delta: Difference | None) -> tuple[Cell, Cell, Cell]:
    if delta is None:
        return None, None, None
    low, high = delta.interval or (None, None)
    return delta.value, low, high


def _value(side: Side, name: str) -> float | None:
    return side.measured[name].value


def _drop_table(found: Canary) -> Table:
    drop, delta = found.drop, found.deltas["R@5"]
    more: Cell = drop.needed if drop.proof == "undecided" else "–"
    if more is None:
        more = "cannot be said"
    value, low, high = _cells(delta)
    return Table(
        "Is the drop in R@5 within the margin?",
        ("delta", "from", "to", "margin", "at level", "answer", "more questions to settle it"),
        ((value, low, high, drop.margin, drop.level, drop.proof, more),),
        "The gate decides on the point; under --confidence this test decides.",
    )


def _flip_tables(found: Canary, limit: int | None) -> list[Block]:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (flip.name, len(flip.gained), len(flip.lost), flip.p) for flip in found.flips
    )
    blocks: list[Block] = [
        Table(
            "Questions that flipped",
            ("check", "gained", "lost", "p"),
            rows,
            "p: how likely so uneven a split is if either way were as likely (McNemar).",
        )
    ]
    for flip in found.flips:
        listed: list[tuple[Cell, ...]] = [("lost", qid) for qid in flip.lost[:limit]]
        listed += [("gained", qid) for qid in flip.gained[:limit]]
        if listed:
            says = "The first of each way." if limit is not None else ""
            title = f"Flipped on {flip.name}"
            blocks.append(Table(title, ("way", "qid"), tuple(listed), says))
    return blocks


def _inputs_table(sides: list[Side], gold: int, manifest: int) -> Table:
    rows: list[tuple[Cell, ...]] = [("gold items", gold), ("manifest chunks", manifest)]
    for side in sides:
        rows += [
            (f"{side.name}: lines", side.lines),
            (f"{side.name}: runs scored", side.runs),
            (f"{side.name}: runs with an answer", side.answers),
            (f"{side.name}: lines with a qid gold does not know", side.unknown_qid),
            (f"{side.name}: index_hash", ", ".join(side.index_hashes) or "not logged"),
        ]
    return Table("Inputs", ("what", "count"), tuple(rows))
