"""`[[waive]]` and `--as-of` at the command line: what is listed where, and what is refused."""

from __future__ import annotations

import itertools
import json
from typing import Any
from xml.etree import ElementTree as Tree

import pyarrow.parquet
import pytest
from builders import gold, refusal, trace
from command import Command, Ran

from ragstone import api
from ragstone.report.formats import FORMATS
from ragstone.report.model import Report

# A1 and A2 are right, A3 is wrong, A4 is refused rightly.
GOLD = [
    gold("A1", tags=["a"]),
    gold("A2", tags=["b"]),
    gold("A3", tags=["b"]),
    gold("A4", answerable=False, tags=["b"]),
]
WRONG = trace("A3", "Y takes them.")
TRACES = [trace("A1"), trace("A2"), WRONG, refusal("A4")]
WAIVER = '[[waive]]\nqid = "A3"\nuntil = "2027-01-31"\nwhy = "the source is being rewritten"\n'
DAY = ("--as-of", "2026-11-17")


@pytest.fixture
def score(command: Command) -> Command:
    """A folder in which precision and chr fail by the question A3."""
    command.folder.write("gold.jsonl", GOLD)
    command.folder.write("trace.jsonl", TRACES)
    command.folder.write("ragstone.toml", WAIVER)
    return command


def states(ran: Ran) -> dict[str, str]:
    return {each["qid"]: each["state"] for each in ran.json["waived"]}


def test_a_known_failure_is_out_of_the_gates_until_its_day(score: Command) -> None:
    assert score.score("--no-config").code == 1
    for day in ("2026-11-17", "2027-01-31"):
        assert score.score("--as-of", day).code == 0
    assert score.score("--as-of", "2027-02-01").code == 1


def test_the_day_is_today_where_none_is_named(score: Command) -> None:
    score.monkeypatch.setattr("ragstone.suites.waivers.today", lambda: "2027-01-31")
    ran = score.score("--json")
    assert (ran.code, ran.json["settings"]["as_of"]) == (0, "2027-01-31")
    score.monkeypatch.setattr("ragstone.suites.waivers.today", lambda: "2027-02-01")
    assert score.score().code == 1


def test_a_day_that_is_named_is_kept_also_where_nothing_is_waived(score: Command) -> None:
    bare, dated = (score.score("--no-config", "--json", *more).json for more in ((), DAY))
    assert "as_of" not in bare["settings"]
    assert (dated["settings"]["as_of"], "waive" in dated["settings"]) == ("2026-11-17", False)
    assert bare["digest"] != dated["digest"]


def test_the_states_of_waivers(score: Command) -> None:
    more = "".join(
        f'[[waive]]\nqid = "{qid}"\nuntil = {until}\nwhy = "known"\n'
        for qid, until in (("A1", "2027-01-31"), ("A2", '"2026-11-16"'), ("ZZ", '"2027-01-31"'))
    )
    score.folder.write("ragstone.toml", WAIVER + more)
    ran = score.score("--json", *DAY)
    assert states(ran) == {
        "A1": "not_needed",
        "A2": "expired",
        "A3": "in_force",
        "ZZ": "unknown",
    }
    assert ran.json["warnings"] == [
        "the waiver of A2 ended on 2026-11-16: it counts again",
        "ZZ is waived, and no question is called so",
    ]
    assert "waived     2 questions are waived.\n" in score.score(*DAY).text
    told = score.score(*DAY, "-v").text
    for words in (
        "fails, out of the gates",
        "does not fail any more: remove it",
        "expired: counts again",
        "no such question",
    ):
        assert words in told


def test_gates_say_what_they_were_judged_without(score: Command) -> None:
    gates = score.score("--json", *DAY).json["gates"]
    assert gates["precision"]["note"].endswith("without 1 waived question")
    assert (gates["precision"]["numerator"], gates["precision"]["denominator"]) == (2, 2)
    assert "waived" not in gates["under_refusal"]["note"]
    told = score.score(*DAY).text
    assert "2/2" in told


