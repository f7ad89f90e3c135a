"""What the summary of a report says, line by line; `summary_screen` decides how much of it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, zip_longest

from rich.text import Text

from ragstone.report import words
from ragstone.report.document.blocks import Json, Offender, Offenders, Reading, Table
from ragstone.report.formats.screen import Screen
from ragstone.report.formats.summary_rows import aligned, fitting
from ragstone.report.formats.summary_text import TEXT, Item, cut
from ragstone.report.model import Report
from ragstone.report.text import few, said_and_line, shown
from ragstone.report.waived_list import waived_sentence

OFFENDERS = 3
QIDS = 5
_LABEL = 11
# What is to be copied is never cut.
_EVERY = 1000
_QID = 24
_NUMBERS = 8


def numbers(report: Report, screen: Screen, rest: str) -> tuple[list[Item], str, int, int]:
    """The suite's numbers where no gate shows them, their title, and how many there are.

    Of two runs and of several systems it is the table that compares them.
    """
    if report.gates:
        return [], "", 0, 0
    tables = [block for block in report.blocks if isinstance(block, Table) and block.rows]
    compared = "comparisons" in report.data or "difference" in report.data
    if compared and tables:
        table = next((each for each in tables if each.columns[0] == "metric"), tables[0])
        return _compared(report, table, screen, rest), table.title, 1, len(table.rows)
    metrics = words.unfolded(report.metrics)
    first = [*islice(metrics.items(), _NUMBERS)]
    rows = [
        (
            shown(words.titled(name, each.metric), TEXT),
            words.value(each),
            words.share(each),
            words.metric_interval(each),
        )
        for name, each in first
    ]
    plain = [shown(each.metric.title or name, TEXT) for name, each in first]
    return aligned(rows, plain, screen), "Metrics", 1, len(metrics)


def _compared(report: Report, table: Table, screen: Screen, rest: str) -> list[Item]:
    """The rows of a table that compares; of systems the columns that there is room for."""
    named = words.rows_named(report, table)[:_NUMBERS]
    cells = [tuple(words.cell(each, TEXT) for each in row) for row in named]
    plain = [words.title_of(report, table, str(row[0])) or str(row[0]) for row in table.rows]
    names = [shown(each, TEXT) for each in plain[:_NUMBERS]]
    heads = tuple(shown(each, TEXT) for each in table.columns)
    # What is said of a metric folds; of metrics side by side the first are shown.
    count = len(heads) if heads[0] == "metric" else fitting([heads, *cells], screen)
    first, *others = aligned([row[:count] for row in cells], names, screen, heads[:count])
    told = [f"{name}: {plain}" for name, plain in words.legend(report, table).items()]
    told = [each for each in told if each.startswith(tuple(f"{head}: " for head in heads[:count]))]
    more = len(heads) - count
    left = [f"{more} more column{'s' if more > 1 else ''} ({rest})"] if more else []
    above = [Text(f"  {each}", "dim") for each in (*told, *left)]
    # Both go with the first row: without it they say nothing.
    return [[*above, *first], *others]


def offenders(report: Report) -> tuple[list[Item], str, int, int]:
    """The worst rows, a line each, with title, how many of them must be there, and of how many.

    A report that passes shows none, and that of several suites those of suites that do not pass.
    """
    suites = report.data.get("suites")
    several = isinstance(suites, Mapping) and len(suites) > 1
    blamed = {gate.name.partition(".")[0] for gate in words.not_passed(report)}
    blocks = [
        (suite if several else "", block)
        for block in report.blocks
        if isinstance(block, Offenders) and not report.passed
        for suite in (block.title.partition(":")[0],)
        if not several or suite in blamed
    ]
    total = sum(block.total for _, block in blocks)
    rows = [[(suite, block, row) for row in block.rows[:OFFENDERS]] for suite, block in blocks]
    worst = [each for turn in zip_longest(*rows) for each in turn if each][:OFFENDERS]
    made = [
        [_offender(row, suite, words.costs(report, block, row.costs))]
        for suite, block, row in worst
    ]
    return made, "Worst offender" if total == 1 else "Worst offenders", 1, total


def _offender(row: Offender, suite: str, costs: Sequence[str]) -> Text:
    """`D055  answered, but the question has no answer: Will it become more expensive?`"""
    line = Text(f"  {shown(suite, TEXT)} " if suite else "  ")
    line.append_text(cut(shown(row.qid, TEXT), _QID)).stylize("bold", 2)
    first, *others = words.wrong(row) or (f"costs {', '.join(costs)}",)
    more = f" and {len(others)} more" if others else ""
    line.append(f"  {shown(first, TEXT)}{more}", "red")
    return line.append(f": {shown(row.question, TEXT)}" if row.question else "")


def notes(
    report: Report, files: Sequence[str], more: str, screen: Screen, *, cause: bool
) -> list[Item]:
    """What changed since the baseline, the likely cause, what is waived, where the report is."""
    findings = (
        each for block in report.blocks if isinstance(block, Reading) for each in block.findings
    )
    points_to = [
        f"{shown(words.finding_title(each), TEXT)}. {shown(each.reading, TEXT)}"
        for each in islice(findings, 1)
    ]
    said = {
        "changed": changed(report),
        "points to": "".join(points_to) if cause and not report.passed else "",
        "waived": waived_sentence(report),
        "report": ", ".join(shown(name, TEXT) for name in files),
        "more": more,
    }
    return _labelled(said, screen)


def counted(report: Report, files: Sequence[str], rest: str, screen: Screen) -> list[Item]:
    """The notes of a quiet command: the numbers alone."""
    said = {
        "changed": changed(report),
        "waived": waived_sentence(report),
        "warnings": _how_many(report, rest),
        "report": ", ".join(shown(name, TEXT) for name in files),
    }
    return _labelled(said, screen)


def _labelled(said: Mapping[str, str], screen: Screen) -> list[Item]:
    """A label and its text, on two lines at most."""
    made = []
    for label, text in said.items():
        if text:
            first, *rest = screen.folded(Text(text), 2, indent=_LABEL)
            made.append([Text.assemble((f"{label:{_LABEL}}", "dim"), first)])
            made[-1] += [Text.assemble(" " * _LABEL, line) for line in rest]
    return made


def warned(report: Report, rest: str, screen: Screen) -> Item:
    """That there are warnings, where there is no room for one."""
    said = {"warnings": _how_many(report, rest)}
    return [line for item in _labelled(said, screen) for line in item]


def _how_many(report: Report, rest: str) -> str:
    count = len(plain_warnings(report))
    return f"{count:,} ({rest})" if count else ""


def plain_warnings(report: Report) -> list[str]:
    """The warnings that are a sentence, and no line to be copied."""
    return [warning for warning in report.warnings if not said_and_line(warning)[1]]


def warnings(report: Report, screen: Screen) -> list[Item]:
    """Two lines at most for each warning."""
    # No more than could ever be shown: there may be hundreds.
    folded = (
        screen.folded(Text(shown(w, TEXT), "yellow"), 2, indent=2)
        for w in plain_warnings(report)[:20]
    )
    return [[Text.assemble("  ", line) for line in lines] for lines in folded]


def lines_to_copy(report: Report, screen: Screen) -> list[Item]:
    """What is advised, each with the whole of the line that does it."""
    made = []
    for said, line in map(said_and_line, report.warnings):
        if line:
            item = screen.folded(Text(shown(said, 2 * TEXT), "yellow"), _EVERY)
            copied = screen.folded(Text(line), _EVERY, indent=2)
            made.append([*item, *(Text.assemble("  ", each) for each in copied)])
    return made


def changed(report: Report) -> str:
    """`3 broke: D001, D002, D003; 1 mended: D009`; nothing where there is no other run."""
    compared = [*_comparisons(report)]
    if not compared:
        return ""
    said = []
    for name in ("broke", "mended"):
        total = sum(_count(each.get(f"{name}_total")) for each in compared)
        lists = (each.get(name) for each in compared)
        qids = [_qid(row) for rows in lists if isinstance(rows, list) for row in rows]
        first, _ = few((shown(qid, 40) for qid in qids), QIDS)
        more = f" and {total - len(first):,} more" if total > len(first) else ""
        said.append(f"{total:,} {name}" + (f": {', '.join(first)}{more}" if first else ""))
    return f"{'; '.join(said)}"


def _comparisons(report: Report) -> list[Mapping[str, Json]]:
    """The comparisons that the report holds: its own, with its baseline, and of its suites."""
    suites = report.data.get("suites")
    held = [report.data, *(suites.values() if isinstance(suites, Mapping) else ())]
    inner = [each.get("comparison") for each in held if isinstance(each, Mapping)]
    return [each for each in (report.data, *inner) if isinstance(each, Mapping) and "broke" in each]


def _count(value: Json) -> int:
    return value if isinstance(value, int) else 0


def _qid(row: Json) -> str:
    return str(row.get("qid")) if isinstance(row, Mapping) else ""
