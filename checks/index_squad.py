"""How good and how fast is the embedded index? All of SQuAD 2.0's dev set through the commands.

    python checks/index_squad.py [--data DIR] [--keep DIR]

Paragraphs become text files, one each; `index build`, `run --target index:` and `score` do the
rest. The threshold of the answerer is calibrated on the questions of every second article and the
ship metrics are given for the other articles alone, and for all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("RAGSTONE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
SQUAD = "squad2/dev-v2.0.from-explorer-html.json"

Item = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--keep", type=Path, help="leave the files here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        measure(json.loads((arguments.data / SQUAD).read_text(encoding="utf-8")), folder)
    return 0


def measure(squad: Item, folder: Path) -> None:
    docs = folder / "docs"
    texts = write_documents(squad, docs)
    ragstone(folder, "index", "build", "docs", "-o", "plain.index", "--quiet")
    manifest = [json.loads(line) for line in (folder / "plain.index/manifest.jsonl").open("rb")]
    gold = list(gold_items(squad, texts, manifest))
    write(folder / "gold.jsonl", gold)
    write(folder / "odd.jsonl", [item for item in gold if item["half"] == "odd"])
    took = ragstone(
        folder, "index", "build", "docs", "-o", "squad.index", "--calibrate", "odd.jsonl"
    )
    print(f"index build with calibration: {took:.1f} s")
    took = ragstone(
        folder, "run", "--target", "index:squad.index", "--gold", "gold.jsonl",
        "-o", "trace.jsonl", "--timings", "timings.jsonl", "--fresh", "--quiet",
    )  # fmt: skip
    print(f"run, {len(gold):,} questions: {took:.1f} s")
    took = ragstone(
        folder, "score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--by", "half",
        "-f", "markdown", "-o", "report.json",
    )  # fmt: skip
    print(f"score: {took:.1f} s")
    recall(gold, folder / "trace.jsonl")


def write_documents(squad: Item, docs: Path) -> dict[str, str]:
    texts = {}
    for article in squad["data"]:
        for number, paragraph in enumerate(article["paragraphs"]):
            name = f"{article['title']}/{number:03}.txt"
            texts[name] = paragraph["context"]
            (docs / name).parent.mkdir(parents=True, exist_ok=True)
            (docs / name).write_text(paragraph["context"], encoding="utf-8")
    return texts


def gold_items(squad: Item, texts: dict[str, str], manifest: list[Item]) -> Any:
    """The evidence of an answer is every chunk of its paragraph that holds one of its wordings."""
    chunks: dict[str, list[Item]] = {}
    for chunk in manifest:
        chunks.setdefault(chunk["doc"], []).append(chunk)
    for position, article in enumerate(squad["data"]):
        for number, paragraph in enumerate(article["paragraphs"]):
            held = chunks[f"{article['title']}/{number:03}.txt"]
            for asked in paragraph["qas"]:
                answers = sorted({answer["text"] for answer in asked["answers"]})
                cited = [c["id"] for c in held if any(a in c["text"] for a in answers)]
                item = {
                    "qid": asked["id"],
                    "question": asked["question"].strip(),
                    "answerable": not asked["is_impossible"],
                    "half": "odd" if position % 2 else "even",
                }
                if item["answerable"]:
                    item["gold_claim_substr"] = answers
                    item["gold_citations"] = cited or [c["id"] for c in held]
                yield item


def recall(gold: list[Item], trace: Path) -> None:
    """Questions with an answer whose evidence is among the first k."""
    found = {line["qid"]: line["retrieved_ids"] for line in map(json.loads, trace.open("rb"))}
    asked = [item for item in gold if item["answerable"]]
    for k in (1, 5, 10):
        hits = sum(bool(set(i["gold_citations"]) & set(found[i["qid"]][:k])) for i in asked)
        print(f"evidence among the first {k}: {hits:,} of {len(asked):,}, {hits / len(asked):.4f}")


def write(path: Path, items: list[Item]) -> None:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")


def ragstone(folder: Path, *words: str) -> float:
    start = time.perf_counter()
    ran = subprocess.run([sys.executable, "-m", "ragstone", *words], cwd=folder, check=False)
    if ran.returncode not in (0, 1):
        raise SystemExit(ran.returncode)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
