"""The agreement suite's report: the confusion matrix, the arbitration, the disagreements."""

from __future__ import annotations

from collections import Counter

from ragstone._version import __version__
from ragstone.contracts.records.label_records import LABELS
from ragstone.report import svg
from ragstone.report.model import Block, Cell, Json, Picture, Report, Table
from ragstone.suites.agreement.raters import ManyEvaluation
from ragstone.suites.agreement.suite import WHY, Arbitrated, Evaluation
from ragstone.suites.deciding import Deciding


def settings(deciding: Deciding, source: str) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    return {"from": source, "strict": deciding.strict, "confidence": deciding.confidence}


def inputs(found: Evaluation | ManyEvaluation) -> dict[str, Json]:
    return dict(found.inputs)


def build(found: Evaluation, digest: str, source: str, limit: int | None) -> Report:
    """Everything a renderer needs, for two validators."""
    disagreements = found.disagreements
    return Report(
        suite="agreement",
        version=__version__,
        figures={
            "pairs": len(found.rows),
            "disagreements": len(disagreements),
            "only_scholar": len(found.only["scholar"]),
            "only_auditor": len(found.only["auditor"]),
            **{name: measured.value for name, measured in found.measured.items()},
        },
        metrics=found.measured,
        gates=found.gates,
        digest=digest,
        settings=settings(found.deciding, source),
        data={
            "inputs": inputs(found),
            "confusion": {
                row: dict(zip(LABELS, counts, strict=True))
                for row, counts in zip(LABELS, found.matrix, strict=True)
            },
            "finals": dict(sorted(Counter(row.final for row in found.rows).items())),
            "arbitration": [_row(row) for row in found.rows],
            "unpaired": {name: list(qids) for name, qids in found.only.items()},
        },
        blocks=tuple(_blocks(found, limit)),
        warnings=tuple(_warnings(found)),
    )


def _row(row: Arbitrated) -> dict[str, Json]:
    return {
        "qid": row.qid,
        "scholar": row.scholar,
        "auditor": row.auditor,
        "final": row.final,
        "why": row.why,
        "scholar_reason": row.scholar_reason,
        "auditor_reason": row.auditor_reason,
    }


def tsv(rows: tuple[Arbitrated, ...]) -> str:
    """The disagreements as a table for a spreadsheet; a tab or line break in a qid is written out.

    >>> tsv((Arbitrated("a\\tb", "VALID", "REJECT", "REJECT", "auditor_veto", "", ""),))
    'qid\\tscholar\\tauditor\\tfinal\\twhy\\na\\\\tb\\tVALID\\tREJECT\\tREJECT\\tauditor_veto\\n'
    """
    lines = [("qid", "scholar", "auditor", "final", "why")]
    lines += [(_cell(r.qid), r.scholar, r.auditor, r.final, r.why) for r in rows]
    return "".join("\t".join(line) + "\n" for line in lines)


def _cell(text: str) -> str:
    for raw, written in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(raw, written)
    return text


def _blocks(found: Evaluation, limit: int | None) -> list[Block]:
    blocks: list[Block] = [_confusion(found.matrix)]
    final = {row.why: row.final for row in found.rows}
    counts = Counter(row.why for row in found.rows)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (why, final[why], counts[why]) for why in WHY if counts[why]
    )
    says = "Every item is decided by the first rule that matches, in this order."
    blocks.append(Table("Arbitration", ("why", "final", "items"), rows, says))
    if found.disagreements:
        blocks.append(_disagreements(found, limit))
    for name, qids in found.only.items():
        if qids:
            title = f"Labelled by the {name} only"
            blocks.append(Table(title, ("qid",), tuple((qid,) for qid in qids[:limit])))
    return blocks


def _disagreements(found: Evaluation, limit: int | None) -> Table:
    columns = ("qid", "scholar", "auditor", "final", "why", "scholar says", "auditor says")
    rows = found.disagreements
    cells = tuple(
        (r.qid, r.scholar, r.auditor, r.final, r.why, r.scholar_reason,
         r.auditor_reason)
        for r in rows[:limit]
    )  # fmt: skip
    left = len(rows) - len(cells)
    says = f"The first {len(cells):,} of {len(rows):,}; --all lists them all." if left else ""
    return Table("Disagreements", columns, cells, says)


_SIDE, _LEFT, _TOP = 96, 150, 56


