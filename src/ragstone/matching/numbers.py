"""The numbers that a text holds: exact decimals with their scale and unit, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import NamedTuple

from ragstone.matching import number_shapes as shapes
from ragstone.matching.characters import plain
from ragstone.matching.dates import dates
from ragstone.matching.number_words import (
    AMBIGUOUS,
    JOINED_ENDS,
    MEASURES,
    SHARES,
    UNITS,
    scale_of,
)
from ragstone.matching.scale_headings import Headings

# A longer run of digits is an identifier, and arithmetic on it would not be cheap.
MOST_CHARACTERS = 60
# The widest number that is read, 60 digits times ten to the 999, is compared to the last digit.
EXACT = Context(prec=2500)
_ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: `value` has the sign and not the scale, which stands beside it.

    `begin` and `end` take in the sign, the currency, the scale and the unit; `decimals` counts the
    digits after the decimal mark, trailing zeros too. `heading` is the scale that a heading of the
    text gives to a bare figure: it may be meant, or not.
    """

    value: Decimal
    scale: Decimal
    scaled: bool
    unit: str
    begin: int
    end: int
    decimals: int
    heading: Decimal = _ONE

    @property
    def meaning(self) -> tuple[object, ...]:
        """All that an expectation looks at: the number wherever it stands."""
        return self.value, self.scale, self.scaled, self.unit, self.decimals, self.heading


def numbers(text: str, decimal: str = ".") -> tuple[Number, ...]:
    """Every number of the text, in order; `decimal` is the mark before the decimals, `.` or `,`.

    >>> [str(number.value) for number in numbers("Q3 revenue: $21,577 million (8.7%), see p1#2")]
    ['21577', '8.7']
    """
    simple = plain(text)
    found = _summed(_Reading(simple, decimal).numbers(), simple)
    headings = Headings(simple) if found else None
    if not headings:
        return tuple(found)
    return tuple(
        replace(one, heading=headings.scale_at(one.begin)) if _is_bare(one, simple) else one
        for one in found
    )


class _Before(NamedTuple):
    """What stands before the digits, from `begin` on."""

    begin: int
    sign: str = ""
    currency: str = ""
    parenthesis: bool = False


class _After(NamedTuple):
    """What stands behind the digits, up to `end`."""

    end: int
    power: int = 0
    scale: Decimal | None = None
    unit: str | None = None
    closed: bool = False


