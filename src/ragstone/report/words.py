"""Puts the decision, a gate and a number into words, the same way in every format."""

from __future__ import annotations

from collections.abc import Mapping

from ragstone.gates.gate import NOT_FROZEN, Judged, Status, Threshold
from ragstone.gates.judge import NOTHING_TO_TEST
from ragstone.gates.proof import percent, refuted
from ragstone.measure.metric import Count, Measured
from ragstone.measure.more_questions import more_questions
from ragstone.report.document.blocks import Cell, Step, Table
from ragstone.report.document.figures import (
    ABSENT,
    interval,
    judged_quantity,
    limit,
    number,
    quantity,
    unit_of,
)
from ragstone.report.model import Report

# The formats ask this module for every word.
from ragstone.report.offender_words import complaints as complaints
from ragstone.report.offender_words import wrong as wrong
from ragstone.report.pair_words import by_side as by_side
from ragstone.report.pair_words import claim_of as claim_of
from ragstone.report.pair_words import regression as regression
from ragstone.report.pair_words import right_in as right_in
from ragstone.report.pair_words import sides as sides
from ragstone.report.pair_words import turned as turned
from ragstone.report.plain_names import both_names as both_names
from ragstone.report.plain_names import costs as costs
from ragstone.report.plain_names import figure_text as figure_text
from ragstone.report.plain_names import figure_title as figure_title
from ragstone.report.plain_names import finding_title as finding_title
from ragstone.report.plain_names import gate_metric_title as gate_metric_title
from ragstone.report.plain_names import gate_title as gate_title
from ragstone.report.plain_names import heads as heads
from ragstone.report.plain_names import legend as legend
from ragstone.report.plain_names import metric_name, metric_of
from ragstone.report.plain_names import names_in_cells as names_in_cells
from ragstone.report.plain_names import plain_gate as plain_gate
from ragstone.report.plain_names import rows_named as rows_named
from ragstone.report.plain_names import title_of as title_of
from ragstone.report.plain_names import titled as titled
from ragstone.report.text import few, listed, short, shown, visible
from ragstone.report.waived_list import out_of_gates, waived_sentence

VERDICT = {
    Status.PASS: "SHIP",
    Status.FAIL: "DO NOT SHIP",
    Status.UNMEASURABLE: "UNDECIDED",
    None: "NO GATES",
}


_A_LOOK = "The gold set is not as it was frozen: this is a look, and decides nothing."


def verdict(report: Report) -> str:
    """The decision in the suite's own words, such as ELIGIBLE, or in those of the ship gate."""
    if report.unfrozen:
        return NOT_FROZEN
    return report.verdicts.get(report.decision, VERDICT[report.decision])


def proven(report: Report) -> str:
    """How many gates are proven, such as `3 of 5 gates proven at 95 %`; nothing without a gate."""
    count = len(report.tested_gates)
    if not count:
        return ""
    gates = "gate" if count == 1 else "gates"
    said = f"{report.proven} of {count} {gates} proven"
    if report.level is not None:
        said += f" at {percent(report.level)}"
    failing = sum(refuted(gate) for gate in report.tested_gates)
    return f"{said}, {failing} proven to fail" if failing else said


def verdict_and_proof(report: Report) -> str:
    """The decision and how far it is proven: `SHIP, 3 of 5 gates proven at 95 %`."""
    return ", ".join(filter(None, (verdict(report), proven(report))))


def cell(value: Cell, limit: int) -> str:
    """A table cell as one line of text."""
    return shown(value, limit) if isinstance(value, str) else number(value)


def numeric(table: Table) -> frozenset[int]:
    """The columns that hold no text, and are therefore set flush right."""
    return frozenset(
        index
        for index in range(len(table.columns))
        if not any(isinstance(row[index], str) for row in table.rows)
    )


def funnel_bar(step: Step, total: int, width: int) -> tuple[int, int]:
    """How many of `width` characters are drawn for what is left and for what was lost here."""
    full, gone = (round(width * count / max(total, 1)) for count in (step.left, step.lost))
    return full, min(gone, width - full)


