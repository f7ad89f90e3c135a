#!/usr/bin/env python3
"""How long do 10,000 questions × 20 runs of 200-character claims take, and against plain Python?

    bench/stability.py [QUESTIONS]

Scores them in one go, and prints the ratio to plain Python, which is timed on a few of the same
pairs of claims and multiplied out: in full it would take hours.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

from ragstone.api import stability
from ragstone.suites.stability.claims import canonical, levenshtein, ned50

RUNS, LENGTH, SAMPLE = 20, 200, 60
WORDS = ("index", "token", "retrieves", "rejects", "null", "keys", "shard", "vector", "answers")


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chance = random.Random(0)
    claims = [[claim(chance) for _ in range(RUNS)] for _ in range(questions)]
    with tempfile.TemporaryDirectory() as folder:
        gold, runs = files(Path(folder), claims)
        started = time.perf_counter()
        report = stability(gold, runs)
        whole = time.perf_counter() - started
    pairs = questions * RUNS * (RUNS - 1) // 2
    canonicals = [[canonical(text) for text in texts] for texts in claims[:500]]
    started = time.perf_counter()
    for texts in canonicals:
        ned50(texts, levenshtein())
    fast = (time.perf_counter() - started) / (len(canonicals) * RUNS * (RUNS - 1) / 2)
    slow = plain(canonicals)
    print(f"{report.figures['runs']:,} runs scored in one go: {whole:.1f} s")
    print(f"edit distances: {pairs:,} pairs, {fast * 1e6:.2f} µs a pair, {slow * 1e6:.0f} µs plain")
    print(f"plain Python would take {slow * pairs / 60:.0f} min for the distances alone")
    print(f"ratio of the distances: {slow / fast:.0f}")
    print(f"ratio of the whole job: {slow * pairs / whole:.0f} (at least 50 is asked)")


def claim(chance: random.Random) -> str:
    text = ""
    while len(text) < LENGTH:
        text += chance.choice(WORDS) + " "
    return text[:LENGTH]


def files(folder: Path, claims: list[list[str]]) -> tuple[Path, Path]:
    gold, runs = folder / "gold.jsonl", folder / "runs.jsonl"
    with gold.open("w") as items, runs.open("w") as lines:
        for number, texts in enumerate(claims):
            qid = f"q{number}"
            items.write(json.dumps({"qid": qid, "answerable": True}) + "\n")
            for seed, text in enumerate(texts):
                run = {"qid": qid, "seed": seed, "jitter": "none", "answer_json": {"claim": text}}
                lines.write(json.dumps(run) + "\n")
    return gold, runs


def plain(canonicals: list[list[str]]) -> float:
    """Seconds a pair, with the textbook's table in plain Python."""
    chosen = [pair for texts in canonicals[:2] for pair in combinations(texts, 2)][:SAMPLE]
    started = time.perf_counter()
    for one, two in chosen:
        row = list(range(len(two) + 1))
        for i, a in enumerate(one, 1):
            above, row[0] = row[0], i
            for j, b in enumerate(two, 1):
                above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (a != b))
    return (time.perf_counter() - started) / len(chosen)


if __name__ == "__main__":
    main()
