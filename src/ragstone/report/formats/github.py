"""GitHub workflow commands, which show gates and rows beside the lines they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.gates.gate import Status
from ragstone.report.text import said_and_line, shown, visible
from ragstone.report.waived_list import out_of_gates, waived_of
from ragstone.report.words import (
    complaints,
    gate_title,
    headline,
    not_passed,
    regression,
    sentence,
    unproven,
    verdict_and_proof,
)

if TYPE_CHECKING:
    from ragstone.report.model import Report

TITLE_LENGTH = 120
MESSAGE = 2000
TITLE = {
    Status.FAIL: "gate failed",
    Status.UNMEASURABLE: "gate unmeasurable",
    Status.NOT_TESTED: "gate not tested",
}
UNPROVEN = "gate not proven"


def render(report: Report) -> str:
    """One workflow command a line: the verdict, gates as errors, then the offenders as warnings.

    GitHub shows ten errors and ten warnings a step, so neither kind may crowd out the other. What
    is waived is a notice, and so are the rows of waived questions.
    """
    lines = []
    for gate in not_passed(report):
        kind = UNPROVEN if unproven(gate) else TITLE[gate.status]
        lines.append(
            command("error", sentence(report, gate), title=_title(kind, gate_title(report, gate)))
        )
    for suite, why in report.lacks.items():
        lines.append(command("error", why, title=_title("main question not tested", suite)))
    for pair in report.shown_regressions():
        lines.append(_at_line(report, "broke", pair.qid, regression(pair)))
    for row, said in complaints(report):
        lines.append(_at_line(report, "offender", row.qid, said))
    title = _title(report.suite, verdict_and_proof(report))
    level = "error" if report.unfrozen else "notice"
    waived = [command("notice", each.says, title="waived") for each in waived_of(report)]
    waived += [
        command("notice", sentence(report, gate), title=_title(TITLE[gate.status], gate.name))
        for gate in report.gates
        if gate.tests_nothing and not gate.required
    ]
    advice = [
        command("notice", f"{remedy}\n  {line}", title=_title(report.suite, "advice"))
        for remedy, line in map(said_and_line, report.warnings)
        if line
    ]
    lines[:0] = [command(level, headline(report), title=title), *waived, *advice]
    return "".join(f"{line}\n" for line in lines)


def _at_line(report: Report, kind: str, qid: str, said: str) -> str:
    """A warning at the line that it is about; what is waived is no more than a notice."""
    place = next((place for _, place in report.lines_of(qid)), None)
    where = {"file": place.file, "line": str(place.line)} if place else {}
    level = "notice" if qid in out_of_gates(report) else "warning"
    return command(level, said, **where, title=_title(kind, qid))


def command(level: str, message: str, **properties: str) -> str:
    """
    >>> command("error", "50 %\\nlost", file="a,b.jsonl", line="3")
    '::error file=a%2Cb.jsonl,line=3::50 %25%0Alost'
    """
    named = ",".join(f"{name}={_property(visible(value))}" for name, value in properties.items())
    return f"::{level} {named}::{_data(shown(message, MESSAGE, lines=True))}"


def _title(kind: str, name: str) -> str:
    return f"{kind}: {shown(name, TITLE_LENGTH)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
