"""How the answers suite reads its own numbers: which pattern points at which layer."""

from __future__ import annotations

from ragstone.gates.gate import TOLERANCE
from ragstone.suites.signs import Rule

# Where these have no gate, this is what counts as low.
LINES = {"recall@k": ">= 0.80"}
# chr this far below what citing from the first k allows is "far below".
_GAP = 0.10

_SHIPPED = "shipped and answerable"
_FLIPS = (
    "qid in (select qid from rows group by arm, qid "
    "having count(distinct (refused, shipped, contained, cited)) > 1)"
)

READINGS = (
    Rule(
        "precision low, chr low",
        "grounding is broken: drift between what is retrieved and what is said",
        lambda signs: signs.bad("precision") and signs.bad("chr"),
        f"{_SHIPPED} and not cited",
    ),
    Rule(
        "precision low, chr high",
        "right evidence, wrong claim: claim schema or gold substrings",
        lambda signs: signs.bad("precision") and not signs.bad("chr"),
        f"{_SHIPPED} and cited and not (contained and intact and not forbidden)",
    ),
    Rule(
        "under_refusal high",
        "refusal contract not enforced",
        lambda signs: signs.bad("under_refusal"),
        "not answerable and shipped",
    ),
    Rule(
        "over_refusal high, recall@k high",
        "guard too strict, evidence was there",
        lambda signs: signs.bad("over_refusal") and not signs.bad("recall@k"),
        "answerable and refused and recalled",
    ),
    Rule(
        "over_refusal high, recall@k low",
        "retrieval loses the evidence: chunk size, k, index",
        lambda signs: signs.bad("over_refusal") and signs.bad("recall@k"),
        "answerable and refused and not recalled",
    ),
    Rule(
        "chr far below chr_bound@k",
        "evidence retrieved but not cited: citation schema or reranking",
        lambda signs: (
            signs.known("chr", "chr_bound@k")
            and signs.value("chr_bound@k") - signs.value("chr") > _GAP + TOLERANCE
        ),
        f"{_SHIPPED} and reachable and not cited",
    ),
    Rule(
        "recall@k low",
        "index or manifest drift, retrieval logic",
        lambda signs: signs.bad("recall@k"),
        "answerable and not recalled",
    ),
    Rule(
        "unscoped > 0",
        "the pipeline cites what it did not retrieve",
        lambda signs: signs.value("unscoped") > 0,
        "shipped and not scoped",
    ),
    Rule(
        "scu_violations > 0",
        "constraints not echoed, or contradicted: lock and echo them",
        lambda signs: signs.value("scu_violations") > 0,
        "shipped and constrained and not intact",
    ),
    Rule(
        "the same question flips between runs or environments",
        "index, normaliser or model differ: compare manifests",
        lambda signs: signs.repeats,
        _FLIPS,
    ),
)
