"""Every command whose time grows with its input says how much it has done, how fast, and what is
left; a new command is in one of these tables or fails."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TextIO

import pytest
from command import ragstone
from kept.keep import KEPT
from long_runs import one_in_three
from once_a_session import once

from ragstone.cli import main
from ragstone.progress import Progress, said_of
from ragstone.progress_task import Task, whole_of

JUDGED = ("scoring", "hashing", "measuring", "listing questions", "keeping the rows")
WRITTEN = ("writing rows.csv", "writing report.html")
FILES = "-o rows.csv -o report.html"

# Command → a command line over the kept files, and the phases that it must tell of.
TOLD: dict[str, tuple[str, tuple[str, ...]]] = {
    "score": (
        f"score --gold gold.jsonl --trace trace.jsonl --by tags --record {FILES}",
        ("reading trace", "slicing", *JUDGED, *WRITTEN, "recording the run"),
    ),
    "retrieval": (
        "retrieval --gold retrieval_gold.jsonl --log bare_log.jsonl --manifest manifest.jsonl "
        f"--texts texts.jsonl {FILES}",
        ("embedding", *JUDGED, *WRITTEN),
    ),
    "retrieval calibrate": (
        "retrieval calibrate --gold retrieval_gold.jsonl --manifest manifest.jsonl "
        "--log bare_log.jsonl --dry-run",
        ("embedding", "reading manifest"),
    ),
    "canary": (
        "canary --gold retrieval_gold.jsonl --live live.jsonl --shadow shadow.jsonl "
        f"--manifest manifest.jsonl {FILES}",
        (*JUDGED, *WRITTEN),
    ),
    "context": (
        f"context --results bm25.tsv --reference reference.tsv {FILES}",
        ("reading bm25.tsv", *JUDGED, *WRITTEN),
    ),
    "trec": (f"trec qrels.txt bm25.run {FILES}", ("reading", "scoring", "measuring", *WRITTEN)),
    "latency score": (
        f"latency score --gold gold.jsonl --samples samples.jsonl {FILES}",
        (*JUDGED, *WRITTEN),
    ),
    "agreement": (f"agreement --pairs pairs.jsonl {FILES}", (*JUDGED, *WRITTEN)),
    "stability score": (
        f"stability score --gold gold.jsonl --runs runs.jsonl {FILES}",
        (*JUDGED, *WRITTEN),
    ),
    "audit": (f"audit --trace trace.jsonl {FILES}", (*JUDGED, *WRITTEN)),
    "gate": (
        "gate --config everything.toml -o report.html",
        ("scoring", "hashing", "measuring", "writing report.html"),
    ),
    "compare": (
        "compare trace.jsonl good.jsonl --gold gold.jsonl -o report.html",
        ("scoring", "keeping the rows", "comparing", "writing report.html"),
    ),
    "verify": ("verify last", ("scoring", "hashing", "measuring")),
    "power": (
        "power --gold gold.jsonl --trace trace.jsonl",
        ("scoring", "measuring", "drawing questions"),
    ),
    "calibrate-judge": (
        "calibrate-judge --trace judged.jsonl --labels people.jsonl --score a --model m "
        "--prompt answers.toml -o judge.json",
        ("reading labels", "hashing"),
    ),
    "index build": (
        "index build docs -o built.index --calibrate gold.jsonl",
        ("reading documents", "ranking", "calibrating", "counting words"),
    ),
    "index query": ("index query docs.index fine", ("reading manifest.jsonl", "ranking")),
    "index diff": ("index diff docs.index docs.index", ("reading manifest.jsonl",)),
    "index verify": (
        "index verify docs.index --docs docs",
        ("reading manifest.jsonl", "reading documents"),
    ),
    "gold lint": (
        "gold lint gold.jsonl --docs docs",
        ("reading gold.jsonl", "checking", "looking for questions asked twice"),
    ),
    "gold from-traces": (
        "gold from-traces gold.jsonl --trace asked.jsonl --list",
        ("reading asked.jsonl", "comparing"),
    ),
    "gold new": ("gold new --docs docs --list", ("reading documents",)),
    "gold type": ("gold type gold.jsonl", ("reading gold.jsonl", "proposing")),
    "gold freeze": (
        "gold freeze gold.jsonl --who me --why right",
        ("checking", "reading gold.jsonl", "writing gold.lock"),
    ),
    "gold verify": ("gold verify frozen.jsonl", ("reading frozen.jsonl",)),
    "gold diff": (
        "gold diff gold.jsonl frozen.jsonl",
        ("reading gold.jsonl", "reading frozen.jsonl", "comparing"),
    ),
    "gold check": (
        "gold check gold.jsonl --docs docs",
        ("reading gold.jsonl", "reading documents", "looking for evidence"),
    ),
    "migrate": (
        "migrate manifest.jsonl new_manifest.jsonl --gold retrieval_gold.jsonl -o new.jsonl "
        "-o report.html",
        (
            "reading manifest.jsonl",
            "reading new_manifest.jsonl",
            "reading retrieval_gold.jsonl",
            "indexing the new chunks",
            "looking for the old chunks",
            "judging",
            "hashing",
            "rewriting the gold set",
            "writing new.jsonl",
            "writing report.html",
        ),
    ),
    "convert": (
        "convert kilt.jsonl --gold-from kilt -o made.jsonl",
        ("translating", "checking", "writing made.jsonl"),
    ),
    "check": ("check gold.jsonl trace.jsonl", ("checking",)),
}

# Files of one line that the kept ones do not have.
MORE = {
    "kilt.jsonl": '{"id": "L1", "input": "Who?", "output": [{"answer": "Ann", "provenance": '
    '[{"wikipedia_id": "7", "start_paragraph_id": 1, "end_paragraph_id": 1}]}]}',
    "judged.jsonl": '{"qid": "L1", "answer_json": {"claim": "x", "citations": []}, '
    '"judge": {"a": 1}}',
    "asked.jsonl": '{"q": "May I read Bk1?", "answer_json": {"claim": "Yes.", '
    '"citations": ["p"]}, "retrieved_ids": ["p"]}',
    "people.jsonl": '{"qid": "L1", "label": true}',
}

# Why a command tells of nothing.
SILENT = {
    "run": "has a bar of its own: questions answered, rate, time left (targets/runner.py)",
    "stability run": "the same bar as run",
    "latency sweep": "asks at a pace that is given, for as long as is given",
    "serve": "runs until it is stopped",
    "watch": "runs until it is stopped",
    "runs": "recordings are a few kilobytes each",
    "runs show": "one recording",
    "runs export": "copies a run whose size a report bounds",
    "runs accept": "one small file",
    "runs prune": "removes folders",
    "trend": "recordings are a few kilobytes each",
    "render": "a report is bounded, whatever was scored",
    "regate": "a report is bounded, whatever was scored",
    "schema": "has no input",
    "explain": "has no input",
    "init": "has no input",
    "demo": "its input never changes",
    "vendor": "has no input",
}
# Of what comes in or goes out through a pipe nobody knows how much there is; and the gold set is
# read beside an empty table, which has no bytes.
ENDLESS = ("printing", "reading live")


def places() -> Iterator[str]:
    """Every command of the registry, with its actions."""
    for name in main.commands():
        actions: dict[str, object] = {}
        alone = True
        if name in (*main.OTHERS, *main.WITH_ACTIONS):
            module = import_module(f"ragstone.cli.{name.replace('-', '_')}")
            actions = getattr(module, "ACTIONS", {})
            alone = not actions or hasattr(module, "configure")
        if alone:
            yield name
        yield from (f"{name} {action}" for action in actions)


def test_every_command_is_in_one_of_the_tables() -> None:
    assert sorted(places()) == sorted([*TOLD, *SILENT])


@dataclass
class Seen:
    """What a user could have been told at the end of each phase; and by the innermost ones."""

    lines: dict[str, str] = field(default_factory=dict)
    innermost: list[tuple[Task, str]] = field(default_factory=list)
    wholes: list[float] = field(default_factory=list)
    outermost: list[str] = field(default_factory=list)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    """Notes every phase of the command, however short it is: a clock goes on at every look."""
    made = Seen()
    ticks = iter(range(1, 10**9))

    class Watched(Progress):
        def __init__(self, stream: TextIO) -> None:
            super().__init__(stream, lambda: float(next(ticks)))
            self.around: list[Task] = []

        @contextmanager
        def doing(self, task: Task) -> Iterator[Task]:
            self.around += self._tasks
            if not self._tasks:
                made.outermost.append(task.what)
            with super().doing(task):
                yield task
                with self._lock:
                    self.note(task)

        def note(self, task: Task) -> None:
            stack = self._tasks[: self._tasks.index(task) + 1]
            whole = whole_of(stack)
            if stack[0].steps and whole is not None:
                made.wholes.append(whole)
            if task.unit:
                made.lines[task.what] = said_of(stack, self._clock(), width=1000)
            if not any(task is each for each in self.around):
                made.innermost.append((task, task.says(self._clock())))

    monkeypatch.setattr(main, "Progress", Watched)
    return made


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return prepared(tmp_path / "files")


def prepared(folder: Path) -> Path:
    """All that the command lines read, in the folder."""
    return shutil.copytree(once("told", prepare)[1], folder)


def prepare(folder: Path) -> None:
    shutil.copytree(KEPT / "files", folder, dirs_exist_ok=True)
    for name, line in MORE.items():
        (folder / name).write_text(f"{line}\n", encoding="utf-8")
    # A gold set that was frozen and has changed since, for what is the same to the byte is not
    # read; and a run that was recorded.
    gold = (folder / "gold.jsonl").read_text(encoding="utf-8")
    (folder / "frozen.jsonl").write_text(gold, encoding="utf-8")
    words = ("gold", "freeze", "frozen.jsonl", "--who", "me", "--why", "it is right")
    assert ragstone(*words, "--no-config", "--quiet", cwd=folder).code == 0
    (folder / "frozen.jsonl").write_text(gold.replace("?", "??", 1), encoding="utf-8")
    score = "score --gold gold.jsonl --trace trace.jsonl --record --quiet --no-config"
    assert ragstone(*shlex.split(score), cwd=folder).code in (0, 1)


def words_of(place: str) -> list[str]:
    words = shlex.split(TOLD[place][0])
    return words if "--config" in words or place.startswith("index") else [*words, "--no-config"]


@pytest.mark.parametrize("place", TOLD)
def test_every_phase_tells_units_and_rate_and_all_of_it_when_it_ends(
    place: str, files: Path, seen: Seen
) -> None:
    ran = ragstone(*words_of(place), cwd=files)
    assert ran.code in (0, 1, 3), ran.err
    assert not set(TOLD[place][1]) - set(seen.lines), seen.lines
    for task, said in seen.innermost:
        assert re.search(r": [\d,]+( of [\d,]+)? \S.*, [\d,.]+( MB)?/s", said), said
        assert task.total or task.what in ENDLESS, task.what
    # One bar for all but the lines that are printed in the end: and it never goes back.
    assert len([what for what in seen.outermost if what != "printing"]) == 1, seen.outermost
    assert seen.wholes == sorted(seen.wholes)


@pytest.mark.parametrize("place", one_in_three(TOLD))
def test_nothing_is_told_where_a_command_is_to_be_quiet(
    place: str, files: Path, seen: Seen
) -> None:
    if place != "verify":
        assert ragstone(*words_of(place), "--quiet", cwd=files).code in (0, 1, 3)
    assert not seen.innermost
