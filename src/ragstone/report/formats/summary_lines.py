"""What the summary of a report says, line by line; `summary_screen` decides how much of it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, zip_longest

from rich.cells import cell_len
from rich.text import Text

from ragstone.gates.gate import Judged, Status, decide
from ragstone.gates.proof import percent, refuted
from ragstone.report import words
from ragstone.report.document.blocks import Json, Offender, Offenders, Reading, Table
from ragstone.report.formats.screen import Screen
from ragstone.report.model import Report
from ragstone.report.text import few, shown, visible
from ragstone.report.waived_list import waived_sentence

NO_GATES = words.VERDICT[None]
COLOR = {Status.PASS: "green", Status.FAIL: "red", Status.UNMEASURABLE: "yellow", None: "cyan"}
OFFENDERS = 3
QIDS = 5
# More than a line of the widest screen holds: the rest of a text is not even looked at.
TEXT = 300
_LABEL = 11
_GAP = 2
_NARROW = 16
_QID = 24
_NAME = 32
_NUMBERS = 8
# A column that is wider than this holds words, and may be cut.
_WORDY = 22
Item = list[Text]


def suites(report: Report) -> list[Item]:
    """A line for each suite of a `gate`; nothing where the report is of one suite."""
    named = report.data.get("suites")
    names = [*named] if isinstance(named, Mapping) else []
    own = {
        name: [gate for gate in report.gates if gate.name.startswith(f"{name}.")] for name in names
    }
    ended = {name: decide(tuple(gates)) for name, gates in own.items()}
    widest = max((cell_len(visible(name)) for name in names), default=0)
    wide = max((len(status or NO_GATES) for status in ended.values()), default=0)
    made = []
    for name, status in ended.items():
        line = _cut(visible(name), widest, pad=True)
        line.append(f"  {status or NO_GATES:{wide}}  ", f"bold {COLOR[status]}")
        made.append([line.append_text(_suite(report, name, own[name]))])
    return made


def _suite(report: Report, name: str, gates: Sequence[Judged]) -> Text:
    """`2 of 5 pass; worst: under_refusal 0.7692, needs <= 0.05`."""
    line = Text()
    if not gates:
        return line
    passed = sum(gate.status is Status.PASS for gate in gates)
    line.append(f"{passed} of {len(gates)} pass")
    worst = min(gates, key=_distance)
    label = "closest" if worst.status is Status.PASS else "worst"
    own = shown(worst.name.removeprefix(f"{name}."), TEXT)
    said = f"; {label}: {own} {_value(report, worst)}, needs {worst.threshold}"
    return line.append(said, "dim")


def _distance(gate: Judged) -> tuple[int, bool, float]:
    """The gate that fails most clearly comes first; of those that pass, the one that just does."""
    rank = (Status.FAIL, Status.UNMEASURABLE, Status.PASS).index(gate.status)
    limit = gate.threshold.value
    # A gate such as `= 0` is always just met, which tells nothing.
    exact = gate.value is None or (gate.threshold.op == "=" and gate.status is Status.PASS)
    away = float("inf") if exact else abs((gate.value or 0.0) - limit) / (abs(limit) or 1.0)
    return rank, not refuted(gate), -away if gate.status is Status.FAIL else away


def gates(report: Report, width: int, *, full: bool) -> list[Item]:
    """The gates that keep the report from passing; where all pass, all of them."""
    blamed = words.not_passed(report)
    if blamed:
        return _full(report, blamed, width) if full else _short(report, blamed, width)
    if not report.gates or isinstance(report.data.get("suites"), Mapping):
        # The lines of the suites have said it.
        return []
    rows: list[tuple[str, ...]] = [
        (
            shown(words.gate_title(report, gate), TEXT),
            _value(report, gate),
            words.gate_share(report, gate),
            str(gate.threshold),
            _proof(gate),
        )
        for gate in report.gates
    ]
    widths = [max(cell_len(row[place]) for row in rows) + _GAP for place in range(len(rows[0]))]
    if sum(widths) > width:
        # The plain names are worth more: how many gates are proven stands beside the verdict.
        rows = [row[:-1] for row in rows]
    return _aligned(rows, [shown(gate.name, TEXT) for gate in report.gates], width)


def _full(report: Report, blamed: Sequence[Judged], width: int) -> list[Item]:
    """Gates on one line each where there is room for that, else the numbers below the name."""
    names = [
        Text(shown(words.gate_title(report, gate), TEXT), COLOR[gate.status]) for gate in blamed
    ]
    said = [_numbers(report, gate, _at(report)) for gate in blamed]
    widest = max(name.cell_len for name in names)
    if 2 * _GAP + widest + max(map(len, said)) <= width:
        return [[_beside(name, widest, text)] for name, text in zip(names, said, strict=True)]
    brief = [_numbers(report, gate, "") for gate in blamed]
    said = [one if 4 + len(one) <= width else two for one, two in zip(said, brief, strict=True)]
    pairs = zip(names, said, strict=True)
    return [[Text.assemble("  ", name), Text(f"    {text}")] for name, text in pairs]


def _short(report: Report, blamed: Sequence[Judged], width: int) -> list[Item]:
    """Gates on one line each: of the names, what the numbers leave room for."""
    titles = [shown(words.gate_title(report, gate), TEXT) for gate in blamed]
    if max(map(cell_len, titles)) > width // 2:
        titles = [shown(gate.name, TEXT) for gate in blamed]
    names = [Text(name, COLOR[gate.status]) for name, gate in zip(titles, blamed, strict=True)]
    said = [f"{_value_of(report, gate)}, needs {gate.threshold}" for gate in blamed]
    longest = max(name.cell_len for name in names)
    proofs = [f", {_proof(gate)}" if _proof(gate) else "" for gate in blamed]
    proven = [first + rest for first, rest in zip(said, proofs, strict=True)]
    if 2 * _GAP + min(longest, _NAME) + max(map(len, proven)) <= width:
        said = proven
    widest = min(longest, max(width - 2 * _GAP - max(map(len, said)), _NARROW))
    return [[_beside(name, widest, text)] for name, text in zip(names, said, strict=True)]


def _beside(name: Text, widest: int, text: str) -> Text:
    name = name.copy()
    name.truncate(widest, overflow="ellipsis", pad=True)
    return Text.assemble("  ", name, f"  {text}")


def _numbers(report: Report, gate: Judged, level: str) -> str:
    """`0.7692 (20/26), 0.5795 to 0.8897 at 95 %, needs <= 0.05, proven to fail`."""
    ends = f"{words.gate_interval(report, gate)}{level}" if gate.interval else ""
    said = (_value_of(report, gate), ends, f"needs {gate.threshold}", _proof(gate))
    return ", ".join(filter(None, said))


def _value_of(report: Report, gate: Judged) -> str:
    share = words.gate_share(report, gate)
    return f"{_value(report, gate)} ({share})" if share else _value(report, gate)


def _value(report: Report, gate: Judged) -> str:
    return "unmeasurable" if gate.value is None else words.gate_value(report, gate)


def _proof(gate: Judged) -> str:
    if gate.vacuous:
        return "nothing to test"
    if gate.proven is None:
        return ""
    if gate.status is Status.FAIL:
        return "proven to fail" if refuted(gate) else "not proven to fail"
    return "proven" if gate.proven else "not proven"


def numbers(report: Report, width: int) -> tuple[list[Item], str, int, int]:
    """The suite's numbers where no gate shows them, their title, and how many there are.

    Of two runs and of several systems it is the table that compares them.
    """
    if report.gates:
        return [], "", 0, 0
    tables = [block for block in report.blocks if isinstance(block, Table) and block.rows]
    compared = "comparisons" in report.data or "difference" in report.data
    if compared and tables:
        table = next((each for each in tables if each.columns[0] == "metric"), tables[0])
        cells = [tuple(words.cell(each, TEXT) for each in row) for row in table.rows]
        names = [row[0] for row in cells]
        heads = tuple(shown(each, TEXT) for each in table.columns)
        head, *lines = _aligned([heads, *cells], [heads[0], *names], width)
        # Without what is below it, the head says nothing.
        lines[0] = [*head, *lines[0]]
        return lines[:_NUMBERS], table.title, 1, len(lines)
    metrics = words.unfolded(report.metrics)
    rows = [
        (
            shown(words.titled(name, each.metric), TEXT),
            words.value(each),
            words.share(each),
            words.metric_interval(each),
        )
        for name, each in metrics.items()
    ]
    made = _aligned(rows[:_NUMBERS], [shown(name, TEXT) for name in metrics][:_NUMBERS], width)
    return made, "Metrics", 1, len(rows)


def _aligned(rows: Sequence[tuple[str, ...]], short: Sequence[str], width: int) -> list[Item]:
    """Rows under one another, a line each.

    The first column has the `short` name where there is no room for the long one. A column of
    words is cut to make room; columns that do not fit even so are left out, from the right.
    """
    if not rows:
        return []
    room = width - _GAP
    widths = [max(cell_len(row[place]) for row in rows) for place in range(len(rows[0]))]
    wordy = [place for place, wide in enumerate(widths) if place and wide > _WORDY]
    first = max(map(cell_len, short))
    for place in wordy:
        over = first + sum(wide + _GAP for wide in widths[1:]) - room
        widths[place] = max(widths[place] - max(over, 0), _WORDY)
    ends = [sum(wide + _GAP for wide in widths[1 : place + 1]) for place in range(len(widths))]
    used = [place for place, end in enumerate(ends) if place and min(first, _NARROW) + end <= room]
    widths[0] = min(widths[0], room - (ends[used[-1]] if used else 0))
    return [
        [_row(row if cell_len(row[0]) <= widths[0] else (name, *row[1:]), widths, used, wordy)]
        for row, name in zip(rows, short, strict=True)
    ]


def _row(
    row: Sequence[str], widths: Sequence[int], used: Sequence[int], wordy: Sequence[int]
) -> Text:
    line = Text("  ").append_text(_cut(row[0], widths[0], pad=True))
    for place in used:
        cell = _cut(row[place], widths[place], pad=place in wordy)
        line.append(" " * (_GAP + widths[place] - cell.cell_len)).append_text(cell)
    return line


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
    rows = [[(suite, row) for row in block.rows[:OFFENDERS]] for suite, block in blocks]
    worst = [pair for turn in zip_longest(*rows) for pair in turn if pair][:OFFENDERS]
    made = [[_offender(row, suite)] for suite, row in worst]
    return made, "Worst offender" if total == 1 else "Worst offenders", 1, total


def _offender(row: Offender, suite: str) -> Text:
    """`D055  answered, but the question has no answer: Will it become more expensive?`"""
    line = Text(f"  {shown(suite, TEXT)} " if suite else "  ")
    line.append_text(_cut(shown(row.qid, TEXT), _QID)).stylize("bold", 2)
    first, *others = words.wrong(row) or (f"costs {', '.join(row.costs)}",)
    more = f" and {len(others)} more" if others else ""
    line.append(f"  {shown(first, TEXT)}{more}", "red")
    return line.append(f": {shown(row.question, TEXT)}" if row.question else "")


def _cut(text: str, cells: int, *, pad: bool = False) -> Text:
    cut = Text(text)
    cut.truncate(cells, overflow="ellipsis", pad=pad)
    return cut


def notes(report: Report, files: Sequence[str], more: str, screen: Screen) -> list[Item]:
    """What changed since the baseline, the likely cause, what is waived, where the report is."""
    findings = (
        each for block in report.blocks if isinstance(block, Reading) for each in block.findings
    )
    cause = [
        f"{shown(words.finding_title(each), TEXT)}. {shown(each.reading, TEXT)}"
        for each in islice(findings, 1)
    ]
    said = {
        "changed": changed(report),
        "points to": "" if report.passed else "".join(cause),
        "waived": waived_sentence(report),
        "report": ", ".join(shown(name, TEXT) for name in files),
        "more": more,
    }
    return _labelled(said, screen)


def counted(report: Report, files: Sequence[str], screen: Screen) -> list[Item]:
    """The notes of a quiet command: the numbers alone."""
    count = len(report.warnings)
    said = {
        "changed": changed(report),
        "waived": waived_sentence(report),
        "warnings": f"{count:,} (-v shows them)" if count else "",
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


def warnings(report: Report, screen: Screen) -> list[Item]:
    """Two lines at most for each warning."""
    # No more than could ever be shown: there may be hundreds.
    folded = (
        screen.folded(Text(shown(w, TEXT), "yellow"), 2, indent=2) for w in report.warnings[:20]
    )
    return [[Text.assemble("  ", line) for line in lines] for lines in folded]


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


def decided(report: Report) -> str:
    """The decision in numbers: `3 of 5 gates fail, 1 of them proven at 95 %`."""
    if report.unfrozen:
        return words.gates_in_words(report)
    if not report.gates:
        # A tool that judges nothing has its own word for how it ended.
        return "" if None in report.verdicts else "no gate is set, so nothing is decided"
    count, level = len(report.gates), _at(report)
    gates = "gate" if count == 1 else "gates"
    if report.passed:
        all_of = "the one gate passes" if count == 1 else f"all {count} gates pass"
        return f"{all_of}, {report.proven or 'none'} proven{level}"
    failing = [gate for gate in report.gates if gate.status is Status.FAIL]
    open_ = [gate for gate in report.gates if words.unproven(gate)]
    blank = [g for g in report.gates if g.status is Status.UNMEASURABLE and g not in open_]
    verbs = {"fails" if len(failing) == 1 else "fail": len(failing)}
    verbs |= {
        "could not be measured": len(blank),
        f"{'is' if len(open_) == 1 else 'are'} not proven{level}": len(open_),
    }
    said = [f"{number} {verb}" for verb, number in verbs.items() if number]
    first, *others = said
    number, _, verb = first.partition(" ")
    proven = sum(refuted(gate) for gate in failing)
    tail = [f"{proven} proven to fail{level}"] if proven else []
    return ", ".join((f"{number} of {count} {gates} {verb}", *tail, *others))


def _at(report: Report) -> str:
    return "" if report.level is None else f" at {percent(report.level)}"