@dataclass(slots=True)
class _Reading:
    """One pass over a text; the number read last decides about ranges, asides and list markers."""

    text: str
    decimal: str
    last: Number | None = None
    marker: int = 0

    def numbers(self) -> Iterator[Number]:
        apart = self._other_things()
        for chain in shapes.CHAIN.finditer(self.text):
            begin, end = chain.span()
            while apart and apart[-1][1] <= begin:
                apart.pop()
            if not apart or apart[-1][0] >= end:
                yield from self._chain(begin, end)

    def _other_things(self) -> list[tuple[int, int]]:
        """Where dates, footnotes and telephone numbers stand, the last first."""
        spans = [(one.begin, one.end) for one in dates(self.text) if not one.is_a_year]
        spans += [found.span() for found in shapes.FOOTNOTE.finditer(self.text)]
        if "+" in self.text or "(" in self.text:
            spans += [found.span() for found in shapes.TELEPHONE.finditer(self.text)]
        return sorted(spans, reverse=True)

    def _chain(self, begin: int, end: int) -> Iterator[Number]:
        written = self.text[begin:end]
        if "/" in written or ":" in written or written.count("-") > 1:
            return
        if "-" not in written:
            yield from self._run(begin, end)
        elif not shapes.ISO_MONTH.fullmatch(written):
            middle = begin + written.index("-")
            yield from _range([*self._run(begin, middle)], [*self._run(middle + 1, end)])

    def _run(self, begin: int, end: int) -> Iterator[Number]:
        if self.last and begin < self.last.end:
            return  # the power of ten of the number before
        number = self._number(begin, end)
        if number is not None:
            self.last = number
            yield number
        elif "\u00a0" in self.text[begin:end]:
            # Not a thousands mark then, but the space between two numbers.
            for piece in re.finditer("[^\u00a0]+", self.text[begin:end]):
                yield from self._run(begin + piece.start(), begin + piece.end())

    def _number(self, begin: int, end: int) -> Number | None:
        if self.text[begin - 1 : begin] == "." and self.text[max(0, begin - 2)] in " \n\t\u00a0(.$":
            begin -= self.text[max(0, begin - 2) : begin] != ".."
        if end - begin > MOST_CHARACTERS or self._is_list_marker(begin, end):
            return None
        if end - begin <= shapes.LONGEST_PARAGRAPH and shapes.PARAGRAPH.match(self.text, end):
            return None
        shape = shapes.WHOLE[self.decimal].fullmatch(self.text, begin, end)
        before = shape and self._before(begin)
        after = before and self._after(end, parenthesis=before.parenthesis)
        return self._joined(shape, before, after) if shape and before and after else None

    def _is_list_marker(self, begin: int, end: int) -> bool:
        """`1.` and `2)` count the lines of a list; 42 alone at the start of a line is an answer."""
        if end - begin > 2 or not shapes.MARKER_END.match(self.text, end):
            return False
        since = max(0, begin - shapes.LINE_START_LENGTH)
        value = int(self.text[begin:end]) if self.text[begin:end].isdecimal() else 0
        in_parentheses = shapes.MARKER_START.match(self.text, max(0, begin - 2)) is not None
        tail = shapes.TAIL.match(self.text, end + 1)
        if in_parentheses and tail and tail.end() > end + 1:
            return False  # `(1) million`
        if value not in (1, self.marker + 1):
            return False
        if not in_parentheses and not shapes.LINE_START.search(self.text, since, begin):
            return False
        self.marker = value
        return True

    def _before(self, begin: int) -> _Before | None:
        """The sign, the currency and the parenthesis before the digits; None inside a word."""
        if shapes.NOTHING_BEFORE.match(self.text, max(0, begin - 2)):
            return _Before(begin)
        if shapes.ONLY_A_PARENTHESIS_BEFORE.match(self.text, max(0, begin - 2)):
            return _Before(begin - 1, parenthesis=True)
        head = shapes.HEAD.search(self.text, max(0, begin - shapes.HEAD_LENGTH), begin)
        if head is None:
            return None
        start, currency = head.start(), head["currency"] or ""
        left = self.text[max(0, start - 2) : start]
        follows = self.last is not None and self.last.end == start
        # In `$546/$32,963` the slash divides two amounts; in `1/2` it makes a fraction.
        divides = currency and left[-1:] == "/"
        in_a_word = not (follows or divides) and bool(shapes.PART_OF_A_WORD.search(left))
        if head["sign"] and not head["open"] and shapes.JOINED.search(left):
            # `10%-15%` and `5+3` are two numbers each, `COVID-19` is none.
            if in_a_word and not currency and not left[-1:].isdecimal():
                return None
            return _Before(start + 1, "", currency)
        if in_a_word or (head["open"] and left[-1:] == ")"):
            return None  # `section 401(a)(17)`
        opened = bool(head["open"] or head["late"])
        return _Before(start, head["sign"] or head["inner"] or "", currency, opened)

    def _after(self, end: int, *, parenthesis: bool) -> _After | None:
        """The power of ten, the scale, the unit and the parenthesis behind the digits."""
        if not parenthesis and self._nothing_after(end):
            return _After(end)
        tail = shapes.TAIL.match(self.text, end)
        if tail is None:
            return None
        stop = tail.end()
        scale, unit = tail["scale"] or tail["late"], tail["unit"]
        closed = parenthesis and self.text[stop : stop + 1] == ")"
        # `(1,577)` is a minus; `the total (1,577 million)` is an aside.
        words_inside = scale or (unit and unit[-1].isalpha())
        if closed and words_inside:
            closed = False
        elif closed:
            outside = shapes.TAIL.match(self.text, stop + 1)
            stop = outside.end() if outside else stop + 1
            scale = scale or (outside and (outside["scale"] or outside["late"]))
            unit = unit or (outside and outside["unit"])
        joined = self.text[stop - 1] in JOINED_ENDS
        if self.text[stop - 1].isalnum() and not joined and shapes.CONTINUED.match(self.text, stop):
            return None
        return _After(
            stop,
            int(tail["e"] or tail["ten"] or 0),
            scale_of(scale) if scale else None,
            UNITS[_word(unit)] if unit else None,
            closed,
        )

    def _nothing_after(self, end: int) -> bool:
        """Whether the next word, if any, can be no scale and no unit."""
        word = shapes.NEXT_WORD.match(self.text, end)
        return word is not None and (word[1] or "").casefold() not in shapes.FIRST_WORDS

    def _joined(self, shape: re.Match[str], before: _Before, after: _After) -> Number:
        part = shape["part"] or ""
        whole = shape["whole"] or "0"
        whole = whole if whole.isdecimal() else shapes.NOT_A_DIGIT.sub("", whole)
        unit = after.unit or ""
        currency = UNITS[_word(before.currency)] if before.currency else ""
        if currency and unit not in AMBIGUOUS.get(currency, ()):
            unit = currency
        number = Number(
            value=Decimal(f"{whole}.{part}e{after.power}" if part or after.power else whole),
            scale=after.scale or _ONE,
            scaled=after.scale is not None,
            unit=unit,
            begin=before.begin + (before.parenthesis and not after.closed),
            end=after.end,
            decimals=max(0, len(part) - after.power),
        )
        if after.closed and not before.sign and not self._is_minus(number):
            bare = self.text[number.end - 1] == ")"
            return replace(number, begin=number.begin + 1, end=number.end - 1) if bare else number
        negative = before.sign == "-" or (after.closed and not before.sign)
        return replace(number, value=number.value.copy_negate()) if negative else number

    def _is_minus(self, number: Number) -> bool:
        """Whether parentheses are a minus: in a cell or a row of figures, and as `$(5)` or `(5)%`.

        Behind a word they say something by the way: `Ilze (31)`, `the Tories (£2,980,815)`.
        """
        written = self.text[number.begin : number.end]
        if written[0] != "(" or ")%" in written:
            return True
        if shapes.YEAR.fullmatch(written[1:-1]):
            return False
        last = self.last
        if last and self.text[last.end : number.begin] == " ":
            # `rose by $5 million (8.7%)`
            other_unit = number.unit not in ("", last.unit)
            if other_unit or (number.scaled and number.scale != last.scale):
                return False
        ends = shapes.CELL_END.match(self.text, number.end) is not None
        if shapes.NEXT_FIGURE.match(self.text, number.end) or (ends and self._is_beside(number)):
            return True
        since = max(0, number.begin - shapes.CELL_BEGIN_LENGTH)
        return ends and shapes.CELL_BEGIN.search(self.text, since, number.begin) is not None

    def _is_beside(self, number: Number) -> bool:
        """Whether another figure of the same row, and no year, stands right before this one."""
        last = self.last
        if last is None or number.begin - last.end > shapes.BESIDE_LENGTH + 1:
            return False
        between = self.text[last.end : number.begin].removeprefix(")")
        year = shapes.YEAR.fullmatch(self.text, last.begin, last.end)
        return shapes.BESIDE.fullmatch(between) is not None and year is None


