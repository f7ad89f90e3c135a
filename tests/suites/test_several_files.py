"""Several files that answer the same questions are an error, until somebody says which is meant.

A file that was left over under a glob must not win, and must not water down what was measured; what
`ragstone.toml` says of several lines is said of the lines of one file.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import gold, trace, write_jsonl
from command import Command, Ran, ragstone
from packing import zstd

from ragstone.suites.registry import entries, find_suite

KEPT = Path(__file__).parent.parent / "kept" / "files"
FORMATS = Path(__file__).parent.parent / "formats"
# Every suite with inputs that may come in several files: a command, and the file given twice.
COMMANDS = {
    "answers.trace": ("score --gold gold.jsonl --trace {}", "trace.jsonl"),
    "agreement.trace": ("agreement --gold gold.jsonl --trace {}", "trace.jsonl"),
    "audit.trace": ("audit --trace {}", "trace.jsonl"),
    "canary.live": ("canary --gold retrieval_gold.jsonl --live {} --shadow shadow.jsonl",
                    "live.jsonl"),
    "canary.shadow": ("canary --gold retrieval_gold.jsonl --live live.jsonl --shadow {}",
                      "shadow.jsonl"),
    "latency.samples": ("latency score --gold gold.jsonl --samples {}", "samples.jsonl"),
    "latency.baseline": ("latency score --gold gold.jsonl --samples samples.jsonl --baseline {}",
                         "last_week.jsonl"),
    "people.trace": ("agreement --gold gold.jsonl --trace {} --labels said.jsonl", "trace.jsonl"),
    "retrieval.log": ("retrieval --gold retrieval_gold.jsonl --log {}", "live.jsonl"),
    "stability.runs": ("stability score --gold gold.jsonl --runs {}", "runs.jsonl"),
}  # fmt: skip
# Each of these files is a system, a validator or a rater, or no two lines may be of one question.
APART = {"agreement.raters", "context.results", "trec.runs"}


CONTAINERS: dict[str, Callable[[Path, Path], Path]] = {
    "Parquet": lambda path, folder: folder / "trace.parquet",
    "gzip": lambda path, folder: written(folder / "left_over.gz", gzip.compress(path.read_bytes())),
    "zstd": lambda path, folder: written(folder / "left_over.zst", zstd(path.read_bytes())),
    "array": lambda path, folder: written(
        folder / "left_over.json",
        json.dumps([json.loads(line) for line in path.read_text("utf-8").splitlines()]).encode(),
    ),
}


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    shutil.copytree(KEPT, folder)
    qids = [json.loads(line)["qid"] for line in (folder / "gold.jsonl").read_text().splitlines()]
    write_jsonl(folder / "said.jsonl", [{"qid": qid, "label": "correct"} for qid in qids])
    return folder


def run(folder: Path, words: str, *more: str) -> Ran:
    return ragstone(*words.split(), *more, "--no-config", "--quiet", cwd=folder)


def refused(ran: Ran, first: str, other: str) -> None:
    assert ran.code == 2, (ran.code, ran.out, ran.err)
    assert ran.err.count("\n") == 1
    assert f"{first} and {other} both answer " in ran.err
    assert "give one of the two" in ran.err and "--keep all" in ran.err


@pytest.mark.parametrize("case", COMMANDS)
def test_a_file_that_was_left_over_is_an_error(case: str, files: Path) -> None:
    words, name = COMMANDS[case]
    one = run(files, words.format(name))
    assert one.code in (0, 1, 3), one.err
    shutil.copy(files / name, files / "left_over.jsonl")
    refused(run(files, words.format(f"{name} left_over.jsonl")), name, "left_over.jsonl")
    both = run(files, words.format(f"{name} left_over.jsonl"), "--keep", "all")
    assert both.code in (0, 1, 3), both.err


@pytest.mark.parametrize("container", CONTAINERS)
def test_whatever_it_is_packed_in(container: str, files: Path) -> None:
    other = CONTAINERS[container](files / "trace.jsonl", files).name
    refused(run(files, f"audit --trace trace.jsonl {other}"), "trace.jsonl", other)


def test_every_input_of_several_files_is_looked_at() -> None:
    several = {
        f"{entry.name}.{each.name}"
        for entry in entries()
        for each in find_suite(entry.name).inputs
        # Where a key may be there once, it may be there once in all files.
        if each.many and not each.unique and each.name != "judged"
    }
    assert several - APART == set(COMMANDS)


def test_a_folder_and_a_glob_are_several_files(files: Path) -> None:
    (files / "runs").mkdir()
    for name in ("trace.jsonl", "trace_monday.jsonl"):
        shutil.copy(files / "trace.jsonl", files / "runs" / name)
    for word in ("runs", "runs/trace*.jsonl"):
        ran = run(files, f"score --gold gold.jsonl --trace {word}")
        refused(ran, "runs/trace.jsonl", "runs/trace_monday.jsonl")


def test_files_of_other_questions_are_one_log(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1"), gold("A2")])
    # A line that another of its file replaces is decided by --keep, and by ragstone.toml.
    write_jsonl(tmp_path / "one.jsonl", [trace("A1", "wrong"), trace("A1")])
    write_jsonl(tmp_path / "two.jsonl", [trace("A2")])
    assert run(tmp_path, "score --gold gold.jsonl --trace one.jsonl two.jsonl").code == 0


def test_what_a_file_keeps_is_of_one_file(command: Command) -> None:
    """Red stays red: `keep = "last"` took the file whose name comes last."""
    config = '[paths]\ngold = "gold.jsonl"\ntrace = "runs/trace*.jsonl"\n[answers]\nkeep = "last"\n'
    command.folder.write("ragstone.toml", config)
    command.folder.write("gold.jsonl", [gold("A1"), gold("A2")])
    command.folder.write("runs/trace.jsonl", [trace("A1", "wrong"), trace("A2", "wrong")])
    assert command("gate").code == 1
    command.folder.write("runs/trace_monday.jsonl", [trace("A1"), trace("A2")])
    for words in (("gate",), ("score",)):
        refused(command(*words), "runs/trace.jsonl", "runs/trace_monday.jsonl")
        assert command(*words, "--keep", "last").code == 0
        assert command(*words, "--keep", "first").code == 1


def test_gate_takes_keep_for_those_suites_that_know_the_word(command: Command) -> None:
    config = '[paths]\ngold = "gold.jsonl"\ntrace = "*.log"\n[answers]\n[audit.gates]\nempty = 0\n'
    command.folder.write("ragstone.toml", config)
    command.folder.write("gold.jsonl", [gold("A1")])
    for name in ("one.log", "two.log"):
        command.folder.write(name, [trace("A1")])
    ran = command("gate", "--keep", "last")
    assert ran.code == 2
    assert "give one of the two, or count the lines of both with --keep all" in ran.err
    assert command("gate", "--keep", "all").code == 0


def test_the_files_of_a_system_are_one_log(files: Path) -> None:
    shutil.copy(files / "trace.jsonl", files / "left_over.jsonl")
    score = "score --gold gold.jsonl --system old=good.jsonl --system new="
    assert run(files, f"{score}trace.jsonl").code in (0, 1)
    ran = run(files, f"{score}trace.jsonl left_over.jsonl")
    refused(ran, "trace.jsonl", "left_over.jsonl")


def test_the_older_shape_is_joined_first(files: Path) -> None:
    """A line that only asks has no qid, and answers the question all the same."""
    shutil.copy(files / "older.jsonl", files / "left_over.jsonl")
    ran = run(files, "score --gold gold.jsonl --trace older.jsonl left_over.jsonl")
    refused(ran, "older.jsonl", "left_over.jsonl")


def test_a_question_that_a_file_asks_under_other_seeds_is_another_run(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [{"qid": "A", "paraphrases": ["a?"], "relevant": ["p1"],
                                           "anchor_section": "", "negatives": []}])  # fmt: skip
    log = {"qid": "A", "query": "a?", "topk": [{"id": "p1", "score": 1}]}
    for seed in (1, 2):
        write_jsonl(tmp_path / f"log{seed}.jsonl", [{**log, "seed": seed}])
    words = "retrieval --index-only --gold gold.jsonl --log log1.jsonl log2.jsonl"
    assert run(tmp_path, words).code in (0, 3)
    write_jsonl(tmp_path / "log2.jsonl", [{**log, "seed": 1}])
    refused(run(tmp_path, words), "log1.jsonl", "log2.jsonl")


def test_files_of_another_tool_are_looked_at_one_by_one(command: Command) -> None:
    """They are translated together, so that their lines come from one file."""
    first = (FORMATS / "handmade_langfuse_observations.jsonl").read_text("utf-8")
    command.folder.write("gold.jsonl", [gold(f"Q{number}") for number in range(1, 9)])
    command.folder.write("one.jsonl", first)
    command.folder.write("two.jsonl", first.replace('"t1', '"t5').replace('"t2', '"t6'))
    words = ("score", "--gold", "gold.jsonl", "--from", "langfuse", "--trace")
    assert command(*words, "one.jsonl").code in (0, 1)
    refused(command(*words, "one.jsonl", "two.jsonl"), "one.jsonl", "two.jsonl")
    assert command(*words, "one.jsonl", "two.jsonl", "--keep", "last").code in (0, 1)
