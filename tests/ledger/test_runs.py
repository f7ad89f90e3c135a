"""`ragstone runs`, and what a word for a run stands for, as a user meets them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import refusal, trace
from command import Command
from recorded_runs import TOML, run_folder, runs, score


@pytest.mark.parametrize(
    "words", [("--decision", "PASS"), ("--label", "n=1"), ("--suite", "answers")]
)
def test_runs_are_filtered(user: Command, words: tuple[str, ...]) -> None:
    passes = score(user, "--label", "n=1")
    user.folder.write("trace.jsonl", [trace("A1"), trace("A2")])
    fails = score(user, "--label", "n=2")
    found = [each["run"] for each in runs(user, *words)]
    assert found == ([fails, passes] if "--suite" in words else [passes])
    assert user("runs", "--limit", "1").text.count("answers") == 1


def test_a_name_is_never_moved_by_accident(user: Command) -> None:
    one = score(user)
    two = score(user, "--k", "1")
    assert user("runs", "accept", one[:8], "--name", "main").code == 0
    assert user("runs", "accept", "main", "--name", "main").code == 0
    ran = user("runs", "accept", two[:8], "--name", "main")
    assert ran.code == 2
    assert ran.err == f"ragstone: main is the name of {one[:8]}; --replace moves it\n"
    assert user("runs", "accept", two[:8], "--name", "main", "--replace").code == 0
    assert {each["run"]: each["names"] for each in runs(user)} == {one: [], two: ["main"]}


@pytest.mark.parametrize("name", ["last", "0a1b2c3d", " ", "a\nb", "x" * 101])
def test_a_name_that_reads_as_something_else_is_refused(user: Command, name: str) -> None:
    score(user)
    ran = user("runs", "accept", "last", "--name", name)
    assert ran.code == 2
    assert "--name" in ran.err


@pytest.mark.parametrize("name", ["feature/x", "a b", "größer", "..", "%2e", "a.json"])
def test_any_other_name_will_do(user: Command, name: str) -> None:
    digest = score(user)
    assert user("runs", "accept", "last", "--name", name).code == 0
    assert user("runs", "show", name, "--json").json["run"] == digest
    assert {path.name for path in (user.folder.work / ".ragstone").iterdir()} == {"runs", "names"}


def test_a_run_is_found_by_its_beginning_its_name_last_and_its_folder(user: Command) -> None:
    digest = score(user)
    user("runs", "accept", digest, "--name", "main")
    for word in (digest, digest[:8], "main", "last", f".ragstone/runs/{digest}"):
        assert user("runs", "show", word, "--json").json["run"] == digest
    assert user("runs", "export", "main", "-o", "copy").code == 0
    assert user("runs", "show", "copy", "--json").json["run"] == digest
    assert user("verify", "copy", "--quiet").code == 0
    assert user("runs", "export", "main", "-o", "copy").code == 2


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("abc", "write at least 8 characters of a digest"),
        ("0000000000", "no run, name or folder is called that"),
        ("mian", "did you mean 'main'?"),
        ("", "no run, name or folder is called that"),
        ("x" * 5000, "no run, name or folder is called that"),
    ],
)
def test_a_word_that_fits_no_run_is_told_why(user: Command, word: str, says: str) -> None:
    score(user)
    user("runs", "accept", "last", "--name", "main")
    ran = user("runs", "show", word)
    assert ran.code == 2
    assert says in ran.err


def test_two_runs_that_fit_one_word_are_an_error(user: Command) -> None:
    one, two = score(user), score(user, "--k", "1")
    folder = user.folder.work / ".ragstone" / "runs"
    (folder / two).rename(folder / f"{one[:12]}{two[12:]}")
    ran = user("runs", "show", one[:8])
    assert ran.code == 2
    assert "fits two runs" in ran.err


def test_a_name_that_is_a_file_too_is_an_error(user: Command) -> None:
    score(user)
    user("runs", "accept", "last", "--name", "trace.jsonl")
    ran = user.score("--no-config", "--baseline", "trace.jsonl")
    assert ran.code == 2
    assert "trace.jsonl is a file and a run too" in ran.err


def test_a_run_that_failed_is_accepted_only_on_demand(user: Command) -> None:
    digest = score(user, "--gates", "precision=1.01")
    ran = user("runs", "accept", "last", "--name", "main")
    assert ran.code == 2
    assert ran.err.startswith(f"ragstone: run {digest[:8]} failed")
    assert "--anyway" in ran.err
    assert user("runs", "show", "main").code == 2
    assert user("runs", "accept", "last", "--name", "main", "--anyway").code == 0
    assert user("runs", "show", "main", "--json").json["run"] == digest


def test_an_accepted_run_is_the_baseline(user: Command) -> None:
    score(user)
    user("runs", "accept", "last", "--name", "main")
    user.folder.write("trace.jsonl", [trace("A1", "Nothing of the kind."), refusal("A2")])
    ran = user.score(
        "--no-config", "--json", "--baseline", "main", "--max-regression", "precision=0"
    )
    assert ran.code == 1
    assert ran.json["comparison"]["a"]["name"] == "main"
    assert [each["qid"] for each in ran.json["comparison"]["broke"]] == ["A1"]


def test_every_suite_of_a_gate_is_compared_with_its_own_part(user: Command) -> None:
    user.folder.write("ragstone.toml", TOML)
    user.folder.write("again.jsonl", [{**trace("A1"), "seed": n, "jitter": "none"} for n in (0, 1)])
    user("gate", "--record", "--quiet")
    ran = user("gate", "--json", "--baseline", "last", "--record", "--quiet")
    assert ran.code in (0, 1), ran.err
    for suite in ("answers", "stability"):
        assert ran.json["suites"][suite]["comparison"]["a"]["digest"]
    assert user("verify", "last", "--quiet").code == 0
    assert user("compare", "last", "last").code == 0
    assert user("compare", "last", "last", "--suite", "stability").code == 0


def test_pruning_keeps_what_is_new_and_what_has_a_name(user: Command) -> None:
    digests = [score(user, "--k", str(number)) for number in (1, 2, 3, 4)]
    user("runs", "accept", digests[0], "--name", "main")
    ran = user("runs", "prune", "--keep", "1", "--dry-run")
    assert ran.text == "would remove 2 recordings, 2 left; 1 of accepted runs stay\n"
    assert len(runs(user)) == 4
    assert user("runs", "prune", "--keep", "1", "--json").json["kept"] == 2
    assert {each["run"] for each in runs(user)} == {digests[0], digests[3]}
    assert {path.name for path in (user.folder.work / ".ragstone/runs").iterdir()} == {
        digests[0],
        digests[3],
    }
    assert user("runs", "prune", "--older-than", "1h").text.startswith("removed 0 recordings")


def test_pruning_one_of_two_recordings_keeps_the_run(user: Command) -> None:
    digest = score(user)
    score(user)
    user("runs", "prune", "--keep", "1")
    assert [each["run"] for each in runs(user)] == [digest]
    assert user("verify", "last", "--quiet").code == 0


@pytest.mark.parametrize("age", ["90", "d", "0d", "1.5d", "-1d", "9999999d", ""])
def test_an_age_that_is_none_is_refused(user: Command, age: str) -> None:
    ran = user("runs", "prune", f"--older-than={age}")
    assert ran.code == 2
    assert "expected an age such as 90d, 12h or 8w" in ran.err


def test_a_damaged_recording_hides_no_other(user: Command) -> None:
    digest = score(user)
    score(user)
    first, _ = sorted(run_folder(user, digest).glob("seen/*.json"))
    first.write_text("{", encoding="utf-8")
    ran = user("runs", "--json")
    assert ran.code == 0
    assert len(ran.json["recordings"]) == 1
    assert f"{first.name} is damaged: it is not JSON" in ran.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 2}, "has format 2, and this version reads 1"),
        ({"at": "yesterday"}, "is damaged: 'at' is no moment"),
        ({"held": None}, "is damaged: 'held' is missing, or of another type"),
        ({"held": {"answers": {}}}, "is damaged: 'answers' of its held is not as written"),
        ({"run": "0" * 64}, "is damaged: it is a recording of another run"),
    ],
)
def test_what_is_wrong_with_a_recording_is_told(
    user: Command, change: dict[str, Any], says: str
) -> None:
    digest = score(user)
    (path,) = run_folder(user, digest).glob("seen/*.json")
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **change}), encoding="utf-8")
    ran = user("runs")
    assert ran.code == 0
    assert says in ran.err
