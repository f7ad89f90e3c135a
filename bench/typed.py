"""`ragstone score` on gold with a number in every item, beside the same gold with phrases.

    python bench/typed.py [--items 1000000] [--rounds 2]

Both gold sets are scored over the same traces in the same run. Seconds depend on the machine; the
ratio of processor time is what to read.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from answers import sentence
from process import Cost, best, byte_code

# How a claim writes the number, and how often: most are plain, some are what only people read.
SPELLINGS = {
    "was ${comma} million in 2018": 40,
    "is {comma}": 20,
    "was {plain} million": 10,
    "amounted to USD {comma} million": 5,
    "came to about ${comma}m": 5,
    "was ({comma}) before tax": 2,
    "was {plain} % of 4,312": 3,
    "stood at ${comma} million, up from $1,204 million": 15,
}


def make(folder: Path, items: int, seed: int = 7) -> None:
    """Traces, and two gold sets for them: one expects phrases, the other numbers."""
    chance = random.Random(seed)
    weights = list(SPELLINGS.values())
    with (
        (folder / "phrases.jsonl").open("w") as phrases,
        (folder / "numbers.jsonl").open("w") as numbers,
        (folder / "trace.jsonl").open("w") as trace,
    ):
        for item in range(items):
            cents = chance.randrange(100, 10**8)
            wanted, said = cents, cents if chance.random() < 0.9 else cents + 700
            qid, page = f"Q{item:07d}", f"p{item % 9999}#{item % 7}"
            gold = {"qid": qid, "question": f"{sentence(chance, 9)}, in USD millions?"}
            gold |= {"answerable": True, "gold_citations": [page]}
            phrase = {"gold_claim_substr": [f"{wanted / 100:,.2f}"]}
            number = {"gold_answer": {"number": f"{wanted / 100:.2f}", "unit": "USD million"}}
            phrases.write(json.dumps(gold | phrase) + "\n")
            numbers.write(json.dumps(gold | number) + "\n")
            spelling = chance.choices([*SPELLINGS], weights)[0]
            text = spelling.format(comma=f"{said / 100:,.2f}", plain=f"{said / 100:.2f}")
            answer = {"claim": f"The {sentence(chance, 3)} {text}.", "citations": [page]}
            retrieved = [page, *(f"p{chance.randrange(9999)}#1" for _ in range(7))]
            line = {"qid": qid, "retrieved_ids": retrieved, "answer_json": answer}
            trace.write(json.dumps(line) + "\n")


def scored(folder: Path, gold: str, rounds: int) -> Cost:
    words = ["score", "--gold", gold, "--trace", "trace.jsonl", "--no-config", "--json"]
    return best([sys.executable, "-m", "ragstone", *words], rounds, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    wanted = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        folder = Path(name)
        make(folder, wanted.items)
        phrases = scored(folder, "phrases.jsonl", wanted.rounds)
        numbers = scored(folder, "numbers.jsonl", wanted.rounds)
    print(f"\n{wanted.items:,} gold items and as many traces, JSONL")
    print(f"{'':16} {'seconds':>9} {'cpu':>9} {'peak MB':>9} {'contained':>10}")
    for label, cost in (("phrases", phrases), ("numbers", numbers)):
        share = json.loads(cost.output)["containment"]
        print(f"{label:16} {cost.seconds:9.2f} {cost.cpu:9.2f} {cost.peak_mb:9.0f} {share:10.4f}")
    print(f"ratio: numbers take {numbers.cpu / phrases.cpu:.2f} times the processor time")


if __name__ == "__main__":
    main()
