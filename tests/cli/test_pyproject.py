"""`[tool.ragstone]` in a pyproject.toml says the same as a ragstone.toml, and is found like one."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from command import Command, Folder
from long_runs import one_of_each

import ragstone
from ragstone.suites.pyproject_table import has_settings

KEPT = Path(__file__).parents[1] / "kept"
DECISIONS = json.loads((KEPT / "decisions.json").read_bytes())
OTHERS = '[project]\nname = "mine"\nversion = "1"\ndependencies = ["ragstone>=0.1"]\n\n'
STRICT = "[tool.ragstone.answers.gates]\nprecision = '>= 2'\n"
OWN_STRICT = "[answers.gates]\nprecision = '>= 2'\n"


def as_project(text: str) -> str:
    """A ragstone.toml as part of a pyproject.toml: each table one level deeper."""
    moved = re.sub(r"^(\s*\[+)", r"\1tool.ragstone.", text, flags=re.MULTILINE)
    return f"{OTHERS}{moved}"


# A file of each size and decision.
KINDS = one_of_each(DECISIONS, lambda name: (name == "everything.toml", DECISIONS[name]["code"]))


@pytest.mark.parametrize("name", KINDS)
def test_a_kept_toml_decides_the_same_under_tool_ragstone(
    folder: Folder, command: Command, name: str
) -> None:
    shutil.copytree(KEPT / "files", folder.work, dirs_exist_ok=True)
    text = (KEPT / "files" / name).read_text(encoding="utf-8")
    folder.write("pyproject.toml", as_project(text))
    moved = tomllib.loads((folder.work / "pyproject.toml").read_text(encoding="utf-8"))
    assert moved["tool"]["ragstone"] == tomllib.loads(text)
    own, project = command("gate", "--config", name, "--json"), command("gate", "--json")
    assert project.code == own.code == DECISIONS[name]["code"], project.err
    assert project.out == own.out


@pytest.mark.parametrize(
    "text",
    [
        "[tool.ragstone.answers.gates]\nprecision = 2\n",
        "[tool.ragstone]\nanswers = { gates = { precision = 2 } }\n",
        "[tool]\nragstone.answers.gates.precision = 2\n",
        "[tool]\nother = 1\nragstone = { answers = { gates = { precision = 2 } } }\n",
        "tool.ragstone.answers.gates.precision = 2\n",
        "[ tool . 'ragstone' . answers.gates]\nprecision = 2\n",
        'tool = { "ragstone" = { answers = { gates = { precision = 2 } } } }\n',
    ],
)
def test_the_table_is_found_however_it_is_spelled(
    folder: Folder, command: Command, text: str
) -> None:
    folder.fill()
    folder.write("pyproject.toml", text)
    ran = command.score("--json")
    assert (ran.code, ran.json["gates"]["precision"]["threshold"]) == (1, 2), ran.err


def test_the_nearest_file_wins_and_a_project_without_the_table_is_passed_over(
    folder: Folder, command: Command
) -> None:
    folder.fill()
    folder.write("inner/pyproject.toml", OTHERS)
    folder.write("pyproject.toml", OTHERS + STRICT)
    files = [str(folder.work / name) for name in ("gold.jsonl", "trace.jsonl")]
    words = ("score", "--gold", files[0], "--trace", files[1])
    command.monkeypatch.chdir(folder.work / "inner")
    assert command(*words).code == 1
    folder.write("inner/ragstone.toml", "[answers.gates]\nprecision = 0.1\n")
    assert command(*words).code == 0


def test_paths_are_relative_to_the_project_file(folder: Folder, command: Command) -> None:
    folder.fill()
    paths = '[tool.ragstone.paths]\ngold = "gold.jsonl"\ntrace = ["trace.jsonl"]\n'
    folder.write("pyproject.toml", paths)
    folder.write("deep/down/empty", "")
    command.monkeypatch.chdir(folder.work / "deep" / "down")
    assert command("gate").code == 0


def test_both_files_in_one_folder_are_an_error_that_names_both(
    folder: Folder, command: Command
) -> None:
    folder.fill()
    folder.write("ragstone.toml", "[answers]\n")
    folder.write("pyproject.toml", OTHERS + STRICT)
    ran = command.score()
    assert (ran.code, ran.text) == (2, "")
    assert ran.err == (
        f"ragstone: {folder.work} has both ragstone.toml and a pyproject.toml with "
        "[tool.ragstone]; keep one of them, or name one with --config\n"
    )
    assert command.score("--config", "ragstone.toml").code == 0
    assert command.score("--config", "pyproject.toml").code == 1
    assert command.score("--no-config").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[answers]\nkepp = 'last'", "unknown key {}answers.kepp; did you mean 'keep'?"),
        ("[answers]\nk = 0", "{}answers.k: expected a whole number from 1 to 1,000,000, found 0"),
        ("[anwsers]\nk = 1", "unknown key {}anwsers; did you mean 'answers'?"),
        ("[paths]\ngold = 1", "{}paths.gold: expected a string, found 1"),
        ("[map]\nqidd = 'id'", "{}map.qidd: no input has this field; did you mean 'qid'?"),
        ("[report]\ntext = 'none'", "unknown key {}report.text; did you mean 'texts'?"),
        ("[ledger]\npth = 'x'", "unknown key {}ledger.pth; did you mean 'path'?"),
        ("[[waive]]\nqid = 'A1'", "{}waive[0]: `until` is missing"),
        (
            "[answers]\nwaive = []",
            "{}answers.waive: a waiver is for every suite; write [[{}w",
        ),
        ("[answers.gates]\nprecision = []", "{}answers.gates.precision: expected a number or"),
        ("[answers.gates]\nprecison = 0.5", "there is no metric"),
        ("[answers]\nk = 9223372036854775808", "{}answers.k: a whole number has at most 64 bits"),
    ],
)
def test_a_message_names_the_key_as_it_stands_in_its_file(
    folder: Folder, command: Command, text: str, said: str
) -> None:
    folder.fill()
    folder.write("own.toml", text)
    folder.write("pyproject.toml", as_project(text))
    own, project = command.score("--config", "own.toml"), command.score()
    assert (own.code, project.code) == (2, 2)
    assert own.err.startswith("ragstone: own.toml: ") and said.replace("{}", "") in own.err
    assert project.err.startswith("ragstone: pyproject.toml: ")
    assert said.replace("{}", "tool.ragstone.") in project.err


def test_a_file_without_a_suite_says_which_table_to_add(folder: Folder, command: Command) -> None:
    folder.write("pyproject.toml", "[tool.ragstone]\n")
    ran = command("gate")
    said = "pyproject.toml names no suite; add a table such as [tool.ragstone.answers]"
    assert (ran.code, ran.err) == (2, f"ragstone: {said}\n")


def test_a_named_project_file_must_have_the_table(folder: Folder, command: Command) -> None:
    folder.fill()
    folder.write("pyproject.toml", OTHERS)
    ran = command.score("--config", "pyproject.toml")
    assert (ran.code, ran.err) == (2, "ragstone: pyproject.toml has no table [tool.ragstone]\n")
    folder.write("pyproject.toml", "tool.ragstone = 3\n")
    ran = command.score()
    said = "pyproject.toml: tool.ragstone: expected a table, found 3"
    assert (ran.code, ran.err) == (2, f"ragstone: {said}\n")


@pytest.mark.parametrize(
    "others",
    [
        "[project\nname = 'half written'\nragstone = 1",
        b"\xff\xfe ragstone = 1",
        f"ragstone = {'[' * 5000}",
    ],
)
def test_a_broken_file_of_others_is_passed_over_unless_it_is_named(
    folder: Folder, command: Command, others: bytes | str
) -> None:
    folder.fill()
    folder.write("pyproject.toml", others)
    assert command.score().code == 0
    ran = command.score("--config", "pyproject.toml")
    assert ran.code == 2
    assert ran.err.startswith("ragstone: pyproject.toml is not ")


def test_a_broken_file_that_has_our_table_is_an_error(folder: Folder, command: Command) -> None:
    folder.fill()
    folder.write("pyproject.toml", f"{STRICT}\n[project]\nname = mine\n")
    ran = command.score()
    assert (ran.code, ran.text) == (2, "")
    assert ran.err.startswith("ragstone: pyproject.toml is not valid TOML: expected a value")


def test_numbers_of_other_tools_are_not_ours_to_judge(folder: Folder, command: Command) -> None:
    folder.fill()
    folder.write("pyproject.toml", f"[tool.other]\nseed = 9223372036854775808\n{STRICT}")
    assert command.score().code == 1


def test_a_project_file_that_does_not_speak_of_us_is_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    loads = tomllib.loads
    monkeypatch.setattr(tomllib, "loads", lambda text: parsed.append(text) or loads(text))
    path = tmp_path / "pyproject.toml"
    path.write_text(OTHERS)
    assert not has_settings(path)
    assert parsed == []
    path.write_text(OTHERS + STRICT)
    assert has_settings(path)
    assert parsed == [OTHERS + STRICT]


def test_the_python_call_takes_both_files(folder: Folder, command: Command) -> None:
    folder.fill()
    paths = 'gold = "gold.jsonl"\ntrace = "trace.jsonl"\n'
    folder.write("ragstone.toml", f"[paths]\n{paths}{OWN_STRICT}")
    folder.write("pyproject.toml", f"[tool.ragstone.paths]\n{paths}{STRICT}")
    own, project = ragstone.gate(), ragstone.gate("pyproject.toml")
    assert project.to_json() == own.to_json()
    assert project.exit_code == 1


def test_the_line_of_an_embedder_is_written_into_the_table(
    folder: Folder, command: Command
) -> None:
    shutil.copytree(KEPT / "files", folder.work, dirs_exist_ok=True)
    before = f"{OTHERS}[tool.ragstone.retrieval]\nunit = 'bytes' # mine\n\n[tool.other]\nx = 1\n"
    folder.write("pyproject.toml", before)
    words = ("--gold", "retrieval_gold.jsonl", "--manifest", "manifest.jsonl")
    ran = command("retrieval", "calibrate", *words, "--log", "bare_log.jsonl")
    assert ran.code == 0, ran.err
    after = (folder.work / "pyproject.toml").read_text(encoding="utf-8")
    found = tomllib.loads(after)["tool"]
    assert 0 < found["ragstone"]["retrieval"]["delta_s_line"] < 1
    kept = [line for line in after.splitlines() if not re.match("embedder|delta_s_line", line)]
    assert kept == before.splitlines()


def test_init_writes_no_second_file_beside_the_table(folder: Folder, command: Command) -> None:
    folder.write("pyproject.toml", OTHERS + STRICT)
    ran = command("init")
    assert ran.text.splitlines()[0] == "kept   pyproject.toml (it has [tool.ragstone])"
    assert not (folder.work / "ragstone.toml").exists()
