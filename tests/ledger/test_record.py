"""`--record`: what is kept of a run, where, and what keeps it from being kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import gold, refusal, trace
from command import Command, Folder, Process, nobody_special
from recorded_runs import TOML, run_folder, runs, score
from test_every_suite import KEPT


def test_the_same_inputs_twice_are_two_recordings_of_one_run(user: Command) -> None:
    first = score(user)
    before = {path: path.read_bytes() for path in run_folder(user, first).glob("*.*")}
    assert score(user) == first
    assert [each["run"] for each in runs(user)] == [first, first]
    assert {path: path.read_bytes() for path in run_folder(user, first).glob("*.*")} == before


def test_nothing_is_recorded_unless_it_is_asked_for(user: Command) -> None:
    user.score("--no-config")
    assert not (user.folder.work / ".ragstone").exists()
    assert user("runs").text == "no recording in .ragstone\n"


def test_ragstone_toml_can_ask_for_it_and_say_where(user: Command) -> None:
    user.folder.write("ragstone.toml", f'{TOML}[ledger]\nrecord = true\npath = "kept"\n')
    user.folder.write("again.jsonl", [{**trace("A1"), "seed": n, "jitter": "none"} for n in (0, 1)])
    deeper = user.folder.work / "deeper"
    deeper.mkdir()
    user.monkeypatch.chdir(deeper)
    ran = user("gate", "--json", "--quiet")
    assert ran.code in (0, 1), ran.err
    (found,) = (user.folder.work / "kept" / "runs").iterdir()
    assert found.name == ran.json["digest"]
    assert sorted(path.name for path in found.iterdir() if path.is_dir()) == [
        "answers",
        "seen",
        "stability",
    ]
    assert {path.name for path in (found / "answers").iterdir()} >= {"report.json", "rows.parquet"}
    assert not (found / "rows.parquet").exists()
    assert user("verify", "last", "--quiet").code == 0
    assert user("runs", "show", "last").code == 0
    user.monkeypatch.chdir(user.folder.work)
    assert user("verify", "last", "--quiet").code == 0


def test_a_recording_says_what_was_given_what_held_and_which_labels(user: Command) -> None:
    score(user, "--label", "model=v2", "who=ann", "--gates", "precision=0.5")
    (found,) = runs(user)
    assert found["given"][0] == "score"
    assert found["labels"] == {"model": "v2", "who": "ann"}
    held = found["held"]["answers"]
    assert held["options"]["gates"] == [["precision", "0.5"]]
    (file,) = held["inputs"]["gold"]["files"]
    assert (file["path"], len(file["sha256"])) == ("gold.jsonl", 64)
    assert found["gates"]["precision"]["threshold"] == 0.5


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    ran = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)
    return ran.stdout.decode().strip()


def test_two_commits_are_two_recordings_and_a_changed_tree_is_told(user: Command) -> None:
    work = user.folder.work
    git(work, "init", "-q", "-b", "main")
    git(work, "add", ".")
    git(work, "commit", "-qm", "one")
    digest = score(user)
    user.folder.write("notes.txt", "x")
    git(work, "add", "notes.txt")
    git(work, "commit", "-qm", "two")
    user.folder.write("notes.txt", "y")
    assert score(user) == digest
    newest, oldest = runs(user)
    assert (oldest["branch"], oldest["dirty"], newest["dirty"]) == ("main", False, True)
    assert newest["commit"] == git(work, "rev-parse", "HEAD") != oldest["commit"]
    assert len(runs(user, "--branch", "main")) == 2
    assert runs(user, "--branch", "other") == []


def test_outside_of_a_repository_there_is_no_commit(user: Command) -> None:
    user.monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(user.folder.work.parent))
    user.monkeypatch.setenv("PATH", str(user.folder.scratch))
    score(user)
    (found,) = runs(user)
    assert (found["commit"], found["branch"], found["dirty"]) == (None, None, None)


def test_texts_are_clipped_unless_ragstone_toml_wants_them(user: Command) -> None:
    long = "a very long answer " * 20
    user.folder.write("gold.jsonl", [gold("A1"), gold("A2", answerable=False)])
    user.folder.write("trace.jsonl", [trace("A1", long), refusal("A2")])
    held = b"".join(path.read_bytes() for path in run_folder(user, score(user)).glob("*.*"))
    assert b"a very long answer" in held
    assert long.strip().encode() not in held
    for texts, there in (("all", True), ("none", False)):
        user.folder.write("ragstone.toml", f'[ledger]\ntexts = "{texts}"\npath = "{texts}"\n')
        ran = user.score("--record", "--json")
        assert ran.code in (0, 1), ran.err
        digest = ran.json["digest"]
        folder = user.folder.work / texts / "runs" / digest
        held = b"".join(path.read_bytes() for path in folder.glob("*.json"))
        assert (long.strip().encode() in held) is there
        assert (b"a very long answer" in held) is there
        assert user("verify", "last").code == 0


def test_a_report_without_texts_is_kept_without_them(user: Command) -> None:
    user.folder.write("ragstone.toml", '[ledger]\ntexts = "all"\n[report]\ntexts = "none"\n')
    user.score("--record")
    (state,) = user.folder.work.glob(".ragstone/runs/*/state.json")
    assert "rejects null keys" not in state.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--label", "x=1"), "--label needs --record or -o FILE.html"),
        (("--record", "--label", "x"), "expected NAME=TEXT"),
        (("--record", "--label", "x=1", "x=2"), "is given twice"),
        (("--record", "--ledger", "gold.jsonl"), "is a file, and the ledger is a folder"),
        (("--record", "--ledger", "nothing://x"), "nothing://x"),
    ],
)
def test_what_cannot_be_recorded_is_said_before_anything_is_scored(
    user: Command, words: tuple[str, ...], says: str
) -> None:
    ran = user.score("--no-config", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err


def test_a_ledger_that_may_not_be_written_is_one_sentence(user: Command) -> None:
    user.folder.work.chmod(0o755)
    with nobody_special(user.folder):
        ran = user.score("--no-config", "--record")
    assert ran.code == 2
    assert "cannot be written: permission was denied" in ran.err


def test_a_key_of_the_ledger_that_is_not_known_gets_a_suggestion(user: Command) -> None:
    user.folder.write("ragstone.toml", "[ledger]\nrecrod = true\n")
    ran = user.score()
    assert ran.code == 2
    assert "unknown key ledger.recrod; did you mean 'record'?" in ran.err


def test_a_value_of_the_ledger_of_another_type_is_named(user: Command) -> None:
    user.folder.write("ragstone.toml", '[ledger]\nrecord = "yes"\n')
    ran = user.score()
    assert ran.code == 2
    assert "ledger.record: expected true or false" in ran.err


def test_a_ledger_at_a_url(user: Command) -> None:
    place = f"memory://{user.folder.work.name}{os.getpid()}"
    digest = score(user, "--ledger", place)
    assert score(user, "--ledger", place) == digest
    assert len(runs(user, "--ledger", place)) == 2
    assert user("runs", "accept", "last", "--name", "main", "--ledger", place).code == 0
    assert user("verify", "main", "--ledger", place, "--quiet").code == 0
    assert user("render", "main", "--ledger", place).code == 0
    assert user("regate", "main", "--ledger", place).code == 0
    ran = user.score("--no-config", "--json", "--baseline", "main", "--ledger", place)
    assert ran.json["comparison"]["a"]["name"] == "main"
    assert user("runs", "export", "main", "-o", "copy", "--ledger", place).code == 0
    score(user, "--ledger", place, "--k", "1")
    assert user("runs", "prune", "--keep", "1", "--ledger", place).code == 0
    assert [each["run"] for each in runs(user, "--ledger", place)][1:] == [digest, digest]


def test_without_fsspec_a_url_says_what_to_install(user: Command) -> None:
    user.monkeypatch.setitem(sys.modules, "fsspec", None)
    ran = user.score("--no-config", "--record", "--ledger", "memory://x")
    assert ran.code == 2
    assert "needs fsspec, which is not installed: pip install 'fsspec>=2024.6'" in ran.err


def test_python_records_too(user: Command) -> None:
    import ragstone

    report = ragstone.score("gold.jsonl", "trace.jsonl", record=True, label=["from=python"])
    (found,) = runs(user)
    assert (found["run"], found["given"]) == (report.digest, [])
    assert found["labels"] == {"from": "python"}
    assert user("verify", "last", "--quiet").code == 0
    report = ragstone.score([gold("A1")], [trace("A1")], record=True)
    assert user("verify", report.digest).code == 3


def test_the_command_as_a_process_says_what_it_recorded(folder: Folder, ragstone: Process) -> None:
    folder.fill()
    ran = ragstone("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--record")
    assert ran.code == 0
    (run,) = (folder.work / ".ragstone" / "runs").iterdir()
    assert f"recorded {run.name[:8]} in .ragstone\n" in ran.err
    assert sorted(path.name for path in (folder.work / ".ragstone").iterdir()) == ["runs"]


def test_a_look_at_gold_that_is_not_frozen_is_not_kept(user: Command) -> None:
    assert user("gold", "freeze", "gold.jsonl", "--who", "ann", "--why", "first").code == 0
    digest = score(user)
    user.folder.write("gold.jsonl", [gold("A1"), gold("A3", answerable=False)])
    ran = user.score("--no-config", "--record", "--unfrozen")
    assert ran.code == 3
    assert "not recorded: the gold is not as it was frozen" in ran.err
    assert [each["run"] for each in runs(user)] == [digest]


@pytest.mark.parametrize(
    "words",
    [
        "trec qrels.txt bm25.run --trec",
        "retrieval --gold retrieval_gold.jsonl --log live.jsonl --compact",
        "gate --config answers.toml",
    ],
)
def test_a_command_that_prints_in_its_own_way_is_recorded_too(user: Command, words: str) -> None:
    shutil.copytree(KEPT / "files", user.folder.work, dirs_exist_ok=True)
    ran = user(*words.split(), "--record", "--ledger", ".ragstone")
    assert ran.code in (0, 1, 3), ran.err
    assert "recorded" in ran.err
    assert len(runs(user, "--ledger", ".ragstone")) == 1


def test_power_records_nothing(user: Command) -> None:
    user.folder.write("ragstone.toml", "[ledger]\nrecord = true\n")
    ran = user("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl")
    assert ran.code == 0, ran.err
    assert runs(user) == []


def test_a_ledger_that_takes_no_more_loses_no_report(user: Command) -> None:
    user.folder.write(".ragstone/runs", "a file where a folder should be")
    ran = user.score("--no-config", "--record", "-o", "report.html", "--json")
    assert ran.code == 2
    assert ran.json["decision"] == "PASS"
    assert (user.folder.work / "report.html").exists()
    assert "the report is complete, and the run was not recorded" in ran.err
