"""How are the decision, a gate and a number put into words? The same way in every format."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.measure.metric import Count, Measured, Quantile, Statistic
from ragstone.report.model import Cell, Report, Table
from ragstone.report.text import listed, shown, visible

VERDICT = {
    Status.PASS: "SHIP",
    Status.FAIL: "DO NOT SHIP",
    Status.UNMEASURABLE: "UNDECIDED",
}

ABSENT = "–"
PLACES = 4


def verdict(report: Report) -> str:
    """The decision in the suite's own words, such as ELIGIBLE, or in those of the ship gate."""
    return report.verdicts.get(report.decision, VERDICT[report.decision])


def number(value: float | None, places: int = PLACES) -> str:
    """A number for people: floats with 4 places, whole numbers with separators, absent as a dash.

    >>> number(0.5), number(12345), number(None), number(-1e-9)
    ('0.5000', '12,345', '–', '0.0000')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:,.{places}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def cell(value: Cell, limit: int) -> str:
    """A table cell as one line of text."""
    return listed([value], limit=1, length=limit) if isinstance(value, str) else number(value)


def numeric(table: Table) -> frozenset[int]:
    """The columns that hold no text, and are therefore set flush right."""
    return frozenset(
        index
        for index in range(len(table.columns))
        if not any(isinstance(row[index], str) for row in table.rows)
    )


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
    unit = measured.metric.unit if isinstance(measured.metric, Quantile | Statistic) else ""
    return f"{number(raw)} {unit}".rstrip() if raw is not None else ABSENT


def share(measured: Measured) -> str:
    """What the value was computed over: `34/47`, or the size of the set alone."""
    if measured.numerator is None:
        return f"n = {measured.denominator:,}"
    return f"{measured.numerator:,}/{measured.denominator:,}"


def interval(ends: tuple[float, float] | None) -> str:
    """
    >>> interval((0.25, 0.75)), interval(None)
    ('0.2500 to 0.7500', '–')
    """
    return f"{number(ends[0])} to {number(ends[1])}" if ends else ABSENT


def threshold(gate: Threshold) -> str:
    """A threshold in the signs of print.

    >>> threshold(Threshold("<=", 0.05))
    '≤ 0.05'
    """
    return str(gate).replace(">=", "≥").replace("<=", "≤")


def interval_name(report: Report) -> str:
    """`95 % interval`, or the level that --confidence asked for."""
    settings = report.settings
    # Where several suites are one report, each has settings of its own.
    parts = [settings] if "confidence" in settings else [*settings.values()]
    levels = {part.get("confidence") or 0.95 for part in parts if isinstance(part, Mapping)}
    if len(levels) > 1:
        return "interval"
    level = next(iter(levels), 0.95)
    return f"{100 * level:g} % interval" if isinstance(level, float) else "interval"


def metric_of(report: Report, gate: Judged) -> Measured | None:
    """The metric a gate stands on, also where the report names it with its suite in front."""
    name, _, _ = gate.name.partition("[")
    return report.metrics.get(name) or report.metrics.get(gate.metric)


def whole(report: Report, gate: Judged) -> Measured | None:
    """The metric whose number the gate judged; none where it judged a slice of it."""
    return metric_of(report, gate) if "[" not in gate.name else None


def ungated(report: Report) -> dict[str, Measured]:
    """The metrics that no gate shows, in the order of declaration."""
    gated = [whole(report, gate) for gate in report.gates]
    return {
        name: measured
        for name, measured in report.metrics.items()
        if not any(measured is each for each in gated)
    }


def gate_value(report: Report, gate: Judged) -> str:
    """A gate's value; a failing one never looks as if it passed.

    0.79996 fails `>= 0.8` and rounds to 0.8000, so it gets the places it needs to tell.
    """
    measured = whole(report, gate)
    if measured and isinstance(measured.metric, Count | Quantile) and measured.value == gate.value:
        return value(measured)
    number_ = gate.value
    if number_ is None or gate.threshold.holds(number_):
        return number(number_)
    for places in range(PLACES, 12):
        if not gate.threshold.holds(round(number_, places)):
            return number(number_, places)
    return number(number_, 12)


def about(gate: Judged) -> str:
    """What else is to be said of a gate: its note, and what the interval proves."""
    said = [gate.note] if gate.note else []
    if gate.vacuous and "vacuous" not in gate.note:
        said.append("vacuous: nothing to measure it on")
    if gate.judged_on is not None and gate.judged_on != gate.value:
        said.append(f"judged on {number(gate.judged_on)}")
    if gate.proven is not None and "proven" not in gate.note:
        said.append(_proof(gate))
    if gate.needed and "settle" not in gate.note:
        questions = "question" if gate.needed == 1 else "questions"
        said.append(f"about {gate.needed:,} more {questions} would settle it")
    return visible("; ".join(said))


def _proof(gate: Judged) -> str:
    if not gate.proven:
        return "not proven"
    return "proven" if gate.status is Status.PASS else "proven to fail"


def headline(report: Report) -> str:
    """The decision in one sentence, with the gates that made it."""
    count = len(report.gates)
    if not count:
        return "No gate is set."
    if report.passed:
        return "The one gate passes." if count == 1 else f"All {count} gates pass."
    blamed = [gate.name for gate in report.gates if gate.status is report.decision]
    verb = {
        Status.FAIL: "fails" if len(blamed) == 1 else "fail",
        Status.UNMEASURABLE: "could not be measured",
    }[report.decision]
    gates = "gate" if count == 1 else "gates"
    return f"{len(blamed)} of {count} {gates} {verb}: {listed(blamed, limit=8, length=80)}."


def sentence(report: Report, gate: Judged) -> str:
    """One gate, told to a machine's log.

    `precision is 0.7234 (34/47), 95 % interval 0.5818 to 0.8311; the gate is >= 0.8`.
    """
    measured = whole(report, gate)
    name = shown(gate.name, 200)
    said = f"{name} is {gate_value(report, gate)}"
    if gate.value is None:
        said = f"{name} could not be measured"
    elif measured:
        said += f" ({share(measured)})"
    if gate.interval:
        said += f", {interval_name(report)} {interval(gate.interval)}"
    said += f"; the gate is {gate.threshold}"
    return f"{said}; {about(gate)}" if about(gate) else said
