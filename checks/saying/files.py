"""The small files that `statements.py` and nothing else is made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def write(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def named(n: int) -> list[str]:
    return [f"Q{number}" for number in range(n)]


def questions(n: int, *, answerable: bool = True) -> list[Row]:
    """Gold items for answers; each is another question."""
    expected = {"gold_claim_substr": ["rejects null keys"], "gold_citations": ["p1#2"]}
    return [
        {
            "qid": qid,
            "question": f"Does {qid} take null keys?",
            "answerable": answerable,
            **(expected if answerable else {}),
        }
        for qid in named(n)
    ]


def right(qid: str, claim: str = "It rejects null keys.") -> Row:
    answer = {"claim": claim, "citations": ["p1#2"]}
    return {"qid": qid, "retrieved_ids": ["p1#1", "p1#2"], "answer_json": answer}


def wrong(qid: str) -> Row:
    return right(qid, "It takes them.")


def refused(qid: str) -> Row:
    answer = {"claim": "not in context", "citations": []}
    return {"qid": qid, "retrieved_ids": ["p1#1"], "answer_json": answer}


def waivers(n: int) -> str:
    each = '[[waive]]\nqid = "{}"\nwhy = "known"\nuntil = 2026-06-01\n'
    return "".join(each.format(qid) for qid in named(n))


def labels(n: int, label: str) -> list[Row]:
    return [{"qid": qid, "label": label} for qid in named(n)]


def retrieval_gold(
    n: int, relevant: Sequence[str] = (), *, own: bool = False, **fields: Any
) -> list[Row]:
    """Gold items for retrieval; with `own` each has a document of its own, d0 and so on."""
    return [
        {
            "qid": qid,
            "paraphrases": [f"What of {qid}?"],
            "relevant": [f"d{number}"] if own else list(relevant),
            **fields,
        }
        for number, qid in enumerate(named(n))
    ]


def log_lines(n: int, ids: Sequence[str]) -> list[Row]:
    return [
        {
            "qid": qid,
            "query": f"What of {qid}?",
            "paraphrase": 0,
            "seed": 0,
            "topk": [{"id": id} for id in ids],
            "index_hash": "one",
            "answer_citations": [{"id": ids[0]}],
            "ΔS": [0.2] * len(ids),
        }
        for qid in named(n)
    ]
