#!/usr/bin/env python3
"""Two honest indexes over SQuAD 2.0 paragraphs, and the canary between them.

    squad_canary.py SQUAD_JSON OUT_FOLDER [QUESTIONS]

The live index holds whole paragraphs; the shadow index holds windows of 60 words, each standing for
its paragraph. Both are plain BM25. It writes gold.jsonl, manifest.jsonl, live.jsonl and
shadow.jsonl to the folder, for `ragstone canary --index-only`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

K1, B = 1.2, 0.75
WINDOW, STRIDE = 60, 30
WORD = re.compile(r"\w+")


class Bm25:
    """An index of texts, each under the name of the paragraph it stands for."""

    def __init__(self, units: Sequence[tuple[str, str]]) -> None:
        self.names = [name for name, _ in units]
        bags = [Counter(words(text)) for _, text in units]
        self.sizes = [sum(bag.values()) for bag in bags]
        self.mean = sum(self.sizes) / len(self.sizes)
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, bag in enumerate(bags):
            for word, count in bag.items():
                self.postings[word].append((number, count))

    def search(self, query: str, k: int) -> list[tuple[str, float]]:
        """The best k names; a paragraph scores what its best window scores, ties go by name."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self.names)
        for word in sorted(set(words(query))):
            listed = self.postings.get(word, [])
            weight = math.log(1 + (total - len(listed) + 0.5) / (len(listed) + 0.5))
            for number, count in listed:
                norm = K1 * (1 - B + B * self.sizes[number] / self.mean)
                scores[number] += weight * count * (K1 + 1) / (count + norm)
        best: dict[str, float] = {}
        for number, score in scores.items():
            name = self.names[number]
            best[name] = max(score, best.get(name, 0.0))
        return sorted(best.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))[:k]


def words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def windows(text: str) -> Iterable[str]:
    parts = text.split()
    for start in range(0, max(1, len(parts) - STRIDE), STRIDE):
        yield " ".join(parts[start : start + WINDOW])


def corpus(squad: Mapping[str, list[dict]]) -> tuple[list[dict], list[dict]]:
    """The manifest, and every answerable question with the paragraph that answers it."""
    chunks, questions = [], []
    for a, article in enumerate(squad["data"], 1):
        offset = 0
        for p, paragraph in enumerate(article["paragraphs"], 1):
            text = paragraph["context"]
            size = len(text.encode())
            chunk = {
                "id": f"{article['title']}|r=1|s={a}.{p}|p={p}|b=1",
                "section_id": f"{a}.{p}",
                "offsets": [offset, offset + size],
                "type": "prose",
                "doc": article["title"],
                "hash": hashlib.sha256(text.encode()).hexdigest(),
                "text": text,
            }
            chunks.append(chunk)
            for asked in paragraph["qas"]:
                if asked["answers"]:
                    questions.append({"qid": asked["id"], "q": asked["question"], "chunk": chunk})
            offset += size + 1
    return chunks, sorted(questions, key=lambda question: question["qid"])


def log(name: str, index: Bm25, questions: Sequence[dict]) -> Iterable[dict]:
    for asked in questions:
        found = index.search(asked["q"], 10)
        yield {
            "qid": asked["qid"],
            "query": asked["q"],
            "paraphrase": 0,
            "seed": 0,
            "topk": [{"id": i, "score": round(s, 6), "type": "prose"} for i, s in found],
            "index_hash": name,
            "normalizer": "casefold",
            "reranker": "none",
        }


def write(path: Path, lines: Iterable[dict]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def main(source: str, target: str, count: int = 1000) -> None:
    squad = json.loads(Path(source).read_text(encoding="utf-8"))
    chunks, questions = corpus(squad)
    # Every n-th question in the order of their ids: from all articles, the same ones each time.
    chosen = questions[:: max(1, len(questions) // count)][:count]
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    gold = (
        {
            "qid": asked["qid"],
            "paraphrases": [asked["q"]],
            "relevant": [asked["chunk"]["id"]],
            "anchor_section": asked["chunk"]["section_id"],
            "negatives": [],
            "tags": [asked["chunk"]["doc"]],
        }
        for asked in chosen
    )
    write(folder / "gold.jsonl", gold)
    write(folder / "manifest.jsonl", chunks)
    whole = Bm25([(chunk["id"], chunk["text"]) for chunk in chunks])
    cut = Bm25([(c["id"], part) for c in chunks for part in windows(c["text"])])
    write(folder / "live.jsonl", log("paragraphs", whole, chosen))
    write(folder / "shadow.jsonl", log("windows-60", cut, chosen))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
