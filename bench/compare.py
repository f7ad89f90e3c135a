"""`ragstone compare` of two systems beside the two scores that it is made of.

    python bench/compare.py [--items 1000000] [--rounds 2]

Both systems answer the same gold set, and one in fifty of their answers differs. The files are
scored one by one, compared from the traces, and compared from saved rows. Seconds depend on the
machine; the ratio is what to read. Exits 1 if comparing takes over 1.5 times the two scores.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from answers import gold_item, trace_line
from process import Cost, best, byte_code

MOST = 1.5
DIFFERING = 0.02


def make(folder: Path, items: int, seed: int = 7) -> None:
    """A gold set, and the traces of two systems, most of them the same."""
    chance = random.Random(seed)
    with (
        (folder / "gold.jsonl").open("w") as gold,
        (folder / "a.jsonl").open("w") as a,
        (folder / "b.jsonl").open("w") as b,
    ):
        for number in range(items):
            item = gold_item(chance, number)
            gold.write(json.dumps(item) + "\n")
            line = json.dumps(trace_line(chance, item)) + "\n"
            a.write(line)
            changed = chance.random() < DIFFERING
            b.write(json.dumps(trace_line(chance, item)) + "\n" if changed else line)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    wanted = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        folder = Path(name)
        make(folder, wanted.items)

        def ran(*words: str) -> Cost:
            command = [sys.executable, "-m", "ragstone", *words, "--no-config", "--json"]
            return best(command, wanted.rounds, folder)

        gold = ("--gold", "gold.jsonl")
        costs = {
            "score A": ran("score", *gold, "--trace", "a.jsonl"),
            "score B": ran("score", *gold, "--trace", "b.jsonl"),
            "compare A B": ran("compare", "a.jsonl", "b.jsonl", *gold),
        }
        for side in ("a", "b"):
            ran("score", *gold, "--trace", f"{side}.jsonl", "-o", f"{side}.parquet")
        costs["compare rows"] = ran("compare", "a.parquet", "b.parquet")
    print(f"\n{wanted.items:,} gold items, and as many traces of each of two systems")
    print(f"{'':14} {'seconds':>9} {'cpu':>9} {'peak MB':>9}")
    for label, cost in costs.items():
        print(f"{label:14} {cost.seconds:9.2f} {cost.cpu:9.2f} {cost.peak_mb:9.0f}")
    scores = costs["score A"].cpu + costs["score B"].cpu
    ratio = costs["compare A B"].cpu / scores
    print(f"ratio: comparing takes {ratio:.2f} times the processor time of the two scores")
    wall = costs["score A"].seconds + costs["score B"].seconds
    print(f"ratio: and {costs['compare A B'].seconds / wall:.2f} times their time; at most {MOST}")
    return 0 if costs["compare A B"].seconds <= MOST * wall else 1


if __name__ == "__main__":
    sys.exit(main())
