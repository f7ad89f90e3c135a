"""What the context suite shows beyond what every suite does: the columns LiveRAG teams know."""

from __future__ import annotations

from typing import Any

from ragstone.report.document.blocks import Block, Json, Offender
from ragstone.suites.context.metrics import COLUMNS
from ragstone.suites.context.options import ContextOptions
from ragstone.suites.declaration import Numbers, Outcome
from ragstone.suites.ranking import ranked_arms
from ragstone.suites.standard_blocks import arms_blocks, offenders_block, slice_tables

COMPARED = ("context_recall", "context_precision", "context_f1", "ndcg@10")
SHOWN = ("context_recall", "context_precision", "context_f1", "ndcg@10", "any_ref", "all_refs")
_COUNTS = {
    "questions": "results",
    "missing": "questions missing",
    "unknown_qid": "results of unknown questions",
    "duplicates": "repeated ids",
}


def averages(numbers: Numbers) -> dict[str, float | None]:
    """A system's averages by column name; `pct_*` run to 100, and what is vacuous is nothing."""
    found: dict[str, float | None] = {}
    for column, name in COLUMNS.items():
        measured = numbers[name]
        if measured.vacuous:
            found[column] = None
        elif measured.numerator is not None:
            # As the original computes it, so that the last digit is the same too.
            found[column] = measured.numerator / measured.denominator * 100
        else:
            found[column] = measured.value
    return found


def figures(outcome: Outcome[ContextOptions]) -> dict[str, float | int | None]:
    return {
        **averages(outcome.first),
        "questions": scored(outcome),
        "no_gold": _no_gold(outcome),
        **({"below_level": outcome.facts["below_level"]} if outcome.options.grade > 1 else {}),
        **ranked_arms.left_out(outcome, outcome.shown),
        "k": outcome.options.k,
    }


def arm_figures(outcome: Outcome[ContextOptions], arm: str) -> dict[str, float | int | None]:
    return {**averages(outcome.measured[arm]), **ranked_arms.left_out(outcome, arm)}


def scored(outcome: Outcome[Any]) -> int:
    """How many questions have gold."""
    return outcome.first["missing"].denominator


def _no_gold(outcome: Outcome[ContextOptions]) -> int:
    reference = outcome.inputs["reference"]
    found = reference.get("no_gold") if isinstance(reference, dict) else None
    return found if isinstance(found, int) else 0


def data(outcome: Outcome[ContextOptions]) -> dict[str, Json]:
    made: dict[str, Json] = {} if outcome.several else {"system_name": outcome.shown}
    return {**made, "offenders": [_offender(row) for row in outcome.offenders.rows]}


def _offender(row: Offender) -> dict[str, Json]:
    return {
        "qid": row.qid,
        "costs": list(row.costs),
        "failed_checks": list(row.failed_checks),
        "problems": list(row.problems),
        "question": row.question,
        "gold_docs": list(row.gold_citations),
        "retrieved_docs": list(row.retrieved_ids),
    }


def blocks(outcome: Outcome[ContextOptions]) -> list[Block]:
    of = f": {outcome.shown}" if outcome.several else ""
    says = "Those that fail most gates come first, then the lowest recall, then the lowest nDCG."
    first = [
        ("questions scored", scored(outcome)),
        ("questions without gold, left out", _no_gold(outcome)),
    ]
    return [
        *arms_blocks(outcome, COMPARED, ranked_arms.missing(outcome)),
        *slice_tables(outcome),
        *offenders_block(outcome, of, says),
        ranked_arms.counts_table(outcome, first, _COUNTS),
    ]


def warnings(outcome: Outcome[ContextOptions]) -> list[str]:
    found, no_gold = [], _no_gold(outcome)
    if no_gold:
        one = no_gold == 1
        count = "1 question has" if one else f"{no_gold:,} questions have"
        found.append(f"{count} no gold document, and {'is' if one else 'are'} in no average")
    return found + ranked_arms.warnings(outcome, "the reference")
