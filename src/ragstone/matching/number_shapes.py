"""The patterns that read numbers. Each looks a bounded way around the digits it is tried at."""

from __future__ import annotations

import re

from ragstone.matching.characters import LETTER
from ragstone.matching.number_words import (
    CODES,
    CURRENCY_WORDS,
    JOINED_CURRENCIES,
    JOINED_SCALES,
    MEASURES,
    MULTIPLES,
    SCALES,
    SHARE_WORDS,
    SIGNS,
    one_of,
)

_RUN = r"[0-9]+(?:[.,'\u00a0\u066b\u066c][0-9]+)*+"
# Digits joined by these are a range, a date, a time, a ratio or a telephone number.
CHAIN = re.compile(rf"{_RUN}(?:[-/:]{_RUN})*+")
ISO_MONTH = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")
YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def _whole(thousands: str, decimal: str) -> re.Pattern[str]:
    groups = rf"[0-9]{{1,3}}(?:{thousands}[0-9]{{3}})+"
    indian = rf"[0-9]{{1,2}}(?:{thousands}[0-9]{{2}})+{thousands}[0-9]{{3}}"
    swiss, spaced = (rf"[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+" for mark in ("'", "\u00a0"))
    whole = rf"{groups}|{indian}|{swiss}|{spaced}|[0-9]+"
    return re.compile(rf"(?P<whole>{whole})?(?:{decimal}(?P<part>[0-9]+))?")


# By the mark before the decimals; the two others are Arabic's, which are never mistaken.
WHOLE = {
    ".": _whole("[,\u066c]", "[.\u066b]"),
    ",": _whole("[.\u066c]", "[,\u066b]"),
}

