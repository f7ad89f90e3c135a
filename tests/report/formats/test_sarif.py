import json
from dataclasses import replace
from typing import Any

from report.report_builder import ROWS, bare, nasty, passing, report

from ragstone.engine.line_places import Place
from ragstone.report.formats import sarif
from ragstone.report.model import Report


def run(shown: Report) -> Any:
    log = json.loads(sarif.render(shown))
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    return only


def row(shown: Report, qid: str) -> Any:
    return next(each for each in run(shown)["results"] if each["properties"].get("qid") == qid)


def test_each_metric_is_a_rule_with_its_meaning() -> None:
    rules = run(report())["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(report().metrics)
    assert rules[0]["shortDescription"]["text"] == "right and rightly cited (precision)"
    assert rules[0]["fullDescription"]["text"] == report().metrics["precision"].metric.says


def test_each_offender_and_each_gate_that_did_not_pass_is_a_result() -> None:
    results = run(report())["results"]
    assert [each["level"] for each in results[:3]] == ["error"] * 3
    assert [each["properties"]["gate"] for each in results[:3]] == [
        "precision",
        "scu_violations",
        "precision[tags=billing]",
    ]
    assert [each["properties"]["qid"] for each in results[3:]] == [each.qid for each in ROWS]


def test_rule_and_index_agree() -> None:
    rules = run(report())["tool"]["driver"]["rules"]
    for each in run(report())["results"]:
        if "ruleIndex" in each:
            assert rules[each["ruleIndex"]]["id"] == each["ruleId"]


def test_an_offender_points_at_its_gold_line_and_relates_its_trace_line() -> None:
    found = row(report(), "A0017")
    gold = found["locations"][0]["physicalLocation"]
    assert gold["artifactLocation"]["uri"] == "eval/gold%20set.jsonl"
    assert gold["region"] == {"startLine": 17}
    (trace,) = found["relatedLocations"]
    assert trace["physicalLocation"]["artifactLocation"]["uri"] == "runs/trace%2C1.jsonl"
    assert trace["physicalLocation"]["region"] == {"startLine": 204}


def test_standard_input_and_tables_in_memory_have_no_place() -> None:
    assert "locations" not in row(report(), "A0077")
    assert "locations" not in row(report(), "A0090")


def test_a_trace_alone_is_the_place() -> None:
    found = row(report(places={"A0017": (None, Place("trace.jsonl", 9))}), "A0017")
    assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": 9}
    assert "relatedLocations" not in found


def test_a_failed_gate_stands_where_its_first_offender_does() -> None:
    gate = run(report())["results"][0]
    assert gate["locations"][0]["physicalLocation"]["region"] == {"startLine": 17}


def test_a_row_that_blocks_shipping_weighs_more() -> None:
    assert row(report(), "A0017")["level"] == "warning"
    assert row(report(), "A0077")["level"] == "note"


def test_text_cannot_become_a_link_or_a_placeholder() -> None:
    found = run(nasty("[here](http://evil.example) {0}"))["results"]
    for each in found:
        message = each["message"]["text"]
        assert "\\[here\\](http" in message
        assert "{{0}}" in message


def test_a_passing_report_has_no_result() -> None:
    assert run(passing())["results"] == []
    assert run(bare())["results"] == []
    assert run(passing())["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_gold_that_is_not_as_it_was_frozen_is_told_of_the_whole_run() -> None:
    (invocation,) = run(replace(passing(), unfrozen=True))["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert invocation["exitCode"] == 3
    assert told["message"]["text"].startswith("NOT FROZEN: The gold set is not as it was frozen")
    assert "toolExecutionNotifications" not in run(passing())["invocations"][0]
