"""GitHub workflow commands, which show gates and rows beside the lines they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragstone.gates.gate import Status
from ragstone.report.text import shown, visible
from ragstone.report.words import (
    complaint,
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
TITLE = {Status.FAIL: "gate failed", Status.UNMEASURABLE: "gate unmeasurable"}
UNPROVEN = "gate not proven"


def render(report: Report) -> str:
    """One workflow command a line: the verdict, gates as errors, then the offenders as warnings.

    GitHub shows ten errors and ten warnings a step, so neither kind may crowd out the other.
    """
    lines = []
    for gate in not_passed(report):
        kind = UNPROVEN if unproven(gate) else TITLE[gate.status]
        lines.append(command("error", sentence(report, gate), title=_title(kind, gate.name)))
    for pair in report.shown_regressions():
        lines.append(_warning(report, "broke", pair.qid, regression(pair)))
    for row in report.shown_offenders():
        lines.append(_warning(report, "offender", row.qid, complaint(row)))
    title = _title(report.suite, verdict_and_proof(report))
    lines.insert(0, command("notice", headline(report), title=title))
    return "".join(f"{line}\n" for line in lines)


def _warning(report: Report, kind: str, qid: str, said: str) -> str:
    place = next((place for _, place in report.lines_of(qid)), None)
    where = {"file": place.file, "line": str(place.line)} if place else {}
    return command("warning", said, **where, title=_title(kind, qid))


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
