"""The dates that a text names: a day, a month, a quarter or a year, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ragstone.matching.characters import LETTER, plain

ORDERS = ("mdy", "dmy", "ymd")

# English, German, French and Spanish; a name of three letters may be an abbreviation with a dot.
_MONTH_NAMES = (
    "january|jan|januar|janvier|enero|ene",
    "february|feb|februar|février|fév|febrero",
    "march|mar|märz|mars|marzo",
    "april|apr|avril|avr|abril|abr",
    "may|mai|mayo",
    "june|jun|juni|juin|junio",
    "july|jul|juli|juillet|julio",
    "august|aug|août|agosto|ago",
    "september|sept|sep|septembre|septiembre",
    "october|oct|oktober|okt|octobre|octubre",
    "november|nov|novembre|noviembre",
    "december|dec|dezember|dez|décembre|déc|diciembre|dic",
)
_MONTHS = {name: place for place, names in enumerate(_MONTH_NAMES, 1) for name in names.split("|")}
_LOWERED = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)} | str.maketrans("ÄÉÛ", "äéû")
# A name that is no other word, so that it means a month in small letters, too; `may` and `march`
# need a word before them that a date follows.
_OTHER_WORDS = ("may", "march", "mars", "mayo")
_SURELY_MONTHS = {name for name in _MONTHS if len(name) > 3 and name not in _OTHER_WORDS}
_DATE_FOLLOWS = re.compile(
    r"(?:^|\W)(?:on|by|until|till|since|before|after|from|through|dated|of)[ \u00a0]{1,2}\Z",
    re.IGNORECASE,
)
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3}
_ORDINALS |= {"fourth": 4, "4th": 4, "一": 1, "二": 2, "三": 3, "四": 4}
# Searched in lowered text: trying whole dates at every letter, in any case, would be slow.
_NAME_STARTS = re.compile(
    f"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))}|quarter)(?!{LETTER})"
)
_NUMBER_STARTS = re.compile("1[0-9]{3}|20[0-9]{2}|[qQ][1-4]|[1-4][qQ]")

_YEAR = "(?P<year>1[0-9]{3}|20[0-9]{2})"
_START = rf"(?<!{LETTER})(?<![0-9])"
_STOP = rf"(?!{LETTER}|[0-9]|[.,:/][0-9])"
_DAY = "(?P<day>0?[1-9]|[12][0-9]|3[01])"
_NAME = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})(?!{LETTER})\.?"
_SPACE = r"[ \u00a0-]{1,2}"
# Tokenised text has a blank before its commas.
_COMMA = r"(?:[ \u00a0]?,)?"
_OF = r"(?:of |de )?(?:the )?(?:fiscal (?:year )?|FY ?|year )?"
_MONTH = re.compile(rf"{_NAME}(?:{_COMMA}{_SPACE}{_OF}{_YEAR}{_STOP})?", re.IGNORECASE)
_DAY_AFTER = re.compile(
    rf"{_NAME}{_SPACE}{_DAY}(?:st|nd|rd|th)?(?:{_COMMA}{_SPACE}{_YEAR})?{_STOP}", re.IGNORECASE
)
_DAY_BEFORE = re.compile(
    rf"{_START}(?<![0-9][.,]){_DAY}(?:st|nd|rd|th|er|\.)?{_SPACE}(?:of |de )?\Z", re.IGNORECASE
)
_QUARTER_BEFORE = re.compile(
    r"(?P<quarter>first|second|third|fourth|1st|2nd|3rd|4th)[ -](?:fiscal )?\Z", re.IGNORECASE
)
_QUARTER = re.compile(rf"quarter(?:{_COMMA}{_SPACE}{_OF}{_YEAR}{_STOP})?", re.IGNORECASE)
_LOOK_BACK = 16
# What may follow the four digits of a year that is more than a year.
_MORE = "-/. 年년Qq"
_WITH_YEAR_FIRST = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"{_YEAR}(?P<mark>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=mark){_DAY}(?![0-9]|[-/.][0-9])",
        rf"{_YEAR}-(?P<month>0[1-9]|1[0-2])(?![0-9]|[-/.][0-9])",
        rf"{_YEAR}[- ]?Q(?P<quarter>[1-4]){_STOP}",
        rf"{_YEAR}[年년] ?(?P<month>1[0-2]|0?[1-9])[月월](?: ?{_DAY}[日일])?",
        rf"{_YEAR}年度?第?(?P<quarter>[1-4一二三四])(?:四半期|季度)",
    )
)
_YEAR_ALONE = re.compile(rf"{_YEAR}{_STOP}(?!%)[年년]?")
_WITH_QUARTER_FIRST = re.compile(
    rf"(?:Q(?P<quarter>[1-4])|(?P<number>[1-4])Q)(?:(?:{_COMMA}{_SPACE}{_OF}|[-/]?){_YEAR})?{_STOP}",
    re.IGNORECASE,
)
_YEAR_PREFIX = re.compile(rf"{_START}[FC]Y[ ']?\Z")
_BEFORE_A_DATE = re.compile(rf"(?:{_START}|(?<!{LETTER})[FC]Y)(?<![0-9][/.,:])(?<![$€£¥])\Z")
_SLASHED = re.compile(
    rf"(?P<one>[0-9]{{1,2}})(?P<mark>[-/.])(?P<two>[0-9]{{1,2}})(?P=mark){_YEAR}(?![0-9]|[-/.][0-9])"
)
_BEFORE_SLASHED = re.compile(rf"{_START}(?<![0-9][-/.])\Z")


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month, a quarter or a year; what a text leaves open is None."""

    year: int | None
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    begin: int = 0
    end: int = 0

    @property
    def is_a_year(self) -> bool:
        """A year alone, which is a number as well."""
        return self.quarter is None and self.month is None

    def names(self, other: Date) -> bool:
        """Whether this date of a claim names gold's: July 1 names July and its year, not the third
        quarter, whose months each company chooses for itself."""
        wanted = (other.year, other.quarter, other.month, other.day)
        mine = (self.year, self.quarter, self.month, self.day)
        return all(want in (None, have) for want, have in zip(wanted, mine, strict=True))


