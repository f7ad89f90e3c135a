"""Whatever a report depends on is in its digest."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from builders import gold, trace
from command import Folder

import ragstone
from ragstone.contracts.sources import find
from ragstone.engine.duck import Duck
from ragstone.suites.answers.suite import ANSWERS
from ragstone.suites.declaration import Outcome
from ragstone.suites.digest import digest, digest_of
from ragstone.suites.evaluate import run


@pytest.fixture
def outcome(folder: Folder) -> Outcome[object]:
    folder.write("gold.jsonl", [gold("A1"), gold("A2")])
    folder.write("trace.jsonl", [trace("A1"), trace("A2")])
    with Duck() as duck:
        given = {
            name: find([str(folder.work / f"{name}.jsonl")], name, duck.scratch)
            for name in ("gold", "trace")
        }
        return run(ANSWERS, duck, given, ANSWERS.options())


def test_each_part_of_an_outcome_changes_the_digest(outcome: Outcome[object]) -> None:
    parts = {
        "inputs": {},
        "options": replace(outcome.options, k=3),
        "gates": outcome.gates[1:],
        "metrics": (replace(outcome.metrics[0], hit="true"), *outcome.metrics[1:]),
        "arms": ("other",),
        "warnings": ("gold.jsonl, the second of two",),
    }
    changed = {name: digest(replace(outcome, **{name: part})) for name, part in parts.items()}
    assert digest(outcome) == outcome.digest
    assert len({outcome.digest, *changed.values()}) == 1 + len(parts)


def test_the_version_is_in_the_digest() -> None:
    whole = f'{{"a":1,"version":"{ragstone.__version__}"}}'
    assert digest_of({"a": 1}) == hashlib.sha256(whole.encode()).hexdigest()
