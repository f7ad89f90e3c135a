"""How the retrieval suite reads its own numbers: which pattern of rows points at which cause.

A rule applies when rows show its pattern; where a rate tells a pattern from an accident, they must
be more than the share written beside it.
"""

from __future__ import annotations

from ragstone.suites.retrieval.metrics import BELOW_STABLE
from ragstone.suites.signs import Rule

# Recall of tables or code this far below that of prose is not chance in a gold set of any size.
_TYPE_GAP = 0.10

# Of decimals: a sum of doubles, in the order of threads, has other last digits.
_EACH = "others.r_5::decimal(38, 18)"
_MEAN = f"avg({_EACH})"
_WEIGHTED = f"sum(others.times * {_EACH}) / sum(others.times)"


def _shown(pattern: str, reading: str, proof: str, share: float = 0.0, condensed: str = "") -> Rule:
    """A rule that looks at the rows alone, and at no number over all of them."""
    return Rule(pattern, reading, lambda signs: True, proof, share, condensed)


def _recall_of(kind: str, mean: str) -> str:
    """The mean R@5 of a type in the arm of the row, null where no question is of it."""
    return (
        f"(select {mean} from rows as others "
        f"where others.arm = rows.arm and others.type = '{kind}')"
    )


def _lost(kind: str) -> Rule:
    def proof(mean: str) -> str:
        gap = f"{_recall_of('prose', mean)} - {_recall_of(kind, mean)}"
        return f"type = '{kind}' and r_5 < 1 and {gap} > {_TYPE_GAP} + 1e-9"

    return _shown(
        f"R@5 of {kind} far below prose",
        f"{kind} is lost on the way into the index: its chunks are flattened, split or dropped; "
        "keep it whole, with its caption",
        proof(_MEAN),
        condensed=proof(_WEIGHTED),
    )


READINGS = (
    _shown(
        "ΔS stable, evidence not relevant",
        "similar but wrong meaning: the embedding puts near what does not answer; add hard "
        "negatives, or a reranker",
        f"{BELOW_STABLE} and case when answered then coalesce(accuracy, 0) = 0 and not drifted "
        "else on_top = 0 end",
        0.05,
    ),
    _shown(
        "the relevant id is found, but not on top, or its rank moves between runs",
        "order flips: ranking is unstable or ties are broken differently; fix the tie rule, or "
        "rerank",
        "ranked > 0 and on_top < runs and (moves or r_10 > r_1 + 1e-9)",
        0.10,
    ),
    _shown(
        "hard negatives stand above the evidence",
        "near-duplicates win: raise the weight of exact terms, or rerank",
        "negative_5 > 0",
        0.02,
    ),
    _shown(
        "the answer cites beside the evidence, in the same section, or past the chunk's end",
        "boundary leaks: chunks are cut inside a statement; cut at paragraphs, or overlap them",
        "leaks or beside_gold",
    ),
    _shown(
        "right id, wrong bytes",
        "offset drift: offsets were taken in another unit or from another text; index and "
        "citations must use bytes of one canonical text",
        "drifted",
    ),
    _shown(
        "anchor section not retrieved",
        "the section is missing from the index, or its title is not in the chunk",
        "anchored and anchor_10 = 0 and not missing",
        0.10,
    ),
    *(_lost(kind) for kind in ("table", "code", "figure")),
    _shown(
        "citations point at ids or text that the manifest does not have",
        "citations broken after a rebuild: the index and the manifest are of different builds; "
        "rebuild both, and `ragstone migrate` the gold set",
        "outdated",
    ),
    _shown(
        "λ is × for some questions",
        "runs scatter: paraphrases reach nothing in common; look at the query rewriting and at the "
        "index they ask",
        "scattered",
    ),
)
