"""Typed answers, nuggets and must_not in every suite that checks answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from builders import trace, write_jsonl
from test_every_suite import shuffle_lines, written

import ragstone

NUGGETS = [{"id": "city", "any": ["Rome"]}, {"id": "year", "date": "1871", "vital": False}]
GOLD: tuple[dict[str, Any], ...] = (
    {"qid": "A1", "answerable": True, "gold_answer": {"number": "1577.00", "unit": "USD million"}},
    {"qid": "A2", "answerable": True, "gold_answer": [{"yesno": True}, {"any": ["v2.1"]}]},
    {"qid": "A3", "answerable": True, "nuggets": NUGGETS},
    {"qid": "A4", "answerable": True, "nuggets": NUGGETS, "must_not": ["Paris, France"]},
    {"qid": "A5", "answerable": False, "must_not": [{"number": 7}]},
    {"qid": "A6", "answerable": True, "gold_claim_substr": ["rejects null keys"]},
)
RIGHT = (
    *("It was $1.577 billion.", "Yes, it does.", "Rome.", "Rome, since 1871.", "not in context"),
    "X rejects null keys.",
)
WRONG = ("It was 1,832.", "No.", "Paris.", "Rome, and not Paris, France.", "7 of them", "No idea.")
COMMANDS = {
    "answers": ["score", "--gold", "gold.jsonl", "--trace", "said.jsonl"],
    "stability": ["stability", "score", "--gold", "gold.jsonl", "--runs", "runs.jsonl"],
}


def fill(folder: Path, claims: tuple[str, ...]) -> Path:
    folder.mkdir()
    said = [trace(f"A{number}", claim, ()) for number, claim in enumerate(claims, 1)]
    write_jsonl(folder / "gold.jsonl", GOLD)
    write_jsonl(folder / "said.jsonl", said)
    runs = [{**each, "seed": 1, "jitter": "none", "run_id": each["qid"]} for each in said]
    write_jsonl(folder / "runs.jsonl", runs)
    load = {"config": "c", "rps": 1, "latency_ms": 5.0}
    write_jsonl(folder / "samples.jsonl", [{**each, **load} for each in said])
    return folder


def figures(claims: tuple[str, ...], folder: Path) -> tuple[float | None, ...]:
    """What each suite says of the claims; the auditor, who does not read them, finds all valid."""
    fill(folder, claims)
    gold, said = folder / "gold.jsonl", folder / "said.jsonl"
    samples, runs = folder / "samples.jsonl", folder / "runs.jsonl"
    return (
        ragstone.score(gold, said).metrics["precision"].value,
        ragstone.latency(gold, samples).metrics["precision"].value,
        ragstone.stability(gold, runs).metrics["acr"].value,
        ragstone.agreement(gold=gold, trace=said).metrics["percent_agreement"].value,
    )


def test_every_suite_finds_the_same_answers_right(tmp_path: Path) -> None:
    assert figures(RIGHT, tmp_path / "right") == (1, 1, 1, 1)
    # Stability asks for containment alone, and A4 holds its nugget beside what it must not say.
    assert figures(WRONG, tmp_path / "wrong") == (0, 0, 0.2, 0)


@pytest.mark.parametrize("suite", COMMANDS)
def test_neither_threads_nor_the_order_of_lines_matter(suite: str, tmp_path: Path) -> None:
    folder, words = fill(tmp_path / "one", WRONG), COMMANDS[suite]
    other = tmp_path / "elsewhere"
    shutil.copytree(folder, other)
    one = written(folder, words, "--threads", "1")
    shuffle_lines(other)
    assert written(other, words, "--threads", "2") == one
