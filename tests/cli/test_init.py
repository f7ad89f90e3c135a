"""`ragstone init`: a start that runs, and never over a file that is there."""

from __future__ import annotations

import json
import tomllib

import pytest
import yaml
from builders import gold, trace
from command import Command, Folder, nobody_special

FILES = {
    "work/ragstone.toml",
    "work/eval/gold.jsonl",
    "work/runs/trace.jsonl",
    "work/.gitignore",
    "work/.github/workflows/ragstone.yml",
}


@pytest.mark.parametrize(
    ("question", "packs"),
    [
        ("How long is it kept?", ["@en"]),
        ("Wie lange wird es aufbewahrt?", ["@en", "@de"]),
        ("¿Cuánto tiempo se guarda y por qué?", ["@en", "@es"]),
        ("Combien de temps est-il conservé dans le coffre ?", ["@en", "@fr"]),
        ("保存期间多长？", ["@en", "@zh"]),
        ("いつまで保存されますか。", ["@en", "@ja"]),
        ("كم من الوقت؟", ["@en", "@ar"]),
    ],
)
def test_refusals_are_known_in_the_language_of_the_gold_set(
    question: str, packs: list[str], command: Command, folder: Folder
) -> None:
    folder.write("eval/gold.jsonl", [gold(f"A{n}", question=question) for n in range(3)])
    command("init")
    written = tomllib.loads((folder.work / "ragstone.toml").read_text())
    assert written["answers"]["refusal"] == ["not in context", *packs]
    assert written["paths"]["trace"] == "runs/trace.jsonl"
    assert "keep" not in written["answers"]


def test_what_it_writes_is_good_and_gates(command: Command, folder: Folder) -> None:
    ran = command("init")
    assert ran.code == 0
    assert folder.files() == FILES
    tomllib.loads((folder.work / "ragstone.toml").read_text())
    workflow = yaml.safe_load((folder.work / ".github/workflows/ragstone.yml").read_text())
    steps = " ".join(step.get("run", "") for step in workflow["jobs"]["gate"]["steps"])
    assert "ragstone gate" in steps
    assert command("check", "eval/gold.jsonl").code == 0
    assert command("gold", "lint", "--exit-code").code == 0
    lines = (folder.work / "eval/gold.jsonl").read_text().splitlines()
    gold = [json.loads(line) for line in lines]
    right = [
        trace(
            item["qid"],
            item["gold_claim_substr"][0] if item["answerable"] else "not in context",
            item.get("gold_citations", []),
            item.get("gold_citations", []),
        )
        for item in gold
    ]
    folder.write("runs/trace.jsonl", right)
    assert command("gate").code == 0


def test_what_is_there_is_left_alone(command: Command, folder: Folder) -> None:
    folder.write("ragstone.toml", "# mine\n")
    ran = command("init")
    assert ran.text.startswith("kept   ragstone.toml (it exists)\nwrote  eval/gold.jsonl\n")
    assert (folder.work / "ragstone.toml").read_text() == "# mine\n"
    before = {path: path.read_bytes() for path in folder.work.rglob("*") if path.is_file()}
    again = command("init")
    assert again.code == 0 and "wrote" not in again.text
    assert before == {path: path.read_bytes() for path in folder.work.rglob("*") if path.is_file()}


def test_its_first_gate_fails_for_one_reason_and_says_which(
    command: Command, folder: Folder
) -> None:
    assert command("init").code == 0
    ran = command("gate", "--json")
    (row,) = ran.json["suites"]["answers"]["offenders"]
    assert (ran.code, row["qid"], ran.json["warnings"]) == (1, "Q003", [])
    assert "answered, but the question has no answer" in command("gate").text
    trace = folder.work / "runs/trace.jsonl"
    lines = trace.read_text().splitlines()
    third = json.loads(lines[2])
    assert third["qid"] == "Q003"
    third["answer_json"]["claim"] = "not in context"
    folder.write("runs/trace.jsonl", "\n".join([*lines[:2], json.dumps(third)]) + "\n")
    assert command("gate").code == 0


