"""The ΔS that nobody logged, from texts: how far the question is from what was cited first."""

from __future__ import annotations

from msgspec.structs import replace

from ragstone.embedders.embed import Embedder, Vector, delta_s
from ragstone.shadow.pairs import ArmRecord


def with_delta_s(question: str, arm: ArmRecord, embedder: Embedder) -> ArmRecord:
    """The arm with its ΔS: that which was logged, else computed where the texts are at hand.

    An answer's ΔS is that of what it cites first, else that of rank 1, as in live windows. Where
    it was computed, `ΔS_by` names the embedder: every embedder has a scale of its own.
    """
    hits, said = arm.retrieval.topk, arm.answer
    listed, by = arm.retrieval.delta_s_list, ""
    texts = {hit.id: hit.text for hit in (*hits, *said.citations) if hit.text}
    first = _first(arm)
    ids = [hit.id for hit in hits]
    if said.delta_s is not None or (not listed and first not in texts):
        return arm
    if not listed:
        by = embedder.identity
        asked, *vectors = embedder.embed([question, *texts.values()])
        known = dict(zip(texts, vectors, strict=True))
        if all(id in known for id in ids):
            listed = tuple(_rounded(asked, known[id]) for id in ids)
        own = _rounded(asked, known[first])
    else:
        own = listed[ids.index(first)] if first in ids[: len(listed)] else listed[0]
    return replace(
        arm,
        retrieval=replace(arm.retrieval, delta_s_list=listed),
        answer=replace(said, delta_s=own, delta_s_by=by),
    )


def _first(arm: ArmRecord) -> str:
    """What the answer cites first, else what stands first; nothing where there is neither."""
    return next((hit.id for hit in (*arm.answer.citations, *arm.retrieval.topk)), "")


def _rounded(one: Vector, other: Vector) -> float:
    # Twelve places are more than any embedder has, and half of the digits of a float.
    return round(delta_s(one, other), 12)
