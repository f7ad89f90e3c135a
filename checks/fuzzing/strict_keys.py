"""The second reader's word on keys that are nearly fields, written from docs/contracts.md alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

# What some call a field; these are errors where the field is absent.
_ALSO_CALLED = {
    "gold_claim_substr": (
        *("gold_claim_substring", "gold_claim_substrings", "gold_substr", "gold_substring"),
        *("gold_substrings", "claim_substr", "claim_substring", "claim_substrings"),
    ),
    "gold_citations": ("gold_cites", "gold_cited", "gold_citation_ids"),
    "nuggets": ("nugget",),
    "answerable": ("is_answerable",),
    "claim": ("clam",),
    "citations": ("cites",),
}
# What others call something else, and may be in any line.
_ELSE = {
    *("answers", "chunk", "content", "contexts", "doc_IDs", "event", "events", "latencyMs"),
    *("latency_s", "normalized", "reasons", "reranked", "topK", "traceId", "TraceId"),
}
# A field that is absent is not missed where one of these is there.
_STANDS_IN = {
    "qid": ("q_id",),
    "q_id": ("qid",),
    "claim": ("claims",),
    "answer": ("answer_json", "qid", "q_id"),
    "chunks": ("retrieved_ids", "qid", "q_id"),
}


def is_misspelled(value: object, names: Iterable[str]) -> bool:
    """Whether a key with a value is nearly a field that the object does not have."""
    known = list(names)
    return isinstance(value, dict) and any(
        all(value.get(each) is None for each in (name, *_STANDS_IN.get(name, ())))
        for key, inside in value.items()
        if inside is not None and key not in known and key not in _ELSE
        for name in known
        if _is_nearly(key, name)
    )


def _is_nearly(key: str, field: str) -> bool:
    if key in _ALSO_CALLED.get(field, ()):
        return True
    one, other = _folded(key), _folded(field)
    fewest = min(sum(map(str.isalnum, each)) for each in (one, other))
    return _is_away(one, other, (fewest >= 7) + (fewest >= 12))


def _folded(key: str) -> str:
    return re.sub(r"\s+", "_", key.casefold().replace("-", "_").strip())


def _is_away(one: str, other: str, letters: int) -> bool:
    """Whether at most so many letters are other, more, less, or exchanged with the next."""
    if one == other:
        return True
    if letters == 0 or abs(len(one) - len(other)) > letters:
        return False
    if one[:1] == other[:1]:
        return _is_away(one[1:], other[1:], letters)
    exchanged = one[:2] == other[1::-1] and len(other) > 1
    return (
        _is_away(one[1:], other, letters - 1)
        or _is_away(one, other[1:], letters - 1)
        or _is_away(one[1:], other[1:], letters - 1)
        or (exchanged and _is_away(one[2:], other[2:], letters - 1))
    )