def test_numbers_without_waived_questions_are_there_to_be_judged_again(score: Command) -> None:
    found = score.score("--json", *DAY).json
    assert found["metrics"]["precision"]["denominator"] == 3
    assert found["gated_metrics"]["precision"]["denominator"] == 2
    assert set(found["gated_metrics"]) == set(found["metrics"])
    ended = score.score("--json", "--as-of", "2027-02-01").json
    assert "gated_metrics" not in ended


def test_a_gate_without_a_question_left_is_not_tested_and_ships_nothing(score: Command) -> None:
    every = "".join(WAIVER.replace("A3", each["qid"]) for each in GOLD)
    score.folder.write("ragstone.toml", every)
    ran = score.score(*DAY, "-v")
    assert ran.code == 3
    lines = ran.text.splitlines()
    (line,) = [line for line in lines if line.startswith("  right and rightly cited ")][:1]
    assert line.split("cited")[1].split()[:4] == ["(precision)", "NOT", "TESTED", "–"]


def test_junit_lists_what_is_waived(score: Command) -> None:
    root = Tree.fromstring(score.score("-f", "junit", *DAY).text)
    said = root.findtext("testsuite/system-out") or ""
    line = "waived: A3 until 2027-01-31: fails, out of the gates; the source is being rewritten"
    assert line in said.splitlines()
    assert "1 question is waived." in said


def test_sarif_suppresses_the_rows_of_waived_questions(score: Command) -> None:
    (run,) = score.score("-f", "sarif", *DAY).json["runs"]
    rows = {each["properties"].get("qid"): each for each in run["results"]}
    assert rows["A3"]["suppressions"] == [
        {"kind": "external", "justification": "the source is being rewritten; until 2027-01-31"}
    ]
    assert run["properties"]["waived"][0].startswith("A3 until 2027-01-31: fails")
    (after,) = score.score("-f", "sarif", "--as-of", "2027-02-01").json["runs"]
    assert not any("suppressions" in each for each in after["results"])
    (bare,) = score.score("-f", "sarif", "--no-config").json["runs"]
    assert "waived" not in bare["properties"]


def test_github_shows_what_is_waived_as_notices(score: Command) -> None:
    lines = score.score("-f", "github", *DAY).text.splitlines()
    assert any(line.startswith("::notice title=waived::A3 until 2027-01-31") for line in lines)
    (row,) = [line for line in lines if "title=offender%3A A3" in line]
    assert row.startswith("::notice ")
    later = score.score("-f", "github", "--as-of", "2027-02-01").text
    assert "::warning file=gold.jsonl,line=3,title=offender%3A A3" in later


@pytest.mark.parametrize("kind", ["markdown", "html"])
def test_pages_list_what_is_waived(score: Command, kind: str) -> None:
    told = score.score("-f", kind, *DAY).text
    assert "the source is being rewritten" in told
    assert "fails, out of the gates" in told
    assert "1 question is waived." in told


@pytest.mark.parametrize("kind", FORMATS)
def test_the_reason_is_a_text_that_a_private_report_leaves_out(score: Command, kind: str) -> None:
    told = score.score("-f", kind, "--report-texts", "none", *DAY)
    assert "rewritten" not in told.text
    assert "A3" in told.text
    long = WAIVER.replace("the source", "x" * 200)
    score.folder.write("ragstone.toml", long)
    assert "x" * 100 not in score.score("-f", kind, "--report-texts", "clip", *DAY).text


def test_a_saved_report_lists_what_is_waived(score: Command) -> None:
    saved = score.score("--json", *DAY).text
    report = Report.from_json(saved)
    assert report.to_json() == saved
    assert "waived: A3 until 2027-01-31" in report.to_junit()
    hostile = saved.replace('"2027-01-31"', '"\\u001b[31m\\u0000"').replace("in_force", "\\u0007")
    for kind in FORMATS:
        told = Report.from_json(hostile).render(kind)
        assert not {"\x1b", "\x00", "\x07"} & set(told)


def test_slices_with_gates_leave_the_question_out_too(score: Command) -> None:
    part = '[[answers.slices]]\nwhere = { tags = "b" }\ngates = { precision = 0.9 }\n'
    score.folder.write("ragstone.toml", part + WAIVER)
    gate = score.score("--json", *DAY).json["gates"]["precision[tags=b]"]
    assert (gate["numerator"], gate["denominator"], gate["status"]) == (1, 1, "PASS")
    assert gate["note"].endswith("without 1 waived question")
    later = score.score("--json", "--as-of", "2027-02-01").json["gates"]["precision[tags=b]"]
    assert (later["numerator"], later["denominator"], later["status"]) == (1, 2, "FAIL")


