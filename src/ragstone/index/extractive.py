"""An answer without a model: the best supported sentence of what was retrieved, or the refusal.

How well a sentence is supported is the share of what the question asks for that it holds, words
weighed by how much they tell. It hears words and not meaning, which makes it an honest baseline:
what a model adds is what it scores above this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.index.chunk_model import Chunk
from ragstone.index.ranker import Hit
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
# The measure that is asked for stands in no answer: "how long" is answered by "30 days".
_MEASURE = re.compile(
    r"\bhow (?:many|much|long|old|big|large|often|far|fast|high|quickly|soon)\b", re.IGNORECASE
)
_NO_AMOUNT = 0.6


@dataclass(frozen=True, slots=True)
class Extract:
    """One sentence as an answer: where it stands and how well the question supports it."""

    chunk: Chunk
    text: str
    offsets: tuple[int, int]
    support: float


@dataclass(frozen=True, slots=True)
class _Read:
    """A chunk as the answerer reads it: the words of its titles, of all, and of each sentence."""

    titles: frozenset[str]
    around: frozenset[str]
    sentences: tuple[tuple[int, int, frozenset[str], bool], ...]


class Answerer:
    """Says the best supported sentence of what was retrieved; `idf` is how much a word tells.

    What it has read of a chunk it keeps: the same chunks are retrieved for many questions.
    """

    def __init__(self, idf: Callable[[str], float]) -> None:
        self._idf = idf
        self._read: dict[str, _Read] = {}

    def best(self, question: str, hits: Sequence[Hit]) -> Extract | None:
        """The best supported; of equals that of the better chunk, then the earlier one."""
        words = _MEASURE.sub(" ", question)
        asked = {term: self._idf(term) for term in sorted(set(terms(words)))}
        total = sum(asked.values())
        wants_amount = bool(_AMOUNT.search(question))
        best: tuple[float, Chunk, int, int] | None = None
        for rank, hit in enumerate(hits if total else ()):
            read = self._read.get(hit.chunk.id) or self._remember(hit.chunk)
            for begin, end, points in _supported(read, asked, wants_amount):
                support = round(points / total - _RANK * rank, 9)
                if best is None or support > best[0]:
                    best = (support, hit.chunk, begin, end)
        return None if best is None else _extract(*best)

    def _remember(self, chunk: Chunk) -> _Read:
        spans = []
        head = _head(chunk)
        for begin, end in sentences(chunk.text, chunk.type):
            if end <= len(head):
                continue
            text = chunk.text[begin:end]
            spans.append((begin, end, frozenset(terms(text)), bool(_NUMBER.search(text))))
        titles = frozenset(terms(" ".join((*chunk.titles, head))))
        read = _Read(titles, frozenset(terms(chunk.text)), tuple(spans))
        self._read[chunk.id] = read
        return read


def _supported(
    read: _Read, asked: Mapping[str, float], wants_amount: bool
) -> Iterator[tuple[int, int, float]]:
    """Each sentence and how much of what is asked it holds, or stands near."""
    near = {
        term: _TITLES if term in read.titles else _NEIGHBOURS if term in read.around else 0.0
        for term in asked
    }
    for begin, end, held, has_number in read.sentences:
        points = 0.0
        for term, weight in asked.items():
            points += weight * (1.0 if term in held else near[term])
        yield begin, end, points * (_NO_AMOUNT if wants_amount and not has_number else 1.0)


def _extract(support: float, chunk: Chunk, begin: int, end: int) -> Extract:
    text = chunk.text[begin:end]
    start = chunk.offsets[0] + len(chunk.text[:begin].encode())
    return Extract(chunk, _spoken(text, chunk), (start, start + len(text.encode())), support)


def _head(chunk: Chunk) -> str:
    """The column names of a table: they say what its rows are about, and answer nothing."""
    first, line_feed, _ = chunk.text.partition("\n")
    return first if chunk.type == "table" and line_feed else ""


def _spoken(text: str, chunk: Chunk) -> str:
    """A row of a table says little without its column names."""
    names, cells = _head(chunk).split(" | "), text.split(" | ")
    if names == [""] or len(names) != len(cells):
        return text
    return "; ".join(f"{n}: {c}" if n else c for n, c in zip(names, cells, strict=True))
