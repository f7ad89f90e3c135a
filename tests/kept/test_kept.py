"""Files and reports that were kept: they are still read, and come to the same figures.

What a later version adds to a report is its own affair; what was in it must still be there.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder, Process
from kept.keep import CASES, KEPT, words_of
from once_a_session import ran_once

DECISIONS: dict[str, dict[str, Any]] = json.loads((KEPT / "decisions.json").read_bytes())

# Where a later version differs on purpose: "CASE:path.of.keys" (with * as a wildcard), and why.
WIDER = "Tango's interval alone was wrong up to 20 % a side; each end is now the wider of two"
EXCEPTIONS: dict[str, str] = {
    "context_systems:comparisons.*.interval.*": WIDER,
    "trec_systems:comparisons.*.interval.*": WIDER,
    **{
        f"{case}:{place}": WIDER
        for case in ("canary", "canary_eligible")
        for place in (
            "deltas*.interval.*",
            "drops.R@5_delta.needed",
            "gates.R@5_delta.interval.*",
            "gates.R@5_delta.needed.*",
            "metrics.R@*_delta.interval.*",
            "non_inferiority.needed",
        )
    },
}

# What a report says beside its figures, which every version may say in its own way.
NOT_COMPARED = {
    "version": "is another one",
    "digest": "covers the version",
    "inputs": "holds hashes, which other files of one case do not share",
    "warnings": "are sentences",
    "reading": "are sentences",
    "says": "is a sentence",
    "note": "is a sentence",
    "why": "is a sentence",
}


def differences(kept: Any, fresh: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where `fresh` lacks what was kept, or has another value there."""
    if isinstance(kept, dict) and isinstance(fresh, dict):
        for key, value in kept.items():
            if key in NOT_COMPARED:
                continue
            place = f"{at}.{key}".lstrip(".")
            if key in fresh:
                yield from differences(value, fresh[key], place)
            else:
                yield place, value, "nothing"
    elif isinstance(kept, list) and isinstance(fresh, list) and len(kept) == len(fresh):
        if all(isinstance(each, str) for each in (*kept, *fresh)):
            # Ids of one row: which they are counts, and not their order in the list.
            kept, fresh = sorted(kept), sorted(fresh)
        for number, (old, new) in enumerate(zip(kept, fresh, strict=True)):
            yield from differences(old, new, f"{at}.{number}")
    elif not same(kept, fresh):
        yield at, kept, fresh


def same(kept: Any, fresh: Any) -> bool:
    """Numbers may differ in their last digits, where a sum is taken in another order."""
    numbers = [type(each) in (int, float) for each in (kept, fresh)]
    if all(numbers):
        return math.isclose(kept, fresh, rel_tol=1e-9, abs_tol=1e-12)
    return type(kept) is type(fresh) and bool(kept == fresh)


def unexpected(case: str, kept: Any, fresh: Any) -> list[tuple[str, Any, Any]]:
    """Every difference that is no exception; an exception without a difference is one, too."""
    found = list(differences(kept, fresh))
    names = (case, "*")
    patterns = {
        each: each.partition(":")[2] for each in EXCEPTIONS if each.partition(":")[0] in names
    }
    stale = [
        (each, "an exception", "no difference")
        for each, pattern in patterns.items()
        if not each.startswith("*") and not any(fnmatchcase(at, pattern) for at, _, _ in found)
    ]
    allowed = patterns.values()
    left = [it for it in found if not any(fnmatchcase(it[0], each) for each in allowed)]
    return [*left, *stale]


def records(path: Path) -> list[dict[str, Any]]:
    """The lines of a table or of a JSONL file."""
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".tsv":
            return [number_cells(row) for row in csv.DictReader(file, delimiter="\t")]
        return [json.loads(line) for line in file]


def number_cells(row: dict[str, str]) -> dict[str, Any]:
    """A row with its numbers as numbers."""
    return {name: float(cell) if cell[:1].isdigit() else cell for name, cell in row.items()}


@pytest.fixture
def files(folder: Folder) -> Folder:
    """A folder with a copy of every kept file, in which commands run."""
    shutil.copytree(KEPT / "files", folder.work, dirs_exist_ok=True)
    return folder


@pytest.mark.parametrize("case", CASES)
def test_a_kept_command_comes_to_the_figures_of_its_report(case: str) -> None:
    ran, _ = ran_once(*words_of(case))
    assert ran.code == CASES[case]["code"], ran.err
    report = CASES[case].get("report", case)
    kept = json.loads((KEPT / "reports" / f"{report}.json").read_bytes())
    assert unexpected(case, kept, ran.json) == []


@pytest.mark.parametrize("name", DECISIONS)
def test_a_kept_toml_is_accepted_and_decides_as_it_did(
    files: Folder, command: Command, name: str
) -> None:
    ran = command("gate", "--config", name, "--json")
    assert ran.code == DECISIONS[name]["code"], ran.err
    gates = {gate: [it["status"], it["value"]] for gate, it in ran.json["gates"].items()}
    assert unexpected(name, DECISIONS[name]["gates"], gates) == []


