"""Nothing to test is no pass: of every suite, with inputs, fields, repeats and gold taken away.

From what ships, one thing after another is taken away. Whatever is left, a verdict that lets it
ship rests on a tested gate on the suite's main question, and counts only gates that were tested.
What the main question is, is written down here once more, from the specification.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import Ran, ragstone
from long_runs import one_in_three

FILES = Path(__file__).parent / "kept" / "files"
# What ships of each suite, from files that each hold one object or one row a line.
SHIPS = {
    "answers": "score --gold gold.jsonl --trace good.jsonl --scu_enforced",
    "retrieval": "retrieval --gold retrieval_gold.jsonl --log live.jsonl --manifest manifest.jsonl",
    "index_only": "retrieval --gold retrieval_gold.jsonl --log live.jsonl --index-only",
    "canary": "canary --gold retrieval_gold.jsonl --live shadow.jsonl --shadow live.jsonl "
    "--manifest manifest.jsonl",
    "context": "context --results dense.jsonl --reference reference.tsv --gates context_recall=0.5",
    "trec": "trec qrels.txt bm25.run -m ndcg@10 map --gates ndcg@10=0.6",
    "latency": "latency score --gold gold.jsonl --samples last_week.jsonl --gates errors=0.1 "
    "p95=9999 p95_relaxed=9999",
    "agreement": "agreement --scholar scholar.jsonl --auditor auditor.jsonl "
    "--gates percent_agreement=0.8 kappa=0.1 abstain_rate=0.5",
    "stability": "stability score --gold gold.jsonl --runs runs.jsonl "
    "--gates css=0.5 ned50=0.5 rcr=0.5 acr=0.1 cghc=0.1 scu_cons=0.1",
    "audit": "audit --trace good.jsonl --gates empty=0.5 unscoped=0.5",
}
RECALLS = tuple(f"R@{k}" for k in (1, 3, 5, 10))
PERCENTILES = ("p50", "p90", "p95", "p99", "p95_relaxed")
Found = dict[str, Any]
Lines = list[dict[str, Any]]


# What a verdict has to rest on


def metrics_tested(found: Found) -> set[str]:
    """The metrics of the gates that pass and had something to test."""
    gates = found["gates"].values()
    return {gate["metric"] for gate in gates if gate["status"] == "PASS" and gate["tested"]}


def of_answers(found: Found, folder: Path) -> bool:
    asks = "under_refusal" if not found["answerable"] else "precision"
    return bool({"precision", asks} & metrics_tested(found))


def of_latency(found: Found, folder: Path) -> bool:
    answered = any("answer_json" in line for line in lines_of(folder / "last_week.jsonl"))
    return answered and bool({*PERCENTILES} & metrics_tested(found))


def of_stability(found: Found, folder: Path) -> bool:
    asked = [line["qid"] for line in lines_of(folder / "runs.jsonl")]
    return len(set(asked)) < len(asked) and bool(metrics_tested(found) - {"no_runs"})


RESTS_ON: Mapping[str, Callable[[Found, Path], bool]] = {
    "answers": of_answers,
    "retrieval": lambda found, _: bool({"coverage", *RECALLS} & metrics_tested(found)),
    "canary": lambda found, _: bool({f"{name}_delta" for name in RECALLS} & metrics_tested(found)),
    "latency": of_latency,
    "agreement": lambda found, _: "percent_agreement" in metrics_tested(found),
    "stability": of_stability,
    **dict.fromkeys(
        ("index_only", "context", "trec", "audit"), lambda found, _: bool(metrics_tested(found))
    ),
}


# What is taken away


def lines_of(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


Take = Callable[[Lines], Lines]


def without(place: tuple[str, ...]) -> Take:
    """Every line without a field."""

    def take(lines: Lines) -> Lines:
        for line in lines:
            inside = line if len(place) == 1 else line.get(place[0], {})
            inside.pop(place[-1], None)
        return lines

    return take


def emptied(name: str) -> Take:
    """Every line with an empty list in place of one that holds something."""
    return lambda lines: [{**line, name: []} if line.get(name) else line for line in lines]


def only(name: str, value: object) -> Take:
    return lambda lines: [line for line in lines if line.get(name) == value]


def once(lines: Lines) -> Lines:
    """The first line of each question."""
    return [*{line["qid"]: line for line in reversed(lines)}.values()]


def taken_from(lines: Lines) -> Iterator[tuple[str, Take]]:
    """All that can be taken away from the lines of a file, by what it is called."""
    yield "all lines", lambda some: []
    yield "all lines but one", lambda some: some[:1]
    if all("qid" in line for line in lines):
        yield "repeats", once
    names = dict.fromkeys(name for line in lines for name in line)
    for name in names:
        values = [line[name] for line in lines if name in line]
        yield name, without((name,))
        if any(isinstance(value, list) for value in values):
            yield f"entries of {name}", emptied(name)
        inner = dict.fromkeys(key for each in values if isinstance(each, dict) for key in each)
        for key in inner:
            yield f"{name}.{key}", without((name, key))
        scalars = [value for value in values if isinstance(value, str | int | float)]
        different = dict.fromkeys(scalars)
        if 1 < len(different) < 4:
            for value in different:
                yield f"all but {name}={value}", only(name, value)


def removals() -> list[tuple[str, str, str]]:
    """Suite, file and what is taken away from it; of a suite's flags, what is not given."""
    found = []
    for suite, command in SHIPS.items():
        for word in shlex.split(command):
            if word.endswith(".jsonl"):
                every = [name for name, _ in taken_from(lines_of(FILES / word))]
                found += [(suite, word, name) for name in every]
            elif (FILES / word).is_file():
                found += [(suite, word, name) for name in ("all lines", "all lines but two")]
            elif "=" in word:
                found.append((suite, "--gates", word))
    return found


