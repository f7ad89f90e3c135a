"""What does a reviewer read under a pull request? The decision, and why, in one comment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from ragstone.gates.gate import Status
from ragstone.report import words
from ragstone.report.escape import code, prose, tagged
from ragstone.report.model import (
    Block,
    Cell,
    Funnel,
    Offender,
    Offenders,
    Picture,
    Reading,
    Report,
    Table,
)
from ragstone.report.text import few

# GitHub refuses a comment of more than 65,536 characters.
LONGEST = 65_000
CLAIM = 1000
CELL = 120
ITEMS = 10
TABLE_ROWS = 100
BAR = 20

ICON = {Status.PASS: "✅", Status.FAIL: "❌", Status.UNMEASURABLE: "⚠️"}


def render(report: Report) -> str:
    """The comment; what does not fit into one is left out from the end, and said so."""
    foot = f"<sub>ragstone {prose(report.version, CELL)} · digest {code(report.digest, CELL)}</sub>"
    left_out = "_The rest does not fit into a comment: see the JSON or HTML report._"
    room = LONGEST - len(foot) - len(left_out)
    kept: list[str] = []
    for part in _parts(report):
        room -= len(part) + 2
        if room < 0:
            kept.append(left_out)
            break
        kept.append(part)
    return "\n\n".join([*kept, foot]) + "\n"


def _parts(report: Report) -> Iterator[str]:
    """The comment in pieces that stand alone, the most important first."""
    verdict = words.verdict(report)
    title = prose(report.suite, CELL)
    yield f"## {ICON[report.decision]} {verdict} · {title} · {report.decision.value}"
    yield prose(words.headline(report), CLAIM)
    if report.gates:
        yield _gates(report)
    for warning in report.warnings:
        yield f"> ⚠️ {prose(warning, CLAIM)}"
    for block in report.blocks:
        yield from _block(block)
    if report.metrics:
        yield f"<details><summary>All metrics</summary>\n\n{_metrics(report)}\n\n</details>"


def _gates(report: Report) -> str:
    rows = []
    for gate in report.gates:
        measured = words.whole(report, gate)
        rows.append(
            (
                code(gate.name, CELL),
                f"{ICON[gate.status]} {gate.status.value}",
                words.gate_value(report, gate),
                words.threshold(gate.threshold),
                words.share(measured) if measured else "",
                words.interval(gate.interval),
                prose(words.about(gate), 2 * CELL),
            )
        )
    columns = ("gate", "status", "value", "threshold", "of", words.interval_name(report), "note")
    return _grid(columns, rows, {2, 3, 4, 5})


def _metrics(report: Report) -> str:
    rows = [
        (
            code(name, CELL),
            words.value(measured),
            words.share(measured),
            words.interval(measured.interval),
            ("vacuous. " if measured.vacuous else "") + prose(measured.metric.says, 2 * CELL),
        )
        for name, measured in report.metrics.items()
    ]
    columns = ("metric", "value", "of", words.interval_name(report), "meaning")
    return _grid(columns, rows, {1, 2, 3})


def _block(block: Block) -> Iterator[str]:
    yield f"### {prose(block.title, CELL)}"
    match block:
        case Reading():
            yield _reading(block)
            return
        case Picture():
            yield prose(block.alt, CLAIM)
    if block.says:
        yield prose(block.says, CLAIM)
    match block:
        case Table():
            yield _table(block)
        case Funnel():
            yield _funnel(block)
        case Offenders():
            yield from _offenders(block)


def _reading(block: Reading) -> str:
    lines = []
    for finding in block.findings:
        proof = f" ({_ids(finding.qids)})" if finding.qids else ""
        said = prose(finding.reading, CLAIM)
        lines.append(f"- **{prose(finding.pattern, CELL)}**: {said}{proof}")
    return "\n".join(lines) or "Nothing stands out."


def _table(block: Table) -> str:
    rows = [tuple(_cell(value) for value in row) for row in block.rows[:TABLE_ROWS]]
    grid = _grid([prose(column, CELL) for column in block.columns], rows, words.numeric(block))
    rest = len(block.rows) - TABLE_ROWS
    return f"{grid}\n\n_{rest:,} more rows are not shown._" if rest > 0 else grid


def _cell(value: Cell) -> str:
    return prose(value, CELL) if isinstance(value, str) else words.number(value)


def _funnel(block: Funnel) -> str:
    rows = [("all", "█" * BAR, words.number(block.total), "", "")]
    for step in block.steps:
        full = round(BAR * step.left / block.total) if block.total else 0
        gone = min(round(BAR * step.lost / block.total) if block.total else 0, BAR - full)
        rows.append(
            (
                code(step.name, CELL),
                "█" * full + "░" * gone,
                words.number(step.left),
                f"−{step.lost:,}" if step.lost else "0",
                _ids(step.qids),
            )
        )
    return _grid(("step", "", "left", "lost", "first lost"), rows, {2, 3})


def _offenders(block: Offenders) -> Iterator[str]:
    for row in block.rows:
        costs = ", ".join(tagged(cost, CELL) for cost in row.costs[:ITEMS])
        # Up to the blank line all is HTML, and a code span would be shown as typed.
        summary = f"<summary>{tagged(row.qid, CELL)} costs {costs}</summary>"
        yield f"<details>{summary}\n\n{_facts(row)}\n\n</details>"
    rest = block.total - len(block.rows)
    if rest > 0:
        yield f"_{rest:,} more offenders are not shown._"


def _facts(row: Offender) -> str:
    facts = {
        "failed checks": _ids(row.failed_checks),
        "question": prose(row.question or "", CLAIM),
        "claim": prose(row.claim, CLAIM) if row.claim else "_none_" if row.has_answer else "",
        "gold claim": _ids(row.gold_claim_substr),
        "gold citations": _ids(row.gold_citations),
        "citations": _ids(row.citations),
        "retrieved": _ids(row.retrieved_ids),
        "constraints": _ids(row.constraints),
        "echoed": _ids(row.constraints_echo),
        "answerable": "no: only the refusal is right" if row.answerable is False else "",
    }
    return "\n".join(f"- **{label}**: {text}" for label, text in facts.items() if text)


def _ids(items: Iterable[str]) -> str:
    head, note = few(items, ITEMS)
    return " ".join(filter(None, (", ".join(code(item, CELL) for item in head), note)))


def _grid(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Set[int]) -> str:
    rule = ["---:" if index in numeric else "---" for index in range(len(columns))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (columns, rule, *rows))