def test_every_toml_and_every_report_is_compared() -> None:
    assert {path.name for path in (KEPT / "files").glob("*.toml")} == set(DECISIONS)
    reports = {case.get("report", name) for name, case in CASES.items()}
    assert {path.stem for path in (KEPT / "reports").iterdir()} == reports


def test_every_input_is_read_by_some_command() -> None:
    tomls = [path.read_text(encoding="utf-8") for path in (KEPT / "files").glob("*.toml")]
    commands = "\n".join([*(case["command"] for case in CASES.values()), *tomls])
    inputs = {path.name for path in (KEPT / "files").iterdir() if path.suffix != ".toml"}
    # The journal has a test of its own, below.
    assert {name for name in inputs if name not in commands} == {"asked.jsonl.journal"}


@pytest.mark.parametrize(
    ("case", "written"),
    [(name, written) for name, case in CASES.items() for written in case.get("writes", ())],
)
def test_the_rows_beside_a_report_are_as_they_were(case: str, written: str) -> None:
    _, folder = ran_once(*words_of(case))
    path = folder / written
    assert unexpected(path.name, records(KEPT / "rows" / path.name), records(path)) == []


# The journal of a run that stopped after twelve of sixteen questions

PIPELINE = """
import json

GOOD = {line["q"]: line for line in map(json.loads, open("good.jsonl", encoding="utf-8"))}


def answer(q, seed):
    with open("asked.txt", "a") as file:
        print(seed, q, file=file)
    return {name: GOOD[q][name] for name in ("answer_json", "retrieved_ids")}
"""


def test_a_kept_journal_is_taken_up_where_it_stopped(files: Folder, ragstone: Process) -> None:
    files.write("pipeline.py", PIPELINE)
    ran = ragstone(
        *("run", "--target", "py:pipeline:answer", "--gold", "gold.jsonl", "--seeds", "0-1"),
        *("-o", "asked.jsonl", "--timings", "timings.jsonl", "--no-config", "--json", "--quiet"),
    )
    assert ran.code == 0, ran.err
    assert [ran.json[name] for name in ("runs", "kept", "asked")] == [16, 12, 4]
    assert len((files.work / "asked.txt").read_text(encoding="utf-8").splitlines()) == 4
    kept = records(KEPT / "rows" / "asked.jsonl")
    assert unexpected("asked.jsonl", kept, records(files.work / "asked.jsonl")) == []


# The index


@pytest.mark.parametrize("words", [(), ("--docs", "docs")])
def test_a_kept_index_is_whole_and_up_to_date(
    files: Folder, command: Command, words: tuple[str, ...]
) -> None:
    ran = command("index", "verify", "docs.index", *words, "--no-config")
    assert ran.code == 0, ran.text


def test_a_kept_index_answers_as_it_did(files: Folder, command: Command) -> None:
    ran = command(
        *("run", "--target", "index:docs.index", "--gold", "gold.jsonl", "-o", "found.jsonl"),
        *("--timings", "timings.jsonl", "--no-config", "--quiet"),
    )
    assert ran.code == 0, ran.err
    kept = records(KEPT / "rows" / "index_traces.jsonl")
    assert unexpected("index_traces.jsonl", kept, records(files.work / "found.jsonl")) == []


# The comparison itself


@pytest.mark.parametrize(
    ("fresh", "places"),
    [
        ({"format": 1, "p": 0.3, "gates": {"p": {"status": "PASS"}}, "ids": ["a", "b"]}, []),
        ({"p": 0.1 + 0.2, "gates": {"p": {"status": "PASS"}}, "ids": ["b", "a"]}, []),
        ({"p": 0.3001, "gates": {"p": {"status": "PASS"}}, "ids": ["a", "b"]}, ["p"]),
        ({"p": None, "gates": {"p": {"status": "PASS"}}, "ids": ["a", "b"]}, ["p"]),
        ({"p": 0.3, "gates": {"p": {"status": "FAIL"}}, "ids": ["a"]}, ["gates.p.status", "ids"]),
        ({"p": 0.3, "gates": {}, "ids": ["a", "c"]}, ["gates.p", "ids.1"]),
    ],
)
def test_a_difference_is_found_where_it_is(fresh: Any, places: list[str]) -> None:
    kept = {"version": "0", "p": 0.3, "gates": {"p": {"status": "PASS"}}, "ids": ["a", "b"]}
    assert [place for place, _, _ in differences(kept, fresh)] == places


def test_the_json_that_is_kept_can_be_read_in_a_diff() -> None:
    assert sum(path.read_bytes().count(b"\n") for path in KEPT.rglob("*.json")) <= 2000


def test_an_exception_is_allowed_once_named_and_stale_without_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(EXCEPTIONS, "one:metrics.*.value", "the definition was mended")
    kept, fresh = {"metrics": {"p": {"value": 1}}}, {"metrics": {"p": {"value": 2}}}
    assert unexpected("one", kept, fresh) == []
    assert unexpected("two", kept, fresh) == [("metrics.p.value", 1, 2)]
    assert [it[0] for it in unexpected("one", kept, kept)] == ["one:metrics.*.value"]