def rest(count: int) -> str:
    """How many rows a page or a comment leaves out, and where they are.

    >>> rest(1)
    '1 more row is not shown; --all -o FILE.json writes every one.'
    """
    rows = "row is" if count == 1 else "rows are"
    return f"{count:,} more {rows} not shown; --all -o FILE.json writes every one."


def value(measured: Measured) -> str:
    """A metric's value: counts are whole, quantiles carry their unit.

    >>> from ragstone.measure.metric import Count
    >>> wrong = Count(name="wrong", of="true", hit="true", better="lower", says="")
    >>> value(Measured(wrong, 3.0, 3, 9, None, False))
    '3'
    """
    raw = measured.value
    if raw is not None and isinstance(measured.metric, Count) and float(raw).is_integer():
        return number(int(raw))
    return quantity(raw, unit_of(measured.metric)) if raw is not None else ABSENT


def metric_interval(measured: Measured) -> str:
    """A metric's interval, in its unit."""
    return interval(measured.interval, measured.needs_samples, unit=unit_of(measured.metric))


def gate_unit(report: Report, gate: Judged) -> str:
    """What the number of a gate counts, such as `ms`."""
    measured = metric_of(report, gate)
    return unit_of(measured.metric) if measured else ""


def gate_interval(report: Report, gate: Judged) -> str:
    """A gate's interval, in the unit of its metric."""
    return interval(gate.interval, gate.needs_samples, unit=gate_unit(report, gate))


def around(report: Report, found: Measured | Judged) -> str:
    """The interval of a metric or of a gate, in words."""
    return gate_interval(report, found) if isinstance(found, Judged) else metric_interval(found)


def gate_limit(report: Report, gate: Judged) -> str:
    """A gate's threshold in the signs of print, in the unit of its metric."""
    return limit(gate.threshold, gate_unit(report, gate))


def gate_needs(report: Report, gate: Judged) -> str:
    """A gate's threshold as the command line takes it, in the unit of its metric: `<= 2,000 ms`."""
    return gate_limit(report, gate).replace("≥", ">=").replace("≤", "<=")


def share(measured: Measured | Judged) -> str:
    """What the value was computed over: `34/47`, or the size of the set alone."""
    if measured.numerator is None:
        return f"n = {measured.denominator:,}"
    return f"{measured.numerator:,}/{measured.denominator:,}"


def value_and_share(report: Report, gate: Judged) -> str:
    """A gate's number and what it was computed over: `0.6667 (20/30)`."""
    return f"{gate_value(report, gate)} ({share(gate)})"


def gate_share(report: Report, gate: Judged) -> str:
    """What a gate's number was computed over; of a slice, and of one of several arms, too."""
    if gate.tests_nothing:
        return f"0 of {gate.denominator:,} tested"
    # Gates of reports from before they said it themselves have it from their metric, which counts
    # waived questions too.
    own = gate.denominator or out_of_gates(report)
    over = gate if own else whole(report, gate) or gate
    return share(over) if over.denominator else ""


def threshold(gate: Threshold) -> str:
    """A threshold in the signs of print.

    >>> threshold(Threshold("<=", 0.05))
    '≤ 0.05'
    """
    return limit(gate)


def interval_name(report: Report) -> str:
    """`95 % interval`, or the level that --confidence asked for."""
    return "interval" if report.level is None else f"{percent(report.level)} interval"


def whole(report: Report, gate: Judged) -> Measured | None:
    """The metric whose number the gate judged; none where it judged a slice of it."""
    return metric_of(report, gate) if "[" not in gate.name else None


def ungated(report: Report) -> dict[str, Measured]:
    """The metrics that no gate shows, in the order of declaration."""
    gated = {metric_name(report, gate) for gate in report.gates if "[" not in gate.name}
    return {name: each for name, each in report.metrics.items() if name not in gated}


