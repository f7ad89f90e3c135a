"""`ragstone score`: the numbers, the decision, the exit code, and where the result goes."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from builders import WORKED_GOLD, WORKED_TRACE, gold, refusal, trace
from command import INPUTS, Command, Folder

# What the issue asks `--json` to hold.
KEYS = """
    answered refused answerable unanswerable precision chr under_refusal over_refusal recall@k
    recall_any@k recall_frac@k chr_bound@k containment scu scu_violations missing unscoped k gates
    pass decision digest metrics funnel reading offenders near_refusals inputs
""".split()  # noqa: SIM905


@pytest.fixture
def worked(folder: Folder) -> Folder:
    """The worked example of the spec."""
    folder.write("gold.jsonl", WORKED_GOLD)
    folder.write("trace.jsonl", WORKED_TRACE)
    return folder


def write(folder: Folder, items: list[dict[str, Any]], traces: list[dict[str, Any]]) -> None:
    folder.write("gold.jsonl", items)
    folder.write("trace.jsonl", traces)


def test_the_worked_example_of_the_spec_holds(worked: Folder, command: Command) -> None:
    ran = command.score("--json")
    names = ("answered", "refused", "answerable", "unanswerable")
    assert [ran.json[name] for name in names] == [2, 1, 2, 1]
    names = ("precision", "chr", "under_refusal", "over_refusal", "recall@k")
    assert [ran.json[name] for name in names] == [1, 1, 0, 0, 1]
    assert (ran.code, ran.json["pass"], ran.json["decision"]) == (0, True, "PASS")
    assert command.score("--json", "--k", "1").json["recall@k"] == 0.5


def test_everything_refused_is_vacuously_precise_and_fails(
    worked: Folder, command: Command
) -> None:
    worked.write("trace.jsonl", [refusal(item["qid"]) for item in WORKED_GOLD])
    ran = command.score("--json")
    assert (ran.code, ran.json["decision"]) == (1, "FAIL")
    assert (ran.json["precision"], ran.json["over_refusal"]) == (1.0, 1.0)
    assert ran.json["metrics"]["precision"]["vacuous"]
    assert "right and rightly cited (precision) has nothing to test" in ran.err


def test_the_json_object_has_every_key_of_the_issue(worked: Folder, command: Command) -> None:
    found = command.score("--json").json
    assert [name for name in KEYS if name not in found] == []
    counts = {"lines", "kept", "unknown_qid", "no_qid", "superseded"}
    assert counts <= set(found["inputs"])
    metric = found["metrics"]["precision"]
    assert {"value", "numerator", "denominator", "interval", "vacuous"} <= set(metric)
    assert (metric["numerator"], metric["denominator"]) == (2, 2)
    gate = found["gates"]["precision"]
    assert {"threshold", "op", "value", "status"} <= set(gate)
    assert (gate["threshold"], gate["op"], gate["status"]) == (0.8, ">=", "PASS")
    assert [step["step"] for step in found["funnel"]] == [
        "reachable@k", "shipped", "cited", "contained", "intact",
    ]  # fmt: skip


def test_json_is_alone_on_standard_output_and_unrounded(folder: Folder, command: Command) -> None:
    write(
        folder,
        [gold("A1"), gold("A2"), gold("A3")],
        [trace("A1"), trace("A2", "no"), trace("A3"), trace("Z9"), {"answer_json": {"claim": "?"}}],
    )
    ran = command.score("--json")
    assert ran.json["precision"] == 2 / 3
    assert json.loads(ran.out) == ran.json and ran.out.endswith(b"}\n")
    warnings = ran.err.splitlines()
    assert (
        "ragstone: warning: 1 trace line has a qid that gold does not know; not scored" in warnings
    )
    assert "ragstone: warning: 1 trace line has no qid; not scored" in warnings
    assert command.score("--json", "--quiet").err == ""
    assert command.score("-f", "json").out == ran.out


@pytest.mark.parametrize(
    "words",
    [
        ["precision=0.5,chr=0.6,under=0.2,over=0.3"],
        ["precision=0.5", "chr=0.6", "under_refusal=0.2", "over_refusal=0.3"],
        ["over=0.3,chr>=0.6", "under<=0.2", "precision = 0.5"],
        ["precision=0.9", "chr=0.6,under=0.2,", "precision=0.5", "over=0.30"],
    ],
)
def test_gates_are_given_in_both_spellings(
    words: list[str], worked: Folder, command: Command
) -> None:
    found = command.score("--json", "--gates", *words).json["gates"]
    limits = {name: (gate["op"], gate["threshold"]) for name, gate in found.items()}
    assert limits == {
        "precision": (">=", 0.5),
        "chr": (">=", 0.6),
        "under_refusal": ("<=", 0.2),
        "over_refusal": ("<=", 0.3),
        "missing": ("=", 0),
    }


def test_gates_merge_over_the_file_and_the_file_over_the_defaults(
    worked: Folder, command: Command
) -> None:
    worked.write(
        "ragstone.toml",
        '[answers.gates]\nprecision = 0.5\nchr = ">= 0.1"\nmissing = false\n"recall@k" = 0.9\n',
    )
    found = command.score("--json", "--gates", "chr=0.2", "under=off", "recall@5=0.7").json["gates"]
    limits = {name: gate["threshold"] for name, gate in found.items()}
    assert limits == {"precision": 0.5, "chr": 0.2, "over_refusal": 0.1, "recall@k": 0.7}
    plain = command.score("--json", "--no-config").json["gates"]
    assert plain["precision"]["threshold"] == 0.8


def test_thresholds_are_inclusive_and_compared_before_rounding(
    folder: Folder, command: Command
) -> None:
    items = [gold(f"A{n}") for n in range(5)]
    write(
        folder, items, [trace(f"A{n}", "no" if n == 0 else "X rejects null keys") for n in range(5)]
    )
    assert command.score("--gates", "precision=0.8").code == 0
    assert command.score("--gates", "precision=0.80001").code == 1
    assert command.score("--gates", "precision>0.8").code == 1


def test_a_gate_outside_the_metric_warns(worked: Folder, command: Command) -> None:
    # 5 was meant as a percentage; as it stands it would wave everything through.
    ran = command.score("--gates", "under=5", "--json")
    assert ran.code == 0
    assert "the gate under_refusal <= 5 always ends the same: the metric is from 0 to 1" in ran.err


def test_a_gate_that_is_not_tested_warns_and_stops_the_verdict_under_strict(
    folder: Folder, command: Command
) -> None:
    write(folder, [gold("A1")], [trace("A1")])
    loose = command.score("--json")
    assert (loose.code, loose.json["gates"]["under_refusal"]["vacuous"]) == (0, True)
    assert "(under_refusal) has nothing to test" in loose.err
    strict = command.score("--json", "--strict")
    assert (strict.code, strict.json["decision"], strict.json["pass"]) == (3, "UNMEASURABLE", False)
    assert strict.json["gates"]["under_refusal"]["status"] == "NOT TESTED"


def test_failing_outranks_unmeasurable(folder: Folder, command: Command) -> None:
    write(folder, [gold("A1")], [trace("A1", "wrong")])
    ran = command.score("--json", "--strict")
    assert (ran.code, ran.json["decision"]) == (1, "FAIL")


def test_missing_is_a_bucket_of_its_own_or_a_wrong_answer(folder: Folder, command: Command) -> None:
    write(folder, [gold(f"A{n}") for n in range(4)], [trace("A0"), trace("A1"), trace("A2", " \n")])
    fail = command.score("--json")
    assert (fail.code, fail.json["missing"], fail.json["answered"]) == (1, 0.5, 2)
    assert fail.json["precision"] == 1.0
    answered = command.score("--json", "--missing", "answered").json
    assert (answered["missing"], answered["answered"], answered["precision"]) == (0.5, 4, 0.5)
    assert "missing" not in answered["gates"]


def test_keep_chooses_among_the_traces_of_a_question(folder: Folder, command: Command) -> None:
    write(folder, [gold("A1")], [trace("A1"), trace("A1", "no"), refusal("A1")])
    found = {
        keep: command.score("--json", "--keep", keep).json for keep in ("first", "last", "all")
    }
    assert found["first"]["precision"] == 1.0
    assert (found["last"]["answered"], found["last"]["refused"]) == (0, 1)
    assert (found["all"]["answered"], found["all"]["precision"]) == (2, 0.5)


def test_scu_enforced_in_both_spellings(worked: Folder, command: Command) -> None:
    # The trace echoes nothing, so its locked constraint is not intact.
    assert command.score().code == 0
    for flag in ("--scu-enforced", "--scu_enforced"):
        ran = command.score("--json", flag)
        assert (ran.code, ran.json["scu_violations"], ran.json["precision"]) == (1, 1, 0.5)
    worked.write("ragstone.toml", "[answers]\nscu = true\n")
    assert command.score().code == 1


def test_the_users_own_rules_contradict(folder: Folder, command: Command) -> None:
    locked = "The port stays closed."
    write(
        folder,
        [gold("A1", constraints=[locked])],
        [trace("A1", "X rejects null keys and the port is open.", echo=[locked])],
    )
    assert command.score("--json").json["scu_violations"] == 0
    rule = r"locked = 'The (?P<object>\w+) stays closed'" "\ncontradicts = '{object} is open'"
    folder.write("ragstone.toml", f"[[scu.rules]]\n{rule}\n")
    assert command.score("--json").json["scu_violations"] == 1


def test_the_refusal_token_is_the_users(folder: Folder, command: Command) -> None:
    folder.write("ragstone.toml", "[answers]\nrefusal = ['I do not know', 'pass']\n")
    write(
        folder,
        [gold("A1", answerable=False), gold("A2", answerable=False), gold("A3", answerable=False)],
        [trace("A1", " i DO not know "), trace("A2", "Pass"), trace("A3", "I do not know.")],
    )
    found = command.score("--json").json
    assert (found["refused"], found["near_refusals"]) == (2, ["A3"])


def test_ten_offenders_are_listed_and_all_with_all(hundred: Folder, command: Command) -> None:
    write(
        hundred, [gold(f"A{n:03}") for n in range(25)], [trace(f"A{n:03}", "no") for n in range(25)]
    )
    few = command.score("--json").json
    assert [row["qid"] for row in few["offenders"]] == [f"A{n:03}" for n in range(10)]
    assert few["offenders_total"] == 25
    assert len(command.score("--json", "--all").json["offenders"]) == 25
    assert len(command.score("--json", "--all").json["funnel"][3]["qids"]) == 25


def test_each_output_has_the_format_of_its_extension(worked: Folder, command: Command) -> None:
    names = ["r.html", "r.md", "r.json", "r.xml", "r.sarif", "r.txt", "R.HTM"]
    ran = command.score(*(word for name in names for word in ("-o", name)))
    assert ran.code == 0
    assert ran.err == ""
    assert f"report     {', '.join(names)}\n" in ran.text
    starts = {
        "r.html": "<!doctype html>", "r.md": "#", "r.json": "{", "r.xml": "<?xml", "r.sarif": "{",
        "r.txt": "SHIP", "R.HTM": "<!doctype html>",
    }  # fmt: skip
    for name, start in starts.items():
        assert (worked.work / name).read_text().lower().lstrip().startswith(start.lower()), name
    assert command.score("-o", "r.md", "--quiet").err == ""
    assert not [name for name in worked.files() if ".part" in name]


@pytest.mark.parametrize(
    "name", ["terminal", "txt", "markdown", "md", "html", "junit", "sarif", "github", "json"]
)
def test_each_format_can_be_printed(name: str, worked: Folder, command: Command) -> None:
    ran = command.score("-f", name)
    assert ran.code == 0
    assert ran.out.endswith(b"\n") or name == "github"
    assert b"\x1b" not in ran.out


def test_annotations_and_sarif_point_at_the_lines(folder: Folder, command: Command) -> None:
    write(folder, [gold("A1"), gold("A2")], [trace("A2"), trace("A1"), {}, trace("A1", "no")])
    ran = command.score("-f", "github", "-o", "r.sarif")
    assert "file=trace.jsonl,line=4" in ran.text or "file=gold.jsonl,line=1" in ran.text
    found = json.loads((folder.work / "r.sarif").read_text())
    places = json.dumps(found)
    assert '"startLine": 4' in places and "trace.jsonl" in places


def test_paths_of_the_file_are_seen_from_its_folder(worked: Folder, command: Command) -> None:
    worked.write("ragstone.toml", '[paths]\ngold = "gold.jsonl"\ntrace = "tr*.jsonl"\n')
    deep = worked.work / "a" / "b"
    deep.mkdir(parents=True)
    command.monkeypatch.chdir(deep)
    ran = command("score", "--json")
    assert (ran.code, ran.json["answered"]) == (0, 2)
    assert command("score", "--no-config").code == 2
    assert command("score", "--config", "../../ragstone.toml").code == 0
    flags = command("score", "--gold", "nope.jsonl")
    assert flags.err == "ragstone: gold file nope.jsonl does not exist\n"


def test_without_inputs_it_says_what_to_give(command: Command) -> None:
    assert command("score").err.startswith("ragstone: no gold set: give --gold FILE")
    assert command("score", *INPUTS[:2]).err.startswith("ragstone: no traces: give --trace FILE")


HOSTILE = "</script><script>alert(1)</script>\x1b[31m\x9b1m\u202e|`@octocat` **bold**\r\n::error::x"


def test_nothing_from_the_data_acts_in_any_format(folder: Folder, command: Command) -> None:
    item = gold(HOSTILE, question=HOSTILE, gold_claim_substr=[HOSTILE], gold_citations=[HOSTILE],
                tags=[HOSTILE])  # fmt: skip
    write(folder, [item], [trace(HOSTILE, HOSTILE[:-1] + "y", [HOSTILE + "2"], [HOSTILE])])
    for name in ("terminal", "markdown", "html", "junit", "sarif", "github", "json"):
        text = command.score("--by", "tags", "-f", name).text
        assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text, name
        if name in ("markdown", "html", "junit"):
            assert "<script>alert" not in text, name
        if name == "github":
            assert "\n::error::x" not in text
    folder.write("trace.jsonl", [trace(HOSTILE, "Not in context. " + HOSTILE)])
    warned = command.score("--json").err
    assert "refusal token" in warned and "\x1b" not in warned and "\x9b" not in warned


@pytest.mark.parametrize("first", ["rows.parquet", "rows.csv", "report.html"])
def test_of_several_files_all_are_written_or_none(
    first: str, command: Command, folder: Folder
) -> None:
    folder.fill()
    os.mkfifo(folder.work / "nobody-reads.json")
    before = sorted(folder.work.iterdir())
    ran = command.score("-o", first, "-o", "nobody-reads.json")
    assert (ran.code, ran.out) == (2, b"")
    assert "nobody-reads.json: cannot be written: it is a pipe that nobody reads" in ran.err
    assert sorted(folder.work.iterdir()) == before
