"""One name for one idea, and what is shown is used."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from command import Folder, Process, ragstone

from ragstone.cli.completion import places
from ragstone.cli.flags import READS_NO_SETTINGS, USES_ONE_THREAD
from ragstone.cli.main import commands, parser_of

KEPT = Path(__file__).parents[1] / "kept"
PLACES = {place.name: place for place in places(commands(), parser_of)}
EVERYWHERE = {"config", "no_config", "threads", "quiet", "debug"}


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command and action, with its parser."""
    for name in commands():
        (inner,) = [each for each in parser_of(name)._actions if each.dest == "command"]
        assert isinstance(inner.choices, dict)
        parser = inner.choices[name]
        yield name, parser
        for each in parser._actions:
            if isinstance(each, argparse._SubParsersAction):
                yield from ((f"{name} {action}", part) for action, part in each.choices.items())


PARSERS = dict(parsers())


def listed(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if action.option_strings and action.help is not argparse.SUPPRESS:
            yield action


# --- what every command takes ---


def test_every_command_takes_the_flags_of_every_command() -> None:
    lacking = [
        (place, flag)
        for place, parser in PARSERS.items()
        for flag in ("--threads", "--quiet", "--no-config", "--debug")
        if parser.get_default("run") and flag not in parser._option_string_actions
    ]
    assert lacking == []


def test_only_a_flag_of_every_command_is_taken_without_use() -> None:
    hidden = {
        (place, action.dest)
        for place, parser in PARSERS.items()
        for action in parser._actions
        if action.option_strings and action.help is argparse.SUPPRESS
    }
    unread = {(place, "no_config") for place in READS_NO_SETTINGS}
    assert hidden == unread | {(place, "threads") for place in USES_ONE_THREAD}


def test_a_flag_without_use_is_not_offered() -> None:
    offered = {name for flag in PLACES["init"].listed for name in flag.names}
    assert {"--threads", "--no-config"} & offered == set()


def test_strict_refuses_repeated_documents(ragstone: Process, folder: Folder) -> None:
    folder.write("results.jsonl", [{"qid": "A1", "doc_ids": ["d", "d"]}])
    folder.write("reference.jsonl", [{"qid": "A1", "document_ids": ["d"]}])
    words = ("context", "--results", "results.jsonl", "--reference", "reference.jsonl")
    new = ragstone(*words, "--no-repeats")
    assert (new.code, new.out) == (2, b"")
    assert ragstone(*words, "--strict").err == new.err
    assert ragstone(*words).code != 2


# --- one idea, one spelling ---

# What a flag says → the one spelling of it.
IDEAS = {
    r"\bcompare with\b": "--baseline",
    r"nothing to (test|measure)": "--strict",
    r"\bexit 1 if\b": "--exit-code",
    r"\b(knobs|grid)\b": "--knobs",
    r"^(also )?write (?!only)|^the folder for its|where .* (written|goes|go)\b": "--output",
    r"what to print": "--format",
    r"\bevery bad line\b": "--all-errors",
    r"one JSON object on standard": "--json",
    r"the folder or URL of the ledger": "--ledger",
    r"\btracebacks\b": "--debug",
    r"threads to use": "--threads",
}
# What a flag takes → the one spelling of it.
VALUES = {"K": "--k", "GRID.TOML": "--knobs", "FORMAT": "--format", "PLACE": "--ledger"}


def flags() -> Iterator[tuple[str, argparse.Action]]:
    for place, parser in PARSERS.items():
        for action in listed(parser):
            yield place, action


def test_an_idea_has_one_spelling_in_every_command() -> None:
    wrong = []
    for place, action in flags():
        says = (action.help or "").replace("%%", "%")
        wanted = {flag for pattern, flag in IDEAS.items() if re.search(pattern, says)}
        wanted |= {VALUES[str(action.metavar)]} if action.metavar in VALUES else set()
        wrong += [
            f"{place} {action.option_strings}: {each}"
            for each in wanted
            if each not in action.option_strings
        ]
    assert wrong == []


@pytest.mark.parametrize("flag", sorted({*IDEAS.values(), *VALUES.values()}))
def test_every_idea_is_one_that_a_command_has(flag: str) -> None:
    assert any(flag in action.option_strings for _, action in flags())


def test_flags_that_say_the_same_are_spelled_the_same() -> None:
    spelled: dict[str, set[str]] = {}
    for _, action in flags():
        says = re.sub(r" \([^)]*\)$", "", action.help or "")
        spelled.setdefault(says, set()).add(action.option_strings[-1])
    assert {says: names for says, names in spelled.items() if len(names) > 1} == {}


def test_flags_with_the_same_value_are_spelled_the_same() -> None:
    spelled: dict[str, set[str]] = {}
    for _, action in flags():
        spelled.setdefault(action.dest, set()).add(action.option_strings[-1])
    assert {dest: names for dest, names in spelled.items() if len(names) > 1} == {}


@pytest.mark.parametrize("flag", ["--strict", "--baseline", "--output", "--exit-code"])
def test_a_flag_begins_its_sentence_alike_everywhere(flag: str) -> None:
    said = {
        (action.help or "").split(":")[0] for _, action in flags() if flag in action.option_strings
    }
    if flag == "--output":
        # The file of a command is named for what it holds.
        assert all(re.match(r"also write FILE|the |where|what|a folder", each) for each in said)
    elif flag == "--exit-code":
        assert all(each.startswith("exit 1 if anything") for each in said)
    elif flag == "--baseline":
        assert all("to compare with" in each for each in said)
    else:
        assert len(said) == 1


# --- what is shown is used ---

# By place the command lines that read its flags between them.
RUNS = {
    "score": ["--gold gold.jsonl --trace good.jsonl"],
    "retrieval": ["--gold retrieval_gold.jsonl --log live.jsonl --manifest manifest.jsonl"],
    "retrieval calibrate": [
        "--gold retrieval_gold.jsonl --manifest manifest.jsonl --log bare_log.jsonl --dry-run"
    ],
    "canary": ["--gold retrieval_gold.jsonl --live live.jsonl --shadow shadow.jsonl"],
    "context": ["--results bm25.tsv --reference reference.tsv -o eval/"],
    "trec": ["qrels.txt bm25.run", "qrels.txt bm25.run --trec"],
    "latency score": ["--gold gold.jsonl --samples samples.jsonl"],
    "latency sweep": [
        "--target index:docs.index --gold gold.jsonl --rps 20 --duration 0.05 --warmup 0 -o s.jsonl"
    ],
    "agreement": ["--pairs pairs.jsonl"],
    "stability score": ["--gold gold.jsonl --runs runs.jsonl"],
    "stability run": ["--target index:docs.index --gold gold.jsonl --seeds 0 --jitters none"],
    "audit": ["--trace trace.jsonl"],
    "gate": ["--config answers.toml", ""],
    "compare": [
        "good.jsonl trace.jsonl --gold gold.jsonl",
        "live.jsonl shadow.jsonl --gold retrieval_gold.jsonl --suite retrieval",
        "bm25.tsv dense.jsonl --reference reference.tsv --suite context",
    ],
    "runs": ["", "--json"],
    "runs show": ["last"],
    "runs export": ["last -o exported"],
    "runs accept": ["last --name main --anyway"],
    "runs prune": ["--keep 1 --dry-run", "--older-than 1d --dry-run"],
    "trend": ["", "-o trend.md"],
    "verify": ["last"],
    "render": ["last"],
    "regate": ["last"],
    "calibrate-judge": [
        "--trace good.jsonl --judged judged.jsonl --labels said.jsonl --score faithfulness "
        "--model m --prompt prompt.md -o judge.json"
    ],
    "power": ["--gold gold.jsonl --trace good.jsonl"],
    "run": ["--target index:docs.index --gold gold.jsonl"],
    "index build": ["docs -o made"],
    "index query": ["docs.index novel"],
    "index diff": ["docs.index docs.index"],
    "index verify": ["docs.index"],
    "gold lint": ["weak.jsonl"],
    "gold new": ["--docs docs -o new.jsonl --yes", "--docs docs -o new.jsonl --accept none"],
    "gold from-traces": [
        "gold.jsonl --trace good.jsonl --list",
        "gold.jsonl --trace asked.jsonl --yes --by Ann -o next.jsonl",
        "gold.jsonl --run nowhere --list",
    ],
    "gold type": ["gold.jsonl", "gold.jsonl --accept all -o typed.jsonl"],
    "gold freeze": ["gold.jsonl --who Ann --why reviewed"],
    "gold verify": ["gold.jsonl"],
    "gold check": ["gold.jsonl --manifest manifest.jsonl"],
    "gold diff": ["gold.jsonl", "gold.jsonl weak.jsonl"],
    "migrate": ["manifest.jsonl new_manifest.jsonl"],
    "convert": ["--gold-from squad2 squad.json -o gold2.jsonl"],
    "check": ["gold.jsonl"],
    "schema": ["gold -o gold.schema.json"],
    "explain": ["precision -o precision.md"],
    "init": ["new"],
    # It ends at once where it cannot keep records.
    "serve": ["--data gold.jsonl --port 0"],
    "watch": ["trace.jsonl --once", "trace.jsonl --once --json"],
    "demo": [""],
    "vendor": ["", "tools"],
}
# The command line itself uses these, for every command: `--quiet` keeps what is noted on the way.
FROM_THE_WORDS = {"debug", "all_errors", "help", "quiet"}


class Watched(argparse.Namespace):
    """What was parsed; notes which values are asked for from then on."""

    read: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name == "run":
            # The command begins; what was read before is no use of a flag.
            Watched.read.clear()
        elif not name.startswith("_"):
            Watched.read.add(name)
        return super().__getattribute__(name)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with an input for every command; what runs in it is watched."""
    folder = tmp_path / "work"
    shutil.copytree(KEPT / "files", folder)
    shutil.copytree(KEPT / "format_1" / "ledger", folder / ".ragstone")
    scores = [{"qid": "L1", "name": "faithfulness", "score": 1.0}]
    (folder / "judged.jsonl").write_text("".join(json.dumps(each) + "\n" for each in scores))
    (folder / "said.jsonl").write_text('{"qid": "L1", "label": true}\n')
    (folder / "squad.json").write_text(json.dumps(SQUAD))
    (folder / "prompt.md").write_text("Is it faithful?")
    (folder / "asked.jsonl").write_text(
        '{"q": "Who?", "answer_json": {"claim": "not in context"}}\n'
    )
    (folder / "weak.jsonl").write_text('{"qid": "A", "answerable": true}\n')
    (folder / "tools").mkdir()
    (folder / "tools" / "score_eval.py").write_text("another")
    shutil.copy(KEPT / "format_1" / "gold.lock", folder)
    monkeypatch.setattr(argparse, "Namespace", Watched)
    return folder


SQUAD = {
    "data": [
        {
            "title": "X",
            "paragraphs": [
                {
                    "context": "A novel may be kept for three weeks.",
                    "qas": [
                        {
                            "id": "q1",
                            "question": "How long?",
                            "answers": [{"text": "three weeks", "answer_start": 24}],
                            "is_impossible": False,
                        }
                    ],
                }
            ],
        }
    ]
}


@pytest.mark.parametrize("place", RUNS)
def test_every_flag_that_is_shown_is_read(place: str, watched: Path) -> None:
    read: set[str] = set()
    for words in RUNS[place]:
        ran = ragstone(*place.split(), *shlex.split(words), cwd=watched)
        assert "fault in ragstone" not in ran.err
        read |= Watched.read
    shown = {action.dest for action in listed(PARSERS[place])}
    assert shown - read - FROM_THE_WORDS == set()
    # And what is read is shown, or else nobody would know of it.
    everywhere = EVERYWHERE - FROM_THE_WORDS
    assert (read & everywhere) - shown == set()


def test_every_place_is_tried() -> None:
    assert set(RUNS) == {name for name, parser in PARSERS.items() if parser.get_default("run")}


def test_a_flag_in_front_of_an_action_counts(ragstone: Process, folder: Folder) -> None:
    shutil.copytree(KEPT / "format_1" / "ledger", folder.work / "kept")
    behind = ragstone("runs", "show", "last", "--ledger", "kept")
    assert behind.code == 0
    assert ragstone("runs", "--ledger", "kept", "show", "last").out == behind.out
