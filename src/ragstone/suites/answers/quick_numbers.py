"""A quick answer, in SQL, for most claims where gold expects a number: yes, no, or not sure.

`ragstone.matching` says what a number is. A claim in which every digit is written plainly (`42`,
`$1,577.5 million`) can be read with two regular expressions, many times as fast; every
other claim is left to `ragstone.matching`.
"""

from __future__ import annotations

import re

from ragstone.engine.duck import Duck, quoted
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.number_words import CURRENCY_WORDS, MEASURES, MULTIPLES, SCALES, SHARE_WORDS
from ragstone.matching.vocabularies import vocabulary
from ragstone.matching.worded_numbers import turns_of
from ragstone.suites.statements import sql_of

_SCALES = ("thousand", "million", "billion", "trillion")
_SCALE = f"(?:{'|'.join(_SCALES)})s?"
_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,12})(?:\.[0-9]{1,6})?"
# A scale in letters stands right behind the digits, one in words behind a space.
_LETTERS = "(?:mn|bn|m|b|k)"
TOKEN = rf"(?:USD |\$)?{_NUMBER}(?: (?i:{_SCALE})\b|{_LETTERS}\b| ?%)?"
# The keys in either order, a number of few digits, and a unit that a plain claim cannot contradict.
_DIGITS = r"-?(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,4})?"
_VALUE = rf'"number" ?: ?(?:"{_DIGITS}"|{_DIGITS})'
_UNIT = rf'"unit" ?: ?"(?:(?:USD|\$)(?: {_SCALE})?|{_SCALE})"'
GOLD = rf"\{{ ?{_VALUE}(?: ?, ?{_UNIT})? ?\}}|\{{ ?{_UNIT} ?, ?{_VALUE} ?\}}"


def _first_words() -> str:
    """A pattern for the first words of what may stand behind a number and belong to it."""
    tables = (SCALES, CURRENCY_WORDS, SHARE_WORDS, MEASURES, MULTIPLES)
    firsts = {word.split()[0] for table in tables for word in table}
    plain = {each for scale in _SCALES for each in (scale, f"{scale}s")}
    letters = sorted(word for word in firsts - plain if word.isascii() and word.isalpha())
    return "|".join(["[a-z]", r"u\.s\.", r"[ap]\.?m", *letters])


def _denials() -> str:
    """A pattern for the words, in ASCII, that say that what follows is not so."""
    words = {word for language in LANGUAGES for word in pack(language).denials}
    return "|".join(sorted(word for word in words if word.isascii()))


def _number_words() -> str:
    """A pattern for the words, in ASCII, with which a number in words may begin.

    A scale is looked at below. German goes on with the next word of the number.
    """
    lists = [vocabulary(language) for language in LANGUAGES]
    words = {word for each in lists for word in (*each.numbers, *each.multiples)} - {*_SCALES}
    going_on = {word for each in lists if each.joins_numbers for word in each.numbers}
    whole, begun = (
        "|".join(sorted(word for word in some if word.isascii())) for some in (words, going_on)
    )
    return rf"(?:{whole})\b|(?:{begun})"


def _bounds() -> str:
    """A pattern for the turns of phrase, in ASCII, behind which a number is a bound."""
    return "|".join(re.escape(turn) for turn in turns_of("above") if turn.isascii())


_TAIL = rf"(?i:{_first_words()})\b|[A-Z]{{3}}\b"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_COUNTED = "v|version|no|nr|num|number|section|page|chapter|figure|table|item|note|step"
_OTHER_CODES = "[A-TV-Z][A-Z]{2}|U[A-RT-Z][A-Z]|US[A-CE-Z]"
# A claim is unclear if a digit has anything beside it that is not plain (a letter, a bracket, a
# sign, a unit), if a number may be denied, if it may hold a date or the marker of a list, or if it
# is not in ASCII.
UNCLEAR = "|".join(
    (
        r"[^ -~]",
        # what stands before a digit
        r"[^ $0-9,.(][0-9]|(?:^|[^0-9])[.,][0-9]|[^ ]\$|\$(?:[^0-9]|$)",
        rf"(?:{_OTHER_CODES}) [$(]?[0-9]|[^ ]USD [0-9]|USD [$(]|\b(?i:rs|{_COUNTED})\.? \(?[0-9]",
        # what a claim says it is not: `not 2023 but 2024`, `not in the year 2023`
        rf"\b(?i:{_denials()})(?: +[A-Za-z]+){{0,3}} +(?:USD |\$|\()?[0-9]",
        # numbers in words, and numbers that are bounds
        rf"\b(?i:{_number_words()})|\b(?i:{_bounds()}) *[$0-9]",
        # what stands behind one
        r"[0-9](?:[^ 0-9.,;:!?%mbk)]|[.,;:!?]+[^ 0-9]|[;:!?][0-9]|[.,]{2}|  | ?[*$])",
        r"[0-9](?:m[^n .,;:!?]|b[^n .,;:!?]|(?:mn|bn|k)[^ .,;:!?])",
        rf"[0-9] (?:{_TAIL})",
        # what stands behind its scale or its per cent
        rf"[0-9](?: (?i:{_SCALE})(?:[^ a-z.,;:!?]|  |[.,;:!?][^ ]| ?[%$])"
        rf"|{_LETTERS}(?:[.,;:!?][^ ]|  | ?[%$])"
        r"| ?%(?:[^ .,;:!?]|  |[.,;:!?][^ ]| ?[%$]))",
        rf"[0-9](?: (?i:{_SCALE})|{_LETTERS}| ?%) (?:{_TAIL}|(?i:{_SCALE})\b)",
        # digits that are no plain number
        r"[0-9]{13}|[0-9],[0-9]{1,2}(?:[^0-9]|$)|[0-9],[0-9]{4}|[0-9]{4},[0-9]|,[0-9]{3},[0-9]{3},"
        r"[0-9]{3},|\.[0-9]+[.,][0-9]|\.[0-9]{7}",
        # parentheses, which may be a minus, and the heading that gives a scale: `(in millions)`
        rf"\([$0-9]|[0-9]\)|(?:^|[^0-9 ]) ?(?i:{_SCALE})\b",
        # dates, and the marker of a list
        rf"\b(?i:{_MONTHS})|(?i:quarter|fiscal|\bfy\b)|^[ *]*[0-9]{{1,2}}[.)]",
    )
)


def install(duck: Duck) -> None:
    """The macros that the statement needs."""
    duck.define(sql_of("ragstone.suites.answers", "quick_macros.sql"))


def quick_numbers(asked: str) -> str:
    """A query for `trace_row` and `answered`, over rows with `trace_row`, `claim`, `gold_answer`.

    Rows about which it is not sure are left out.
    """
    return sql_of(
        "ragstone.suites.answers",
        "quick_numbers.sql",
        asked=asked,
        gold=quoted(GOLD),
        token=quoted(TOKEN),
        unclear=quoted(UNCLEAR),
    )
