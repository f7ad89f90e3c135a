"""The report as SARIF 2.1.0 for code scanners: a rule for each metric, results at input lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from ragstone.report.formats.json_text import pieces
from ragstone.report.text import shown
from ragstone.report.waived_list import out_of_gates, waived_of
from ragstone.report.words import (
    complaints,
    headline,
    not_passed,
    proven,
    regression,
    sentence,
    titled,
    verdict,
)

if TYPE_CHECKING:
    from ragstone.engine.line_places import Place
    from ragstone.gates.gate import Judged
    from ragstone.measure.metric import Measured
    from ragstone.report.document.blocks import Json, Offender, QuestionPair
    from ragstone.report.model import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MESSAGE = 2000
NAME = 200

_BROKE: Json = {
    "id": "broke",
    "name": "broke",
    "shortDescription": {"text": "A question that was right before and is wrong now."},
    "fullDescription": {"text": "A question that was right before and is wrong now."},
    "defaultConfiguration": {"level": "warning"},
}

_NOT_APPLICABLE: dict[str, Json] = {"kind": "notApplicable", "level": "none"}
# In a SARIF message [text](target) is a link and {0} a placeholder; both must stay text.
_LITERAL = str.maketrans({"[": "\\[", "]": "\\]", "{": "{{", "}": "}}"})


def render(report: Report) -> str:
    """The log, ready to be uploaded."""
    return "".join(streamed(report))


def streamed(report: Report) -> Iterator[str]:
    """What `render` gives, result by result where there are many."""
    return pieces(to_object(report))


def to_object(report: Report) -> dict[str, Json]:
    """One run: a result for each gate that did not pass, then one for each offender."""
    gates = [*not_passed(report)]
    gates += [gate for gate in report.gates if gate.tests_nothing and not gate.required]
    blocking = {gate.metric for gate in gates}
    results: list[Json] = [_gate(report, gate) for gate in gates]
    broke = report.shown_regressions()
    results += [_broke(report, pair) for pair in broke]
    results += [_offender(report, row, said, blocking) for row, said in complaints(report)]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ragstone",
                        "semanticVersion": report.version,
                        "rules": [
                            *(_rule(name, each) for name, each in report.metrics.items()),
                            *([_BROKE] if broke else []),
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "exitCode": report.exit_code,
                        **_notified(report),
                    }
                ],
                "properties": {
                    "suite": report.suite,
                    "decision": report.decision,
                    "proven": proven(report),
                    "digest": report.digest,
                    **_waived(report),
                },
                "results": results,
            }
        ],
    }


def _notified(report: Report) -> dict[str, Json]:
    """What a reader must know of the whole run, where there is such a thing."""
    if not report.unfrozen and not report.lacks:
        return {}
    said = _text(f"{verdict(report)}: {headline(report)}")
    return {"toolExecutionNotifications": [{"level": "error", "message": {"text": said}}]}


def _waived(report: Report) -> dict[str, Json]:
    """Every waiver, also those that suppress no result; nothing where none was given."""
    waived: list[Json] = [_text(each.says) for each in waived_of(report)]
    return {"waived": waived} if waived else {}


def _suppressed(report: Report, qid: str) -> dict[str, Json]:
    """What a scanner calls a waiver: the result is there, and somebody has accepted it."""
    waiver = out_of_gates(report).get(qid)
    if waiver is None:
        return {}
    justification = _text("; ".join(filter(None, (waiver.why, f"until {waiver.until}"))))
    return {"suppressions": [{"kind": "external", "justification": justification}]}


def _rule(name: str, measured: Measured) -> Json:
    return {
        "id": name,
        "name": name,
        "shortDescription": {"text": _text(titled(name, measured.metric))},
        "fullDescription": {"text": _text(measured.metric.says)},
        "defaultConfiguration": {"level": "warning"},
        "properties": {"better": measured.metric.better},
    }


def _gate(report: Report, gate: Judged) -> Json:
    # A scanner shows no result without a place, so a gate borrows its first offender's.
    qids = report.offending.get(gate.name) or report.offending.get(gate.metric, ())
    placed = (qid for qid in qids if any(report.lines_of(qid)))
    return {
        **_ruled(report, gate.name.partition("[")[0]),
        # What had nothing to test is shown, and is no fault of the run.
        **({"level": "error"} if gate.stops_the_verdict else _NOT_APPLICABLE),
        "message": {"text": _text(sentence(report, gate))},
        **_located(report, next(placed, None)),
        "partialFingerprints": {"ragstone/v1": f"{report.suite} gate {shown(gate.name, NAME)}"},
        "properties": {"gate": shown(gate.name, NAME), "status": gate.status.value},
    }


def _offender(report: Report, row: Offender, said: str, blocking: set[str]) -> Json:
    costly = [name for name in row.costs if name in blocking]
    rule = next(iter((*costly, *row.costs)), "")
    return {
        **_ruled(report, rule),
        "level": "warning" if costly else "note",
        "message": {"text": _text(said)},
        **_located(report, row.qid),
        **_suppressed(report, row.qid),
        "partialFingerprints": {"ragstone/v1": f"{report.suite} row {shown(row.qid, NAME)}"},
        "properties": {
            "qid": shown(row.qid, NAME),
            "costs": [shown(cost, NAME) for cost in row.costs],
            "failedChecks": [shown(check, NAME) for check in row.failed_checks],
            "problems": [shown(problem, NAME) for problem in row.problems],
        },
    }


def _broke(report: Report, row: QuestionPair) -> Json:
    return {
        "ruleId": "broke",
        # Behind the rules of the metrics.
        "ruleIndex": len(report.metrics),
        "level": "error" if row.protected else "warning",
        "message": {"text": _text(regression(row))},
        **_located(report, row.qid),
        **_suppressed(report, row.qid),
        "partialFingerprints": {"ragstone/v1": f"{report.suite} broke {shown(row.qid, NAME)}"},
        "properties": {"qid": shown(row.qid, NAME), "protected": row.protected},
    }


def _ruled(report: Report, rule: str) -> dict[str, Json]:
    """The rule of a metric, also where the report names it with its suite in front."""
    for index, (name, measured) in enumerate(report.metrics.items()):
        if rule in (name, measured.name):
            return {"ruleId": name, "ruleIndex": index}
    return {"ruleId": shown(rule, NAME)}


def _located(report: Report, qid: str | None) -> dict[str, Json]:
    """The gold line first, where the fix is mostly made; the trace line beside it."""
    places = [
        _location(place, f"the {input_} line")
        for input_, place in (() if qid is None else report.lines_of(qid))
    ]
    related: list[Json] = [{"id": number, **place} for number, place in enumerate(places[1:], 1)]
    found: dict[str, Json] = {"locations": [*places[:1]], "relatedLocations": related}
    return {name: several for name, several in found.items() if several}


def _location(place: Place, said: str) -> dict[str, Json]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri(place.file)},
            "region": {"startLine": max(place.line, 1)},
        },
        "message": {"text": said},
    }


def uri(file: str) -> str:
    """A path as the URI reference that SARIF wants.

    >>> uri("eval/gold set.jsonl"), uri("/srv/gold.jsonl"), uri("C:\\\\eval\\\\gold.jsonl")
    ('eval/gold%20set.jsonl', 'file:///srv/gold.jsonl', 'file:///C:/eval/gold.jsonl')
    """
    windows = PureWindowsPath(file)
    if windows.drive and windows.is_absolute():
        return windows.as_uri()
    if PurePosixPath(file).is_absolute():
        return f"file://{quote(file, errors='surrogatepass')}"
    return quote(file.removeprefix("./"), errors="surrogatepass")


def _text(text: str) -> str:
    # Line breaks in here are ours: complaint() has already written out those of the data.
    return shown(text, MESSAGE, lines=True).translate(_LITERAL)
