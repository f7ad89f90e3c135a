"""How the answers suite reads its own numbers: which pattern points at which layer."""

from __future__ import annotations

from ragstone.gates.gate import TOLERANCE
from ragstone.suites.signs import Rule

# Where these have no gate, this is what counts as low.
LINES = {"recall@k": ">= 0.80"}
# chr this far below what citing from the first k allows is "far below".
_GAP = 0.10

_SHIPPED = "shipped and answerable"
_WRONG = f"{_SHIPPED} and not (contained and cited and intact and not forbidden)"
# That the log holds citations, and what was retrieved: without these nothing is known of either.
_CITATIONS = "cited_ids > 0"
_RETRIEVED = "gold_found > 0 or (scoped and cited_ids > 0)"
_FLIPS = (
    "qid in (select qid from rows group by arm, qid "
    "having count(distinct (refused, shipped, contained, cited)) > 1)"
)

READINGS = (
    Rule(
        "precision low, chr low",
        "What is said does not rest on what was retrieved. Make the pipeline answer from the "
        "retrieved texts alone, and cite the ones it used.",
        lambda signs: signs.bad("precision") and signs.bad("chr"),
        "not cited",
        _WRONG,
        _CITATIONS,
        title="answers do not cite the right evidence",
    ),
    Rule(
        "precision low, chr high",
        "The evidence is right and the answer is not what is expected. Compare the two: either "
        "the model misreads the evidence, or the expected phrases are too narrow.",
        lambda signs: signs.bad("precision") and not signs.bad("chr"),
        "cited and evidenced",
        _WRONG,
        title="right evidence, wrong answer",
    ),
    Rule(
        "under_refusal high",
        "The pipeline answers where it should refuse. Make it return the refusal when the "
        "retrieved texts do not hold an answer, and see that nothing rewrites a refusal.",
        lambda signs: signs.bad("under_refusal"),
        "not answerable and shipped",
        title="questions without an answer are answered",
    ),
    Rule(
        "over_refusal high, recall@k high",
        "The evidence was retrieved, and the pipeline refused all the same. Loosen what makes it "
        "refuse: the prompt, a score threshold or a guard behind the model.",
        lambda signs: signs.bad("over_refusal") and not signs.bad("recall@k"),
        "recalled",
        "answerable and refused",
        title="refused, though the evidence was there",
    ),
    Rule(
        "over_refusal high, recall@k low",
        "Retrieval loses the evidence, so the pipeline has to refuse. Look at the size of chunks, "
        "at k and at the index before you touch the refusal.",
        lambda signs: signs.bad("over_refusal") and signs.bad("recall@k"),
        "not recalled",
        "answerable and refused",
        _RETRIEVED,
        title="refused, because the evidence was not retrieved",
    ),
    Rule(
        "chr far below chr_bound@k",
        "The right evidence was retrieved, and the answer cites something else or nothing. Look "
        "at how citations are asked for, and at the order in which texts reach the model.",
        lambda signs: (
            signs.known("chr", "chr_bound@k")
            and signs.value("chr_bound@k") - signs.value("chr") > _GAP + TOLERANCE
        ),
        "reachable",
        f"{_SHIPPED} and not cited",
        _CITATIONS,
        title="evidence retrieved, but not cited",
    ),
    Rule(
        "recall@k low",
        "The evidence is not among what was retrieved. Check that index and gold set know the "
        "same ids (ragstone gold check), then look at how the pipeline searches.",
        lambda signs: signs.bad("recall@k"),
        "not missing",
        "answerable and not recalled",
        _RETRIEVED,
        title="evidence not retrieved",
    ),
    Rule(
        "unscoped > 0",
        "The pipeline cites what it did not retrieve, or does not log all that it retrieved. Let "
        "it cite retrieved ids alone, and log every one of them.",
        lambda signs: signs.value("unscoped") > 0,
        "shipped and not scoped",
        title="cites what was not retrieved",
    ),
    Rule(
        "scu_violations > 0",
        "An answer does not repeat its locked constraints, or contradicts one. Give them to the "
        "model word for word, and ask for them back in constraints_echo.",
        lambda signs: signs.value("scu_violations") > 0,
        "shipped and constrained and not intact",
        title="constraints not kept",
    ),
    Rule(
        "the same question flips between runs or environments",
        "Index, text normalisation or model differ between the runs. Compare their manifests and "
        "versions.",
        lambda signs: signs.repeats,
        _FLIPS,
    ),
)
