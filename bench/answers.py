"""`ragstone score` beside the one-file scorer, on the same files in the same run.

    python bench/answers.py [--items 1000000] [--small 100] [--rounds 3]

Prints how many times faster and smaller the engine is on many questions, and how many times longer
the whole command takes on few. Seconds depend on the machine; the ratios are what to read.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from process import Cost, best, byte_code

WORDS = """
    the index rejects null keys only domain example allows value document reference constraint
    pipeline answer question retrieval evidence guard token chunk section
""".split()  # noqa: SIM905
TAGS = ("billing", "access", "limits")


def make(folder: Path, items: int, seed: int = 7) -> None:
    """A gold set and traces: 30 % not answerable, some wrong, repeated, refused, not in ASCII."""
    chance = random.Random(seed)
    with (folder / "gold.jsonl").open("w") as gold, (folder / "trace.jsonl").open("w") as trace:
        for number in range(items):
            item = gold_item(chance, number)
            gold.write(json.dumps(item, ensure_ascii=False) + "\n")
            for _ in range(2 if chance.random() < 0.01 else 1):
                trace.write(json.dumps(trace_line(chance, item), ensure_ascii=False) + "\n")


def sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def gold_item(chance: random.Random, number: int) -> dict[str, object]:
    answerable = chance.random() < 0.7
    item: dict[str, object] = {
        "qid": f"Q{number:07d}",
        "question": sentence(chance, 9) + "?",
        "answerable": answerable,
        "gold_claim_substr": [sentence(chance, 4)] if answerable else [],
        "gold_citations": [f"p{number % 9999}#{number % 7}"] if answerable else [],
        "tags": [chance.choice(TAGS)],
    }
    if chance.random() < 0.02:
        item["constraints"] = ["X rejects null keys."]
    return item


def trace_line(chance: random.Random, item: dict[str, object]) -> dict[str, object]:
    wanted = list(map(str, item["gold_citations"]))  # type: ignore[call-overload]
    retrieved = [f"p{chance.randrange(9999)}#{chance.randrange(7)}" for _ in range(8)]
    if wanted and chance.random() < 0.9:
        retrieved[chance.randrange(8)] = wanted[0]
    luck = chance.random()
    claim, citations = "not in context", []
    if item["answerable"] and luck < 0.85:
        expected = str(item["gold_claim_substr"][0])  # type: ignore[index]
        said = expected if chance.random() < 0.95 else sentence(chance, 4)
        claim, citations = f"{sentence(chance, 3)} {said}.", wanted
    elif not item["answerable"] and luck >= 0.95:
        claim, citations = f"{sentence(chance, 8)}.", retrieved[:1]
    if chance.random() < 0.05:
        claim = f"Café: {claim}"
    answer: dict[str, object] = {"claim": claim, "citations": citations}
    if "constraints" in item:
        answer["constraints_echo"] = item["constraints"]
    return {
        "qid": item["qid"],
        "q": item["question"],
        "retrieved_ids": retrieved,
        "answer_json": answer,
        "ts": 1_700_000_000 + chance.randrange(10**6),
        "latency_ms": chance.randrange(100, 3000),
        "ok": True,
    }


def compare(folder: Path, rounds: int) -> tuple[Cost, Cost]:
    """Both on the same files, which must give the same numbers."""
    files = ["--gold", "gold.jsonl", "--trace", "trace.jsonl"]
    policy = ["--missing", "answered", "--no-config", "--json"]
    ours = best([sys.executable, "-m", "ragstone", "score", *files, *policy], rounds, folder)
    theirs = best([sys.executable, "-m", "ragstone.score_eval", *files], rounds, folder)
    mine, reference = json.loads(ours.output), json.loads(theirs.output)
    for name in ("answered", "precision", "chr", "under_refusal", "over_refusal", "recall@k"):
        if round(mine[name], 4) != reference[name]:
            raise SystemExit(f"{name}: {mine[name]} is not {reference[name]}")
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=2)
    wanted = parser.parse_args()
    byte_code()
    for items, rounds in ((wanted.small, max(wanted.rounds, 7)), (wanted.items, wanted.rounds)):
        with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
            folder = Path(name)
            make(folder, items)
            ours, theirs = compare(folder, rounds)
        print(f"\n{items:,} gold items and as many traces, JSONL")
        print(f"{'':16} {'seconds':>9} {'cpu':>9} {'peak MB':>9}")
        for label, cost in (("ragstone score", ours), ("score_eval.py", theirs)):
            print(f"{label:16} {cost.seconds:9.2f} {cost.cpu:9.2f} {cost.peak_mb:9.0f}")
        if items == wanted.small:
            print(f"ratio: ragstone takes {ours.seconds / theirs.seconds:.1f} times as long")
        else:
            print(
                f"ratio: ragstone is {theirs.seconds / ours.seconds:.1f} times faster, "
                f"in 1/{theirs.peak_mb / ours.peak_mb:.1f} of the memory"
            )


if __name__ == "__main__":
    main()
