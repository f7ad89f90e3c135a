"""The sentences of an answer, and what is quoted in them, each with its place in the text.

The rule is plain, so that it can be said in a few lines (docs/audit.md); it does not know grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragstone.matching.characters import SPACELESS

Span = tuple[int, int]

# Marks that end a sentence where white space, or nothing, follows; those of Chinese and Japanese
# end it wherever they stand. What closes a quotation or a bracket still belongs to the sentence.
_CLOSING = "\"'”’»›)\\]"
_END = re.compile(
    rf"(?<![.!?…])[.!?…]++[{_CLOSING}]*+(?=\s|$)|[。！？｡]++[」』”’）)]*+|\n+",
)
# A full stop after one of these, after a capital letter (J. Smith) or after dotted letters (U.S.,
# e.g.) ends nothing.
_ABBREVIATIONS = (
    "approx|ca|cf|co|corp|dept|dr|ed|eq|est|etc|fig|figs|gen|gov|inc|jr|ltd|max|min|mr|mrs|ms|"
    "no|nos|nr|p|para|pp|prof|rev|sec|sen|sr|st|vol|vs|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|"
    "nov|dec|bzw|bspw|usw|z.b|d.h|u.a"
)
_SHORT = re.compile(rf"\b(?:{_ABBREVIATIONS})$|\.[^\W\d_]$", re.IGNORECASE)
_INITIAL = re.compile(r"(?:^|[\W_])([^\W\d_])$")
# What stands before an item of a list is not part of its sentence: a bullet, or its number.
_ITEM = re.compile(r"(?:[-*•–]|\(?\d{1,3}[.)])[ \t]+")
# Longer than any abbreviation.
_LOOK_BACK = 12

# Straight marks open and close alike; single ones are mostly apostrophes, and are not looked at.
_QUOTED = re.compile(
    '"([^"\n]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」|『([^『』]*)』'
)
_UNSPACED = re.compile(f"[{SPACELESS}]")
# A quotation of fewer words is a name or a term, and says nothing about its source.
LEAST_WORDS = 3
# Characters of a script without spaces that make a word.
_A_WORD = 2


def sentences(text: str) -> Iterator[Span]:
    """Where each sentence begins and ends, without the white space and list marks around it.

    >>> text = "It rose 2.5 %, e.g. in the U.S. by 3. Why? 1. Rain."
    >>> [text[begin:end] for begin, end in sentences(text)]
    ['It rose 2.5 %, e.g. in the U.S. by 3.', 'Why?', 'Rain.']
    """
    begin = 0
    for found in _END.finditer(text):
        if text[found.start()] == "." and _goes_on(text, begin, found):
            continue
        yield from _trimmed(text, begin, found.end())
        begin = found.end()
    yield from _trimmed(text, begin, len(text))


def _goes_on(text: str, begin: int, found: re.Match[str]) -> bool:
    """Whether a full stop ends no sentence: after an abbreviation or the number of an item of a
    list, or where a small letter follows."""
    follows = text[found.end() : found.end() + _LOOK_BACK].lstrip(" \t")[:1]
    if follows.islower():
        return True
    said = text[max(begin, found.start() - _LOOK_BACK) : found.start()]
    numbered = found.start() - begin < _LOOK_BACK and said.strip().isdigit()
    if numbered or found[0] != "." or follows in ("", "\n"):
        return numbered
    initial = _INITIAL.search(said)
    return bool(_SHORT.search(said)) or (initial is not None and initial[1].isupper())


def _trimmed(text: str, begin: int, end: int) -> Iterator[Span]:
    while begin < end and text[begin].isspace():
        begin += 1
    item = _ITEM.match(text, begin, end)
    if item:
        begin = item.end()
    while end > begin and text[end - 1].isspace():
        end -= 1
    if begin < end:
        yield begin, end


def quotations(text: str) -> Iterator[Span]:
    """Where each quotation of three words or more stands, without its marks.

    >>> text = 'It "rejects all null keys," they say, and calls that "strict".'
    >>> [text[begin:end] for begin, end in quotations(text)]
    ['rejects all null keys']
    """
    for found in _QUOTED.finditer(text):
        begin, end = next(found.span(n) for n in range(1, 7) if found.span(n) != (-1, -1))
        # The mark that ends the sentence around it may stand inside the quotation.
        while end > begin and (text[end - 1].isspace() or text[end - 1] in ".,;:!?…。，！？"):
            end -= 1
        while begin < end and text[begin].isspace():
            begin += 1
        if _words(text[begin:end]) >= LEAST_WORDS:
            yield begin, end


def _words(text: str) -> int:
    unspaced = len(_UNSPACED.findall(text))
    return len(_UNSPACED.sub(" ", text).split()) + unspaced // _A_WORD
