"""Answers without a model: quotes the best sentence of the retrieved chunks, or refuses.

A sentence's support is the share of the question's words that it holds, each word weighted by its
idf. It compares words and not meaning: a baseline that a model should score above.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.index.chunks import Chunk
from ragstone.index.ranker import Hit, Ranker
from ragstone.index.texts import any_of, sentences, terms
from ragstone.matching.phrases import has_phrase
from ragstone.progress import counting

REFUSAL = "not in context"
THRESHOLD = 0.6
"""With less support than this it refuses, unless the index was calibrated."""

# A word counts less in the titles above a sentence, and less again elsewhere in its chunk.
_TITLES, _NEIGHBOURS = 0.7, 0.4
# Each place further down the ranking costs a little.
_RANK = 0.02
_HOW = rf"\bhow (?:{any_of('measures')})\b"
_MEASURE = re.compile(_HOW, re.IGNORECASE)
_AMOUNT = re.compile(
    rf"{_HOW}|\bwhen\b"
    r"|\bwhat (?:percent\w*|number|year|size|is the (?:max\w*|limit|longest|largest|smallest))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"\d|\b(?:{any_of('amounts')})\b", re.IGNORECASE)
# A sentence without a number seldom answers a question for an amount.
_NO_AMOUNT = 0.6


@dataclass(frozen=True, slots=True)
class Extract:
    """A sentence as an answer: its chunk, its bytes in the document, and its support."""

    chunk: Chunk
    text: str
    offsets: tuple[int, int]
    support: float


@dataclass(frozen=True, slots=True)
class _ChunkWords:
    """The words of a chunk: of its titles, of its whole text, and of each sentence."""

    titles: frozenset[str]
    around: frozenset[str]
    sentences: tuple[tuple[int, int, frozenset[str], bool], ...]


class Answerer:
    """Finds the sentence with the most support; `idf` gives the weight of a word.

    The words of a chunk are kept, since the same chunks are retrieved for many questions.
    """

    def __init__(self, idf: Callable[[str], float]) -> None:
        self._idf = idf
        self._words: dict[str, _ChunkWords] = {}

    def best(self, question: str, hits: Sequence[Hit]) -> Extract | None:
        """The sentence with the most support; of equals the first of the best ranked chunk."""
        wanted = sorted(set(terms(_MEASURE.sub(" ", question))))
        asked = {term: self._idf(term) for term in wanted}
        total = math.fsum(asked.values())
        wants_amount = bool(_AMOUNT.search(question))
        best: tuple[float, Chunk, int, int] | None = None
        for rank, hit in enumerate(hits if total else ()):
            words = self._words.get(hit.chunk.id) or self._remember(hit.chunk)
            for begin, end, points in _supported(words, asked, wants_amount):
                support = round(points / total - _RANK * rank, 9)
                if best is None or support > best[0]:
                    best = (support, hit.chunk, begin, end)
        if best is None:
            return None
        support, chunk, begin, end = best
        text = _with_column_names(chunk.text[begin:end], chunk)
        return Extract(chunk, text, chunk.byte_span(begin, end), support)

    def _remember(self, chunk: Chunk) -> _ChunkWords:
        spans = []
        head = _head(chunk)
        for begin, end in sentences(chunk.text, chunk.type):
            if end <= len(head):
                continue
            text = chunk.text[begin:end]
            spans.append((begin, end, frozenset(terms(text)), bool(_NUMBER.search(text))))
        titles = frozenset(terms(" ".join((*chunk.titles, head))))
        words = _ChunkWords(titles, frozenset(terms(chunk.text)), tuple(spans))
        self._words[chunk.id] = words
        return words


def _supported(
    words: _ChunkWords, asked: Mapping[str, float], wants_amount: bool
) -> Iterator[tuple[int, int, float]]:
    """Each sentence with the weight of the asked words that it holds or that are near it."""
    near = {
        term: _TITLES if term in words.titles else _NEIGHBOURS if term in words.around else 0.0
        for term in asked
    }
    for begin, end, held, has_number in words.sentences:
        points = 0.0
        for term, weight in asked.items():
            points += weight * (1.0 if term in held else near[term])
        yield begin, end, points * (_NO_AMOUNT if wants_amount and not has_number else 1.0)


def _head(chunk: Chunk) -> str:
    """The column names of a table; they are no answer by themselves."""
    first, line_feed, _ = chunk.text.partition("\n")
    return first if chunk.type == "table" and line_feed else ""


def _with_column_names(text: str, chunk: Chunk) -> str:
    """A row of a table with its column names, without which its cells mean little."""
    names, cells = _head(chunk).split(" | "), text.split(" | ")
    if names == [""] or len(names) != len(cells):
        return text
    return "; ".join(f"{n}: {c}" if n else c for n, c in zip(names, cells, strict=True))


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
    for item in counting(gold, "calibrating", "questions", step="calibrating"):
        question = str(item.get("question") or "")
        extract = answerer.best(question, ranker.search(question, answer_k))
        if extract is None:
            continue
        phrases = item.get("gold_claim_substr") or []
        found = isinstance(phrases, list) and any(
            has_phrase(extract.text, phrase) for phrase in phrases
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
