"""One text under several ids is one question, in every suite: copies of questions prove nothing.

Every question of a set is asked again under new ids, with the same outcome. As long as its text
stays the same, no interval gets narrower, no gate is proven that was not, and no difference of two
runs gets surer. With texts of their own the copies are more questions, and some interval does.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder, Ran

from ragstone.suites import in_parts
from ragstone.suites.registry import entries

FILES = Path(__file__).parent / "kept" / "files"
COPIES = 5
# Of a log without gold it is counted over texts that were asked again: copies are what it is of.
OF_COPIES = {"audit": {" inconsistent"}}
LABELS = ("correct", "incorrect", "refusal")
Lines = list[dict[str, Any]]

# The command of each suite, and the files that hold its questions.
WITH_TEXTS = {
    "answers": "score --gold gold.jsonl --trace trace.jsonl --keep all",
    "retrieval": "retrieval --gold retrieval_gold.jsonl --log live.jsonl --manifest manifest.jsonl",
    "canary": "canary --gold retrieval_gold.jsonl --live live.jsonl --shadow shadow.jsonl "
    "--manifest manifest.jsonl",
    "context": "context --results dense.jsonl --reference reference.jsonl",
    "latency": "latency score --gold gold.jsonl --samples last_week.jsonl",
    "agreement": "agreement --gold gold.jsonl --trace trace.jsonl",
    "people": "agreement --gold gold.jsonl --trace trace.jsonl --labels labels.jsonl",
    "stability": "stability score --gold gold.jsonl --runs runs.jsonl",
    "audit": "audit --trace trace.jsonl --gates empty=0.5 unscoped=0.5",
}
WITHOUT_TEXTS = {"trec": "qrels and runs name queries by their ids, and hold no text of theirs"}
# Suites whose rows are compared, each with the file that the other run lacks lines of.
COMPARED = {
    "answers": "trace.jsonl",
    "retrieval": "live.jsonl",
    "context": "dense.jsonl",
    "audit": "trace.jsonl",
    "stability": "runs.jsonl",
}
NOT_COMPARED = {
    **WITHOUT_TEXTS,
    "canary": "it compares two logs itself",
    "latency": "it compares configurations itself, request by request",
    "agreement": "labels are compared with labels, not run with run",
    "people": "labels are compared with labels, not run with run",
}


def lines_of(name: str) -> Lines:
    """The lines of a kept file; what is not there is made from one that is."""
    if name == "labels.jsonl":
        asked = dict.fromkeys(line["qid"] for line in lines_of("trace.jsonl") if "qid" in line)
        return [{"qid": qid, "label": LABELS[n % 3]} for n, qid in enumerate(asked)]
    if name == "reference.jsonl":
        ids = "<urn:uuid:{:08x}-0000-4000-8000-000000000000>"
        return [
            {"qid": str(n), "question": f"What is {n}?", "document_ids": [ids.format(n + 1)]}
            for n in range(6)
        ]
    if name == "dense.jsonl":
        ids = "doc-<urn:uuid:{:08x}-0000-4000-8000-000000000000>::chunk-0"
        return [
            {"qid": str(n), "doc_ids": [ids.format(n + n % 2 + 1)], "system_name": "dense"}
            for n in range(6)
        ]
    text = (FILES / name).read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    if name == "shadow.jsonl":
        # The shadow index finds something else for two of the questions.
        for each in (
            each for line in lines if line["qid"] in ("R1", "R2") for each in line["topk"]
        ):
            each["id"] = f"S.9.9.{each['id']}"
    return lines


def copied(lines: Lines, copies: int, *, same: bool) -> Iterator[dict[str, Any]]:
    """Every line so often under ids of its own; with the `same` text, but for upper case."""

    def text_of(text: str, number: int) -> str:
        if same:
            return text.upper() if number % 2 else text
        return f"{text} ({number})"

    for number in range(copies):
        for line in lines:
            new = dict(line)
            for name in ("qid", "trace_id", "run_id"):
                if name in line and number:
                    new[name] = f"{line[name]}-{number}"
            for name in ("question", "q", "query"):
                if line.get(name):
                    new[name] = text_of(line[name], number)
            if "paraphrases" in line:
                new["paraphrases"] = [text_of(each, number) for each in line["paraphrases"]]
            yield new


def written(folder: Folder, words: str, copies: int, *, same: bool) -> None:
    for name in shlex.split(words):
        if name.endswith(".jsonl"):
            lines = lines_of(name)
            kept = lines if name == "manifest.jsonl" else copied(lines, copies, same=same)
            folder.write(name, [*kept])


def intervals(found: Mapping[str, Any]) -> dict[str, tuple[float, float] | None]:
    """Of each metric its interval, an open end as one that is infinitely far; None: no interval."""
    every = {}
    for arm, numbers in all_numbers(found):
        for name, each in numbers.items():
            low, high = each.get("interval") or (None, None)
            at = (float("-inf") if low is None else low, float("inf") if high is None else high)
            every[f"{arm} {name}"] = None if each.get("interval") is None else at
    return every


def all_numbers(found: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "", found["metrics"]
    for arm, each in (found.get("arms") or {}).items():
        yield arm, each.get("metrics", {})


def narrower(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    """Whether the other interval leaves out something that the one holds."""
    if other is None:
        return False
    return one is None or other[0] > one[0] + 1e-9 or other[1] < one[1] - 1e-9


def proven(found: Mapping[str, Any]) -> set[str]:
    return {name for name, gate in found["gates"].items() if gate.get("proven")}


def judged(command: Command, folder: Folder, suite: str, copies: int, *, same: bool) -> Ran:
    written(folder, WITH_TEXTS[suite], copies, same=same)
    ran = command(*shlex.split(WITH_TEXTS[suite]), "--no-config", "--json", "--quiet")
    assert ran.code in (0, 1, 3), ran.err
    return ran


def test_every_suite_is_in_a_table() -> None:
    names = {entry.name for entry in entries()}
    assert names == {*WITH_TEXTS, *WITHOUT_TEXTS}
    assert names == {*COMPARED, *NOT_COMPARED}


@pytest.mark.parametrize("suite", WITH_TEXTS)
def test_copies_of_a_text_prove_nothing(suite: str, folder: Folder, command: Command) -> None:
    once = judged(command, folder, suite, 1, same=True).json
    same = judged(command, folder, suite, COPIES, same=True).json
    other = judged(command, folder, suite, COPIES, same=False).json
    alone = intervals(once)
    surer = {name for name, ends in intervals(same).items() if narrower(alone[name], ends)}
    assert surer == OF_COPIES.get(suite, set())
    assert any(narrower(alone[name], ends) for name, ends in intervals(other).items())
    assert proven(same) <= proven(once)
    chances = [[each["p"] for each in found.get("flips", {}).values()] for found in (once, same)]
    assert all(many >= one - 1e-9 for one, many in zip(*chances, strict=True))


@pytest.mark.parametrize("suite", WITH_TEXTS)
def test_parts_give_the_same_bytes(
    suite: str, folder: Folder, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = judged(command, folder, suite, COPIES, same=True)
    monkeypatch.setattr(in_parts, "parts_for", lambda work, memory: 7)
    words = shlex.split(WITH_TEXTS[suite])
    assert command(*words, "--no-config", "--json", "--quiet", "--memory", "500MB") == whole


@pytest.mark.parametrize("suite", COMPARED)
def test_copies_make_no_difference_surer(suite: str, folder: Folder, command: Command) -> None:
    once, same, other = (
        differences(command, folder, suite, copies, same=same)
        for copies, same in ((1, True), (COPIES, True), (COPIES, False))
    )
    ends = {name: (each["low"], each["high"]) for name, each in once.items()}
    for name, each in same.items():
        assert not narrower(ends[name], (each["low"], each["high"])), name
        assert each["p"] is None or each["p"] >= once[name]["p"] - 1e-9, name
    assert any(narrower(ends[name], (each["low"], each["high"])) for name, each in other.items())


def differences(
    command: Command, folder: Folder, suite: str, copies: int, *, same: bool
) -> dict[str, Any]:
    """What a comparison says of a run, and of one that lacks every third line of it."""
    words = WITH_TEXTS[suite]
    for side in ("a", "b"):
        written(folder, words, 1, same=same)
        lines = lines_of(COMPARED[suite])
        kept = lines if side == "a" else [line for n, line in enumerate(lines) if n % 3]
        written(folder, words, copies, same=same)
        folder.write(COMPARED[suite], [*copied(kept, copies, same=same)])
        ran = command(*shlex.split(words), "--no-config", "--quiet", "-o", f"{side}.parquet")
        assert ran.code in (0, 1, 3), ran.err
    found = command("compare", "a.parquet", "b.parquet", "--no-config", "--json", "--quiet")
    assert found.code in (0, 1), found.err
    named: dict[str, Any] = found.json["difference"]
    return {name: each for name, each in named.items() if each["low"] is not None}
