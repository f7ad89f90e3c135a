"""The report as JUnit XML for CI systems: one test case for each gate."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as Tree

from ragstone.gates.gate import NOT_FROZEN, Judged, Status
from ragstone.report.text import listed, said_and_line, shown
from ragstone.report.waived_list import waived_of
from ragstone.report.words import headline, proven, sentence, verdict, verdict_and_proof

if TYPE_CHECKING:
    from ragstone.report.model import Report

# `visible`, inside `shown`, also writes out what XML 1.0 forbids: controls, surrogates, U+FFFE.
LIMIT = 500
QIDS = 20

# The words of the format: a check that came out wrong, one that could not be made, one left out.
_FAILURE, _ERROR, _SKIPPED = "failure", "error", "skipped"


def render(report: Report) -> str:
    """The XML, without times or host names, so that the same report is the same bytes."""
    # Test cases are all that a CI system looks at: one says what keeps the others from deciding.
    open_ = _open(report)
    counts = {
        "tests": str(len(report.gates) + len(open_)),
        "failures": str(_count(report, _FAILURE)),
        "errors": str(_count(report, _ERROR) + len(open_)),
    }
    skipped = {"skipped": str(_count(report, _SKIPPED))}
    root = Tree.Element("testsuites", {"name": "ragstone", **counts})
    name = f"ragstone.{shown(report.suite, LIMIT)}"
    suite = Tree.SubElement(root, "testsuite", {"name": name, **counts, **skipped})
    _properties(report, suite)
    for what, (kind, said) in open_.items():
        case = Tree.SubElement(suite, "testcase", {"classname": name, "name": what})
        Tree.SubElement(case, _ERROR, {"message": shown(said, LIMIT), "type": kind})
    for gate in report.gates:
        _case(report, gate, suite, name)
    _output(report, suite)
    Tree.indent(root)
    return f"<?xml version='1.0' encoding='UTF-8'?>\n{Tree.tostring(root, encoding='unicode')}\n"


def _open(report: Report) -> dict[str, tuple[str, str]]:
    """What keeps all gates together from deciding: the name of a check, its type and a sentence."""
    open_ = {"gold is frozen": (NOT_FROZEN, headline(report))} if report.unfrozen else {}
    for suite, why in report.lacks.items():
        open_[f"{shown(suite, LIMIT)}: the main question is tested"] = (Status.NOT_TESTED, why)
    return open_


def _count(report: Report, element: str) -> int:
    return sum(_element(gate) == element for gate in report.gates)


def _element(gate: Judged) -> str:
    """What a case holds that did not pass; a gate without which nothing ships is no mere skip."""
    if gate.tests_nothing:
        return _ERROR if gate.required else _SKIPPED
    return {Status.FAIL: _FAILURE, Status.UNMEASURABLE: _ERROR}.get(gate.status, "")


def _properties(report: Report, suite: Tree.Element) -> None:
    facts = {
        "version": report.version,
        **({"decision": report.decision.value} if report.decision else {}),
        "verdict": verdict(report),
        **({"proven": proven(report)} if proven(report) else {}),
        "digest": report.digest,
    }
    properties = Tree.SubElement(suite, "properties")
    for name, value in facts.items():
        Tree.SubElement(properties, "property", {"name": name, "value": shown(value, LIMIT)})


def _case(report: Report, gate: Judged, suite: Tree.Element, classname: str) -> None:
    named = {"classname": classname, "name": shown(gate.name, LIMIT)}
    case = Tree.SubElement(suite, "testcase", named)
    said = shown(sentence(report, gate), LIMIT)
    element = _element(gate)
    if element == _SKIPPED:
        Tree.SubElement(case, _SKIPPED, {"message": said})
        return
    if not element:
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
    lines = [said, *told]
    for warning, line in map(said_and_line, report.warnings):
        lines += [f"warning: {shown(warning, LIMIT)}", *([line] if line else [])]
    Tree.SubElement(suite, "system-out").text = "\n".join(lines)
