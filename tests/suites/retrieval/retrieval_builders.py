"""Gold items, log lines and chunks for tests, valid and right by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]
OWN = "S.4.2.p.Bk011a"
WORDINGS = ("Does X take null keys?", "Are null keys allowed in X?", "Null keys in X?")


def item(qid: str = "q1", **fields: Any) -> Record:
    """A question whose answer stands in `OWN`, bytes 100 to 200."""
    made: Record = {
        "qid": qid,
        "paraphrases": [f"{wording} ({qid})" for wording in WORDINGS],
        "relevant": [OWN],
        "anchor_section": "S.4.2",
        "negatives": ["S.9.9.p.Bk999"],
        "relevant_offsets": {OWN: [100, 200]},
    }
    return {**made, **fields}


def run(
    qid: str = "q1",
    ids: Sequence[str] = (OWN, "S.4.3.p.Bk001"),
    *,
    paraphrase: int = 0,
    seed: int = 0,
    cites: Sequence[Record] | None = ({"id": OWN, "offsets": [100, 200]},),
    **fields: Any,
) -> Record:
    """A run that finds and cites `OWN`; `cites=None` is a run without an answer."""
    made: Record = {
        "qid": qid,
        "query": WORDINGS[paraphrase],
        "paraphrase": paraphrase,
        "seed": seed,
        "topk": [{"id": chunk, "score": 1.0} for chunk in ids],
        "ΔS": [0.3 for _ in ids],
    }
    if cites is not None:
        made["answer_citations"] = list(cites)
    return {**made, **fields}


def full(qid: str = "q1", **fields: Any) -> list[Record]:
    """Three wordings by two seeds."""
    return [run(qid, paraphrase=p, seed=s, **fields) for p in range(3) for s in range(2)]


def chunk(name: str = OWN, **fields: Any) -> Record:
    made = {"id": name, "section_id": "S.4.2", "offsets": [100, 200], "type": "prose"}
    return {**made, **fields}