@cache
def good(suite: str) -> tuple[str, ...]:
    return tuple(shlex.split(SHIPS[suite]))


def without_this(folder: Path, suite: str, file: str, what: str, *more: str) -> Ran:
    """The command with one thing taken away."""
    shutil.copytree(FILES, folder, ignore=shutil.ignore_patterns("docs*"))
    words = list(good(suite))
    path = folder / file
    if file == "--gates":
        name = what.partition("=")[0]
        words[words.index(what)] = f"{name}=off"
    elif file.endswith(".jsonl"):
        take = dict(taken_from(lines_of(path)))[what]
        rows = (json.dumps(line, ensure_ascii=False) + "\n" for line in take(lines_of(path)))
        path.write_text("".join(rows), encoding="utf-8")
    else:
        kept = 0 if what == "all lines" else 2
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:kept]))
    return ragstone(*words, *more, "--no-config", "--json", "--quiet", cwd=folder)


def must_rest_on_something(found: Found, suite: str, folder: Path) -> None:
    """What holds of every report, and of one that ships."""
    gates = found["gates"]
    for name, gate in gates.items():
        # No gate passes, or is proven, on nothing.
        if gate["status"] == "PASS" or gate["proven"]:
            assert gate["tested"] > 0 and gate["value"] is not None, name
        assert (gate["status"] == "NOT TESTED") <= (gate["tested"] == 0), name
    if gates:
        counted = [name for name, gate in gates.items() if gate["status"] != "NOT TESTED"]
        assert found["proven"]["of"] == len(counted)
    if found["decision"] == "PASS":
        assert RESTS_ON[suite](found, folder), gates
        assert not [name for name, gate in gates.items() if gate.get("required")]


@pytest.mark.parametrize("suite", SHIPS)
def test_with_everything_it_ships(suite: str) -> None:
    ran = ragstone(*good(suite), "--no-config", "--json", "--quiet", cwd=FILES)
    assert (ran.code, ran.json["decision"]) == (0, "PASS"), ran.err
    must_rest_on_something(ran.json, suite, FILES)


@pytest.mark.parametrize(("suite", "file", "what"), one_in_three(removals()))
def test_nothing_ships_on_nothing(suite: str, file: str, what: str, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    ran = without_this(folder, suite, file, what)
    if ran.code == 2:
        # Then nothing was scored.
        assert ran.err
        return
    found = ran.json
    must_rest_on_something(found, suite, folder)
    codes = {"PASS": 0, "FAIL": 1, "UNMEASURABLE": 3, None: 0}
    assert ran.code == codes[found["decision"]]
    assert (found["pass"] is True) == (found["decision"] == "PASS")


RECORDED = [
    (suite, file, what)
    for suite, file, what in removals()
    if file == "--gates" or what.startswith("all lines but") or what == "repeats"
]


@pytest.mark.parametrize(("suite", "file", "what"), one_in_three(RECORDED))
def test_what_was_recorded_ships_no_more_than_it_did(
    suite: str, file: str, what: str, tmp_path: Path
) -> None:
    """That the bytes agree is all that `verify` says, with 0; it is no verdict on the run."""
    folder = tmp_path / "files"
    ran = without_this(folder, suite, file, what, "--record")
    if ran.code == 2:
        return
    decision = ran.json["decision"]
    (recorded,) = ragstone("runs", "--json", cwd=folder).json["recordings"]
    assert recorded["decision"] == decision
    if decision is not None:
        again = ragstone("regate", "last", "--json", cwd=folder)
        assert (again.code, again.json["decision"]) == (ran.code, decision)
    (shown,) = ragstone("serve", "--get", "/runs.json", cwd=folder).json["runs"]
    assert shown["decision"] == (decision or "")
    said = ragstone("verify", "last", "--no-config", cwd=folder)
    assert (said.code, re.findall("SHIP|PASS|PROMOTE", said.text)) == (0, [])
    if decision != "PASS":
        for command in (("runs",), ("serve", "--get", "/runs"), ("serve", "--get", "/run")):
            told = ragstone(*command, cwd=folder).text.replace("DO NOT SHIP", "")
            assert not re.search(r"\bSHIP\b", told), command
