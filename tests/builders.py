"""Gold items and traces for tests, valid and right by default: a test spells out what matters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def gold(qid: str = "A1", **fields: Any) -> Record:
    """An answerable gold item that `trace()` answers rightly.

    >>> gold("A2", answerable=False)["answerable"]
    False
    """
    item: Record = {
        "qid": qid,
        "question": f"Does X take null keys? ({qid})",
        "answerable": True,
        "gold_claim_substr": ["rejects null keys"],
        "gold_citations": ["p1#2"],
    }
    return {**item, **fields}


def trace(
    qid: str = "A1",
    claim: str | None = "X rejects null keys.",
    cites: Sequence[str] = ("p1#2",),
    retrieved: Sequence[str] = ("p1#1", "p1#2", "p2#1"),
    *,
    echo: Sequence[str] | None = None,
    **fields: Any,
) -> Record:
    """A trace that answers `gold()` rightly; `claim=None` leaves the claim out.

    >>> trace(claim="not in context", cites=[])["answer_json"]
    {'claim': 'not in context', 'citations': []}
    """
    answer: Record = {"citations": list(cites)}
    if claim is not None:
        answer = {"claim": claim, **answer}
    if echo is not None:
        answer["constraints_echo"] = list(echo)
    return {"qid": qid, "retrieved_ids": list(retrieved), "answer_json": answer, **fields}


def refusal(qid: str = "A1", **fields: Any) -> Record:
    """A trace that refuses in the contract's words."""
    return trace(qid, "not in context", cites=(), **fields)


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write one object a line, UTF-8 as it is, and give the path back."""
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


# The worked example of the spec: two right answers and one right refusal.
WORKED_GOLD: tuple[Record, ...] = (
    {
        "qid": "A0001",
        "question": "Does X accept null keys?",
        "answerable": True,
        "gold_claim_substr": ["rejects null keys"],
        "gold_citations": ["p1#2"],
        "constraints": ["X rejects null keys."],
    },
    {"qid": "A0002", "question": "Who maintains X?", "answerable": False},
    {
        "qid": "A0003",
        "question": "Which domains may sign in?",
        "answerable": True,
        "gold_claim_substr": ["only domain example.com"],
        "gold_citations": ["pB#1"],
    },
)
WORKED_TRACE: tuple[Record, ...] = (
    trace("A0001", "X rejects null keys.", ["p1#2"], ["p1#1", "p1#2", "p2#1"]),
    trace("A0002", "not in context", [], ["p1#1", "p2#1"]),
    trace("A0003", "Only domain example.com is allowed.", ["pB#1"], ["pB#1", "p1#2"]),
)
