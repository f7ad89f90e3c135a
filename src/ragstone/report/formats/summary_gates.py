"""What the summary says of suites and gates: a gate is shown with all its numbers, or counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from ragstone.gates.gate import Judged, Status, decide
from ragstone.gates.judge import waived_words
from ragstone.gates.proof import percent, refuted
from ragstone.report import words
from ragstone.report.formats.screen import Screen
from ragstone.report.formats.summary_rows import aligned
from ragstone.report.formats.summary_text import (
    COLOR,
    GAP,
    INDENT,
    NAME_LINES,
    TEXT,
    Item,
    cut,
    folded,
)
from ragstone.report.model import Report
from ragstone.report.text import shown, visible

NO_GATES = words.VERDICT[None]


def suites(report: Report, width: int) -> list[Item]:
    """A line for each suite of a `gate`; nothing where the report is of one suite."""
    named = report.data.get("suites")
    names = [*named] if isinstance(named, Mapping) else []
    own = {
        name: [gate for gate in report.gates if gate.name.startswith(f"{name}.")] for name in names
    }
    ended = {name: decide(gates, report.lacks.get(name, "")) for name, gates in own.items()}
    widest = max((cell_len(visible(name)) for name in names), default=0)
    wide = max((len(status or NO_GATES) for status in ended.values()), default=0)
    made = []
    for name, status in ended.items():
        line = cut(visible(name), widest, pad=True)
        line.append(f"  {status or NO_GATES:{wide}}  ", f"bold {COLOR[status]}")
        made.append([line.append_text(_suite(report, name, own[name], width - line.cell_len))])
    return made


def _suite(report: Report, name: str, gates: Sequence[Judged], room: int) -> Text:
    """`2 of 5 pass; worst: answered though it has no answer 0.7692, needs <= 0.05`."""
    if not gates:
        return Text()
    tested = [gate for gate in gates if not gate.tests_nothing]
    passed = f"{sum(gate.status is Status.PASS for gate in gates)} of {len(tested)} pass"
    if len(tested) < len(gates):
        passed += f", {len(gates) - len(tested)} not tested"
    worst = min(gates, key=_distance)
    label = "closest" if worst.status is Status.PASS else "worst"
    # What does not fit is left out as a whole: half a threshold is worse than none.
    said = (f"; {label}: {each}" for each in _briefly(report, worst, f"{name}."))
    fits = next((each for each in said if cell_len(passed + each) <= room), "")
    return Text.assemble(passed, (fits, "dim"))


def _briefly(report: Report, gate: Judged, front: str) -> Iterator[str]:
    """A gate with its number in ever fewer words, its plain name in all of them."""
    plain = shown(words.plain_gate(report, gate), TEXT)
    own = shown(gate.name.removeprefix(front), TEXT)
    value, needs = _value(report, gate), f"needs {words.gate_needs(report, gate)}"
    if own not in plain:
        yield f"{plain} ({own}) {value}, {needs}"
    yield f"{plain} {value}, {needs}"
    yield f"{plain} {value}"


def _distance(gate: Judged) -> tuple[int, bool, float]:
    """The gate that fails most clearly comes first; of those that pass, the one that just does."""
    limit = gate.threshold.value
    # A gate such as `= 0` is always just met, which tells nothing.
    exact = gate.value is None or (gate.threshold.op == "=" and gate.status is Status.PASS)
    away = float("inf") if exact else abs((gate.value or 0.0) - limit) / (abs(limit) or 1.0)
    return *_weight(gate), -away if gate.status is Status.FAIL else away


_ORDER = (Status.FAIL, Status.UNMEASURABLE, Status.PASS, Status.NOT_TESTED)


def _weight(gate: Judged) -> tuple[int, bool]:
    """What is proven to fail weighs most."""
    return _ORDER.index(gate.status), not refuted(gate)


def gates(report: Report, screen: Screen) -> list[Item]:
    """The gates that keep the report from passing, heaviest first; where all pass, all of them.

    Of several suites the lines of the suites have said that they pass.
    """
    blamed = sorted(words.not_passed(report), key=_weight)
    if blamed:
        return _blamed(report, blamed, screen)
    if not report.gates or isinstance(report.data.get("suites"), Mapping):
        return []
    rows: list[tuple[str, ...]] = [
        (
            shown(words.gate_title(report, gate), TEXT),
            _value(report, gate),
            words.gate_share(report, gate),
            words.gate_needs(report, gate),
            words.proof(gate),
        )
        for gate in report.gates
    ]
    widths = [max(cell_len(row[place]) for row in rows) + GAP for place in range(len(rows[0]))]
    if sum(widths) > screen.width:
        # The plain names are worth more: how many gates are proven stands beside the verdict.
        rows = [row[:-1] for row in rows]
    plain = [shown(words.plain_gate(report, gate), TEXT) for gate in report.gates]
    items = aligned(rows, plain, screen)
    return [[*item, *_below_gate(gate)] for gate, item in zip(report.gates, items, strict=True)]


def _below_gate(gate: Judged) -> list[Text]:
    """How often a run without any change would fail it, and its number with waived questions."""
    said = filter(None, (gate.by_chance, _waived(gate)))
    return [Text(f"{' ' * INDENT}{each}", "dim") for each in said]


def _waived(gate: Judged) -> str:
    """`without 2 waived questions; with them 0.6667 (20/30)`."""
    return f"{waived_words(gate.waived)}; with them {gate.with_waived}" if gate.with_waived else ""


def _blamed(report: Report, blamed: Sequence[Judged], screen: Screen) -> list[Item]:
    """Gates on one line each where there is room for that, else the numbers below the name.

    Nothing of a gate is ever left out for want of room: those that do not fit are counted.
    """
    said = [_numbers(report, gate, _at(report)) for gate in blamed]
    titles = [shown(words.gate_title(report, gate), TEXT) for gate in blamed]
    widest = max(map(cell_len, titles))
    beside = [", ".join(each) for each in said]
    if 2 * GAP + widest + max(map(cell_len, beside)) <= screen.width:
        return [
            [Text.assemble("  ", cut(title, widest, COLOR[gate.status], pad=True), f"  {text}")]
            for gate, title, text in zip(blamed, titles, beside, strict=True)
        ]
    return [[*_name(report, gate, screen), *_below(report, gate, screen.width)] for gate in blamed]


def _name(report: Report, gate: Judged, screen: Screen) -> Iterator[Text]:
    """The plain name and the other one; on lines of their own where one line is too short."""
    whole, plain = words.gate_title(report, gate), words.gate_metric_title(report, gate)
    apart = plain and cell_len(visible(whole)) > screen.width - GAP
    for text in (plain, f"({gate.name})") if apart else (whole,):
        named = Text(shown(text, TEXT), COLOR[gate.status])
        for line in screen.folded(named, NAME_LINES, indent=GAP):
            yield Text.assemble("  ", line)


def _below(report: Report, gate: Judged, width: int) -> list[Text]:
    """The numbers on as many lines as they need; the level is left out where it costs a line."""
    room = width - INDENT
    lines, fewer = (folded(_numbers(report, gate, level), room) for level in (_at(report), ""))
    shorter = fewer if len(fewer) < len(lines) else lines
    return [Text(f"{' ' * INDENT}{line}") for line in shorter]


def _numbers(report: Report, gate: Judged, level: str) -> tuple[str, ...]:
    """`0.7692 (20/26), 0.5795 to 0.8897 at 95 %, needs <= 0.05, proven to fail`, in its parts."""
    if gate.tests_nothing:
        return "not tested", f"needs {words.gate_needs(report, gate)}", shown(gate.note, TEXT)
    share = words.gate_share(report, gate) or "n = 0"
    ends = _ends(report, gate, level)
    needs = f"needs {words.gate_needs(report, gate)}"
    said: tuple[str, ...] = (f"{_value(report, gate)} ({share})", ends, needs, words.proof(gate))
    said += tuple(filter(None, (gate.by_chance, _waived(gate))))
    unmeasured = gate.status is Status.UNMEASURABLE and not words.unproven(gate)
    return (*said, shown(gate.note, TEXT)) if unmeasured and gate.note else said


def _ends(report: Report, gate: Judged, level: str) -> str:
    """The interval; where there is none, from how many samples on there is one."""
    if gate.interval and gate.interval != (None, None):
        return f"{words.gate_interval(report, gate)}{level}"
    return "no interval" + (f" ({words.gate_interval(report, gate)})" if gate.needs_samples else "")


def _value(report: Report, gate: Judged) -> str:
    return "unmeasurable" if gate.value is None else words.gate_value(report, gate)


def decided(report: Report) -> str:
    """The decision in numbers: `3 of 5 gates fail, 1 of them proven at 95 %`."""
    if report.unfrozen:
        return words.gates_in_words(report)
    if not report.gates:
        # A tool that judges nothing has its own word for how it ended.
        return report.verdict_says or (
            "" if None in report.verdicts else "no gate is set, so nothing is decided"
        )
    level = _at(report)
    if report.passed:
        between = ";" if report.not_tested else ","
        return f"{words.all_pass(report)}{between} {report.proven or 'none'} proven{level}"
    failing = [gate for gate in report.gates if gate.status is Status.FAIL]
    open_ = [gate for gate in report.gates if words.unproven(gate)]
    blank = [g for g in report.gates if g.status is Status.UNMEASURABLE and g not in open_]
    untested = [gate for gate in words.not_passed(report) if gate.tests_nothing]
    proven = sum(refuted(gate) for gate in failing)
    counted = {"FAIL": failing, "UNMEASURABLE": blank, "not proven": open_, "NOT TESTED": untested}
    said = [words.of_gates(report, len(each), why) for why, each in counted.items() if each]
    # Of how many gates, the first part has said for all of them.
    said = [*said[:1], *(re.sub(r" of \d+ gates?", "", each) for each in said[1:])]
    said = [f"{each}{level}" if each.endswith("not proven") else each for each in said]
    if proven:
        said.insert(1, f"{proven} proven to fail{level}")
    parts = [", ".join(said)] if said else []
    if not failing:
        parts += report.lacks.values()
    rest = report.not_tested - len(untested)
    return "; ".join((*parts, *([f"{rest} not tested"] if rest else [])))


def _at(report: Report) -> str:
    return "" if report.level is None else f" at {percent(report.level)}"
