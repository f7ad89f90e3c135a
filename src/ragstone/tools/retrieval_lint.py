"""What is weak about a retrieval gold set that no contract forbids: too small, too few wordings,
nothing to be confused with, ids the index does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ragstone.contracts.records.retrieval_records import TYPES
from ragstone.suites.answers.lint import Item, Weakness, texts_in

ITEMS, PARAPHRASES = 200, 3
KINDS = ("prose", "code", "table", "figure")


def lint(gold: Sequence[Item], manifest: Sequence[Item] | None = None) -> list[Weakness]:
    """Every weakness, by qid; what concerns the whole set has the qid "".

    >>> found = lint([{"qid": "A", "paraphrases": ["x?"], "relevant": ["p1"]}])
    >>> [weakness.rule for weakness in found]
    ['few_items', 'few_paraphrases', 'no_anchor', 'no_negatives']
    """
    chunks = None if manifest is None else {str(chunk["id"]): chunk for chunk in manifest}
    found = [*_of_set(gold, chunks)]
    for item in gold:
        found += _of_item(item)
        if chunks is not None:
            found += _missing(item, chunks)
    return sorted(found)


def _of_set(gold: Sequence[Item], chunks: Mapping[str, Item] | None) -> Iterator[Weakness]:
    if len(gold) < ITEMS:
        yield Weakness("", "few_items", f"{len(gold)} items; {ITEMS} or more make a fair sample")
    if chunks is None:
        return
    held = {TYPES.get(str(chunk.get("type"))) for chunk in chunks.values()}
    first = [texts_in(item, "relevant")[:1] for item in gold]
    asked = Counter(
        TYPES.get(str(chunks[ids[0]].get("type"))) for ids in first if ids and ids[0] in chunks
    )
    for kind in KINDS:
        if kind in held and not asked[kind]:
            yield Weakness("", "type_without_questions", f"no question is about {kind}")


def _of_item(item: Item) -> Iterator[Weakness]:
    qid = str(item["qid"])
    wordings = texts_in(item, "paraphrases")
    if len(set(wordings)) < PARAPHRASES:
        yield Weakness(
            qid, "few_paraphrases", f"{len(set(wordings))} wordings; λ needs {PARAPHRASES}"
        )
    relevant, negatives = texts_in(item, "relevant"), texts_in(item, "negatives")
    if not negatives:
        yield Weakness(qid, "no_negatives", "has no hard negatives: nothing to be confused with")
    for chunk in sorted(set(relevant) & set(negatives)):
        yield Weakness(qid, "relevant_and_negative", f"{chunk} is both relevant and a negative")
    if len(set(relevant)) != len(relevant):
        yield Weakness(qid, "repeated_relevant", "an id stands twice in relevant")
    if not item.get("anchor_section"):
        yield Weakness(qid, "no_anchor", "has no anchor_section: anchor_hit@k skips it")


def _missing(item: Item, chunks: Mapping[str, Item]) -> Iterator[Weakness]:
    offsets = item.get("relevant_offsets")
    named = [
        *texts_in(item, "relevant"),
        *texts_in(item, "negatives"),
        *(offsets if isinstance(offsets, dict) else ()),
    ]
    for chunk in dict.fromkeys(named):
        if chunk not in chunks:
            yield Weakness(str(item["qid"]), "not_in_manifest", f"{chunk} is not in the manifest")
