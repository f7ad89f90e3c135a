"""Does what a sentence says stand in the texts that it rests on? Numbers, dates and quotations.

This is not faithfulness: a wrong figure or a quotation that nobody wrote is seen, and wrong
reasoning from right figures is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ragstone.matching.characters import folded_text
from ragstone.matching.dates import Date, dates
from ragstone.matching.derived_numbers import derivation
from ragstone.matching.numbers import Number, numbers
from ragstone.matching.numbers_by_size import NumbersBySize
from ragstone.matching.sentences import quotations, sentences

Kind = Literal["number", "date", "quote"]
Verdict = Literal["supported", "unsupported", "derived?", "unknown"]

_YEAR = re.compile("1[0-9]{3}|20[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Part:
    """Something in a sentence that can be looked up, and its place in the claim."""

    kind: Kind
    text: str
    begin: int
    end: int
    number: Number | None = None
    date: Date | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence: what it cites, and what of it can be looked up."""

    citations: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a part; `how` says how a number may have been derived."""

    part: Part
    verdict: Verdict
    how: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence after it was looked up in the texts with these ids."""

    ids: tuple[str, ...]
    parts: tuple[Found, ...]

    def state(self, *kinds: Kind) -> Verdict | None:
        """The verdict on all its parts, or on those of some kinds; None where it has none."""
        verdicts = {each.verdict for each in self.parts if not kinds or each.part.kind in kinds}
        if verdicts & {"unsupported", "derived?"}:
            return "unsupported"
        if "unknown" in verdicts:
            return "unknown"
        return "supported" if verdicts else None


class Facts:
    """What can be looked up in a text, each kind read when it is first asked for.

    >>> facts = Facts("Revenue was $1,577 million, and it said: we reject null keys.")
    >>> said = 'They "reject null keys" and made 1.577 billion, or 12.'
    >>> [facts.holds(part) for part in parts(said)]
    [True, True, False]
    """

    def __init__(self, text: str, decimal: str = ".") -> None:
        self.text = text
        self.decimal = decimal

    @cached_property
    def folded(self) -> str:
        return folded_text(self.text)

    @cached_property
    def _dates(self) -> tuple[Date, ...]:
        different = {
            (each.year, each.quarter, each.month, each.day): each for each in dates(self.text)
        }
        return tuple(different.values())

    @cached_property
    def _numbers(self) -> NumbersBySize:
        return NumbersBySize(numbers(self.text, self.decimal))

    def holds(self, part: Part) -> bool:
        """Whether the text says this: a number equal to it, or the same words."""
        if part.date is not None:
            wanted_date = part.date
            return any(each.names(wanted_date) for each in self._dates)
        if part.number is None:
            return folded_text(part.text) in self.folded
        if self._numbers.hold(part.number):
            return True
        # The year of a date is no number of the text, and yet stands there.
        year = int(part.text) if _YEAR.fullmatch(part.text) else 0
        return any(each.year == year for each in self._dates)


def parts(text: str, decimal: str = ".", at: int = 0) -> tuple[Part, ...]:
    """What of a sentence can be looked up, in order; `at` is where it stands in the claim."""
    found = [
        Part("number", text[each.begin : each.end], at + each.begin, at + each.end, each)
        for each in numbers(text, decimal)
    ]
    found += [
        Part("date", text[each.begin : each.end], at + each.begin, at + each.end, date=each)
        for each in dates(text)
        if not each.is_a_year
    ]
    found += [Part("quote", text[b:e], at + b, at + e) for b, e in quotations(text)]
    return tuple(sorted(found, key=lambda part: (part.begin, part.end)))


def said_in(
    claim: str, given: Sequence[tuple[str, Sequence[str]]], decimal: str = "."
) -> tuple[Said, ...]:
    """The sentences of a claim: those that the pipeline gives, each with its citations."""
    found, at = [], 0
    for text, citations in given:
        at = max(claim.find(text, at), at)
        found.append(Said(tuple(citations), parts(text, decimal, at)))
        at += len(text)
    return tuple(found)


def split_claim(claim: str, citations: Sequence[str], decimal: str = ".") -> tuple[Said, ...]:
    """The sentences of a claim that is one text: each cites what the claim cites."""
    return tuple(
        Said(tuple(citations), parts(claim[begin:end], decimal, begin))
        for begin, end in sentences(claim)
    )


def judge(said: Sequence[Said], texts: Sequence[Mapping[str, Facts | None]]) -> tuple[Judged, ...]:
    """Every sentence beside the texts that it rests on; None is a text that is not at hand.

    A part that is not in the texts at hand may be in one that is not: then nothing is known.
    """
    found = [
        (tuple(beside), tuple(_looked_up(part, beside) for part in sentence.parts))
        for sentence, beside in zip(said, texts, strict=True)
    ]
    held = [
        (each.part.number, each.part.text)
        for _, some in found
        for each in some
        if each.part.number and each.verdict == "supported"
    ]
    return tuple(Judged(ids, tuple(_derived(each, held) for each in some)) for ids, some in found)


def _looked_up(part: Part, beside: Mapping[str, Facts | None]) -> Found:
    if any(text is not None and text.holds(part) for text in beside.values()):
        return Found(part, "supported")
    whole = bool(beside) and None not in beside.values()
    return Found(part, "unsupported" if whole else "unknown")


def _derived(found: Found, held: Sequence[tuple[Number, str]]) -> Found:
    number = found.part.number
    if number is None or found.verdict != "unsupported":
        return found
    how = derivation(number, held)
    return Found(found.part, "derived?", how) if how else found
