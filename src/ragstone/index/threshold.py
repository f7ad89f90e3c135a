"""Learns from a gold set how much support a sentence needs to be given as the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragstone.index.extractive import Answerer
from ragstone.index.ranker import Ranker

# A phrase under five characters can never match in the answers suite, so it cannot count here.
_SHORTEST = 5


@dataclass(frozen=True, slots=True)
class Lesson:
    """One gold question: its best sentence's support, and whether that sentence is right."""

    support: float
    right: bool
    answerable: bool


def lessons(ranker: Ranker, gold: Iterable[dict[str, object]], answer_k: int = 5) -> list[Lesson]:
    """One lesson for each gold question for which a sentence was found."""
    made = []
    answerer = Answerer(ranker.idf)
    for item in gold:
        question = str(item.get("question") or "")
        extract = answerer.best(question, ranker.search(question, answer_k))
        if extract is None:
            continue
        phrases = item.get("gold_claim_substr") or []
        claim = extract.text.casefold()
        found = isinstance(phrases, list) and any(
            len(phrase) >= _SHORTEST and phrase.casefold() in claim for phrase in phrases
        )
        made.append(Lesson(extract.support, found, item.get("answerable") is True))
    return made


def calibrated(learnt: Sequence[Lesson]) -> float | None:
    """The threshold with most right outcomes; of equals the highest, which answers least.

    An outcome is right if a right sentence is given, or an unanswerable question refused.

    >>> calibrated([Lesson(0.9, True, True), Lesson(0.5, False, False), Lesson(0.7, True, True)])
    0.7
    """
    best, threshold = -1, None
    well = sum(not lesson.answerable for lesson in learnt)
    for support in sorted({lesson.support for lesson in learnt}, reverse=True):
        for lesson in learnt:
            if lesson.support == support:
                well += (lesson.answerable and lesson.right) - (not lesson.answerable)
        if well > best:
            best, threshold = well, support
    return threshold
