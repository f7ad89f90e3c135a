"""Every check of an answer, worked out by hand: one question for each way to get it wrong."""

from __future__ import annotations

import csv

import pytest
from builders import gold, trace
from command import Command, Folder

LOCKED = "X rejects null keys."
UNSURE = "The documents do not mention it, but X rejects null keys."
# By the name of the trap: what gold adds, what was answered, and the columns of its row.
TRAPS = {
    "all is well": ({}, trace(), {"precision": "1.0", "recall@k": "1.0"}),
    "k counts": ({}, trace(retrieved=["a", "b", "c", "p1#2"]), {"recall_any@k": "0.0"}),
    "half of the evidence": (
        {"gold_citations": ["p1#2", "p9"]},
        trace(),
        {"recall@k": "0.0", "recall_any@k": "1.0", "recall_frac@k": "0.5"},
    ),
    "evidence named twice": (
        {"gold_citations": ["p1#2", "p1#2", "p9"]},
        trace(),
        {"recall_frac@k": "0.5"},
    ),
    "cites what was not retrieved": (
        {},
        trace(cites=["p1#2", "p9"]),
        {"scoped": "false", "cited": "false", "unscoped": "1.0", "precision": "0.0"},
    ),
    "nothing may be cited": ({"gold_citations": []}, trace(), {"cited": "false", "chr": "0.0"}),
    "contradicts what it echoes": (
        {"constraints": [LOCKED]},
        trace(claim="X accepts null keys. It rejects null keys too.", echo=[LOCKED]),
        {"intact": "false", "scu": "0.0", "contained": "true"},
    ),
    "refuses without words": (
        {"answerable": False},
        {"retrieved_ids": [], "answer_json": {"refused": True}},
        {"missing": "false", "refused": "true", "under_refusal": "0.0"},
    ),
    "says that it does not refuse": (
        {},
        {"retrieved_ids": ["p1#2"], "answer_json": {"claim": "not in context", "refused": False}},
        {"refused": "false", "shipped": "true"},
    ),
    "hedges and answers": (
        {},
        trace(claim=UNSURE),
        {"refused": "false", "hedged": "true", "shipped": "true"},
    ),
    "refuses late": (
        {"answerable": False},
        trace(claim="So it is. " * 20 + "The documents do not mention it."),
        {"refused": "false", "under_refusal": "1.0"},
    ),
    "says what must not be said": (
        {"must_not": ["accepts null"]},
        trace(claim="It rejects null keys, or accepts null."),
        {"contained": "true", "forbidden": "true", "precision": "0.0"},
    ),
    "half of a number": (
        {"gold_claim_substr": ["until 2023"]},
        trace(claim="Kept until 20231."),
        {"contained": "false"},
    ),
    "under the floor": ({"gold_claim_substr": ["null"]}, trace(), {"contained": "false"}),
    "no answer": ({}, trace(claim=None), {"missing": "true", "shipped": "false"}),
}


@pytest.fixture
def rows(folder: Folder, command: Command) -> dict[str, dict[str, str]]:
    folder.write("gold.jsonl", [gold(name, **more) for name, (more, _, _) in TRAPS.items()])
    folder.write("trace.jsonl", [{**said, "qid": name} for name, (_, said, _) in TRAPS.items()])
    words = ("--k", "3", "--refusal", "not in context", "@en", "--no-config", "-o", "rows.csv")
    assert command.score(*words).code == 1
    with (folder.work / "rows.csv").open(encoding="utf-8", newline="") as file:
        return {row["qid"]: row for row in csv.DictReader(file)}


def test_a_row_has_what_was_worked_out_by_hand(rows: dict[str, dict[str, str]]) -> None:
    found = {
        name: {column: rows[name][column] for column in expected}
        for name, (_, _, expected) in TRAPS.items()
    }
    assert found == {name: expected for name, (_, _, expected) in TRAPS.items()}
