"""The plugin in runs of pytest of their own: a test for each gate and each protected question."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from builders import Record, gold, refusal, trace, write_jsonl

import ragstone

FLAGS = ("--ragstone-gold", "gold.jsonl", "--ragstone-trace", "trace.jsonl")
GATES = ("precision", "chr", "under_refusal", "over_refusal", "missing")
QUESTIONS = (gold("A1"), gold("A2"), gold("A3", answerable=False))
WRONG = trace("A2", claim="X takes null keys.", cites=["p9#9"])
ANSWERS = (trace("A1"), WRONG, refusal("A3"))
RUNS = [{**line, "seed": seed, "jitter": "none"} for seed in (0, 1) for line in ANSWERS]


@pytest.fixture(scope="module", autouse=True)
def everything_is_imported() -> None:
    """A run inside this process forgets what it imported, and compiled modules load only once."""
    from ragstone.pytest_checks import Asked, checks, score

    asked = Asked(list(QUESTIONS), list(ANSWERS), gates=("support=0.9",), protect=("A2",))
    assert checks(score(asked), asked)
    report = ragstone.stability(gold=list(QUESTIONS), runs=RUNS)
    assert ragstone.compare(report, report).suite == "compare"


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user has others than we: ours take two seconds of every start."""
    others = ("anyio", "hypothesispytest", "schemathesis")
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in others))


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A user's project: three questions, of which one is answered wrongly."""
    write_jsonl(pytester.path / "gold.jsonl", QUESTIONS)
    write_jsonl(pytester.path / "trace.jsonl", ANSWERS)
    return pytester


def outcomes(ran: pytest.RunResult) -> dict[str, str]:
    """What became of each test of a run with -v, by its node id."""
    text = ran.stdout.str()
    alone = re.findall(r"^(\S+::\S+) (PASSED|FAILED|SKIPPED)", text, re.MULTILINE)
    workers = re.findall(r"^\[gw\d\] \[ *\d+%\] (\w+) (\S+)", text, re.MULTILINE)
    return dict(alone) | {name: what for what, name in workers}


