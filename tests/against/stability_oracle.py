"""The stability numbers again, in plain Python and from the table of the spec."""

from __future__ import annotations

import re
import statistics
from itertools import combinations
from typing import Any

from against.answers_oracle import contains

Record = dict[str, Any]


def levenshtein(one: str, two: str) -> int:
    """The textbook's table, row by row, over code points."""
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, b in enumerate(two, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (a != b))
    return row[-1]


def canonical(claim: str) -> str:
    """For ASCII text and a few marks beyond it, which is all the generated claims hold."""
    return " ".join(re.sub(r"[^\w\s]|_", "", claim.lower()).split())


def question(item: Record, runs: list[Record]) -> Record:
    """All numbers of one question; contained and cited as in the answers suite, for ASCII."""
    claims = [(run.get("answer_json") or {}).get("claim") or "" for run in runs]
    cites = [set((run.get("answer_json") or {}).get("citations") or []) for run in runs]
    cites = [found if claim.strip() else set() for found, claim in zip(cites, claims, strict=True)]
    refused = [claim.strip().lower() == "not in context" for claim in claims]
    answers = [
        canonical(claim)
        for claim, no in zip(claims, refused, strict=True)
        if claim.strip() and not no
    ]
    far = [
        levenshtein(a, b) / max(len(a), len(b), 1) if a != b else 0.0
        for a, b in combinations(answers, 2)
    ]
    whole = [canonical(claim) for claim in claims]
    same = [a == b for a, b in combinations(whole, 2)]
    union = set().union(*cites)
    return {
        "acr": statistics.fmean(contained(item, claim) for claim in claims),
        "cghc": statistics.fmean(
            cited(item, claim, found, run)
            for claim, found, run in zip(claims, cites, runs, strict=True)
        ),
        "css": len(set.intersection(*cites)) / len(union) if union else 1.0,
        "ned50": statistics.median(far) if far else 0.0,
        "rcr": max(sum(refused), len(runs) - sum(refused)) / len(runs),
        "iaa": statistics.fmean(same) if same else 1.0,
    }


def contained(item: Record, claim: str) -> bool:
    wanted = item.get("gold_claim_substr") or []
    if not claim.strip():
        return False
    return contains(claim, wanted)


def cited(item: Record, claim: str, cites: set[str], run: Record) -> bool:
    gold = item.get("gold_citations")
    scoped = cites <= set(run.get("retrieved_ids") or [])
    if not claim.strip():
        return False
    # Without the list no evidence was written down; an empty one says that nothing may be cited.
    return scoped and (gold is None or (bool(cites & set(gold)) if gold else not cites))