def test_it_says_what_is_left_to_do(command: Command, folder: Folder) -> None:
    lines = command("init").text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("next:"))
    assert lines[first:] == [
        "next:  ragstone gate",
        "       It fails on purpose: line 3 of runs/trace.jsonl answers a question that has no "
        "answer.",
        '       Make that claim "not in context", and it passes.',
        "next:  put your questions into eval/gold.jsonl, and have your pipeline log to "
        "runs/trace.jsonl",
        "next:  set the variable RAGSTONE_SOURCE of your CI to where Ragstone is installed from:",
        "       a path, a wheel or a git address",
    ]
    other = command("init", "--ci", "none", "other").text
    assert "next:  cd other && ragstone gate\n" in other
    assert "RAGSTONE_SOURCE" not in other
    assert "next:" not in command("init", "--quiet", "third").text


def test_the_example_traces_come_with_the_example_questions_only(
    command: Command, folder: Folder
) -> None:
    for there in ("eval/gold.jsonl", "ragstone.toml", "pyproject.toml"):
        place = there.replace("/", "-")
        held = "[tool.ragstone]\n" if there == "pyproject.toml" else ""
        folder.write(f"{place}/{there}", held)
        ran = command("init", place)
        assert ran.code == 0
        assert not (folder.work / place / "runs").exists()
        assert "on purpose" not in ran.text


def test_a_gitignore_is_never_changed(command: Command, folder: Folder) -> None:
    folder.write(".gitignore", "node_modules\nruns\n")
    ran = command("init")
    says = (
        "next:  add to .gitignore: /.ragstone/ /report.html /report.json /report.md /report.xml\n"
    )
    assert says in ran.text
    assert (folder.work / ".gitignore").read_text() == "node_modules\nruns\n"
    assert command("init", "new").code == 0
    made = (folder.work / "new/.gitignore").read_text()
    assert "/runs/\n" in made
    # Nothing is left to add to one that it wrote itself.
    assert "add to .gitignore" not in command("init", "new").text


def test_a_job_for_gitlab_is_included(command: Command, folder: Folder) -> None:
    assert command("init", "--ci", "gitlab", "new").code == 0
    top = yaml.safe_load((folder.work / "new/.gitlab-ci.yml").read_text())
    assert top == {"include": [{"local": ".gitlab/ragstone.yml"}]}
    assert (folder.work / "new/.gitlab/ragstone.yml").is_file()
    assert not (folder.work / "new/.github").exists()
    folder.write("old/.gitlab-ci.yml", "test: {script: [make]}\n")
    ran = command("init", "--ci", "gitlab", "old")
    assert "next:  add to .gitlab-ci.yml: include: [{local: .gitlab/ragstone.yml}]\n" in ran.text
    assert (folder.work / "old/.gitlab-ci.yml").read_text() == "test: {script: [make]}\n"


def test_another_ci_is_an_error(command: Command, folder: Folder) -> None:
    ran = command("init", "--ci", "jenkins")
    assert (ran.code, ran.out, folder.files()) == (2, b"", set())
    assert "choose from 'github', 'gitlab', 'none'" in ran.err


def test_it_may_write_elsewhere(command: Command, folder: Folder) -> None:
    assert command("init", "--quiet", "new/repo").text.count("\n") == 5
    assert (folder.work / "new/repo/eval/gold.jsonl").is_file()
    folder.write("file", b"")
    ran = command("init", "file")
    assert (ran.code, ran.err) == (2, "ragstone: file is a file; give a folder\n")


def test_a_folder_that_may_not_be_written_is_named(command: Command, folder: Folder) -> None:
    # What is imported when it is first used is imported now: somebody else may not read it.
    assert command("init", "elsewhere").code == 0
    folder.work.chmod(0o555)
    with nobody_special(folder):
        ran = command("init")
    folder.work.chmod(0o700)
    assert (ran.code, ran.out) == (2, b"")
    assert "permission was denied" in ran.err
