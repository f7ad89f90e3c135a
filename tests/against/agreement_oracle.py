"""Kappa and alpha again, from their textbook definitions and in another way than the suite's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import permutations


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """From observed and expected proportions, label by label."""
    n = len(pairs)
    observed = sum(one == two for one, two in pairs) / n
    first, second = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    expected = math.fsum(first[label] / n * second[label] / n for label in first)
    if set(first) == set(second) and len(first) == 1:
        return None
    return (observed - expected) / (1 - expected)


def alpha(items: Sequence[Sequence[str | None]]) -> float | None:
    """From the coincidence matrix: each ordered pair of labels of an item counts 1/(m - 1)."""
    coincidences: Counter[tuple[str, str]] = Counter()
    for item in items:
        given = [label for label in item if label is not None]
        for one, two in permutations(range(len(given)), 2):
            coincidences[given[one], given[two]] += 1 / (len(given) - 1)  # type: ignore[assignment]
    totals: Counter[str] = Counter()
    for (one, _), count in coincidences.items():
        totals[one] += count
    n = math.fsum(totals.values())
    observed = math.fsum(c for (one, two), c in coincidences.items() if one != two)
    expected = math.fsum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    return None if expected == 0 else 1 - (n - 1) * observed / expected


def arbitrate(pair: dict[str, object]) -> tuple[str, str]:
    """The rules of the spec, one after the other."""
    flags = pair.get("flags") or {}
    answer = pair.get("answer_json") or {}
    assert isinstance(flags, dict)
    assert isinstance(answer, dict)
    scholar, auditor = (str(pair[who]["label"]) for who in ("scholar", "auditor"))  # type: ignore[index]
    scholar, auditor = (x.replace("INVALID", "REJECT") for x in (scholar, auditor))
    retrieved = pair.get("retrieved_ids") or []
    assert isinstance(retrieved, list)
    if any(flags.get(flag) for flag in ("provenance_violation", "constraints_mismatch")):
        return "REJECT", "hard_flag"
    if any(cited not in retrieved for cited in answer.get("citations") or []):
        return "REJECT", "citation_out_of_scope"
    if scholar == auditor == "NOT_IN_CONTEXT":
        return "NOT_IN_CONTEXT", "agreed_refusal"
    if auditor != "VALID":
        return "REJECT", "auditor_veto"
    if scholar == "VALID":
        return "VALID", "auditor_ok"
    return "REJECT", "incoherent_pair"
