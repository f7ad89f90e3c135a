"""A gate that is not tested is shown as that by every format and every command that shows gates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest
from builders import gold, refusal, trace, write_jsonl
from command import Command, Folder, Ran

from ragstone.gates.gate import Judged, Status, Threshold, decide
from ragstone.gates.judge import judge
from ragstone.measure.measure import empty
from ragstone.measure.metric import Change
from ragstone.suites.declaration import AnySuite
from ragstone.suites.metric_titles import metrics_of
from ragstone.suites.registry import suites

SHIPS = "3 of 3 gates that could be tested pass; 1 not tested"
FILES = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")
GATES = ("--gates", "missing=off")


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    """Two questions that have an answer: nothing tests under_refusal."""
    folder = Folder(tmp_path)
    folder.write("gold.jsonl", [gold("A1", tags=["a"]), gold("A2", tags=["b"])])
    folder.write("trace.jsonl", [trace("A1"), trace("A2")])
    yield Command(folder, monkeypatch)


def score(answered: Command, *words: str) -> Ran:
    return answered("score", *FILES, *GATES, "--no-config", *words)


# The verdict counts what could be judged


def test_the_verdict_counts_the_gates_that_could_be_tested(answered: Command) -> None:
    ran = score(answered)
    assert ran.code == 0
    assert ran.text.splitlines()[-1] == f"SHIP: {SHIPS}; none proven at 95 %"
    (line,) = [each for each in ran.text.splitlines() if "(under_refusal)  " in each]
    assert " ".join(line.split(")")[1].split()) == "– 0 of 0 tested <= 0.05 not tested"


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "github", "junit"])
def test_every_format_for_people_says_so(answered: Command, form: str) -> None:
    told = score(answered, "-f", form).text
    assert SHIPS in told
    assert "not tested" in told.lower().replace(SHIPS, "")
    # Nothing else is said of the gate: no value, and nothing that passes.
    assert not re.search(r"under_refusal\W+(✅|PASS)", told)


def test_junit_skips_it_and_sarif_calls_it_not_applicable(answered: Command) -> None:
    (suite,) = Tree.fromstring(score(answered, "-f", "junit").text)
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "0",
        "errors": "0",
        "skipped": "1",
    }
    (case,) = [each for each in suite.iter("testcase") if each.find("skipped") is not None]
    assert case.get("name") == "under_refusal"
    (run,) = score(answered, "-f", "sarif").json["runs"]
    (result,) = run["results"]
    assert (result["kind"], result["level"]) == ("notApplicable", "none")
    assert result["properties"] == {"gate": "under_refusal", "status": "NOT TESTED"}


def test_the_page_lists_it_apart_from_those_that_pass(answered: Command) -> None:
    page = score(answered, "-f", "html").text
    assert "<summary>3 gates pass</summary>" in page
    assert "<summary>1 gate is not tested</summary>" in page


def test_json_says_what_was_tested(answered: Command) -> None:
    found = score(answered, "--json").json
    gate = found["gates"]["under_refusal"]
    assert (gate["status"], gate["tested"], gate["proven"]) == ("NOT TESTED", 0, None)
    assert found["proven"]["of"] == 3
    assert "lacks" not in found


# Who set the gate decides what that means


def test_a_default_gate_stops_nothing_also_where_its_limit_is_written(answered: Command) -> None:
    assert score(answered, "--gates", "under=0.01").code == 0
    strict = score(answered, "--strict")
    assert strict.code == 3
    assert strict.text.splitlines()[-1] == "UNDECIDED: 1 gate has nothing to test"


def test_a_gate_that_the_user_wrote_stops_the_verdict(answered: Command) -> None:
    ran = score(answered, "--gates", "nugget_recall=0.5")
    assert ran.code == 3
    assert "give it nuggets, or take the gate out" in " ".join(ran.text.split())
    (line,) = [each for each in ran.text.splitlines() if each.startswith("UNDECIDED")]
    assert line == "UNDECIDED: 1 gate has nothing to test; 1 not tested"
    (case,) = [
        each
        for each in Tree.fromstring(
            score(answered, "--gates", "nugget_recall=0.5", "-f", "junit").text
        ).iter("testcase")
        if each.find("error") is not None
    ]
    assert case.get("name") == "nugget_recall"


def test_a_slice_that_no_question_has_is_no_pass(answered: Command) -> None:
    part = '[[answers.slices]]\nwhere = { tags = "table" }\ngates = { precision = 0.9 }\n'
    answered.folder.write("ragstone.toml", part)
    ran = answered("score", *FILES, *GATES, "--json")
    assert ran.code == 3
    gate = ran.json["gates"]["precision[tags=table]"]
    assert (gate["status"], gate["value"], gate["tested"]) == ("NOT TESTED", 1.0, 0)
    assert "none of the questions is in this slice" in gate["note"]
    told = answered("score", *FILES, *GATES).text
    assert "UNDECIDED: 1 gate has nothing to test" in told


def test_a_failing_gate_outranks_what_is_not_tested(answered: Command) -> None:
    answered.folder.write("trace.jsonl", [refusal("A1"), refusal("A2")])
    ran = score(answered, "--gates", "nugget_recall=0.5")
    assert (ran.code, ran.text.splitlines()[-1].partition(":")[0]) == (1, "DO NOT SHIP")


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "github", "junit", "sarif"])
def test_every_format_says_what_to_do_without_the_main_question(
    answered: Command, form: str
) -> None:
    ran = score(answered, "--gates", "precision=off", "-f", form)
    assert ran.code == 3
    # Pages and comments write some of these signs otherwise.
    plain = re.sub(r"&#?\w+;|[\\`]", "", " ".join(ran.text.split()))
    assert re.search("o tested gate says whether the answers are right: add one", plain)
    assert "SHIP" not in plain.replace("DO NOT SHIP", "")


def test_gold_without_expectations_is_said_first_and_ships_nothing(answered: Command) -> None:
    bare = [{"qid": qid, "answerable": True} for qid in ("A1", "A2", "A3")]
    answered.folder.write("gold.jsonl", [*bare, {**gold("A4"), "gold_claim_substr": []}])
    answered.folder.write("trace.jsonl", [trace(f"A{n}", "blah blah") for n in range(1, 5)])
    found = score(answered)
    first = "Of 4 answerable questions, 0 are tested by words, 1 by citations alone, 3 by nothing."
    assert found.text.splitlines()[1] == first
    tested_by = score(answered, "--json").json["tested_by"]
    assert tested_by == {"words": 0, "citations_alone": 1, "nothing": 3}
    answered.folder.write("gold.jsonl", bare)
    ran = score(answered)
    assert ran.code == 3
    assert "give gold phrases, typed answers, nuggets or citations" in " ".join(ran.text.split())


# Every command that judges, or shows what was judged


def test_gate_says_it_suite_by_suite(answered: Command) -> None:
    label = {"label": "VALID"}
    pairs = [{"qid": f"P{n}", "scholar": label, "auditor": label} for n in range(40)]
    answered.folder.write("pairs.jsonl", pairs)
    toml = '[paths]\ngold = "gold.jsonl"\ntrace = "trace.jsonl"\n[answers]\n[agreement]\n'
    answered.folder.write("ragstone.toml", f'{toml}pairs = "pairs.jsonl"\n')
    ran = answered("gate")
    assert ran.code == 0
    lines = ran.text.splitlines()
    assert any(each.startswith("answers    PASS  4 of 4 pass, 1 not tested") for each in lines)
    assert any(each.startswith("agreement  PASS  2 of 2 pass, 1 not tested") for each in lines)
    assert "6 of 6 gates that could be tested pass; 2 not tested" in lines[-1]
    answered.folder.write(
        "ragstone.toml", f'{toml}pairs = "pairs.jsonl"\ngates = {{ percent_agreement = false }}\n'
    )
    ran = answered("gate")
    assert ran.code == 3
    assert any(each.startswith("agreement  UNMEASURABLE") for each in ran.text.splitlines())
    assert "no tested gate says how often two say the same: add one" in " ".join(ran.text.split())


def test_what_was_recorded_is_shown_and_judged_again_the_same_way(answered: Command) -> None:
    ran = score(answered, "--record", "--json")
    listed = answered("runs").text
    assert "  3 of 3\n" in listed
    again = answered("regate", "last", "--json")
    assert (again.code, again.json["gates"]) == (0, ran.json["gates"])
    without = answered("regate", "last", "--gates", "precision=off", "--json")
    assert (without.code, without.json["decision"]) == (3, "UNMEASURABLE")
    assert "whether the answers are right" in without.json["lacks"]["answers"]
    added = answered("regate", "last", "--gates", "scu=0.5", "--json")
    assert (added.code, added.json["gates"]["scu"]["status"]) == (3, "NOT TESTED")
    # A value that was agreed on is no point of a line.
    trend = answered("trend", "--json").json
    (section,) = trend["sections"]
    (point,) = section["metrics"]["under_refusal"]["points"]
    assert (point["value"], point["status"]) == (None, "NOT TESTED")


def test_a_comparison_does_not_pass_on_what_tests_nothing(answered: Command) -> None:
    bare = [{"qid": qid, "answerable": True} for qid in ("A1", "A2")]
    answered.folder.write("gold.jsonl", bare)
    write_jsonl(answered.folder.work / "before.jsonl", [trace("A1"), trace("A2")])
    words = ("compare", "before.jsonl", "trace.jsonl", "--gold", "gold.jsonl", "--no-config")
    ran = answered(*words, "--max-regression", "precision=0.02", "--json")
    assert (ran.code, ran.json["gates"]["precision_delta"]["status"]) == (3, "NOT TESTED")
    assert answered(*words, "--max-regression", "over_refusal=0.02").code == 0
    beside = score(answered, "--baseline", "before.jsonl", "--max-regression", "precision=0.02")
    assert beside.code == 3


def test_power_settles_no_verdict_that_there_is_not(answered: Command) -> None:
    answered.folder.write("gold.jsonl", [{"qid": qid, "answerable": True} for qid in ("A1", "A2")])
    found = json.loads(answered("power", *FILES, "--no-config", "--json").out)
    assert found["verdict_now"] == "UNMEASURABLE"
    assert found["gated"]["precision"]["status"] == "NOT TESTED"


@pytest.mark.parametrize("suite", [*suites()], ids=lambda suite: suite.name)
def test_every_gate_that_is_not_tested_says_what_to_give_it(suite: AnySuite) -> None:
    """Unless it is on all rows: then there is none, and the suite says what to give."""
    for metric in metrics_of(suite):
        conditions = [metric.of != "true", metric.tested not in ("true", "false", "tested")]
        for asks, size in zip(conditions, (0, 5), strict=True):
            if not asks or isinstance(metric, Change):
                continue
            found = replace(empty(metric), value=1.0, vacuous=True, denominator=size)
            (gate,) = judge({metric.name: found}, {metric.name: LIMIT}, questions=lambda: 5)
            assert gate.status is Status.NOT_TESTED
            assert "; give it " in gate.note and "something to test" not in gate.note, metric.name
    assert suite.main.give and suite.main.add


# Deciding

LIMIT = Threshold(">=", 0.8)


def judged(status: Status, *, required: bool = False) -> Judged:
    limit = Threshold(">=", 0.8)
    return Judged("a", "a", limit, 1.0, 1.0, None, status, tested=1, required=required)


@pytest.mark.parametrize(
    ("gates", "lacks", "decision"),
    [
        ([judged(Status.NOT_TESTED)], "", Status.UNMEASURABLE),
        ([judged(Status.PASS), judged(Status.NOT_TESTED)], "", Status.PASS),
        ([judged(Status.PASS), judged(Status.NOT_TESTED)], "why", Status.UNMEASURABLE),
        ([judged(Status.PASS), judged(Status.NOT_TESTED, required=True)], "", Status.UNMEASURABLE),
        ([judged(Status.FAIL), judged(Status.NOT_TESTED, required=True)], "why", Status.FAIL),
        ([], "why", None),
    ],
)
def test_what_the_gates_come_to(gates: list[Judged], lacks: str, decision: Status | None) -> None:
    assert decide(gates, lacks) is decision