_END = rf"(?!{LETTER}|[0-9_])"
_SPACE = r"[ \u00a0]{0,2}+"
_JOIN = rf"(?:-|{_SPACE})"
_SIGNS = one_of(sign for sign in SIGNS if len(sign) == 1)
_LETTERED_SIGNS = one_of(sign for sign in SIGNS if len(sign) > 1)
_UNIT_WORDS = one_of([*CURRENCY_WORDS, *SHARE_WORDS, *MEASURES, *MULTIPLES])
# One letter is a scale only if it is no part of a name: `10-K`, `5 M&A deals`, `5 m/s`.
_SCALE = (
    rf"(?:{_JOIN}(?:{one_of(word for word in SCALES if len(word) > 1)}){_END}"
    rf"|[ \u00a0]?(?:[kmb]|(?-i:T))(?![&'/.-]?{LETTER}|[0-9_])|{_SPACE}(?:{one_of(JOINED_SCALES)}))"
)
# In `In 2018 USD 5 million` the currency belongs to what follows it.
_UNIT = (
    rf"(?:{_SPACE}\\?%|{_JOIN}(?:{_UNIT_WORDS}){_END}|{_SPACE}(?:{one_of(JOINED_CURRENCIES)})"
    rf"|{_SPACE}(?:(?-i:{CODES}){_END}|{_SIGNS})(?!{_SPACE}[0-9]))"
)
_POWER = (
    r"(?:e(?P<e>[-+]?[0-9]{1,3})(?![0-9])"
    r"|[ \u00a0]?[x×*][ \u00a0]?10(?:\^|\*\*)(?P<ten>-?[0-9]{1,3})(?![0-9]))"
)
TAIL = re.compile(
    rf"{_POWER}?(?P<scale>{_SCALE})?(?P<unit>{_UNIT})?(?P<late>{_SCALE})?", re.IGNORECASE
)
HEAD = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+])?(?:(?P<currency>(?<!{LETTER})(?<![0-9])(?:(?-i:{CODES})"
    rf"|{_LETTERED_SIGNS})|{_SIGNS})[ \u00a0]?)?(?P<inner>[-+])?(?P<late>\()?\Z",
    re.IGNORECASE,
)
HEAD_LENGTH = 9

# What makes the digits before it a part of something else: `10-K`, `1st`, `4x4`, `2.b`, `5 p.m.`
CONTINUED = re.compile(
    rf"{LETTER}|[0-9_#@]|-(?:{LETTER}(?!{LETTER})|(?-i:[A-Z]{{2}}))|\.(?-i:[a-z])"
    r"|[ \u00a0]?[ap]\.?m\b",
    re.IGNORECASE,
)
# What makes the digits after it a part of something else: `Q3`, `p1#2`, `No.5`, `FY'18`, `3(36)`.
PART_OF_A_WORD = re.compile(rf"(?:{LETTER}|[0-9_#@/]|(?:{LETTER}|[0-9])[.']|{LETTER}-)\Z")
# Behind these a minus or a plus is no sign: `10%-15%`, `5+3`, `COVID-19`.
JOINED = re.compile(rf"(?:{LETTER}|[0-9)%-])\Z")
NOT_A_DIGIT = re.compile("[^0-9]")
# A paragraph of a law or a plan: `401(k)`, `401(a)(17)`, `12(ii)`.
PARAGRAPH = re.compile(r"\((?:[a-z]|[ivx]{2,4})\)", re.IGNORECASE)
LONGEST_PARAGRAPH = 4

# Where a figure in parentheses stands in a cell of its own, or beside another figure of its row.
_BLANK = r"[ \u00a0]"
_CELL_END = rf"[.,;]?[*\"”]{{0,2}}{_BLANK}{{0,4}}(?:\Z|[\n\t|]|{_BLANK}{{2}})"
CELL_BEGIN = re.compile(rf"(?:\A|[\n\t|:=]|{_BLANK}{{2}}){_BLANK}{{0,4}}[*\"“]{{0,2}}\Z")
CELL_BEGIN_LENGTH = 8
CELL_END = re.compile(_CELL_END)
BESIDE = re.compile(r"[,;]?[ \u00a0\t|]{1,4}\Z")
BESIDE_LENGTH = 5
NEXT_FIGURE = re.compile(
    rf"[,;]?[ \u00a0\t|]{{1,4}}(?:[—–-]|\(?{_SIGNS}?\(?-?[0-9][0-9.,]{{0,30}}+%?\)?)"
    rf"(?:(?={_CELL_END})|(?=[,;]?[ \u00a0\t|]{{1,4}}[$€£(—–-]{{0,2}}[0-9]))"
)
FOOTNOTE = re.compile(r"\[[0-9]{1,3}(?:\s?[,;-]\s?[0-9]{1,3})*+\]")
TELEPHONE = re.compile(
    r"\+[0-9]{1,3}[ .-]?\(?[0-9]{1,4}\)?(?:[ .-][0-9]{2,5}){2,4}|\([0-9]{3}\) ?[0-9]{3}-[0-9]{4}"
)
LINE_START = re.compile(r"(?:\A|\n)[ \t]{0,8}[*]{0,2}\(?\Z")
LINE_START_LENGTH = 12
MARKER_START = re.compile(r"\s?\((?=[0-9]{1,2}\))")
MARKER_END = re.compile(r"[.)][*]{0,2}\s+\S")

# Most numbers stand between words that say nothing about them; these spare them the long patterns.
NOTHING_BEFORE = re.compile(r"[a-rt-z0-9,;:)%][ \n](?=[0-9])")
ONLY_A_PARENTHESIS_BEFORE = re.compile(r"[ \n(]\((?=[0-9])")
NEXT_WORD = re.compile(r" ([A-Za-z]+)(?=[ ,;:.)])|[,;.]?(?:\Z|\n| (?=[0-9(]))|[,;.] ")
FIRST_WORDS = {
    part.casefold()
    for word in (*SCALES, *CODES.split("|"), *CURRENCY_WORDS, *SHARE_WORDS, *MEASURES, *MULTIPLES)
    for part in re.findall("[A-Za-z]+", word)
} | {"am", "pm", "a", "p", "x"}
