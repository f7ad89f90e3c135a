#!/usr/bin/env python3
"""How fast is the retrieval suite, and how much memory does it take?

    bench/retrieval.py [QUESTIONS]     (default 100,000; × 3 paraphrases × 2 seeds × top 10)

Writes a log, scores it with the engine in a process of its own, and the first tenth of it with the
plain-Python oracle of the tests, whose time grows in proportion. Prints runs per second of both,
their ratio, and the engine's peak memory.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PARAPHRASES, SEEDS, TOP = 3, 2, 10

ENGINE = """
import resource, sys, time
from ragstone.api import retrieval
start = time.perf_counter()
report = retrieval(sys.argv[1], sys.argv[2], gates={"citation_accuracy": "off"})
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(seconds, peak, report["R@5"].value, report["lambda_convergence"].value)
"""


def write(folder: Path, questions: int) -> None:
    draw = random.Random(7)
    with (
        (folder / "gold.jsonl").open("w", encoding="utf-8") as gold,
        (folder / "log.jsonl").open("w", encoding="utf-8") as log,
    ):
        for number in range(questions):
            own = chunk(number)
            item = {
                "qid": f"q{number}",
                "paraphrases": ["one", "two", "three"],
                "relevant": [own],
                "anchor_section": own.rpartition(".p.")[0],
                "negatives": [chunk(number + 1)],
            }
            gold.write(json.dumps(item) + "\n")
            for paraphrase in range(PARAPHRASES):
                for seed in range(SEEDS):
                    line = run(draw, questions, number, paraphrase, seed)
                    log.write(json.dumps(line, ensure_ascii=False) + "\n")


def chunk(number: int) -> str:
    return f"S.{number % 50}.{number % 9}.p.Bk{number:06d}"


def run(draw: random.Random, questions: int, number: int, paraphrase: int, seed: int) -> dict:
    ids = [chunk(draw.randrange(questions)) for _ in range(TOP)]
    if draw.random() < 0.9:
        ids[min(int(draw.expovariate(0.8)), TOP - 1)] = chunk(number)
    return {
        "qid": f"q{number}",
        "query": ("one", "two", "three")[paraphrase],
        "paraphrase": paraphrase,
        "seed": seed,
        "topk": [{"id": i, "score": 10 - n, "type": "prose"} for n, i in enumerate(ids)],
        "ΔS": [round(0.2 + 0.05 * n, 3) for n in range(TOP)],
        "index_hash": "bench",
        "answer_citations": [{"id": ids[0], "offsets": [0, 90]}],
    }


def oracle(folder: Path, questions: int) -> tuple[float, float]:
    """Seconds for the first questions, and what they come to."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from against.retrieval_oracle import expected

    start = time.perf_counter()
    gold = first(folder / "gold.jsonl", questions)
    log = first(folder / "log.jsonl", questions * PARAPHRASES * SEEDS)
    found = expected(gold, log)
    return time.perf_counter() - start, float(found["R@5"])


def first(path: Path, lines: int) -> list[dict]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for _, line in zip(range(lines), file, strict=False)]


def main(questions: int = 100_000) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, questions)
        runs = questions * PARAPHRASES * SEEDS
        size = (folder / "log.jsonl").stat().st_size / 1e6
        print(f"{questions:,} questions, {runs:,} runs, {runs * TOP:,} hits, {size:,.0f} MB")
        files = [str(folder / "gold.jsonl"), str(folder / "log.jsonl")]
        ran = subprocess.run(
            [sys.executable, "-c", ENGINE, *files], capture_output=True, text=True, check=True
        )
        seconds, peak, recall, convergence = map(float, ran.stdout.split())
        print(f"engine  {runs / seconds:12,.0f} runs/s  {seconds:7.1f} s  {peak:,.0f} MB peak")
        part = max(1, questions // 10)
        slow, _ = oracle(folder, part)
        rate = part * PARAPHRASES * SEEDS / slow
        print(f"oracle  {rate:12,.0f} runs/s  (over {part:,} questions)")
        print(f"ratio   {runs / seconds / rate:12.1f}")
        print(f"R@5 {recall:.4f}, lambda_convergence {convergence:.4f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