def test_no_arm_counts_the_question(score: Command) -> None:
    score.folder.write("new.jsonl", [trace("A1"), refusal("A2"), trace("A3"), refusal("A4")])
    words = ("--system", "old=trace.jsonl", "--system", "new=new.jsonl", "--json", *DAY)
    found = score("score", "--gold", "gold.jsonl", *words).json
    sizes = {
        name: (gate["numerator"], gate["denominator"])
        for name, gate in found["gates"].items()
        if gate["metric"] in ("precision", "over_refusal")
    }
    assert sizes == {
        "precision[system=old]": (2, 2),
        "over_refusal[system=old]": (0, 2),
        "precision[system=new]": (1, 1),
        "over_refusal[system=new]": (1, 2),
    }
    old, new = found["systems"]
    assert old["gated_metrics"]["precision"]["denominator"] == 2
    assert new["metrics"]["over_refusal"]["denominator"] == 3
    assert old["gated_metrics"] == found["gated_metrics"]


def test_the_gates_of_a_baseline_leave_the_question_out(score: Command) -> None:
    score.folder.write("before.jsonl", [trace("A1"), trace("A2"), trace("A3"), refusal("A4")])
    words = (
        "--baseline",
        "before.jsonl",
        "--max-regression",
        "precision=0.1",
        "--protect",
        "A3,A1",
    )
    later = score.score("--json", *words, "--as-of", "2027-02-01")
    assert later.json["gates"]["precision_delta"]["status"] == "FAIL"
    assert later.json["gates"]["protected"]["status"] == "FAIL"
    ran = score.score("--json", *words, *DAY)
    assert ran.code == 0
    found = ran.json
    assert found["gates"]["precision_delta"]["denominator"] == 2
    assert found["gates"]["precision_delta"]["note"].endswith("without 1 waived question")
    assert found["gates"]["protected"]["denominator"] == 1
    assert found["metrics"]["precision_delta"]["denominator"] == 3
    assert found["gated_metrics"]["precision_delta"]["denominator"] == 2
    assert set(found["gated_metrics"]) == set(found["metrics"])
    assert [row["qid"] for row in found["comparison"]["broke"]] == ["A3"]
    assert found["comparison"]["difference"] == later.json["comparison"]["difference"]
    assert states(ran) == {"A3": "in_force"}


def test_a_comparison_leaves_the_question_out_and_lists_it(score: Command) -> None:
    score.folder.write("before.jsonl", [trace("A1"), trace("A2"), trace("A3"), refusal("A4")])
    words = ("compare", "before.jsonl", "trace.jsonl", "--gold", "gold.jsonl")
    gates = ("--max-regression", "precision=0.1", "--protect", "A3")
    assert score(*words, *gates, "--as-of", "2027-02-01").code == 1
    ran = score(*words, *gates, "--json", *DAY)
    # The only protected question is waived: nothing is left of that gate.
    assert ran.code == 3
    found = ran.json
    assert found["waived"] == [
        {
            "qid": "A3",
            "until": "2027-01-31",
            "why": "the source is being rewritten",
            "state": "in_force",
        }
    ]
    assert found["settings"]["as_of"] == "2026-11-17"
    assert found["gates"]["protected"]["note"] == (
        "nothing to test: every protected question is waived; give it something to test, or take "
        "the gate out; without 1 waived question"
    )
    assert set(found["gated_metrics"]) == set(found["metrics"])
    assert [row["qid"] for row in found["broke"]] == ["A3"]
    assert score(*words, "--max-regression", "precision=0.1", *DAY).code == 0
    told = score(*words, *gates, *DAY, "-v").text
    assert "fails, out of the gates" in told
    (run,) = score(*words, *gates, "-f", "sarif", *DAY).json["runs"]
    assert [bool(each.get("suppressions")) for each in run["results"]] == [False, True]
    mended = score("compare", "trace.jsonl", "before.jsonl", "--gold", "gold.jsonl", "--json", *DAY)
    assert states(mended) == {"A3": "not_needed"}


