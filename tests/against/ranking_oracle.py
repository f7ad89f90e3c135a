"""The conventions of trec_eval, plainly: the slow reference for the kernel and for memory."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]


def float32(score: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return math.copysign(math.inf, score)


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Score descending as float32, then document id descending by its bytes."""
    return sorted(scores, key=lambda doc: (float32(scores[doc]), doc.encode()), reverse=True)


def dcg(grades: list[int], k: int, exponential: bool) -> float:
    total = 0.0
    for rank, grade in enumerate(grades[:k], 1):
        if grade > 0:
            gain = 2.0**grade - 1.0 if exponential else float(grade)
            total += gain / math.log2(rank + 1)
    return total


def value(name: str, gold: Mapping[str, int], scores: Mapping[str, float], level: int = 1) -> float:
    """One measure of one question."""
    base, _, cut = name.partition("@")
    exponential = cut.endswith("_exp")
    k = int(cut.removesuffix("_exp")) if cut else 10**9
    docs = ranked(scores)
    n_rel = sum(grade >= level for grade in gold.values())
    ranks = [rank for rank, doc in enumerate(docs, 1) if gold.get(doc, -1) >= level]
    within = [rank for rank in ranks if rank <= k]
    if base == "ndcg":
        best = dcg(sorted(gold.values(), reverse=True), k, exponential)
        return dcg([gold.get(doc, 0) for doc in docs], k, exponential) / best if best else 0.0
    if base == "P":
        return len(within) / k
    if base == "success":
        return float(bool(within))
    if base == "mrr":
        return 1 / within[0] if within else 0.0
    if not n_rel:
        return 0.0
    if base == "R":
        return len(within) / n_rel
    if base == "rprec":
        return len([rank for rank in ranks if rank <= n_rel]) / n_rel
    if base == "map":
        total = 0.0
        for nth, rank in enumerate(within, 1):
            total += nth / rank
        return total / n_rel
    return _bpref(docs, gold, n_rel, level)


def _bpref(docs: list[str], gold: Mapping[str, int], n_rel: int, level: int) -> float:
    n_nonrel = sum(0 <= grade < level for grade in gold.values())
    total, worse = 0.0, 0
    for doc in docs:
        grade = gold.get(doc, -1)
        if grade >= level:
            total += 1.0 - min(worse, n_rel) / min(n_nonrel, n_rel) if worse else 1.0
        elif grade >= 0:
            worse += 1
    return total / n_rel


def context(gold: set[str], retrieved: list[str]) -> dict[str, float]:
    """The set metrics of one question, as the original evaluator computes them."""
    found = set(retrieved)
    correct = len(found & gold)
    recall = correct / len(gold) if gold else 0.0
    precision = correct / len(found) if found else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if precision + recall > 0 else 0.0
    hits = [doc in gold for doc in retrieved]
    got = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits[:10], 1) if hit)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, sum(hits)) + 1))
    return {
        "context_recall": recall,
        "context_precision": precision,
        "context_f1": f1,
        "retrieved_docs_count": len(found),
        "gold_docs_count": len(gold),
        "correct_docs_count": correct,
        "ndcg_10_retrieved": got / best if best else 0.0,
    }
