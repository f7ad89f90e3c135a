"""A claim, read once for all that is expected of it, and what came of one expectation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ragstone.matching.characters import fold
from ragstone.matching.dates import Date, dates
from ragstone.matching.denials import Denials, denials
from ragstone.matching.folded_words import FoldedWords
from ragstone.matching.letters import is_spelled_out
from ragstone.matching.numbers import Number, numbers
from ragstone.matching.worded_numbers import numbers_in_words

Span = tuple[int, int]
Place = TypeVar("Place", Number, Date)
_MOST_SHOWN = 5
# A character with the marks that change it is folded as one.
_CLUSTER = re.compile(
    r"(?s).[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u093c\u09bc\u09be\u09d7\u0a3c\u0b3c\u0b3e\u0b56"
    r"\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u1dc0-\u1dff\u20d0-\u20ff"
    r"\u3099\u309a]*"
)

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, order=True)
class Alternative:
    """A place beside a word such as `or`, which stands at `at`; `before` says on which side."""

    at: int
    before: bool
    span: Span
    rule: str


@dataclass(frozen=True, slots=True)
class Match:
    """Whether a claim is what was expected, where, and both sides in words.

    `spans` are places in the raw claim; `found` is empty where the claim holds nothing of the kind.
    `rule` is the one by which it was accepted; `hedged` are the places that would be right and
    stand in an alternative. `list_found` is the share of a list's entries that are there, and
    `field_accuracy` that of the right fields of a record.
    """

    ok: bool
    spans: tuple[Span, ...]
    expected: str
    found: str
    rule: str = ""
    hedged: frozenset[Alternative] = frozenset()
    list_found: float | None = None
    field_accuracy: float | None = None


class Claim:
    """A claim; what is read from it is kept, for the next expectation."""

    def __init__(self, text: str, decimal: str = ".") -> None:
        self.text = text
        self.decimal = decimal
        self._numbers: dict[str, tuple[Number, ...]] = {}
        self._dates: dict[str | None, tuple[Date, ...]] = {}
        self._words: dict[str, tuple[FoldedWords, ...]] = {}

    def numbers(self, decimal: str | None = None) -> tuple[Number, ...]:
        """The numbers that the claim gives, by its own decimal mark or another; not those that it
        denies."""
        mark = decimal or self.decimal
        if mark not in self._numbers:
            self._numbers[mark] = self._given(numbers(self.text, mark))
        return self._numbers[mark]

    @cached_property
    def numbers_in_words(self) -> tuple[Number, ...]:
        """The numbers that the claim gives in words, and does not deny."""
        return self._given(numbers_in_words(self.text, self.decimal))

    def dates(self, order: str | None = None) -> tuple[Date, ...]:
        """The dates that the claim gives, `7/1/2023` in the order that gold says."""
        if order not in self._dates:
            self._dates[order] = self._given(dates(self.text, order))
        return self._dates[order]

    def _given(self, found: tuple[Place, ...]) -> tuple[Place, ...]:
        not_so = self._denials if found else None
        if not_so is None:
            return found
        return tuple(one for one in found if not not_so.cover(one.begin, one.end))

    @cached_property
    def _denials(self) -> Denials | None:
        return denials(self.text, self.folded)

    def words(self, language: str) -> tuple[FoldedWords, ...]:
        """The claim as phrases and names are compared: with `ö` as `o` and, if it has one, as
        `oe`."""
        if language not in self._words:
            read = [FoldedWords(self.text, language)]
            if is_spelled_out(self.text):
                read.append(FoldedWords(self.text, language, spelled_out=True))
            self._words[language] = tuple(read)
        return self._words[language]

    @cached_property
    def folded(self) -> str:
        """The claim as comparisons see it."""
        return fold(self.text)

    @cached_property
    def encodable(self) -> str:
        """The claim as RE2 reads it."""
        return encodable(self.text)

    def raw(self, span: Span) -> Span:
        """The place in the raw claim of a place in the folded one."""
        starts = self._starts
        return (starts[span[0]], starts[span[1]]) if starts else span

    @cached_property
    def _starts(self) -> list[int]:
        """For each character of the folded claim where its own begins; empty where all stay put."""
        if self.text.isascii():
            return []
        starts: list[int] = []
        for cluster in _CLUSTER.finditer(self.text):
            starts += [cluster.start()] * len(fold(cluster[0]))
        # Hangul written letter by letter is composed across clusters; then places are not exact.
        starts = starts[: len(self.folded)]
        return starts + [len(self.text)] * (len(self.folded) + 1 - len(starts))


def encodable(text: str) -> str:
    """A text for RE2, which reads bytes: half of a surrogate pair cannot be encoded."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def listed(words: Iterable[str]) -> str:
    """Distinct words as a list for people.

    >>> listed(["1,832", "636", "1,832"]), listed("abcdefgh")
    ('1,832 and 636', 'a, b, c, d, e … and 3 more')
    """
    distinct = list(dict.fromkeys(words))
    shown, more = distinct[:_MOST_SHOWN], len(distinct) - _MOST_SHOWN
    if more > 0:
        return f"{', '.join(shown)} … and {more} more"
    return " and ".join([*([", ".join(shown[:-1])] if shown[1:] else []), *shown[-1:]])


def written(text: str, spans: Iterable[Span]) -> Iterator[str]:
    """The parts of a text at the spans, on one line each."""
    return (" ".join(text[begin:end].split()) for begin, end in spans)