def test_a_comparison_without_waivers_is_as_it_was(score: Command) -> None:
    words = ("compare", "trace.jsonl", "trace.jsonl", "--gold", "gold.jsonl", "--json")
    found = score(*words, "--no-config").json
    assert not {"as_of", "waive"} & set(found["settings"])
    assert not {"waived", "gated_metrics"} & set(found)


def test_the_gates_of_a_comparison_are_those_of_files_without_the_question(score: Command) -> None:
    folder = score.folder
    folder.write("before.jsonl", [trace("A1"), refusal("A2"), trace("A3"), refusal("A4")])
    gates = ("--max-regression", "precision=0.1", "over_refusal=0", "recall_frac@k=10%", "--json")
    words = ("compare", "before.jsonl", "trace.jsonl", "--gold", "gold.jsonl", *gates)
    found = score(*words, *DAY).json["gates"]
    for name in ("gold.jsonl", "before.jsonl", "trace.jsonl"):
        lines = (folder.work / name).read_text().splitlines()
        folder.write(name, [row for line in lines if (row := json.loads(line))["qid"] != "A3"])
    rest = score(*words, "--no-config").json["gates"]
    proof = ("interval", "proven", "needed", "note", "waived", "with_waived", "by_chance")
    for gates in (found, rest):
        for gate in gates.values():
            for key in proof:
                gate.pop(key, None)
    assert found == rest


@pytest.fixture
def two_suites(score: Command) -> Command:
    """The same, with a file that names two suites; the second has other questions."""
    label = {"label": "VALID"}
    pairs = [{"qid": f"P{n}", "scholar": label, "auditor": label} for n in range(3)]
    score.folder.write("pairs.jsonl", pairs)
    suites = '[answers]\n[agreement]\npairs = "pairs.jsonl"\n'
    paths = '[paths]\ngold = "gold.jsonl"\ntrace = "trace.jsonl"\n'
    unknown = WAIVER.replace("A3", "ZZ")
    score.folder.write("ragstone.toml", f"{paths}{suites}{WAIVER}{unknown}")
    return score


def test_gate_holds_all_suites_against_one_day(two_suites: Command) -> None:
    days = itertools.count(1)
    clock = "ragstone.suites.waivers.today"
    two_suites.monkeypatch.setattr(clock, lambda: f"2027-01-{next(days):02}")
    settings = two_suites("gate", "--json").json["settings"]
    assert len(settings) == 2
    assert len({each["as_of"] for each in settings.values()}) == 1
    called = api.gate("ragstone.toml").settings
    assert len({each["as_of"] for each in called.values()}) == 1
    named = two_suites("gate", "--json", *DAY).json["settings"]
    assert {each["as_of"] for each in named.values()} == {"2026-11-17"}


def test_gate_in_python_takes_waivers_over_those_of_the_file(two_suites: Command) -> None:
    waive = [{"qid": "A1", "until": "2027-01-31", "why": "another"}]
    report = api.gate("ragstone.toml", waive=waive, as_of="2026-11-17")
    assert report.settings["answers"]["waive"] == waive
    assert report.exit_code == 1


def test_gate_warns_of_an_unknown_question_only_if_no_suite_knows_it(two_suites: Command) -> None:
    found = two_suites("gate", "--json", *DAY).json
    said = [each for each in found["warnings"] if "no question is called so" in each]
    assert said == [
        "answers: ZZ is waived, and no question is called so",
        "agreement: ZZ is waived, and no question is called so",
    ]
    junit = two_suites("gate", "-f", "junit", *DAY).text
    assert "waived: answers: A3 until 2027-01-31: fails" in junit
    assert "waived: agreement: A3 until 2027-01-31: no such question" in junit
    assert "answers: Waived" in two_suites("gate", *DAY, "-v").text


def test_power_looks_at_the_gates_as_they_are_judged(score: Command) -> None:
    found = score("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json", *DAY).json
    assert found["gated"]["precision"]["questions"] == 2
    assert found["questions"] == 3
    assert found["waived"][0]["state"] == "in_force"


