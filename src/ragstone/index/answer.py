"""An answer without a model: the best supported sentence of what was retrieved, or the refusal.

How well a sentence is supported is the share of what the question asks for that it holds, words
weighed by how much they tell. It hears words and not meaning, which makes it an honest baseline:
what a model adds is what it scores above this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ragstone.index.model import Chunk
from ragstone.index.ranking import Hit
from ragstone.index.sentences import sentences
from ragstone.index.terms import terms

REFUSAL = "not in context"
THRESHOLD = 0.6
"""Below this support the answer is the refusal, where the index was not calibrated otherwise."""

# What stands around a sentence helps to understand it, but less than what it says itself.
_TITLES, _NEIGHBOURS = 0.7, 0.4
_RANK = 0.02
_AMOUNT = re.compile(
    r"\bhow (?:many|much|long|old|big|large|often|far|fast|high|quickly|soon)\b"
    r"|\bwhat (?:percent\w*|number|year|size|is the (?:max\w*|limit|longest|largest|smallest))\b"
    r"|\bwhen\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|hundred"
    r"|thousand|million|billion|once|twice|half)\b",
    re.IGNORECASE,
)
_NO_AMOUNT = 0.6


@dataclass(frozen=True, slots=True)
class Extract:
    """One sentence as an answer: where it stands and how well the question supports it."""

    chunk: Chunk
    text: str
    offsets: tuple[int, int]
    support: float


def best_extract(question: str, hits: Sequence[Hit], idf: Callable[[str], float]) -> Extract | None:
    """The best supported sentence; of equals the one of the better chunk, then the earlier one."""
    asked = {term: idf(term) for term in sorted(set(terms(question)))}
    total = sum(asked.values())
    if not total:
        return None
    wants_amount = bool(_AMOUNT.search(question))
    best: Extract | None = None
    for rank, hit in enumerate(hits):
        for extract in _extracts(hit.chunk, asked, total, wants_amount):
            support = round(extract.support - _RANK * rank, 9)
            if best is None or support > best.support:
                best = Extract(extract.chunk, extract.text, extract.offsets, support)
    return best


def _extracts(
    chunk: Chunk, asked: dict[str, float], total: float, wants_amount: bool
) -> Iterator[Extract]:
    titles = set(terms(" ".join(chunk.titles)))
    around = set(terms(chunk.text))
    for begin, end in sentences(chunk.text, chunk.type):
        text = chunk.text[begin:end]
        held = set(terms(text))
        points = 0.0
        for term, weight in asked.items():
            near = _TITLES if term in titles else _NEIGHBOURS if term in around else 0.0
            points += weight * (1.0 if term in held else near)
        if wants_amount and not _NUMBER.search(text):
            points *= _NO_AMOUNT
        start = chunk.offsets[0] + len(chunk.text[:begin].encode())
        place = (start, start + len(text.encode()))
        yield Extract(chunk, _spoken(text, chunk), place, points / total)


def _spoken(text: str, chunk: Chunk) -> str:
    """A row of a table says little without its column names, which stand in the first row."""
    if chunk.type != "table":
        return text
    head = chunk.text.split("\n", 1)[0]
    names, cells = head.split(" | "), text.split(" | ")
    if text == head or len(names) != len(cells):
        return text
    return "; ".join(f"{n}: {c}" if n else c for n, c in zip(names, cells, strict=True))
