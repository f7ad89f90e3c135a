"""The report as JUnit XML for CI systems: one test case for each gate."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as Tree

from ragstone.gates.gate import NOT_FROZEN, Judged, Status
from ragstone.report.text import listed, shown
from ragstone.report.waived_list import waived_of
from ragstone.report.words import headline, proven, sentence, verdict, verdict_and_proof

if TYPE_CHECKING:
    from ragstone.report.model import Report

# `visible`, inside `shown`, also writes out what XML 1.0 forbids: controls, surrogates, U+FFFE.
LIMIT = 500
QIDS = 20

# The words of the format: a check that came out wrong, and one that could not be made.
_ELEMENT = {Status.FAIL: "failure", Status.UNMEASURABLE: "error"}


def render(report: Report) -> str:
    """The XML, without times or host names, so that the same report is the same bytes."""
    # Test cases are all that a CI system looks at: one says what keeps the others from deciding.
    more = int(report.unfrozen)
    counts = {
        "tests": str(len(report.gates) + more),
        "failures": str(_count(report, Status.FAIL)),
        "errors": str(_count(report, Status.UNMEASURABLE) + more),
    }
    root = Tree.Element("testsuites", {"name": "ragstone", **counts})
    name = f"ragstone.{shown(report.suite, LIMIT)}"
    suite = Tree.SubElement(root, "testsuite", {"name": name, **counts, "skipped": "0"})
    _properties(report, suite)
    if report.unfrozen:
        case = Tree.SubElement(suite, "testcase", {"classname": name, "name": "gold is frozen"})
        Tree.SubElement(case, "error", {"message": headline(report), "type": NOT_FROZEN})
    for gate in report.gates:
        _case(report, gate, suite, name)
    _output(report, suite)
    Tree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{Tree.tostring(root, encoding='unicode')}\n"


def _count(report: Report, status: Status) -> int:
    return sum(gate.status is status for gate in report.gates)


def _properties(report: Report, suite: Tree.Element) -> None:
    facts = {
        "version": report.version,
        **({"decision": report.decision.value} if report.decision else {}),
        "verdict": verdict(report),
        **({"proven": proven(report)} if report.gates else {}),
        "digest": report.digest,
    }
    properties = Tree.SubElement(suite, "properties")
    for name, value in facts.items():
        Tree.SubElement(properties, "property", {"name": name, "value": shown(value, LIMIT)})


def _case(report: Report, gate: Judged, suite: Tree.Element, classname: str) -> None:
    named = {"classname": classname, "name": shown(gate.name, LIMIT)}
    case = Tree.SubElement(suite, "testcase", named)
    said = shown(sentence(report, gate), LIMIT)
    element = _ELEMENT.get(gate.status)
    if element is None:
        Tree.SubElement(case, "system-out").text = said
        return
    verdict = Tree.SubElement(case, element, {"message": said, "type": gate.status.value})
    rows = report.offending.get(gate.name, ())
    offenders = f"\noffenders: {listed(rows, limit=QIDS, length=80)}" if rows else ""
    verdict.text = said + offenders


def _output(report: Report, suite: Tree.Element) -> None:
    said = f"{verdict_and_proof(report)}: {headline(report)}"
    broke = [row.qid for row in report.shown_regressions()]
    told = [f"right before and wrong now: {listed(broke, limit=QIDS, length=80)}"] if broke else []
    told += [f"waived: {each.says}" for each in waived_of(report)]
    lines = [said, *told, *(f"warning: {shown(warning, LIMIT)}" for warning in report.warnings)]
    Tree.SubElement(suite, "system-out").text = "\n".join(lines)