def _confusion(matrix: tuple[tuple[int, ...], ...]) -> Picture:
    """Where the two meet: the diagonal is agreement, the rest is argument."""
    most = max((count for row in matrix for count in row), default=0) or 1
    size = _SIDE * len(LABELS)
    parts = [
        svg.text(_LEFT + size / 2, 16, "auditor", color=svg.MUTED, anchor="middle", weight=600),
        svg.text(0, _TOP - 12, "scholar", color=svg.MUTED, weight=600),
    ]
    for index, label in enumerate(LABELS):
        middle = index * _SIDE + _SIDE / 2
        parts.append(svg.text(_LEFT + middle, _TOP - 12, label, size=10, anchor="middle"))
        parts.append(svg.text(_LEFT - 10, _TOP + middle + 4, label, size=10, anchor="end"))
    for y, row in enumerate(matrix):
        parts += [_square(x, y, count, most) for x, count in enumerate(row)]
    said = [
        f"{LABELS[y]}/{LABELS[x]} {count}"
        for y, row in enumerate(matrix)
        for x, count in enumerate(row)
        if count
    ]
    return Picture(
        "Confusion matrix",
        svg.picture(_LEFT + size + 2, _TOP + size + 2, parts),
        f"Items by scholar/auditor label: {', '.join(said) or 'none'}.",
        "Rows are the scholar's labels, columns the auditor's; agreement is on the diagonal.",
    )


def _square(x: int, y: int, count: int, most: int) -> str:
    left, top = _LEFT + x * _SIDE, _TOP + y * _SIDE
    color = svg.PASS if x == y else svg.FAIL
    # Even one item must be seen, so what is not empty starts at a visible shade.
    shade = 0.12 + 0.48 * count / most if count else 0.0
    title = f"scholar {LABELS[y]}, auditor {LABELS[x]}: {count:,}"
    return (
        svg.rect(left + 1, top + 1, _SIDE - 2, _SIDE - 2, svg.RAIL)
        + svg.rect(left + 1, top + 1, _SIDE - 2, _SIDE - 2, color, opacity=shade, title=title)
        + svg.text(
            left + _SIDE / 2, top + _SIDE / 2 + 6, f"{count:,}", anchor="middle", size=17,
            weight=600 if count else 400, color=svg.INK if count else svg.MUTED,
        )
    )  # fmt: skip


def _warnings(found: Evaluation) -> list[str]:
    warnings = []
    if not found.rows:
        warnings.append("there is no item that both validators labelled: nothing can be measured")
    elif found.measured["kappa"].value is None:
        warnings.append(
            "kappa is undefined: both validators gave every item the same label, so it is judged "
            "on agreement alone"
        )
    for name, qids in found.only.items():
        if qids:
            items = "item was" if len(qids) == 1 else "items were"
            warnings.append(f"{len(qids):,} {items} labelled by the {name} only; not compared")
    return warnings


def build_many(found: ManyEvaluation, digest: str, limit: int | None) -> Report:
    """The same for more than two validators."""
    single = len(found.single)
    warnings = [f"{single:,} items were labelled by one validator only"] if single else []
    if found.measured["alpha"].value is None:
        warnings.append("alpha is undefined: only one label was ever used, or none can be paired")
    return Report(
        suite="agreement",
        version=__version__,
        figures={
            "items": found.items,
            "raters": len(found.raters),
            "disagreements": len(found.splits),
            **{name: measured.value for name, measured in found.measured.items()},
        },
        metrics=found.measured,
        gates=found.gates,
        digest=digest,
        settings=settings(found.deciding, "raters"),
        data={
            "inputs": inputs(found),
            "pairwise": [
                {"raters": [p.first, p.second], "items": p.items, "agreed": p.agreed,
                 "kappa": p.kappa}
                for p in found.pairwise
            ],
            "abstained": dict(found.abstained),
            "splits": [
                {"qid": s.qid, "labels": dict(zip(found.raters, s.labels, strict=True))}
                for s in found.splits
            ],
            "unpaired": list(found.single),
        },
        blocks=_many_blocks(found, limit),
        warnings=tuple(warnings),
    )  # fmt: skip


def _many_blocks(found: ManyEvaluation, limit: int | None) -> tuple[Block, ...]:
    pairs = tuple(
        (f"{p.first}, {p.second}", p.items, p.agreed / p.items if p.items else None, p.kappa)
        for p in found.pairwise
    )
    blocks: list[Block] = [Table("Pair by pair", ("raters", "items", "agreement", "kappa"), pairs)]
    if found.splits:
        rows = tuple((s.qid, *s.labels) for s in found.splits[:limit])
        blocks.append(Table("Items they disagree on", ("qid", *found.raters), rows))
    return tuple(blocks)
