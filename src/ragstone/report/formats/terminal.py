"""The report for a terminal or a plain log file, the decision first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from io import StringIO

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from ragstone.gates.gate import Judged, Status
from ragstone.measure.metric import Measured
from ragstone.report import words
from ragstone.report.document.blocks import (
    Block,
    Funnel,
    Offender,
    Offenders,
    Picture,
    Reading,
    Table,
)
from ragstone.report.document.figures import interval, number
from ragstone.report.formats.highlight import pieces
from ragstone.report.model import Report
from ragstone.report.text import clip, listed, shown, visible

CLAIM = 400
CELL = 80
ITEMS = 10
BAR = 30

_COLOR = {Status.PASS: "green", Status.FAIL: "red", Status.UNMEASURABLE: "yellow", None: "cyan"}


def render(report: Report, *, color: bool, width: int) -> str:
    """The report for a screen `width` cells wide; without colour there is no escape code in it."""
    out = StringIO()
    # An empty environment: what is drawn depends on the arguments and on nothing else.
    console = Console(
        file=out,
        width=max(width, 40),
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for part in (*_top(report), *_numbers(report), *_blocks(report, width), *_warnings(report)):
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _top(report: Report) -> Iterable[RenderableType]:
    style = _COLOR[report.decision]
    decision = f"  {report.decision}" if report.decision else ""
    yield Text.assemble(
        (words.verdict(report), f"bold reverse {style}"), (decision, f"bold {style}")
    )
    yield Text(words.headline(report))
    yield Text(f"{visible(report.suite)}, ragstone {report.version}, digest {report.digest}", "dim")


def _numbers(report: Report) -> Iterable[RenderableType]:
    if report.gates:
        yield from _headed("Gates", "", _gates(report), *_gate_notes(report.gates))
    others = words.ungated(report)
    if others:
        title = "Other metrics" if report.gates else "Metrics"
        yield from _headed(title, "", _metrics(others, words.interval_name(report)))
    plain = words.plain_figures(report)
    if plain:
        figures = (f"{visible(name)} {number(each)}" for name, each in plain.items())
        yield from _headed("Figures", "", Text("   ".join(figures)))


def _gates(report: Report) -> _Rows:
    rows = tuple(
        (
            Text(shown(gate.name, CELL)),
            Text(gate.status.value, f"bold {_COLOR[gate.status]}"),
            Text(words.gate_value(report, gate)),
            Text(str(gate.threshold)),
            Text(words.gate_share(report, gate)),
            Text(interval(gate.interval)),
        )
        for gate in report.gates
    )
    columns = ("gate", "status", "value", "threshold", "of", words.interval_name(report))
    return _Rows(columns, rows, fixed={1}, numeric={2, 3, 4, 5})


def _gate_notes(gates: Iterable[Judged]) -> Iterable[Grid]:
    """Notes below the table: a column for them would squeeze the numbers."""
    said = ((shown(gate.name, CELL), shown(words.about(gate), CLAIM)) for gate in gates)
    notes = [(name, Text(note, "dim")) for name, note in said if note]
    return [_pairs([("", Text("")), *notes])] if notes else []


def _metrics(metrics: Mapping[str, Measured], level: str) -> _Rows:
    rows = tuple(
        (
            Text(shown(name, CELL)),
            Text(words.value(measured)),
            Text(words.share(measured)),
            Text(interval(measured.interval)),
            Text("vacuous" if measured.vacuous else "", "dim"),
        )
        for name, measured in metrics.items()
    )
    return _Rows(("metric", "value", "of", level, ""), rows, numeric={1, 2, 3})


def _blocks(report: Report, width: int) -> Iterable[RenderableType]:
    for block in report.blocks:
        title = block.title
        if isinstance(block, Offenders) and block.total > len(block.rows):
            title = f"{title}, {len(block.rows):,} of {block.total:,}"
        yield from _headed(title, getattr(block, "says", ""), *_block(block, width))


def _block(block: Block, width: int) -> Iterable[RenderableType]:
    match block:
        case Table():
            columns = tuple(shown(each, CELL) for each in block.columns)
            rows = tuple(tuple(Text(words.cell(each, CELL)) for each in row) for row in block.rows)
            yield _Rows(columns, rows, numeric=words.numeric(block))
        case Funnel():
            yield _funnel(block, width)
        case Reading():
            yield from _reading(block)
        case Offenders():
            yield from _offenders(block)
        case Picture():
            yield Text(shown(block.alt, CLAIM))


def _funnel(block: Funnel, width: int) -> _Rows:
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
    return _Rows(columns, tuple(rows), fixed={1}, numeric={2, 3})


def _reading(block: Reading) -> Iterable[RenderableType]:
    if not block.findings:
        yield Text("Nothing stands out.", "dim")
    for finding in block.findings:
        yield Text(shown(finding.pattern, CLAIM), "bold")
        yield Padding(Text(shown(finding.reading, CLAIM)), (0, 0, 0, 2))
        if finding.qids:
            rows = f"rows: {listed(finding.qids, limit=ITEMS, length=CELL)}"
            yield Padding(Text(rows, "dim"), (0, 0, 0, 2))


def _offenders(block: Offenders) -> Iterable[RenderableType]:
    for row in block.rows:
        costs = listed(row.costs, limit=ITEMS, length=CELL)
        yield Text.assemble((shown(row.qid, CELL), "bold"), f"  costs {costs}")
        yield Padding(_facts(row), (0, 0, 1 if row is not block.rows[-1] else 0, 2))


def _facts(row: Offender) -> Grid:
    """One offender as label and text; what the row does not have is not mentioned."""
    facts: dict[str, Text] = {
        "failed": Text(listed(row.failed_checks, limit=ITEMS, length=CELL), "red"),
        "question": Text(shown(row.question or "", CLAIM)),
        "claim": _claim(row),
        "gold claim": _joined(row.gold_claim_substr, " | "),
        "gold cites": _joined(row.gold_citations),
        "cites": _joined(row.citations),
        "retrieved": _joined(row.retrieved_ids),
        "constraints": _joined(row.constraints, " | "),
        "echoed": _joined(row.constraints_echo, " | "),
        "answerable": Text("no: only the refusal is right" if row.answerable is False else ""),
    }
    return _pairs((label, text) for label, text in facts.items() if text.plain)


def _claim(row: Offender) -> Text:
    """The claim, with its gold substrings set off where there is colour to do it with."""
    if not row.claim and row.answerable is None:
        # Only where a question can be answerable is there a claim to miss.
        return Text()
    if not row.claim:
        none = "none" if row.has_answer else ""
        return Text(none if row.claim is None else "empty", "dim")
    head, note = clip(row.claim, CLAIM)
    marked = Text()
    for piece, hit in pieces(head, row.gold_claim_substr):
        marked.append(visible(piece), "bold underline" if hit else "")
    return marked.append(note, "dim")


def _joined(items: Sequence[str], between: str = ", ") -> Text:
    return Text(listed(items, limit=ITEMS, length=CELL, between=between))


def _warnings(report: Report) -> Iterable[RenderableType]:
    if report.warnings:
        lines = [("!", Text(shown(each, CLAIM), "yellow")) for each in report.warnings]
        yield from _headed("Warnings", "", _pairs(lines))


def _headed(title: str, says: str, *body: RenderableType) -> Iterable[RenderableType]:
    yield Text("")
    yield Text(shown(title, CELL), "bold")
    if says:
        yield Text(shown(says, CLAIM), "dim")
    for part in body:
        yield Padding(part, (0, 0, 0, 2))


def _pairs(pairs: Iterable[tuple[str, Text]]) -> Grid:
    """A label and its text on each line, the texts under one another."""
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold", max_width=32)
    grid.add_column(overflow="fold")
    for label, text in pairs:
        grid.add_row(Text(label, "dim"), text)
    return grid


@dataclass(frozen=True)
class _Rows:
    """Rows and columns; where the screen is too narrow for them, one fact a line.

    Rich would cut `<= 0.05` to `<= 0.0` to make it fit; a number is shown whole or not at all.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    fixed: Set[int] = frozenset()
    numeric: Set[int] = frozenset()

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        fits = sum(self._least(index) + 2 for index in range(len(self.columns))) - 2
        if fits <= options.max_width:
            yield self._grid()
            return
        for name, *cells in self.rows:
            yield Text.assemble((name.plain, "bold"))
            named = zip(self.columns[1:], cells, strict=True)
            yield Padding(_pairs(pair for pair in named if pair[1].plain), (0, 0, 0, 2))

    def _least(self, index: int) -> int:
        """How narrow a column may get: numbers and bars not at all, words to twenty cells."""
        texts = [self.columns[index], *(row[index].plain for row in self.rows)]
        widest = max(cell_len(text) for text in texts)
        return widest if index in self.fixed | self.numeric else min(widest, 20)

    def _grid(self) -> Grid:
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for index, column in enumerate(self.columns):
            grid.add_column(
                Text(column),
                justify="right" if index in self.numeric else "left",
                no_wrap=index in self.fixed | self.numeric,
                overflow="fold",
            )
        for row in self.rows:
            grid.add_row(*row)
        return grid
