"""Phrases as people write them: the same words whatever their hyphens, articles and accents."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ragstone.matching.characters import fold
from ragstone.matching.claim_reading import Alternative, Claim, Match, Span, listed, written
from ragstone.matching.folded_words import FoldedWords, Token
from ragstone.matching.letters import is_spelled_out
from ragstone.matching.vocabularies import vocabulary
from ragstone.matching.whole_words import whole_words

# Shorter letters are found in too many words that begin and end where others do.
_SHORTEST_RUN = 5
# A question's words may be missing only where so many others are left.
_LEAST_NEW = 2
PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Marks that say nothing; with any other, as in `C++` or `n/a`, a text is compared as it is written.
_MEANINGLESS = frozenset('.,;:!?"“”„«»()[]*&…–—´`_')
_AND_LAST = re.compile(r"(?:and|or|und|oder|y|o|et|ou)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a claim, by the places of its first and its last token."""

    first: int
    last: int
    rule: str


def judged(
    claim: Claim, language: str, expected: str, places: Iterable[tuple[FoldedWords, Place]]
) -> Match:
    """What comes of the places of something: those that are denied or one of two do not count."""
    hedged: set[Alternative] = set()
    spans: list[Span] = []
    rule = ""
    for words, place in places:
        if words.is_denied(place.first, place.last):
            continue
        span = words.span(place.first, place.last)
        beside = [*words.alternatives(place.first, place.last)]
        hedged.update(Alternative(at, before, span, place.rule) for at, before in beside)
        if not beside:
            spans.append(span)
            rule = rule or place.rule
    if not spans:
        return Match(False, (), expected, "", hedged=frozenset(hedged))
    spans = sorted(set(spans))
    return Match(True, tuple(spans), expected, listed(written(claim.text, spans)), rule)


@dataclass(frozen=True)
class TextAnswer:
    """Words side by side; their last may stand in the other number."""

    text: str
    language: str = "en"

    @property
    def expected(self) -> str:
        return f"“{self.text}”"

    def match(self, claim: Claim) -> Match:
        if not self._runs:
            return _whole(self.text, claim, self.expected)
        return judged(claim, self.language, self.expected, self._places(claim))

    def _places(self, claim: Claim) -> Iterator[tuple[FoldedWords, Place]]:
        for words in claim.words(self.language):
            for run, capitals, short in self._runs:
                for first, last in words.places(run, capitals):
                    if not short or first == last:
                        yield words, Place(first, last, "text")

    @cached_property
    def _runs(self) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
        """The letters that the claim may have, which of them in capitals, and whether they are too
        few to stand in two words; none where the text has no words but those of the language."""
        runs = []
        for words in readings(self.text, self.language):
            tokens = [token for token in words.tokens if not token.is_mark]
            marks = {token.letters for token in words.tokens if token.is_mark}
            if not content(tokens, self.language) or marks - _MEANINGLESS:
                return ()
            capitals = capitals_of(tokens)
            head = words.letters.removesuffix(tokens[-1].letters)
            lasts = vocabulary(self.language).numberings(tokens[-1].letters)
            if tokens[-1].cased in capitals:
                lasts = (tokens[-1].letters, tokens[-1].letters + "s")
            short = len(words.letters) < _SHORTEST_RUN
            runs += [(head + last, capitals, short and len(tokens) == 1) for last in lasts]
        return tuple(dict.fromkeys(runs))


