"""One verdict row per question: what was found of its gold, how much else, and where it stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from math import log2

from ragstone.suites.context.measures import Measure
from ragstone.suites.context.reading import Answer, Question
from ragstone.suites.context.values import Placed, value_of

Verdict = Mapping[str, object]

_CUT = 10
_DISCOUNT = [log2(rank + 1) for rank in range(1, _CUT + 1)]


def verdicts(
    questions: Sequence[Question],
    answers: Mapping[str, Answer],
    measures: Sequence[Measure],
    level: int,
) -> list[Verdict]:
    """The rows in the order of the questions; a question with no answer scores 0."""
    values = [(measure.name, value_of(measure)) for measure in measures]
    rows: list[Verdict] = []
    for question in questions:
        answer = answers.get(question.qid)
        docs = answer.docs if answer is not None else ()
        placed, retrieved = _placed(question.gold, docs, level)
        row = _counts(placed, retrieved)
        row["qid"] = question.qid
        row["missing"] = answer is None
        row["ndcg@10_retrieved"] = _ndcg_retrieved(question.gold, docs, level)
        row.update((name, value(placed)) for name, value in values)
        rows.append(row)
    return rows


def _placed(gold: Mapping[str, int], docs: Sequence[str], level: int) -> tuple[Placed, int]:
    """Where the gold documents stand: the first chunk of a document is its place."""
    ranks: dict[str, int] = {}
    for doc in docs:
        ranks.setdefault(doc, len(ranks) + 1)
    hits = sorted((ranks[doc], grade) for doc, grade in gold.items() if doc in ranks)
    grades = list(gold.values())
    n_rel = sum(grade >= level for grade in grades)
    relevant = [rank for rank, grade in hits if grade >= level]
    judged = [hit for hit in hits if hit[1] >= 0]
    return Placed(judged, relevant, grades, n_rel, level), len(ranks)


def _counts(placed: Placed, retrieved: int) -> dict[str, object]:
    correct, gold = len(placed.relevant), placed.n_rel
    recall = correct / gold if gold else 0.0
    precision = correct / retrieved if retrieved else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if correct else 0.0
    return {
        "scored": gold > 0,
        "context_recall": recall,
        "context_precision": precision,
        "context_f1": f1,
        "retrieved_docs": retrieved,
        "gold_docs": gold,
        "correct_docs": correct,
        "any_ref": correct > 0,
        "all_refs": correct == gold,
    }


def _ndcg_retrieved(gold: Mapping[str, int], docs: Sequence[str], level: int) -> float:
    """Chunk by chunk, against the best order of the gold chunks retrieved: misses cost nothing."""
    ranks = [rank for rank, doc in enumerate(docs) if gold.get(doc, 0) >= level]
    best = 0.0
    for discount in _DISCOUNT[: len(ranks)]:
        best += 1 / discount
    total = 0.0
    for rank in ranks:
        if rank < _CUT:
            total += 1 / _DISCOUNT[rank]
    return total / best if best else 0.0


def records_hash(records: Iterable[object]) -> str:
    """The sum mod 2^256 of the SHA-256 of each record, hashed with their number.

    The order of the records changes nothing, and partial sums can be added.
    """
    total = count = 0
    for record in records:
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
        total += int.from_bytes(hashlib.sha256(text).digest(), "big")
        count += 1
    return hashlib.sha256(f"{count}:{total % 2**256:x}".encode()).hexdigest()
