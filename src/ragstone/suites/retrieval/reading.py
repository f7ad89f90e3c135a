"""What the numbers of an index say together: the likely cause, by rule, with its proof.

Each rule looks at rows that show the pattern; it speaks when there is such a row and, where a rate
is needed to tell a pattern from an accident, when the rate passes the line written beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.engine.duck import Duck
from ragstone.measure.metric import Measured
from ragstone.suites.evidence import Finding
from ragstone.suites.retrieval import spans
from ragstone.suites.retrieval.evidence import count, first_qids
from ragstone.suites.retrieval.side import Side

# Recall of tables or code this far below that of prose is not chance in a gold set of any size.
_TYPE_GAP = 0.10


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, its reading, the rows that show it, and the share of rows that makes it one."""

    pattern: str
    reading: str
    proof: str
    share: float = 0.0


_STABLE = "delta_s < 0.40 * getvariable('scale') - 1e-9"

RULES = (
    Rule(
        "ΔS stable, evidence not relevant",
        "similar but wrong meaning: the embedding puts near what does not answer; add hard "
        "negatives, or a reranker",
        f"{_STABLE} and case when answered then coalesce(accuracy, 0) = 0 and not drifted "
        "else on_top = 0 end",
        0.05,
    ),
    Rule(
        "the relevant id is found, but not on top, or its rank moves between runs",
        "order flips: ranking is unstable or ties are broken differently; fix the tie rule, or "
        "rerank",
        "ranked > 0 and on_top < runs and (moves or r_10 > r_1 + 1e-9)",
        0.10,
    ),
    Rule(
        "hard negatives stand above the evidence",
        "near-duplicates win: raise the weight of exact terms, or rerank",
        "negative_5 > 0",
        0.02,
    ),
    Rule(
        "the answer cites beside the evidence, in the same section, or past the chunk's end",
        "boundary leaks: chunks are cut inside a statement; cut at paragraphs, or overlap them",
        "leaks or beside_gold",
    ),
    Rule(
        "right id, wrong bytes",
        "offset drift: offsets were taken in another unit or from another text; index and "
        "citations must use bytes of one canonical text",
        "drifted",
    ),
    Rule(
        "anchor section not retrieved",
        "the section is missing from the index, or its title is not in the chunk",
        "anchored and anchor_10 = 0 and not missing",
        0.10,
    ),
)


def read(duck: Duck, side: Side, manifest: int, limit: int | None) -> tuple[Finding, ...]:
    """The rules that apply, each with its first rows."""
    total = count(duck, side.name, "true")
    findings = []
    for rule in RULES:
        if count(duck, side.name, rule.proof) > rule.share * total:
            qids = first_qids(duck, side.name, rule.proof, limit)
            findings.append(Finding(rule.pattern, rule.reading, qids))
    findings += _lost_types(duck, side, limit)
    findings += _broken(duck, side, manifest, limit)
    findings += _lambdas(side, limit)
    return tuple(findings)


def _lost_types(duck: Duck, side: Side, limit: int | None) -> list[Finding]:
    prose = _recall(side.by_type.get("prose", {}))
    found = []
    for kind in ("table", "code", "figure"):
        here = _recall(side.by_type.get(kind, {}))
        if prose is not None and here is not None and prose - here > _TYPE_GAP + 1e-9:
            found.append(
                Finding(
                    f"R@5 of {kind} far below prose",
                    f"{kind} is lost on the way into the index: its chunks are flattened, split "
                    "or dropped; keep it whole, with its caption",
                    first_qids(duck, side.name, f"type = '{kind}' and r_5 < 1", limit),
                )
            )
    return found


def _recall(row: Mapping[str, Measured]) -> float | None:
    return row["R@5"].value if "R@5" in row else None


def _broken(duck: Duck, side: Side, manifest: int, limit: int | None) -> list[Finding]:
    """Citations that the manifest does not know, and texts that are not what they were."""
    qids: set[str] = set()
    if manifest:
        qids.update(first_qids(duck, side.name, "cites_unknown", None))
    qids.update(qid for qid, _, _ in spans.broken_hashes(duck, side.name))
    if not qids:
        return []
    return [
        Finding(
            "citations point at ids or text that the manifest does not have",
            "citations broken after a rebuild: the index and the manifest are of different builds; "
            "rebuild both, and `ragstone migrate` the gold set",
            tuple(sorted(qids))[:limit],
        )
    ]


def _lambdas(side: Side, limit: int | None) -> list[Finding]:
    found = []
    if side.lambdas.scattered:
        found.append(
            Finding(
                "λ is × for some questions",
                "runs scatter: paraphrases reach nothing in common; look at the query rewriting "
                "and at the index they ask",
                side.lambdas.scattered[:limit],
            )
        )
    return found
