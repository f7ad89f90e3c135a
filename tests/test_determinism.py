"""The same inputs give the same bytes: whatever the threads, the folder, the packing, the order."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace
from command import Command, Folder, Process

import ragstone
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.suites.digest import digest
from ragstone.suites.evaluate import run as evaluate
from ragstone.suites.registry import find_suite

FORMATS = ("report.json", "report.md", "report.html")


def questions() -> list[dict[str, Any]]:
    """Enough of every kind that each list of the report has something to order."""
    kinds = [
        gold(f"Q{n:04}", tags=[f"t{n % 7}", "all"], level=n % 3, answerable=n % 5 != 0)
        for n in range(600)
    ]
    for item in kinds[::11]:
        item["constraints"] = ["X rejects null keys."]
    return kinds


def answers() -> list[dict[str, Any]]:
    made = []
    for number, item in enumerate(questions()):
        qid, pick = item["qid"], number % 9
        if pick == 0:
            continue
        row = refusal(qid) if pick == 1 else trace(qid)
        if pick == 2:
            row = trace(qid, "X allows null keys, é", ["p9#9"], [f"p{n}#1" for n in range(8)])
        if pick == 3:
            row = trace(qid, "Not in context.", cites=[])
        made.append(row)
        if pick == 4:
            made.append(trace(qid, "the second line wins", ["p1#2"]))
    return [*made, trace("unknown"), {"retrieved_ids": ["p1#1"]}]


def shuffled(rows: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """The rows in another order, in which those of one qid keep theirs."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    places: dict[object, list[int]] = {}
    for row in rows:
        places.setdefault(row.get("qid"), [])
    for place in order:
        places[rows[place].get("qid")].append(place)
    ranks = {qid: iter(sorted(found)) for qid, found in places.items()}
    return [rows[next(ranks[rows[place].get("qid")])] for place in order]


@pytest.fixture
def filled(folder: Folder) -> Folder:
    folder.write("gold.jsonl", questions())
    folder.write("trace.jsonl", answers())
    return folder


WORDS = ("--by", "tags", "level", "--all", "--confidence", "0.9", "--gates", "recall@5=0.5")


def reports(run: Command | Process, folder: Path, *words: str, **options: Any) -> list[bytes]:
    outputs = [word for name in FORMATS for word in ("-o", str(folder / name))]
    ran = run("score", *words, *WORDS, *outputs, "--json", **options)
    assert ran.code == 1
    found = [(folder / name).read_bytes() for name in FORMATS]
    assert ran.out == found[0]
    return found


def test_shuffling_keeps_the_order_within_a_qid() -> None:
    rows = [{"qid": str(n % 3), "n": n} for n in range(30)]
    mixed = shuffled(rows, 1)
    assert mixed != rows
    assert sorted(mixed, key=lambda row: (row["qid"], row["n"])) == sorted(
        mixed, key=lambda row: row["qid"]
    )


def test_the_same_bytes_twice_with_any_number_of_threads(filled: Folder, command: Command) -> None:
    inputs = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")
    first = reports(command, filled.work, *inputs)
    assert reports(command, filled.work, *inputs) == first
    for threads in ("1", "2", "3"):
        assert reports(command, filled.work, *inputs, "--threads", threads) == first


def test_the_same_bytes_from_another_folder_in_another_environment(
    filled: Folder, command: Command, ragstone: Process, tmp_path: Path
) -> None:
    first = reports(command, filled.work, "--gold", "gold.jsonl", "--trace", "trace.jsonl")
    away = tmp_path / "away"
    away.mkdir()
    inputs = ("--gold", str(filled.work / "gold.jsonl"), "--trace", "../work/tr*.jsonl")
    odd = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "7", "COLUMNS": "20"}
    assert reports(ragstone, away, *inputs, cwd=away, env=odd) == first
    shown = [ragstone("explain"), ragstone("explain", env=odd)]
    shown += [ragstone("score", *inputs, cwd=away), ragstone("score", *inputs, cwd=away, env=odd)]
    assert shown[0] == shown[1] and shown[2] == shown[3]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_bytes_from_shuffled_split_and_packed_files(
    seed: int, filled: Folder, command: Command
) -> None:
    first = reports(command, filled.work, "--gold", "gold.jsonl", "--trace", "trace.jsonl")
    filled.write("g.jsonl", shuffled(questions(), seed))
    mixed = shuffled(answers(), seed)
    # The lines of a question stay in one file: files that answer the same questions are refused.
    early = {row.get("qid") for row in mixed[:100]}
    filled.write("t1.jsonl", [row for row in mixed if row.get("qid") in early])
    others = (row for row in mixed if row.get("qid") not in early)
    rest = "".join(json.dumps(row) + "\r\n" for row in others)
    filled.write("t2.jsonl.gz", gzip.compress(rest.encode()))
    assert reports(command, filled.work, "--gold", "g.jsonl", "--trace", "t?.jsonl*") == first


def test_what_is_warned_of_is_part_of_the_digest(folder: Folder) -> None:
    """The rows, the settings and the counts may be the same, and what is to be known another."""
    folder.write("gold.jsonl", [gold("A1")])
    folder.write("trace.jsonl", [trace("A1")])
    with Duck() as duck:
        files = {name: (Source(name, folder.work / f"{name}.jsonl"),) for name in ("gold", "trace")}
        suite = find_suite("answers")
        outcome = evaluate(suite, duck, files, suite.options())
    assert digest(outcome) == outcome.digest
    assert digest(replace(outcome, warnings=("another",))) != outcome.digest


@pytest.mark.parametrize("small", [0, 10**9], ids=["proven", "read"])
def test_the_same_bytes_however_the_lines_are_spelled(
    small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.engine.read_lines._SMALL", small)
    rows = answers()
    spellings = (
        [json.dumps(row) for row in rows],
        [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows],
        [json.dumps(row, indent=1).replace("\n", " ") + "\r" for row in rows],
        [json.dumps(dict(reversed(row.items()))) for row in rows],
        [json.dumps({**row, "meta": {f"k{n}": [n, {}]}}) for n, row in enumerate(rows)],
    )
    made = set()
    for number, lines in enumerate(spellings):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8", newline="")
        made.add(ragstone.score(questions(), path).to_json())
    assert len(made) == 1


def test_the_digest_changes_with_the_input_the_configuration_and_nothing_else(
    filled: Folder, command: Command
) -> None:
    def digest(*words: str) -> object:
        return command.score("--json", *words).json["digest"]

    first = digest()
    assert digest("--threads", "1", "--quiet", "--no-config") == first
    changed = [digest("--k", "4"), digest("--gates", "chr=0.5"), digest("--strict")]
    rows = answers()
    rows[0]["answer_json"]["claim"] += " "
    filled.write("trace.jsonl", rows)
    changed.append(digest())
    items = questions()
    items[0]["gold_claim_substr"].append("another one")
    filled.write("gold.jsonl", items)
    changed.append(digest())
    assert len({first, *changed}) == 6
