"""The forms of a typed answer, each with its own test of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ragstone.matching.characters import fold
from ragstone.matching.claim_reading import Alternative, Claim, Match, Span, listed, written
from ragstone.matching.dates import Date
from ragstone.matching.numbers import Number
from ragstone.matching.phrases import phrase_spans
from ragstone.matching.polarity import polarity
from ragstone.matching.quantities import Quantity
from ragstone.matching.user_patterns import compiled
from ragstone.matching.whole_words import whole_words
from ragstone.matching.worded_numbers import is_bound


class Expectation(Protocol):
    """What gold expects of a claim."""

    @property
    def expected(self) -> str:
        """The expectation in words, for the report."""

    def match(self, claim: Claim) -> Match:
        """Whether the claim says it, and where."""


@dataclass(frozen=True, slots=True)
class NumberAnswer:
    """A number equal to gold's; `decimal` is gold's own mark, where it names one."""

    quantity: Quantity
    expected: str
    decimal: str | None = None

    def match(self, claim: Claim) -> Match:
        numbers = claim.numbers(self.decimal)
        spans = self._equal(numbers)
        if not spans:
            # Most claims write their numbers in digits.
            numbers = (*numbers, *claim.numbers_in_words)
            spans = self._equal(claim.numbers_in_words) or self._bounds(claim, numbers)
        found = listed(written(claim.text, ((one.begin, one.end) for one in numbers)))
        return Match(bool(spans), spans, self.expected, found, "number" if spans else "")

    def _equal(self, numbers: Sequence[Number]) -> tuple[Span, ...]:
        # A table may repeat a number a thousand times: each is compared once.
        alike = {one.meaning: one for one in numbers}
        equal = {meaning for meaning, one in alike.items() if self.quantity.equals(one)}
        return tuple((one.begin, one.end) for one in numbers if one.meaning in equal)

    def _bounds(self, claim: Claim, numbers: Sequence[Number]) -> tuple[Span, ...]:
        """`over $181 million`, for a gold of 181,674,817: gold cut to the digits of the claim."""
        if self.quantity.exact:
            return ()
        return tuple(
            (one.begin, one.end)
            for one in numbers
            if is_bound(claim.text, one.begin) and self.quantity.is_cut_to(one)
        )


@dataclass(frozen=True, slots=True)
class DateAnswer:
    """A day, a month, a quarter or a year; `order` is how the claim's `7/1/2023` is read."""

    date: Date
    expected: str
    order: str | None = None

    def match(self, claim: Claim) -> Match:
        dates = claim.dates(self.order)
        named = tuple((one.begin, one.end) for one in dates if one.names(self.date))
        found = listed(written(claim.text, ((one.begin, one.end) for one in dates)))
        return Match(bool(named), named, self.expected, found, "date" if named else "")


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no, by the first word of the claim that says either."""

    yes: bool
    language: str | None = None

    @property
    def expected(self) -> str:
        return "yes" if self.yes else "no"

    def match(self, claim: Claim) -> Match:
        said = polarity(claim.folded, self.language)
        if said is None:
            return Match(False, (), self.expected, "")
        ok = said.yes == self.yes
        spans = (claim.raw((said.begin, said.end)),)
        found = "yes" if said.yes else "no"
        return Match(ok, spans if ok else (), self.expected, found, "yesno" if ok else "")


@dataclass(frozen=True, slots=True)
class WholeWords:
    """A text as whole words, of any length; two to four capitals are no other word in small ones,
    so `US` is not in `contact us`."""

    text: str

    @property
    def expected(self) -> str:
        return f"“{self.text}”"

    def match(self, claim: Claim) -> Match:
        if not _are_capitals(self.text):
            return _placed(claim, whole_words(claim.folded, fold(self.text)), self.expected, "any")
        spans = tuple(whole_words(claim.text, self.text))
        return Match(bool(spans), spans, self.expected, "", "any" if spans else "")


def _are_capitals(text: str) -> bool:
    """Whether a text is two to four capitals, and perhaps the full stops between them."""
    letters = text.replace(".", "")
    return 2 <= len(letters) <= 4 and letters.isalpha() and letters.isupper()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A plain phrase, as `gold_claim_substr` has them."""

    text: str

    @property
    def expected(self) -> str:
        return f"“{self.text}”"

    def match(self, claim: Claim) -> Match:
        return _placed(claim, phrase_spans(claim.folded, self.text), self.expected, "phrase")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression of RE2, searched in the raw claim."""

    pattern: str

    @property
    def expected(self) -> str:
        return f"a match of /{self.pattern}/"

    def match(self, claim: Claim) -> Match:
        found = compiled(self.pattern).search(claim.encodable)
        spans: tuple[Span, ...] = (found.span(),) if found else ()
        return Match(bool(spans), spans, self.expected, "", "regex" if spans else "")


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of several expectations is enough."""

    parts: tuple[Expectation, ...]

    @property
    def expected(self) -> str:
        words = [part.expected for part in self.parts]
        return words[0] if len(words) == 1 else f"one of {'; '.join(words)}"

    def match(self, claim: Claim) -> Match:
        matches = [part.match(claim) for part in self.parts]
        return first_of(matches, self.expected)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of several expectations is needed; what is missing is what the report names."""

    parts: tuple[Expectation, ...]

    @property
    def expected(self) -> str:
        words = [part.expected for part in self.parts]
        return words[0] if len(words) == 1 else f"all of {'; '.join(words)}"

    def match(self, claim: Claim) -> Match:
        matches = of_one_gold([part.match(claim) for part in self.parts])
        missing = [one for one in matches if not one.ok]
        expected = "; ".join(one.expected for one in missing) or self.expected
        rule = "" if missing else "all"
        hedged = frozenset[Alternative]().union(*(one.hedged for one in missing))
        found = _found(missing or matches)
        return Match(not missing, _together(matches), expected, found, rule, hedged)


def first_of(matches: Sequence[Match], expected: str) -> Match:
    """What comes of several expectations of which one is enough, by the first that is met."""
    matches = of_one_gold(matches)
    spans = _together(one for one in matches if one.ok)
    rule = next((one.rule for one in matches if one.ok), "")
    hedged = frozenset[Alternative]().union(*(one.hedged for one in matches if not rule))
    return Match(bool(rule), spans, expected, _found(matches), rule, hedged)


def of_one_gold(matches: Sequence[Match]) -> list[Match]:
    """What is met of several expectations: `Paris or London` is, where gold has both."""
    hedged = frozenset[Alternative]().union(*(one.hedged for one in matches))
    sides = {(each.at, each.before) for each in hedged}
    met = []
    for one in matches:
        both = sorted(each for each in one.hedged if (each.at, not each.before) in sides)
        if both and not one.ok:
            spans = tuple(sorted({each.span for each in both}))
            one = replace(one, ok=True, spans=spans, rule=both[0].rule, hedged=frozenset())
        met.append(one)
    return met


@dataclass(frozen=True, slots=True)
class ListOf:
    """Entries of which all, or at least so many, are there in any order."""

    entries: tuple[Expectation, ...]
    at_least: int | None = None

    @property
    def expected(self) -> str:
        count = "all" if self.at_least is None else f"at least {self.at_least}"
        return f"{count} of {'; '.join(entry.expected for entry in self.entries)}"

    def match(self, claim: Claim) -> Match:
        matches = of_one_gold([entry.match(claim) for entry in self.entries])
        held = [one for one in matches if one.ok]
        ok = len(held) >= (self.at_least or len(matches))
        missing = [one for one in matches if not one.ok]
        expected = self.expected if ok else "; ".join(one.expected for one in missing)
        hedged = frozenset[Alternative]().union(*(one.hedged for one in missing if not ok))
        return Match(
            ok,
            _together(held),
            expected,
            _found(matches),
            "list" if ok else "",
            hedged,
            list_found=len(held) / len(matches),
        )


def _placed(claim: Claim, spans: Iterable[Span], expected: str, rule: str) -> Match:
    raw = tuple(claim.raw(span) for span in spans)
    return Match(bool(raw), raw, expected, listed(written(claim.text, raw)), rule if raw else "")


def _together(matches: Iterable[Match]) -> tuple[Span, ...]:
    return tuple(sorted({span for one in matches for span in one.spans}))


def _found(matches: Sequence[Match]) -> str:
    return "; ".join(dict.fromkeys(one.found for one in matches if one.found))
