"""An hour of live records with faults that were put there, and when they were."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

START = 1_767_225_600_000  # 2026-01-01T00:00Z
MINUTE = 60_000
# What is wrong from which minute to before which.
COVERAGE_DROP = (12, 22)
DELTA_S_SPIKE = (28, 34)
INDEX_DRIFT = 40
SLOW = (48, 54)
MINUTES = 60
A_MINUTE = 50


def records(minutes: range = range(MINUTES), each: int = A_MINUTE) -> Iterator[dict[str, Any]]:
    """Live records, minute by minute; every question finds the same ten each time."""
    for minute in minutes:
        chance = Random(minute)
        for number in range(each):
            yield record(minute, number, chance)


def record(minute: int, number: int, chance: Random) -> dict[str, Any]:
    covered = COVERAGE_DROP[0] <= minute < COVERAGE_DROP[1] and number % 2 == 0
    spiked = DELTA_S_SPIKE[0] <= minute < DELTA_S_SPIKE[1] and number % 3 == 0
    slow = SLOW[0] <= minute < SLOW[1]
    drifted = minute == INDEX_DRIFT and number == 7
    question = number % 10
    ids = [f"d{question}-{place}" for place in range(10)]
    return {
        "qid": f"Q{question}",
        "question": f"question {question}?",
        "trace_id": f"t{minute}-{number}",
        "retrieval": {
            "topk": [{"id": id} for id in ids],
            "index_hash": "other" if drifted else "index-1",
            "λ_states": ["→", "→", "→"],
        },
        "answer": {
            "claim": f"It is {question}.",
            "citations": [ids[0]],
            "coverage": 0.0 if covered else 1.0,
            "ΔS": 0.7 if spiked else 0.1 + chance.random() / 10,
            "λ_final": "→",
        },
        "perf": {
            "t_retrieve_ms": 20 + chance.randrange(10),
            "t_reason_ms": (300 if slow else 200) + chance.randrange(20),
        },
        "context": {"client": "web", "build": "b1", "region": "eu"},
        "ts": START + minute * MINUTE + (number * MINUTE) // A_MINUTE,
    }