def unfolded(metrics: Mapping[str, Measured]) -> dict[str, Measured]:
    """Those that every reader should see; the extra ones are for those who look for them."""
    return {name: each for name, each in metrics.items() if not each.metric.extra}


def folded(metrics: Mapping[str, Measured]) -> dict[str, Measured]:
    """The extra ones."""
    return {name: each for name, each in metrics.items() if each.metric.extra}


def plain_figures(report: Report) -> dict[str, float | int | None]:
    """The suite's plain numbers, without those that are metrics and shown as such."""
    return {name: each for name, each in report.figures.items() if name not in report.metrics}


def gate_value(report: Report, gate: Judged) -> str:
    """A gate's value; a failing one never looks as if it passed.

    0.79996 fails `>= 0.8` and rounds to 0.8000, so it gets the places it needs to tell. What is
    not tested has a value that was agreed on, and none that was measured.
    """
    if gate.tests_nothing:
        return ABSENT
    measured = metric_of(report, gate)
    counted = measured is not None and isinstance(measured.metric, Count)
    if counted and gate.value is not None and float(gate.value).is_integer():
        return number(int(gate.value))
    return judged_quantity(gate.value, gate.threshold, gate_unit(report, gate))


def about(gate: Judged) -> str:
    """What else is to be said of a gate: its note, and what the interval proves."""
    said = [gate.note] if gate.note else []
    if gate.with_waived:
        said.append(f"with them {gate.with_waived}")
    if gate.vacuous and not gate.note:
        said.append(NOTHING_TO_TEST)
    if gate.proven is not None and "prove" not in gate.note:
        said.append("proven" if gate.proven else _not_proven(gate))
    if gate.by_chance:
        said.append(gate.by_chance)
    return visible("; ".join(said))


def proof(gate: Judged) -> str:
    """In two or three words whether the interval proves what a gate came to."""
    if gate.tests_nothing or gate.vacuous:
        return "not tested"
    if gate.proven is None and gate.status is not Status.UNMEASURABLE:
        # What was counted has happened; that it never will, no sample proves.
        return "no proof needed" if gate.status is Status.FAIL else ""
    if gate.status is Status.FAIL:
        return "proven to fail" if refuted(gate) else "not proven to fail"
    return "proven" if gate.proven else "not proven"


def _not_proven(gate: Judged) -> str:
    if refuted(gate):
        return "proven to fail"
    return f"not proven: {more_questions(*gate.needed)}" if gate.needed else "not proven"


def headline(report: Report) -> str:
    """The decision in one sentence, with the gates that made it; before it what to know first."""
    said = (report.notice, gates_in_words(report), waived_sentence(report))
    return " ".join(filter(None, said)).strip()


def gates_in_words(report: Report) -> str:
    """What the gates came to, and which of them made the decision."""
    if report.unfrozen:
        return _A_LOOK
    if not report.gates:
        # What judges no gate, but says what it found in a sentence, has said it.
        if report.verdict_says:
            return f"{report.verdict_says[0].upper()}{report.verdict_says[1:]}."
        return "" if None in report.verdicts and report.notice else "No gate is set."
    if report.passed:
        return f"{all_pass(report).capitalize()}."
    blamed: dict[str, list[str]] = {}
    for gate in not_passed(report):
        if gate.status is report.decision or report.decision is Status.UNMEASURABLE:
            blamed.setdefault(_blame(gate), []).append(gate_title(report, gate))
    said = [
        f"{of_gates(report, len(names), why)}: {listed(names, limit=4, length=120)}."
        for why, names in blamed.items()
    ]
    if report.decision is Status.UNMEASURABLE:
        said += [f"{why[0].upper()}{why[1:]}." for why in report.lacks.values()]
    rest = report.not_tested - len(blamed.get(Status.NOT_TESTED, ()))
    return " ".join((*said, f"{rest} not tested.")) if rest else " ".join(said)


