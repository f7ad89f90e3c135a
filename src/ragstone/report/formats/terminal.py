"""The whole report for a terminal or a plain log file; it ends with the summary and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from rich.text import Text

from ragstone.measure.metric import Measured
from ragstone.progress import counting
from ragstone.report import words
from ragstone.report.document.blocks import (
    Block,
    Cell,
    Funnel,
    Offender,
    Offenders,
    Picture,
    QuestionPair,
    QuestionPairs,
    Reading,
    Table,
)
from ragstone.report.document.figures import number
from ragstone.report.formats import summary_screen
from ragstone.report.formats.highlight import FORBIDDEN, FOUND, PLAIN, UNSUPPORTED, pieces
from ragstone.report.formats.screen import Rows, Screen
from ragstone.report.formats.summary_text import COLOR
from ragstone.report.model import Report
from ragstone.report.text import clip, listed, said_and_line, shown, visible

CLAIM = 400
CELL = 80
# Room for the plain name of a metric beside the other.
NAME = 130
ITEMS = 10
BAR = 30

_MARKS = {
    PLAIN: "",
    FOUND: "bold underline",
    FORBIDDEN: "bold red reverse",
    UNSUPPORTED: "bold red underline",
}
Lines = Iterator[str]


def render(report: Report, *, color: bool, width: int, files: Sequence[str] = ()) -> str:
    """The report for a screen `width` cells wide; without colour there is no escape code in it."""
    return "".join(streamed(report, color=color, width=width, files=files))


def streamed(report: Report, *, color: bool, width: int, files: Sequence[str] = ()) -> Lines:
    """What `render` gives, line by line: a hundred thousand rows need not wait for the last."""
    screen = Screen(color=color, width=width)
    parts = (_blocks, _numbers) if report.blocks_first else (_numbers, _blocks)
    for part in (_top, *parts, _warnings):
        for line in part(report, screen):
            yield f"{line}\n"
    yield from (f"{line}\n" for line in _headed(screen, "Summary"))
    yield summary_screen.render(
        report, color=color, width=width, files=files, head=False, rest="all are above"
    )


def _top(report: Report, screen: Screen) -> Lines:
    style = COLOR[report.signal]
    proven = f", {words.proven(report)}" if words.proven(report) else ""
    yield from screen.text(
        Text.assemble((words.verdict(report), f"bold reverse {style}"), (proven, f"bold {style}"))
    )
    decision = (f"{report.decision}: ", f"bold {style}") if report.decision else ""
    yield from screen.text(Text.assemble(decision, words.headline(report)))
    made_by = f"{visible(report.suite)}, ragstone {report.version}, digest {report.digest}"
    yield from screen.text(Text(made_by, "dim"))
    if report.provenance:
        yield from screen.text(Text(visible(report.provenance), "dim"))


def _numbers(report: Report, screen: Screen) -> Lines:
    if report.gates:
        yield from _headed(screen, "Gates")
        yield from screen.rows(_gates(report), 2)
        yield from _gate_notes(report, screen)
    others = words.ungated(report)
    if others:
        yield from _headed(screen, "Other metrics" if report.gates else "Metrics")
        yield from screen.rows(_metrics(others, words.interval_name(report)), 2)
    plain = words.plain_figures(report)
    if plain:
        yield from _headed(screen, "Figures")
        figures = (
            f"{shown(words.figure_title(name), CELL)}: {words.figure_text(name, each)}"
            for name, each in plain.items()
        )
        yield from screen.text(Text("   ".join(figures)), 2)


def _gates(report: Report) -> Rows:
    rows = tuple(
        (
            Text(shown(words.gate_title(report, gate), NAME)),
            Text(gate.status.value, f"bold {COLOR[gate.status]}"),
            Text(words.gate_value(report, gate)),
            Text(str(gate.threshold)),
            Text(words.gate_share(report, gate)),
            Text(words.gate_interval(report, gate)),
        )
        for gate in report.gates
    )
    columns = ("gate", "status", "value", "threshold", "of", words.interval_name(report))
    return Rows(columns, rows, fixed={1}, numeric={2, 3, 4, 5})


def _gate_notes(report: Report, screen: Screen) -> Lines:
    """Notes below the table: a column for them would squeeze the numbers."""
    said = (
        (shown(words.plain_gate(report, gate), NAME), shown(words.about(gate), CLAIM))
        for gate in report.gates
    )
    notes = [(name, Text(note, "dim")) for name, note in said if note]
    if notes:
        yield ""
        yield from screen.pairs(notes, 2)


def _metrics(metrics: Mapping[str, Measured], level: str) -> Rows:
    rows = tuple(
        (
            Text(shown(words.titled(name, measured.metric), NAME)),
            Text(words.value(measured)),
            Text(words.share(measured)),
            Text(words.metric_interval(measured)),
            Text("not tested" if measured.vacuous else "", "dim"),
        )
        for name, measured in metrics.items()
    )
    return Rows(("metric", "value", "of", level, ""), rows, numeric={1, 2, 3})


def _blocks(report: Report, screen: Screen) -> Lines:
    for block in report.blocks:
        if isinstance(block, Picture) and not block.table and len(block.alt) > CLAIM:
            # Words that are cut say less than the table that comes with such a picture.
            continue
        title = block.title
        if isinstance(block, Offenders | QuestionPairs) and block.total > len(block.rows):
            title = f"{title}, {len(block.rows):,} of {block.total:,}"
        yield from _headed(screen, title, getattr(block, "says", ""))
        yield from _block(report, block, screen)


def _block(report: Report, block: Block, screen: Screen) -> Lines:
    match block:
        case Table():
            yield from _table(report, block, screen)
        case Funnel():
            yield from screen.rows(_funnel(block, screen.width), 2)
            steps = [(shown(each.name, CELL), each.says) for each in block.steps if each.says]
            yield from _below(screen, steps)
        case Reading():
            yield from _reading(block, screen)
        case Offenders():
            yield from _offenders(report, block, screen)
        case QuestionPairs():
            yield from _pairs(block, screen)
        case Picture(table=Table() as table):
            yield from _block(report, table, screen)
        case Picture():
            yield from screen.text(Text(shown(block.alt, CLAIM)), 2)


def _table(report: Report, block: Table, screen: Screen) -> Lines:
    """A table; plain names of metrics are too long for heads of columns, and stand below it."""
    numeric = words.numeric(block)
    legend = words.legend(report, block)
    table = _cells(block, words.rows_named(report, block), numeric)
    if not screen.holds(table, 2):
        # Names in cells are short where the table would become a list of facts, and stand below.
        table = _cells(block, block.rows, numeric)
        legend |= words.names_in_cells(report, block)
    yield from screen.rows(table, 2)
    yield from _below(screen, [*legend.items()])


def _cells(block: Table, given: Iterable[tuple[Cell, ...]], numeric: Set[int]) -> Rows:
    columns = tuple(shown(each, CELL) for each in block.columns)
    rows = [tuple(Text(words.cell(each, CELL)) for each in row) for row in given]
    return Rows(columns, rows, numeric=numeric)


def _below(screen: Screen, said: Sequence[tuple[str, str]]) -> Lines:
    """What the names in a table mean."""
    if said:
        yield ""
        yield from screen.pairs(((name, Text(shown(text, CLAIM), "dim")) for name, text in said), 2)


def _funnel(block: Funnel, width: int) -> Rows:
    bar = BAR if width >= 80 else BAR // 2
    rows = [(Text("all"), Text("█" * bar, "cyan"), Text(number(block.total)), Text(), Text())]
    for step in block.steps:
        full, gone = words.funnel_bar(step, block.total, bar)
        rows.append(
            (
                Text(shown(step.name, CELL)),
                Text.assemble(("█" * full, "cyan"), ("░" * gone, "red")),
                Text(number(step.left)),
                Text(f"-{step.lost:,}" if step.lost else "0"),
                Text(listed(step.qids, limit=3, length=24), "dim"),
            )
        )
    columns = ("step", "", "left", "lost", "first lost")
    return Rows(columns, rows, fixed={1}, numeric={2, 3})


def _reading(block: Reading, screen: Screen) -> Lines:
    if not block.findings:
        yield from screen.text(Text("Nothing stands out.", "dim"), 2)
    for finding in block.findings:
        yield from screen.text(Text(shown(words.finding_title(finding), CLAIM), "bold"), 2)
        yield from screen.text(Text(shown(finding.reading, CLAIM)), 4)
        if finding.qids:
            rows = f"rows: {listed(finding.qids, limit=ITEMS, length=CELL)}"
            yield from screen.text(Text(rows, "dim"), 4)


def _offenders(report: Report, block: Offenders, screen: Screen) -> Lines:
    for place, row in enumerate(counting(block.rows, "", "rows")):
        if place:
            yield ""
        costs = listed(words.costs(report, block, row.costs), limit=ITEMS, length=CELL)
        yield from screen.text(Text.assemble((shown(row.qid, CELL), "bold"), f"  costs {costs}"), 2)
        yield from screen.pairs(_facts(row), 4)


def _facts(row: Offender) -> Iterable[tuple[str, Text]]:
    """One offender as label and text; what the row does not have is not mentioned."""
    facts: dict[str, Text] = {
        "wrong": Text(listed(words.wrong(row), limit=ITEMS, length=CELL, between="; "), "red"),
        "question": Text(shown(row.question or "", CLAIM)),
        "claim": _claim(row),
        "why": Text(shown(row.why, CLAIM)),
        "accepted by": Text(row.accepted_by),
        "not in texts": _joined(row.unsupported, " | "),
        "gold claim": _joined(row.gold_claim_substr, " | "),
        "gold answer": _joined(row.gold_answer, " | "),
        "nuggets": _joined(row.nuggets, " | "),
        "must not": _joined(row.must_not, " | "),
        "gold cites": _joined(row.gold_citations),
        "cites": _joined(row.citations),
        "retrieved": _joined(row.retrieved_ids),
        "constraints": _joined(row.constraints, " | "),
        "echoed": _joined(row.constraints_echo, " | "),
        "answerable": Text("no: only the refusal is right" if row.answerable is False else ""),
    }
    return ((label, text) for label, text in facts.items() if text.plain)


def _pairs(block: QuestionPairs, screen: Screen) -> Lines:
    for place, row in enumerate(counting(block.rows, "", "rows")):
        if place:
            yield ""
        head = Text(shown(row.qid, CELL), "bold")
        head.append(f"  {shown(words.turned(row), CELL)}".rstrip(), "not bold")
        head.append("  protected" if row.protected else "", "red")
        yield from screen.text(head, 2)
        yield from screen.pairs(_pair_facts(row), 4)


def _pair_facts(row: QuestionPair) -> Iterable[tuple[str, Text]]:
    """A question of two runs as label and text: what both said stands together."""
    sides = words.sides(row)
    facts = {"question": Text(shown(row.question or "", CLAIM))}
    facts |= {
        f"{letter} said": _marked(words.claim_of(row, each), row.gold_claim_substr)
        for letter, each in sides
    }
    facts["right in"] = Text(words.right_in(row))
    facts["gold claim"] = _joined(row.gold_claim_substr, " | ")
    facts["gold cites"] = _joined(row.gold_citations)
    for verb, name in (("cites", "citations"), ("retrieved", "retrieved_ids")):
        facts |= {label: _joined(items) for label, items in words.by_side(row, verb, name)}
    return ((label, text) for label, text in facts.items() if text.plain)


def _marked(claim: str, substrings: Sequence[str]) -> Text:
    head, note = clip(claim, CLAIM)
    marked = Text()
    for piece, mark in pieces(head, substrings):
        marked.append(visible(piece), _MARKS[mark])
    return marked.append(note, "dim")


def _claim(row: Offender) -> Text:
    """The claim, with what it should and must not hold set off where there is colour for it."""
    if not row.claim and row.answerable is None:
        # Only where a question can be answerable is there a claim to miss.
        return Text()
    if not row.claim:
        none = "none" if row.has_answer else ""
        return Text(none if row.claim is None else "empty", "dim")
    head, note = clip(row.claim, CLAIM)
    marked = Text()
    spans = (row.found_at, row.forbidden_at, row.unsupported_at)
    for piece, mark in pieces(head, row.gold_claim_substr, *spans):
        marked.append(visible(piece), _MARKS[mark])
    return marked.append(note, "dim")


def _joined(items: Sequence[str], between: str = ", ") -> Text:
    return Text(listed(items, limit=ITEMS, length=CELL, between=between))


def _warnings(report: Report, screen: Screen) -> Lines:
    if report.warnings:
        yield from _headed(screen, "Warnings")
        lines = []
        for said, line in map(said_and_line, report.warnings):
            lines.append(("!", Text(shown(said, CLAIM), "yellow")))
            lines += [("", Text(line))] if line else []
        yield from screen.pairs(lines, 2)


def _headed(screen: Screen, title: str, says: str = "") -> Lines:
    yield ""
    yield from screen.text(Text(shown(title, CELL), "bold"))
    if says:
        yield from screen.text(Text(shown(says, CLAIM), "dim"))