def failures(ran: pytest.RunResult) -> dict[str, list[str]]:
    """The text of each failure, by the name of its test."""
    text = ran.stdout.str().partition("= FAILURES =")[2].partition("= short test summary")[0]
    parts = re.split(r"^_+ ragstone (\S+) _+\n", text, flags=re.MULTILINE)
    return {
        name: [line for line in body.splitlines() if not line.startswith(("=", "[gw"))]
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_every_gate_is_a_test(project: pytest.Pytester) -> None:
    ran = project.runpytest("-v", *FLAGS)
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
    assert outcomes(ran) == {
        f"ragstone::gate[answers.{name}]": "FAILED" if name in ("precision", "chr") else "PASSED"
        for name in GATES
    }


def test_a_failing_gate_says_expected_found_and_where_in_a_few_lines(
    project: pytest.Pytester,
) -> None:
    ran = project.runpytest(*FLAGS)
    assert failures(ran)["gate[answers.precision]"] == [
        "right and rightly cited (answers.precision) fails: 0.5000, wanted >= 0.8",
        "  expected: >= 0.8",
        "  found:    0.5000 (1/2), 95 % interval 0.0126 to 0.9874",
        "  note:     not proven to fail at 95 %: 18 to 48 more questions would settle it",
        "  where:    A2  gold.jsonl:2  trace.jsonl:2",
    ]


def test_the_tests_agree_with_the_command(project: pytest.Pytester) -> None:
    report = ragstone.score("gold.jsonl", "trace.jsonl", gates={"precision": 0.4, "chr": 0.4})
    ran = project.runpytest("-v", *FLAGS, "--ragstone-gates", "precision=0.4,chr=0.4")
    assert report.passed
    assert ran.ret == pytest.ExitCode.OK
    assert set(outcomes(ran)) == {f"ragstone::gate[answers.{each.name}]" for each in report.gates}


def test_tests_of_gates_are_chosen_by_name(project: pytest.Pytester) -> None:
    ran = project.runpytest("-v", *FLAGS, "-k", "refusal or missing")
    assert ran.ret == pytest.ExitCode.OK
    ran.assert_outcomes(passed=3, deselected=2)


def test_tests_of_gates_come_after_those_of_the_user(project: pytest.Pytester) -> None:
    project.makepyfile("def test_own(ragstone_report): assert ragstone_report['chr'].value == 0.5")
    ran = project.runpytest("-v", *FLAGS)
    assert next(iter(outcomes(ran))).endswith("::test_own")
    ran.assert_outcomes(passed=4, failed=2)


def test_more_than_five_questions_are_not_listed(pytester: pytest.Pytester) -> None:
    names = [f"A{number}" for number in range(8)]
    write_jsonl(pytester.path / "gold.jsonl", [gold(name) for name in names])
    write_jsonl(pytester.path / "trace.jsonl", [trace(name, claim="No.") for name in names])
    said = failures(pytester.runpytest(*FLAGS))["gate[answers.precision]"]
    assert said[-6:] == [
        "  where:    A0  gold.jsonl:1  trace.jsonl:1",
        *(f"            A{n}  gold.jsonl:{n + 1}  trace.jsonl:{n + 1}" for n in range(1, 5)),
        "            and others",
    ]


def test_text_of_the_data_does_not_act_on_the_terminal(pytester: pytest.Pytester) -> None:
    write_jsonl(pytester.path / "gold.jsonl", [gold("A\x1b[31m")])
    write_jsonl(pytester.path / "trace.jsonl", [trace("A\x1b[31m", claim="red \x1b[31m")])
    ran = pytester.runpytest(*FLAGS, "--ragstone-protect", "A\x1b[31m", "--color=no")
    assert "\x1b" not in ran.stdout.str()
    assert "red \\x1b[31m" in ran.stdout.str()


# Gates that are neither passed nor failed


def test_a_gate_that_cannot_be_measured_fails_with_the_reason(project: pytest.Pytester) -> None:
    ran = project.runpytest("-v", *FLAGS, "--ragstone-gates", "support=0.9")
    assert outcomes(ran)["ragstone::gate[answers.support]"] == "FAILED"
    said = failures(ran)["gate[answers.support]"]
    assert said[:3] == [
        "facts found in the texts (answers.support) could not be measured",
        "  expected: >= 0.9",
        "  found:    no number",
    ]


def test_a_gate_that_is_not_tested_is_skipped(project: pytest.Pytester) -> None:
    write_jsonl(project.path / "gold.jsonl", QUESTIONS[:2])
    words = ("-v", "-rs", *FLAGS, "-k", "under_refusal")
    ran = project.runpytest_subprocess(*words)
    ran.assert_outcomes(skipped=1, deselected=4)
    ran.stdout.fnmatch_lines(["*answers.under_refusal: nothing to test: its set is empty"])


def test_without_a_tested_gate_on_the_main_question_a_test_fails(project: pytest.Pytester) -> None:
    ran = project.runpytest("-v", *FLAGS, "--ragstone-gates", "precision=off")
    assert outcomes(ran)["ragstone::main_question[answers]"] == "FAILED"
    assert failures(ran)["main_question[answers]"] == [
        "no tested gate says whether the answers are right: add one, such as precision=0.80"
    ]


# Protected questions


def test_a_protected_question_must_be_right(project: pytest.Pytester) -> None:
    ran = project.runpytest("-v", *FLAGS, "-k", "protected", "--ragstone-protect", "A1,A2")
    assert outcomes(ran) == {
        "ragstone::protected[A1]": "PASSED",
        "ragstone::protected[A2]": "FAILED",
    }
    assert failures(ran)["protected[A2]"] == [
        "A2 is protected, and is wrong",
        f"  question: {QUESTIONS[1]['question']}",
        f"  expected: {QUESTIONS[1]['gold_claim_substr'][0]}; evidence p1#2",
        "  found:    X takes null keys.; cites p9#9",
        "  lost at:  cited",
        "  where:    A2  gold.jsonl:2  trace.jsonl:2",
    ]


def test_protected_questions_stand_in_a_file(project: pytest.Pytester) -> None:
    (project.path / "protected.txt").write_text("A1\nA3\n")
    # pytest itself reads a lone @FILE, as more words of the command line.
    ran = project.runpytest("-v", *FLAGS, "-k", "protected", "--ragstone-protect=@protected.txt")
    ran.assert_outcomes(passed=2, deselected=5)


def test_a_protected_question_that_does_not_exist_is_an_error(project: pytest.Pytester) -> None:
    ran = project.runpytest(*FLAGS, "--ragstone-protect", "A22")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    said = "ERROR: ragstone: protected: no question is called 'A22'; did you mean 'A2'?"
    assert ran.stderr.lines == [said, ""]


def changed(item: Record, **fields: Any) -> Record:
    return {**item, **fields}


@pytest.mark.parametrize(
    ("before", "now", "items", "said"),
    [
        (trace("A2"), WRONG, QUESTIONS, "was right before and is wrong now"),
        (WRONG, WRONG, QUESTIONS, None),
        (trace("A2"), trace("A2"), QUESTIONS, None),
        (
            trace("A2"),
            WRONG,
            (QUESTIONS[0], changed(QUESTIONS[1], gold_claim_substr=["takes"]), QUESTIONS[2]),
            "could not be compared: its gold item changed",
        ),
        (
            trace("A2"),
            None,
            (QUESTIONS[0], QUESTIONS[2]),
            "could not be compared: gold does not have it any more",
        ),
    ],
)
def test_beside_a_baseline_a_protected_question_may_not_break(
    project: pytest.Pytester, before: Record, now: Record | None, items: Any, said: str | None
) -> None:
    write_jsonl(project.path / "trace.jsonl", [trace("A1"), before, refusal("A3")])
    ragstone.score("gold.jsonl", "trace.jsonl").save("old.parquet")
    write_jsonl(project.path / "gold.jsonl", items)
    lines = [trace("A1"), *([now] if now else []), refusal("A3")]
    write_jsonl(project.path / "trace.jsonl", lines)
    flags = (*FLAGS, "--ragstone-baseline", "old.parquet", "--ragstone-protect", "A2")
    ran = project.runpytest("-v", *flags, "-k", "protected")
    assert outcomes(ran) == {"ragstone::protected[A2]": "FAILED" if said else "PASSED"}
    if said:
        assert failures(ran)["protected[A2]"][0] == f"A2 is protected, and {said}"


def test_a_new_question_cannot_be_compared(project: pytest.Pytester) -> None:
    write_jsonl(project.path / "older.jsonl", [QUESTIONS[0], QUESTIONS[2]])
    ragstone.score("older.jsonl", "trace.jsonl").save("old.parquet")
    flags = (*FLAGS, "--ragstone-baseline", "old.parquet", "--ragstone-protect", "A2")
    said = failures(project.runpytest(*flags, "-k", "protected"))["protected[A2]"]
    assert said[0] == "A2 is protected, and could not be compared: the baseline does not have it"


def test_a_baseline_may_be_traces(project: pytest.Pytester) -> None:
    write_jsonl(project.path / "old.jsonl", [trace("A1"), trace("A2"), refusal("A3")])
    flags = (*FLAGS, "--ragstone-baseline", "old.jsonl", "--ragstone-protect", "A1,A2")
    ran = project.runpytest("-v", *flags, "-k", "protected")
    ran.assert_outcomes(passed=1, failed=1, deselected=5)


def test_a_baseline_may_be_a_recorded_run(project: pytest.Pytester) -> None:
    right = [trace("A1"), trace("A2"), refusal("A3")]
    ragstone.score(list(QUESTIONS), right, record=True)
    flags = (*FLAGS, "--ragstone-baseline", "last", "--ragstone-protect", "A1,A2")
    ran = project.runpytest("-v", *flags, "-k", "protected")
    assert outcomes(ran) == {
        "ragstone::protected[A1]": "PASSED",
        "ragstone::protected[A2]": "FAILED",
    }
    said = "A2 is protected, and was right before and is wrong now"
    assert failures(ran)["protected[A2]"][0] == said


# A file with settings


CONFIG = """
[paths]
gold = "gold.jsonl"
trace = "trace.jsonl"

[answers]
protect = ["A2"]

[answers.gates]
precision = 0.5
chr = false

[[answers.slices]]
where = { qid = "A2" }
gates = { precision = 1 }

[stability]
runs = "runs.jsonl"
"""


@pytest.fixture
def configured(project: pytest.Pytester) -> pytest.Pytester:
    write_jsonl(project.path / "runs.jsonl", RUNS)
    (project.path / "ragstone.toml").write_text(CONFIG)
    return project


def test_a_file_with_settings_gives_the_gates_of_all_its_suites(
    configured: pytest.Pytester,
) -> None:
    ran = configured.runpytest("-v", "--ragstone-config", "ragstone.toml", "-W", "default")
    report = ragstone.gate()
    found = outcomes(ran)
    assert {f"ragstone::gate[{gate.name}]" for gate in report.gates} < set(found)
    failed = {f"ragstone::gate[{gate.name}]" for gate in report.gates if gate.stops_the_verdict}
    failed |= {f"ragstone::main_question[{suite}]" for suite in report.lacks}
    # A question that the file protects is a test, too.
    assert {name for name, what in found.items() if what == "FAILED"} == {
        *failed,
        "ragstone::protected[A2]",
    }
    assert "ragstone::gate[answers.precision[qid=A2]]" in failed
    assert any(name.startswith("ragstone::gate[stability.") for name in found)


def test_a_test_records_nothing(configured: pytest.Pytester) -> None:
    with (configured.path / "ragstone.toml").open("a") as file:
        file.write("[ledger]\nrecord = true\n")
    configured.makepyfile("def test_it(ragstone_report): assert ragstone_report.gates")
    configured.runpytest("--ragstone-config", "ragstone.toml", "-W", "default")
    assert not (configured.path / ".ragstone").exists()


def test_the_report_of_a_file_with_settings_is_that_of_gate(configured: pytest.Pytester) -> None:
    configured.makepyfile(
        f"def test_it(ragstone_report): assert ragstone_report.digest == {ragstone.gate().digest!r}"
    )
    configured.makeini("[pytest]\nragstone_config = ragstone.toml")
    configured.runpytest().assert_outcomes(passed=1)


# Where the inputs come from


def test_the_ini_file_names_files_beside_it_and_a_flag_asks_for_tests(
    project: pytest.Pytester,
) -> None:
    project.makeini("[pytest]\nragstone_gold = gold.jsonl\nragstone_trace = tra*.jsonl")
    project.makepyfile("def test_own(): pass")
    inner = project.mkdir("inner")
    # A test that somebody runs alone is not kept waiting by a gold set.
    project.runpytest().assert_outcomes(passed=1)
    said = failures(project.runpytest("--ragstone"))["gate[answers.precision]"]
    assert said[-1] == "  where:    A2  gold.jsonl:2  trace.jsonl:2"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(inner)
        ran = project.runpytest("-v", "--ragstone", f"--rootdir={project.path}", "-c", "../tox.ini")
    assert "ragstone::gate[answers.precision]" in ran.stdout.str()
    ran.assert_outcomes(passed=3, failed=2)


def test_data_in_memory_comes_from_fixtures(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(f"""
        import pytest

        @pytest.fixture(scope="session")
        def ragstone_gold():
            return {list(QUESTIONS)!r}

        @pytest.fixture(scope="session")
        def ragstone_trace():
            return {list(ANSWERS)!r}
    """)
    pytester.makepyfile("""
        def test_it(ragstone_report):
            assert not ragstone_report
            assert ragstone_report["precision"].value == 0.5

        def test_once(ragstone_report, request):
            assert ragstone_report is request.getfixturevalue("ragstone_report")
    """)
    pytester.runpytest().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("ini", "said"),
    [
        ("", "ragstone: no gold set: give --ragstone-gold FILE"),
        ("ragstone_gold = gold.jsonl", "ragstone: no traces: give --ragstone-trace FILE"),
        ("ragstone_gold = a b\nragstone_trace = c", "ragstone_gold names 2 files, and can be one"),
        ("ragstone_gold = a\nragstone_trace = c", "ragstone: 2 problems in the input"),
        ("ragstone_config = none.toml", "ragstone: *none.toml cannot be read"),
        (
            "ragstone_gold = a\nragstone_config = none.toml",
            "ragstone: give either a gold set and traces, or a file that names them",
        ),
    ],
)
def test_what_is_missing_is_one_sentence_in_a_fixture_and_for_a_flag(
    project: pytest.Pytester, ini: str, said: str
) -> None:
    project.makeini(f"[pytest]\n{ini}")
    project.makepyfile("def test_it(ragstone_report): pass")
    ran = project.runpytest()
    ran.assert_outcomes(errors=1)
    assert "Traceback" not in ran.stdout.str()
    ran.stdout.fnmatch_lines([f"*{said}*"])
    flagged = project.runpytest("--ragstone")
    assert flagged.ret == pytest.ExitCode.USAGE_ERROR
    flagged.stderr.fnmatch_lines([f"ERROR: {said}*"])
    assert flagged.stdout.str().count("Traceback") == 0


# What is wrong


BAD = '{"qid": "A1"\n{"qid": "A2", "answer_json": 3}\n'


@pytest.mark.parametrize("more", [(), ("-n", "2")])
def test_bad_input_is_one_clear_error(project: pytest.Pytester, more: tuple[str, ...]) -> None:
    (project.path / "trace.jsonl").write_text(BAD)
    ran = project.runpytest_subprocess(*FLAGS, *more)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    lines = [line for line in ran.stderr.lines if line]
    assert lines[0] == "ERROR: ragstone: 2 problems in the input; nothing was scored"
    assert [line.split(": ")[0] for line in lines[1:]] == ["trace.jsonl:1", "trace.jsonl:2"]
    assert "Traceback" not in ran.stdout.str() + ran.stderr.str()


def test_of_many_problems_the_first_are_shown(project: pytest.Pytester) -> None:
    (project.path / "trace.jsonl").write_text('{"qid": 3}\n' * 30)
    ran = project.runpytest(*FLAGS)
    assert [line for line in ran.stderr.lines if line][-1] == "... and 20 more"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--ragstone-gates", "precison=1"), "did you mean 'precision'?"),
        (("--ragstone-gates", ",".join(f"{name}=off" for name in GATES)), "nothing to test"),
        (("--ragstone-baseline", "none.parquet"), "'none.parquet'"),
        (("--ragstone-config", "ragstone.toml"), "give either a gold set and traces"),
    ],
)
def test_a_wrong_flag_is_one_clear_error(
    project: pytest.Pytester, flags: tuple[str, ...], said: str
) -> None:
    ran = project.runpytest(*FLAGS, *flags)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert said in ran.stderr.str()
    assert ran.stderr.str().count("\n") == 1