def of_gates(report: Report, number: int, why: str) -> str:
    """`2 of 3 gates fail`; a gate without anything to test is none of those that could fail."""
    count = len(report.tested_gates)
    verb = _VERBS[why][number > 1]
    if why == Status.NOT_TESTED:
        return f"{number} {'gate' if number == 1 else 'gates'} {verb}"
    return f"{number} of {count} {'gate' if count == 1 else 'gates'} {verb}"


def all_pass(report: Report) -> str:
    """That every gate passes, or every one that could be tested, without a full stop.

    `3 of 3 gates that could be tested pass; 2 not tested`
    """
    count = len(report.tested_gates)
    if report.not_tested:
        passes = "gate that could be tested passes"
        if count > 1:
            passes = "gates that could be tested pass"
        return f"{count} of {count} {passes}; {report.not_tested} not tested"
    return "the one gate passes" if count == 1 else f"all {count} gates pass"


# What is said of one gate, and of several.
_VERBS = {
    "FAIL": ("fails", "fail"),
    "UNMEASURABLE": ("could not be measured", "could not be measured"),
    "not proven": ("is not proven", "are not proven"),
    "NOT TESTED": ("has nothing to test", "have nothing to test"),
}


def unproven(gate: Judged) -> bool:
    """Whether a gate's value passes, and --confidence misses the proof."""
    return gate.status is Status.UNMEASURABLE and gate.proven is False


def _blame(gate: Judged) -> str:
    return "not proven" if unproven(gate) else gate.status.value


def not_passed(report: Report) -> tuple[Judged, ...]:
    """The gates that keep the report from passing, failed ones before those without a number."""
    return tuple(
        gate
        for status in (Status.FAIL, Status.UNMEASURABLE, Status.NOT_TESTED)
        for gate in report.gates
        if gate.status is status and gate.stops_the_verdict
    )


def summary(report: Report) -> str:
    """The report in one short line, with the gates that did not pass.

    pytest cuts what it prints at 240 characters, so only the first few gates are named.
    """
    suite = short(report.suite, 34)
    if report.unfrozen:
        return f"{suite} {NOT_FROZEN}: a look, which decides nothing"
    if not report.gates:
        return f"{suite}: {report.verdicts.get(None, 'no gates')}"
    if report.passed:
        count = len(report.tested_gates)
        gates = f"{count} gate{'s' if count > 1 else ''}"
        rest = f", {report.not_tested} not tested" if report.not_tested else ""
        return f"{suite} {report.decision}: {gates}, {report.proven} proven{rest}"
    wanted = [
        f"{short(gate.name, 34)} " + _came_to(report, gate) + f", wanted {gate.threshold}"
        for gate in not_passed(report)
    ]
    wanted += [short(why, 120) for why in report.lacks.values()]
    head, more = few(wanted, 3)
    return f"{suite} {report.decision}: {'; '.join(head)}{f' {more}' if more else ''}"


def _came_to(report: Report, gate: Judged) -> str:
    if unproven(gate):
        return f"{gate_value(report, gate)} not proven"
    if gate.tests_nothing:
        return "not tested"
    return "unmeasurable" if gate.status is Status.UNMEASURABLE else gate_value(report, gate)


def sentence(report: Report, gate: Judged) -> str:
    """One gate, told to a machine's log.

    `keeps its constraints (scu): 0.72 (34/47), 95 % interval 0.58 to 0.83; the gate is >= 0.8`.
    """
    over = gate_share(report, gate)
    name = shown(gate_title(report, gate), 200)
    said = f"{name}: {gate_value(report, gate)}"
    if gate.tests_nothing:
        return f"{name} is not tested; the gate is {gate.threshold}; {about(gate)}"
    if gate.value is None:
        said = f"{name} could not be measured"
    elif over:
        said += f" ({over})"
    if gate.interval:
        said += f", {interval_name(report)} {gate_interval(report, gate)}"
    said += f"; the gate is {gate.threshold}"
    return f"{said}; {about(gate)}" if about(gate) else said