@dataclass(frozen=True)
class WordsAnswer:
    """The content words of a phrase in any order, near each other."""

    text: str
    language: str = "en"
    whole: bool = False
    question: str = ""

    @property
    def expected(self) -> str:
        return f"“{self.text}”"

    def match(self, claim: Claim) -> Match:
        if not self._needed:
            return _whole(self.text, claim, self.expected)
        side_by_side = TextAnswer(self.text, self.language).match(claim)
        if side_by_side.ok:
            return replace(side_by_side, rule="words")
        places = (
            (words, place)
            for words in claim.words(self.language)
            for needed in self._needed
            for place in _near(words, needed, self._reach)
        )
        return judged(claim, self.language, self.expected, places)

    @cached_property
    def _reach(self) -> int:
        return 3 * len(self.text.split()) + 6

    @cached_property
    def _needed(self) -> tuple[tuple[str, ...], ...]:
        """The stems that must be there, as the text is read; none where it has no content."""
        text = self.text
        if not self.whole:
            text = PARENTHESES.sub(" ", text)
            before, comma, last = text.rpartition(",")
            if comma and "," not in before and not _AND_LAST.match(last.strip()):
                text = before
        read = []
        for words in readings(text, self.language):
            needed = [
                stem_of(token, self.language) for token in content(words.tokens, self.language)
            ]
            if not self.whole and self.question:
                (asked, *_) = readings(self.question, self.language)
                held = {stem_of(token, self.language) for token in asked.tokens}
                new = {stem for stem in needed if stem not in held}
                needed = [stem for stem in needed if stem in new or len(new) < _LEAST_NEW]
            if needed:
                read.append(tuple(dict.fromkeys(needed)))
        return tuple(dict.fromkeys(read))


def _near(words: FoldedWords, needed: tuple[str, ...], reach: int) -> Iterator[Place]:
    """Where all the stems stand in one sentence or within a reach of words."""
    by_stem: dict[str, list[int]] = {stem: [] for stem in needed}
    for place, token in enumerate(words.tokens):
        stem = stem_of(token, words.language)
        if stem in by_stem:
            by_stem[stem].append(place)
        elif token.cased in by_stem:
            by_stem[token.cased].append(place)
    if not all(by_stem.values()):
        return
    for place in min(by_stem.values(), key=len):
        near = [_nearest(places, place) for places in by_stem.values()]
        first, last = min(near), max(near)
        one_sentence = words.sentence_of(first) == words.sentence_of(last)
        if one_sentence or last - first < reach:
            yield Place(first, last, "words")


def _nearest(places: list[int], wanted: int) -> int:
    """The place next to another, of places in order."""
    at = bisect_left(places, wanted)
    return min(places[max(0, at - 1) : at + 1], key=lambda one: (abs(one - wanted), one))


def readings(text: str, language: str) -> list[FoldedWords]:
    read = [FoldedWords(text, language)]
    if is_spelled_out(text):
        read.append(FoldedWords(text, language, spelled_out=True))
    return read


def content(tokens: Iterable[Token], language: str) -> list[Token]:
    """The words that say something, a denial among them: no marks and no function words."""
    words = vocabulary(language)
    return [
        token
        for token in tokens
        if not token.is_mark
        and (
            token.letters not in words.function
            or is_capitals(token.cased)
            or token.letters == "not"
        )
    ]


def is_capitals(cased: str) -> bool:
    return 2 <= len(cased) <= 4 and cased.isalpha() and cased.isupper()


def capitals_of(tokens: list[Token]) -> tuple[str, ...]:
    """The words of two to four capitals; in a text all in capitals they are like any other."""
    letters = [token for token in tokens if token.cased[:1].isalpha()]
    if len(letters) > 1 and all(token.cased.isupper() for token in letters):
        return ()
    return tuple(token.cased for token in letters if is_capitals(token.cased))


def stem_of(token: Token, language: str) -> str:
    """A word as `words` compares it; two to four capitals stay as they are."""
    return token.letters if token.is_mark else vocabulary(language).stem(token.letters)


def _whole(text: str, claim: Claim, expected: str) -> Match:
    spans: tuple[Span, ...]
    if text.isupper():
        spans = tuple(whole_words(claim.text, text))
    else:
        spans = tuple(claim.raw(span) for span in whole_words(claim.folded, fold(text)))
    return Match(
        bool(spans), spans, expected, listed(written(claim.text, spans)), "text" if spans else ""
    )