# Beside other plugins


def test_workers_are_sent_the_outcome_and_score_nothing(project: pytest.Pytester) -> None:
    project.makeconftest("""
        import sys

        def pytest_sessionfinish(session):
            if hasattr(session.config, "workerinput") and "_duckdb" in sys.modules:
                raise RuntimeError("a worker has scored")
    """)
    words = (*FLAGS, "--ragstone-protect", "A1,A2")
    alone = project.runpytest_subprocess("-v", *words)
    shared = project.runpytest_subprocess("-v", "-n", "2", *words)
    assert len(outcomes(alone)) == 7
    assert outcomes(shared) == outcomes(alone)
    assert failures(shared) == failures(alone)
    assert "a worker has scored" not in shared.stdout.str() + shared.stderr.str()


def test_the_fixture_works_in_workers(project: pytest.Pytester) -> None:
    project.makepyfile("def test_it(ragstone_report): assert ragstone_report['chr'].value == 0.5")
    ran = project.runpytest_subprocess("-n", "2", *FLAGS)
    ran.assert_outcomes(passed=4, failed=2)


def test_junit_shows_every_gate(project: pytest.Pytester) -> None:
    project.runpytest(*FLAGS, "--junit-xml=junit.xml")
    cases = ElementTree.parse(project.path / "junit.xml").getroot().findall(".//testcase")
    assert [case.get("name") for case in cases] == [f"gate[answers.{name}]" for name in GATES]
    failed = [case for case in cases if case.find("failure") is not None]
    assert len(failed) == 2
    message = str(failed[0].find("failure").text)  # type: ignore[union-attr]
    assert message.startswith(
        "right and rightly cited (answers.precision) fails: 0.5000, wanted >= 0.8"
    )


