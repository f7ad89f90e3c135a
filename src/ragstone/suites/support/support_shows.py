"""What a report says of support: the figures with their reach, and what was not in the texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragstone.engine.duck import quoted
from ragstone.report.document.blocks import Block, Json, Table
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.standard_blocks import first_of

_SAYS = (
    "A sentence counts where it holds a number, date or quotation and its texts are at hand; this "
    "sees wrong figures and quotations, not wrong reasoning."
)


def support_facts(work: Work[Any]) -> Mapping[str, Any]:
    """The counts of sentences, and the first parts that were not in their texts."""
    if not work.notes.get("texts"):
        return {"support_counts": {}, "unfound": [], "absent": 0}
    arm, tally = f"arm = {quoted(work.shown)}", work.duck.tally
    sentences, nothing, unknown, unsupported = work.duck.counts(f"""
        select {tally()}, {tally("state is null")}, {tally("state = 'unknown'")},
            {tally("state = 'unsupported'")}
        from sentences where {arm}
    """)
    parts, derived = work.duck.counts(
        f"""select {tally()}, {tally("verdict = 'derived?'")} from unfound where {arm}"""
    )
    most = "" if work.options.limit is None else f"limit {work.options.limit}"
    return {
        "support_counts": {
            "sentences": sentences,
            "nothing_to_check": nothing,
            "texts_not_at_hand": unknown,
            "unsupported_sentences": unsupported,
            "unsupported_parts": parts - derived,
            "derived?": derived,
        },
        "unfound": work.duck.dicts(f"""
            select qid, sentence, kind, part as text, verdict, how, looked_in from unfound
            where {arm} order by qid, trace_row, sentence, since, until, kind {most}
        """),
        "absent": sum(
            len(work.gathered.sets.get(f"absent of {arm.name}", ())) for arm in work.arms
        ),
    }


def support_data(outcome: Outcome[Any]) -> dict[str, Json]:
    """What was not found, for programs."""
    unfound: list[Json] = list(outcome.facts["unfound"])
    return {"not_in_texts": unfound, "ids_without_text": outcome.facts["absent"]}


def support_blocks(outcome: Outcome[Any]) -> list[Block]:
    counts = outcome.facts["support_counts"]
    if not counts:
        return []
    return [_figures(outcome, counts["sentences"]), *_unfound(outcome)]


def _figures(outcome: Outcome[Any], sentences: int) -> Table:
    """Each figure beside the share of sentences that it speaks of."""
    rows = []
    for name in ("support", "number_support", "quote_support"):
        found = outcome.first.get(name)
        if found is not None:
            value = None if found.vacuous else found.value
            share = found.denominator / sentences if sentences else None
            rows.append((name, value, found.numerator, found.denominator, sentences, share))
    columns = ("metric", "value", "supported", "checked", "sentences", "share checked")
    return Table("Support", columns, tuple(rows), _SAYS)


def _unfound(outcome: Outcome[Any]) -> list[Block]:
    found = outcome.facts["unfound"]
    if not found:
        return []
    counts = outcome.facts["support_counts"]
    rows = tuple(
        (
            each["qid"],
            each["sentence"],
            each["kind"],
            each["text"],
            f"{each['verdict']} {each['how']}".rstrip(),
            ", ".join(each["looked_in"]),
        )
        for each in found
    )
    says = first_of(len(rows), counts["unsupported_parts"] + counts["derived?"])
    columns = ("trace", "sentence", "kind", "text", "verdict", "looked in")
    return [Table("Not in the texts", columns, rows, says, texts=("text", "verdict"))]


def support_warnings(outcome: Outcome[Any]) -> list[str]:
    absent = outcome.facts["absent"]
    if not absent:
        return []
    unknown = outcome.facts["support_counts"]["texts_not_at_hand"]
    return [
        f"cited or retrieved ids without a text at hand: {absent:,}; sentences that could not be "
        f"checked for that, and are in no figure: {unknown:,}"
    ]
