"""`ragstone gate`: the suites that ragstone.toml names, and one decision."""

from __future__ import annotations

import pytest
from builders import gold, trace
from command import Command, Folder
from suites.retrieval.retrieval_builders import full, item

TOML = """
[paths]
gold = "gold.jsonl"
trace = ["trace*.jsonl"]
[answers.gates]
precision = 0.9
"""


@pytest.fixture(autouse=True)
def good(folder: Folder) -> None:
    folder.fill()
    folder.write("ragstone.toml", TOML)


def test_the_named_suite_decides(command: Command, folder: Folder) -> None:
    ran = command("gate", "--json")
    assert (ran.code, ran.json["decision"], ran.json["pass"]) == (0, "PASS", True)
    assert ran.json["gates"]["answers.precision"]["threshold"] == 0.9
    assert ran.json["metrics"]["answers.chr"]["value"] == 1.0
    assert ran.json["suites"]["answers"]["answered"] == 1
    assert len(ran.json["digest"]) == 64
    folder.write("trace.jsonl", [trace("A1", "no")])
    assert command("gate").code == 1


def test_it_gives_the_same_numbers_as_score(command: Command) -> None:
    gated, scored = command("gate", "--json").json, command("score", "--json").json
    assert gated["suites"]["answers"] == scored


def test_a_file_with_paths_alone_runs_the_answers(command: Command, folder: Folder) -> None:
    folder.write("ragstone.toml", TOML.partition("[answers")[0])
    assert command("gate", "--json").json["gates"]["answers.precision"]["threshold"] == 0.8


def test_strict_and_confidence_hold_for_every_suite(command: Command, folder: Folder) -> None:
    ran = command("gate", "--json", "--confidence", "0.95")
    assert (ran.code, ran.json["decision"]) == (3, "UNMEASURABLE")
    folder.write("gold.jsonl", [gold("A1")])
    assert command("gate", "--strict").code == 3


def test_flags_win_over_the_files_paths(command: Command, folder: Folder) -> None:
    folder.write("other.jsonl", [trace("A1", "no")])
    assert command("gate", "--trace", "other.jsonl").code == 1


def test_all_formats_are_written(command: Command, folder: Folder) -> None:
    ran = command(
        "gate", "-f", "github", "-o", "r.html", "-o", "r.xml", "-o", "r.md", "-o", "r.json"
    )
    assert ran.code == 0
    assert {"work/r.html", "work/r.xml", "work/r.md", "work/r.json"} <= folder.files()


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("", "ragstone.toml names no suite; add a table such as [answers]"),
        ("[retrieval.gates]\n", "ragstone.toml names no suite"),
        ("[answers]\n", "no gold set: give --gold FILE, or set paths.gold in ragstone.toml"),
    ],
)
def test_a_file_that_names_nothing_to_run_is_wrong(
    toml: str, says: str, command: Command, folder: Folder
) -> None:
    folder.write("ragstone.toml", toml)
    ran = command("gate")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(f"ragstone: {says}")


def test_without_a_file_there_is_nothing_to_gate(command: Command) -> None:
    ran = command("gate", "--no-config")
    assert ran.code == 2
    assert ran.err == (
        "ragstone: no ragstone.toml, and so no gates; `ragstone init` writes one\n"
    )  # fmt: skip


LOGS = '[retrieval]\nlog = "log.jsonl"\n'


def test_two_logs_are_a_canary_and_one_is_an_index(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [item()])
    folder.write("log.jsonl", full())
    folder.write("ragstone.toml", f'[paths]\ngold = "gold.jsonl"\n{LOGS}')
    assert list(command("gate", "--json").json["suites"]) == ["retrieval"]
    folder.write("ragstone.toml", f'{LOGS}gold = "gold.jsonl"\nlive = "log.jsonl"\n')
    assert list(command("gate", "--json").json["suites"]) == ["retrieval"]
    both = f'{LOGS}gold = "gold.jsonl"\nlive = "log.jsonl"\nshadow = ["log.jsonl"]\n'
    folder.write("ragstone.toml", both)
    ran = command("gate", "--json", "--gates", "R@5_delta=-0.01").json
    assert list(ran["suites"]) == ["canary"]
    assert ran["gates"]["canary.R@5_delta"]["threshold"] == -0.01


def test_the_shared_gold_set_is_that_of_the_answers(command: Command, folder: Folder) -> None:
    folder.write("log.jsonl", full())
    folder.write("ragstone.toml", TOML + LOGS)
    for words in (("gate",), ("gate", "--gold", "gold.jsonl"), ("retrieval",)):
        ran = command(*words)
        assert ran.code == 2
        assert ran.err == (
            "ragstone: no gold set: give --gold FILE, or set retrieval.gold in ragstone.toml\n"
        )
    folder.write("asked.jsonl", [item()])
    folder.write("ragstone.toml", f'{TOML}{LOGS}gold = "asked.jsonl"\n')
    assert list(command("gate", "--json").json["suites"]) == ["answers", "retrieval"]