def test_rows_are_written_whole(score: Command) -> None:
    score.score("-o", "rows.parquet", *DAY)
    rows = pyarrow.parquet.read_table(score.folder.work / "rows.parquet")
    assert rows.column("qid").to_pylist() == ["A1", "A2", "A3", "A4"]


@pytest.mark.parametrize("day", ["tomorrow", "2027-02-30", "20270131", "2027-1-31", ""])
def test_a_day_that_is_none_is_one_sentence(score: Command, day: str) -> None:
    ran = score.score("--as-of", day)
    wanted = f"as_of: expected a date such as 2027-01-31, found {day!r}"
    assert (ran.code, ran.err) == (2, f"ragstone: {wanted}\n")


def waiver(**changes: Any) -> str:
    """A waiver as TOML, with keys changed or (None) left out."""
    keys = {"qid": '"A3"', "until": '"2027-01-31"', "why": '"known"', **changes}
    lines = (f"{key} = {value}\n" for key, value in keys.items() if value is not None)
    return "[[waive]]\n" + "".join(lines)


BAD = {
    'waive = "A3"\n': "waive: expected a list, found 'A3'",
    "waive = [3]\n": "waive[0]: expected a table with `qid`, `until` and `why`",
    "[waive]\nA3 = 1\n": "waive: expected a list, found {'A3': 1}",
    waiver(qid=None): "waive[0]: `qid` is missing; a waiver has `qid`, `until` and `why`",
    waiver(until=None): "waive[0]: `until` is missing; a waiver has `qid`, `until` and `why`",
    waiver(why=None): "waive[0]: `why` is missing; a waiver has `qid`, `until` and `why`",
    waiver(qid="3"): "waive[0].qid: expected a string that is not empty",
    waiver(why='" "'): "waive[0].why: expected a string that is not empty",
    waiver(until='"soon"'): "waive[0].until: expected a date such as 2027-01-31, found 'soon'",
    waiver(until="2027"): "waive[0].until: expected a date such as 2027-01-31, found 2027",
    waiver(until="2027-01-31T00:00:00"): (
        "waive[0].until: expected a date such as 2027-01-31, "
        "found datetime.datetime(2027, 1, 31, 0, 0)"
    ),
    waiver(qid='"A1"') + waiver(untl='"x"'): "unknown key waive[1].untl; did you mean 'until'?",
    waiver() + waiver(): "waive[1].qid: 'A3' is waived by waive[0] already",
    "[[waived]]\n": "unknown key waived; did you mean 'waive'?",
    '[answers]\nwaive = "A3"\n': "answers.waive: a waiver is for every suite; write [[waive]]",
}


@pytest.mark.parametrize("toml", BAD)
def test_a_bad_table_is_named_with_the_file_and_the_key(score: Command, toml: str) -> None:
    score.folder.write("ragstone.toml", toml)
    ran = score.score()
    assert (ran.code, ran.err) == (2, f"ragstone: ragstone.toml: {BAD[toml]}\n")


def test_a_date_of_toml_is_a_date(score: Command) -> None:
    score.folder.write("ragstone.toml", waiver(until="2027-01-31"))
    assert score.score("--json", *DAY).json["settings"]["waive"][0]["until"] == "2027-01-31"


def test_trec_takes_the_waivers_of_the_file_and_nothing_else_of_it(score: Command) -> None:
    score.folder.write("qrels.txt", "A1 0 a 1\nA3 0 b 1\n")
    score.folder.write("run.txt", "A1 Q0 a 1 2.0 x\nA3 Q0 z 1 1.0 x\n")
    words = ("trec", "qrels.txt", "run.txt", "-m", "map", "--gates", "map=0.9", *DAY)
    score.folder.write("ragstone.toml", f"[no_such_table]\n{WAIVER}")
    assert score(*words).code == 0
    assert score(*words, "--no-config").code == 1
    score.folder.write("ragstone.toml", waiver(until='"soon"'))
    ran = score(*words)
    wanted = "waive[0].until: expected a date such as 2027-01-31, found 'soon'"
    assert (ran.code, ran.err) == (2, f"ragstone: ragstone.toml: {wanted}\n")
