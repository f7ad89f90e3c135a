"""What `gold lint` would say of one item, within the gold set that it is to be part of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragstone.matching.characters import fold
from ragstone.suites.answers import lint as answers_lint
from ragstone.suites.answers.lint import Item, Weakness
from ragstone.tools import retrieval_lint
from ragstone.tools.gold_conflicts import conflicts, wordings
from ragstone.tools.gold_in_corpus import against_corpus
from ragstone.tools.known_chunks import KnownChunks

_WORD = re.compile(r"\w+")
# Items that share fewer of their words are in nobody's way.
_ALIKE = 0.5


def lint_item(
    item: Item,
    gold: Mapping[str, Item],
    texts: Mapping[str, str] | None = None,
    *,
    retrieval: bool = False,
) -> list[Weakness]:
    """Every weakness of the item; `texts` are those of chunks, as far as they are known.

    >>> held = {"A": {"qid": "A", "question": "How long are events kept?", "answerable": False}}
    >>> asks = {"qid": "B", "question": "How long are the events kept?", "answerable": True}
    >>> [found.rule for found in lint_item(asks, held)]
    ['contradicting_items', 'near_duplicate', 'nothing_to_check']
    """
    qid = str(item["qid"])
    # What two items have against each other is told of the later one.
    every = [*_alike(item, gold), item]
    found = (retrieval_lint if retrieval else answers_lint).lint(every) + conflicts(every)
    if texts:
        known = KnownChunks("the texts", frozenset(texts), texts)
        found += against_corpus([item], known)
    return sorted({each for each in found if each.qid == qid})


def _alike(item: Item, gold: Mapping[str, Item]) -> Sequence[Item]:
    """The other items that share a good part of their words in any wording.

    Only these can repeat or contradict it, and a gold set of thousands is looked at as one types.
    """
    asked = [bag for wording in wordings(item) if (bag := _words(wording))]
    return [
        other
        for qid, other in gold.items()
        if qid != item["qid"]
        and any(
            len(own & bag) >= _ALIKE * min(len(own), len(bag))
            for wording in wordings(other)
            if (bag := _words(wording))
            for own in asked
        )
    ]


def _words(wording: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(wording)))