def test_the_plugin_can_be_switched_off(project: pytest.Pytester) -> None:
    ran = project.runpytest_subprocess("-p", "no:ragstone", *FLAGS)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert "unrecognized arguments: --ragstone-gold" in ran.stderr.str()


# What it costs those who ask for nothing


def loaded_after(project: pytest.Pytester, *words: str) -> set[str]:
    """The modules that a process of pytest has loaded when it ends."""
    project.makeconftest("""
        import json, pathlib, sys

        def pytest_unconfigure():
            pathlib.Path("modules.json").write_text(json.dumps(sorted(sys.modules)))
    """)
    project.makepyfile("def test_own(): pass")
    project.runpytest_subprocess(*words)
    return set(json.loads(Path(project.path / "modules.json").read_text()))


def test_a_plain_run_imports_nothing_of_ragstone_but_the_plugin(project: pytest.Pytester) -> None:
    with_plugin = loaded_after(project)
    without = loaded_after(project, "-p", "no:ragstone")
    allowed = {"ragstone", "ragstone._version", "ragstone.errors", "ragstone.pytest_plugin"}
    assert with_plugin - without == allowed
    assert "_duckdb" in loaded_after(project, *FLAGS)


def test_the_plugin_is_an_entry_point() -> None:
    from importlib.metadata import entry_points

    (found,) = entry_points(group="pytest11", name="ragstone")
    assert found.value == "ragstone.pytest_plugin"
    assert sys.modules["ragstone.pytest_plugin"]
