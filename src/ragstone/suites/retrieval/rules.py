"""How the retrieval suite reads its own numbers: which pattern of rows points at which cause.

A reading is given where rows carry it; where a rate tells a pattern from an accident, they must be
more than the share written beside it.
"""

from __future__ import annotations

from ragstone.suites.retrieval.metrics import BELOW_STABLE
from ragstone.suites.signs import Rule, Signs

# Recall of tables or code this far below that of prose is not chance in a gold set of any size.
_TYPE_GAP = 0.10

# Of decimals: a sum of doubles, in the order of threads, has other last digits.
_EACH = "others.r_5::decimal(38, 18)"
_MEAN = f"avg({_EACH})"
_WEIGHTED = f"sum(others.times * {_EACH}) / sum(others.times)"


def _recall_of(kind: str, mean: str) -> str:
    """The mean R@5 of a type in the arm of the row, null where no question is of it."""
    return (
        f"(select {mean} from rows as others "
        f"where others.arm = rows.arm and others.type = '{kind}')"
    )


def _any_numbers(signs: Signs) -> bool:
    """These readings look at the rows alone, and at no number over all of them."""
    return True


def _lost(kind: str) -> Rule:
    def check(mean: str) -> str:
        gap = f"{_recall_of('prose', mean)} - {_recall_of(kind, mean)}"
        return f"found_10 = 0 and {gap} > {_TYPE_GAP} + 1e-9"

    return Rule(
        f"R@5 of {kind} far below prose",
        f"{_MANY[kind]} get lost on the way into the index: they are flattened, split or dropped. "
        "Keep each in one chunk, with its caption.",
        _any_numbers,
        check(_MEAN),
        f"type = '{kind}' and r_5 < 1",
        condensed=check(_WEIGHTED),
        title=f"{_MANY[kind].lower()} are found far less often than prose",
    )


_MANY = {"table": "Tables", "code": "Pieces of code", "figure": "Figures"}
_NOT_ON_TOP = "on_top < runs"
_MISCITED = "answered and accuracy < 1"

READINGS = (
    Rule(
        "ΔS stable, evidence not relevant",
        "The embedding finds texts that sound like the question and do not answer it. Add a "
        "reranker, or train the embedding with such texts as wrong examples.",
        _any_numbers,
        BELOW_STABLE,
        "delta_s is not null and case when answered then coalesce(accuracy, 0) = 0 and not drifted "
        "else on_top = 0 end",
        share=0.05,
        title="close to the question, but not relevant",
    ),
    Rule(
        "the relevant id is found, but not on top, or its rank moves between runs",
        "The order of results is not stable, or not right at the top. Decide ties by a fixed "
        "rule, or add a reranker.",
        _any_numbers,
        "ranked > 0 and (moves or r_10 > r_1 + 1e-9)",
        _NOT_ON_TOP,
        share=0.10,
    ),
    Rule(
        "hard negatives stand above the evidence",
        "Texts that are known to be wrong win over the right one. Give exact terms more weight, or "
        "add a reranker.",
        _any_numbers,
        "negative_5 > 0",
        f"has_negatives and {_NOT_ON_TOP}",
        share=0.02,
        title="known wrong texts stand above the right one",
    ),
    Rule(
        "the answer cites beside the evidence, in the same section, or past the chunk's end",
        "Chunks are cut inside a statement, so the citation misses it. Cut at paragraphs, or let "
        "chunks overlap.",
        _any_numbers,
        "leaks or beside_gold",
        f"leaks or ({_MISCITED})",
    ),
    Rule(
        "right id, wrong bytes",
        "Offsets were counted in another unit, or in another text. Index and citations must count "
        "bytes of the same text.",
        _any_numbers,
        "drifted",
        _MISCITED,
        title="the right text is cited at the wrong place",
    ),
    Rule(
        "anchor section not retrieved",
        "The section is missing from the index, or its chunks do not carry its title. Look it up "
        "in the index first.",
        _any_numbers,
        "found_10 = 0",
        "anchored and anchor_10 = 0 and not missing",
        share=0.10,
        title="the right section is not retrieved",
    ),
    *(_lost(kind) for kind in ("table", "code", "figure")),
    Rule(
        "citations point at ids or text that the manifest does not have",
        "Index and manifest are of different builds, so citations point at nothing. Build both "
        "again, and carry the gold set over with ragstone migrate.",
        _any_numbers,
        "outdated",
        title="citations point at texts that are no longer there",
    ),
    Rule(
        "λ is × for some questions",
        "Other wordings of a question retrieve nothing in common. Look at how the query is "
        "rewritten, and whether all runs asked the same index.",
        _any_numbers,
        "scattered",
        title="reruns of a question scatter",
    ),
)