def dates(text: str, order: str | None = None) -> tuple[Date, ...]:
    """Every date of the text, in order; `order` says how to read `7/1/2023`: `mdy` or `dmy`.

    >>> [(one.year, one.month, one.day) for one in dates("On July 1, 2023 or 2023-08")]
    [(2023, 7, 1), (2023, 8, None)]
    """
    simple = plain(text)
    found = [*_slashed(simple, order), *_named(simple)]
    taken = sorted((one.begin, one.end) for one in found)
    found += _apart(_numeric(simple), taken)
    return tuple(sorted(found, key=lambda one: one.begin))


def _apart(found: Iterator[Date], taken: list[tuple[int, int]]) -> Iterator[Date]:
    """The dates that stand outside of the places taken and of each other; all are in order."""
    place = end = 0
    for one in found:
        while place < len(taken) and taken[place][1] <= one.begin:
            place += 1
        if one.begin >= end and (place == len(taken) or one.end <= taken[place][0]):
            end = one.end
            yield one


def _named(text: str) -> Iterator[Date]:
    """Dates with a month in words, and quarters in words."""
    # Only ASCII is lowered: elsewhere a capital may become two letters, and places would move.
    lowered = text.lower() if text.isascii() else text.translate(_LOWERED)
    for start in _NAME_STARTS.finditer(lowered):
        at = start.start()
        if text[at - 1 : at].isalpha() and at:
            continue
        found = _quarter_in_words(text, at) if start[0] == "quarter" else _month_in_words(text, at)
        if found:
            yield found


def _quarter_in_words(text: str, at: int) -> Date | None:
    before = _QUARTER_BEFORE.search(text, max(0, at - _LOOK_BACK), at)
    whole = _QUARTER.match(text, at)
    if not before or not whole:
        return None
    quarter = _ORDINALS[before["quarter"].casefold()]
    return Date(_int(whole["year"]), quarter, begin=before.start(), end=whole.end())


def _month_in_words(text: str, at: int) -> Date | None:
    whole = _DAY_AFTER.match(text, at)
    if whole and (whole["year"] or _is_a_name(text, at, whole["month"])):
        month = _MONTHS[whole["month"].casefold()]
        return Date(_int(whole["year"]), None, month, int(whole["day"]), at, whole.end())
    found = _MONTH.match(text, at)
    before = _DAY_BEFORE.search(text, max(0, at - _LOOK_BACK), at)
    if not found or not (found["year"] or (before and _is_a_name(text, at, found["month"]))):
        return None
    return Date(
        year=_int(found["year"]),
        month=_MONTHS[found["month"].casefold()],
        day=int(before["day"]) if before else None,
        begin=before.start() if before else at,
        end=found.end(),
    )


def _is_a_name(text: str, at: int, month: str) -> bool:
    """Whether a month without a year is one: `July 11`, `july 11`, `on may 30`; not `it may 5`."""
    if text[at].isupper() or month in _SURELY_MONTHS:
        return True
    follows = _DATE_FOLLOWS.search(text, max(0, at - _LOOK_BACK), at)
    return follows is not None and month in _OTHER_WORDS


def _numeric(text: str) -> Iterator[Date]:
    """Dates in digits whose order is certain, quarters such as `Q3 2023`, and years."""
    end = 0
    for start in _NUMBER_STARTS.finditer(text):
        at = start.start()
        if at < end or not _BEFORE_A_DATE.search(text, max(0, at - 3), at):
            continue
        found = _shape(text, start)
        if found:
            end = found.end()
            yield _read(found, text)


def _shape(text: str, start: re.Match[str]) -> re.Match[str] | None:
    at, end = start.span()
    if end - at == 2:
        return _WITH_QUARTER_FIRST.match(text, at)
    if text[end : end + 1] and text[end] in _MORE:
        for shape in _WITH_YEAR_FIRST:
            if found := shape.match(text, at):
                return found
    return _YEAR_ALONE.match(text, at)


def _read(found: re.Match[str], text: str) -> Date:
    part = found.groupdict()
    quarter = part.get("quarter") or part.get("number")
    prefix = _YEAR_PREFIX.search(text, max(0, found.start() - 4), found.start())
    return Date(
        year=_int(part["year"]),
        quarter=_ORDINALS.get(quarter) or int(quarter) if quarter else None,
        month=_int(part.get("month")),
        day=_int(part.get("day")),
        begin=prefix.start() if prefix else found.start(),
        end=found.end(),
    )


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _slashed(text: str, order: str | None) -> Iterator[Date]:
    """`7/1/2023` is January or July: without an order only its year is certain."""
    for found in _SLASHED.finditer(text):
        if not _BEFORE_SLASHED.search(text, max(0, found.start() - 2), found.start()):
            continue
        month, day = int(found["one"]), int(found["two"])
        if order == "dmy":
            month, day = day, month
        year, begin, end = int(found["year"]), found.start(), found.end()
        if order not in ("mdy", "dmy"):
            yield Date(year, begin=begin, end=end)
        elif 1 <= month <= 12 and 1 <= day <= 31:
            yield Date(year, None, month, day, begin, end)