def _is_bare(number: Number, text: str) -> bool:
    """A figure or an amount of money without a scale, which may be a figure of a table."""
    if number.scaled or number.unit in SHARES or number.unit in MEASURES.values():
        return False
    return shapes.YEAR.fullmatch(text, number.begin, number.end) is None


def _word(written: str) -> str:
    """A unit as the tables have it: lower case, one space."""
    return " ".join(written.casefold().strip("-\\ ").split())


def _summed(found: Iterator[Number], text: str) -> list[Number]:
    """The numbers, with `1億5,000万円` as the one number that it is."""
    summed: list[Number] = []
    for number in found:
        last = summed[-1] if summed else None
        joined = last and last.end == number.begin and text[last.end - 1] in JOINED_ENDS
        if last and joined and number.scale < last.scale:
            times = EXACT.divide(last.scale, number.scale)
            value = EXACT.fma(last.value, times, number.value)
            summed[-1] = replace(number, value=value, begin=last.begin)
        else:
            summed.append(number)
    return summed


def _range(low: list[Number], high: list[Number]) -> list[Number]:
    """`$5-10 million`: both ends are millions of dollars."""
    if len(low) == len(high) == 1:
        (one,), (other,) = low, high
        unit = one.unit or other.unit
        if not one.scaled:
            one = replace(one, scale=other.scale, scaled=other.scaled)
        return [replace(one, unit=unit), replace(other, unit=unit)]
    return [*low, *high]
