"""A text as the words that phrases and names are compared by.

Quotes, hyphens, articles and blanks between letters mean nothing: the words are looked for as one
run of letters, which must begin and end where a word does.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from ragstone.matching.characters import DIGITS, SPACELESS, plain
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.letters import cased_letters, letters_of
from ragstone.matching.number_words import MEASURES, SCALES, SIGNS
from ragstone.matching.occurrences import occurrences
from ragstone.matching.spelled_numbers import LONGEST, ordinal, spelled
from ragstone.matching.vocabularies import Vocabulary, alternatives, vocabulary

_MARK = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b57\u0b82-\u0bcd\u0c00-\u0c56"
    "\u0c81-\u0cd6\u0d00-\u0d4d\u0d81-\u0ddf\u1dc0-\u1dff\u20d0-\u20ff"
)
_LETTER = rf"(?:(?![{SPACELESS}])[^\W\d_][{_MARK}]*)"
_SHORT_WORD = 3
_SENTENCE_ENDS = frozenset(".!?。！？…")
_CLAUSE_ENDS = _SENTENCE_ENDS | frozenset(",;:，；：—–")
# Between the words of one sentence and the next, and between two numbers.
_BREAK = "\n"
_AND_SIGN = "&"
# A word of denial is looked for so many words before what it may deny.
_REACH = 6
_EITHER_REACH = 12
# Words that may stand between the article of what is denied and the words looked for.
_MOST_BETWEEN = 2


class Token(NamedTuple):
    """A word, a number or a mark of a text; `letters` are what it is compared by."""

    letters: str
    cased: str
    begin: int
    end: int
    is_mark: bool = False

    @property
    def is_capitalised(self) -> bool:
        return self.cased[:1].isupper()


class FoldedWords:
    """The words of one text in one language; `spelled_out` reads `ö` as `oe`."""

    def __init__(self, text: str, language: str, *, spelled_out: bool = False) -> None:
        self.text = text
        self.language = language
        self.vocabulary = vocabulary(language)
        self.sentences: list[int] = []
        tokens = _tokens(text, self.vocabulary, language, spelled_out=spelled_out)
        self.tokens = _measured([*tokens])
        self._run()

    def _run(self) -> None:
        """Joins the words to one run of letters, and keeps where each begins and ends."""
        articles, ands = self.vocabulary.articles, self.vocabulary.ands
        parts, cased = [], []
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        at = 0
        number_before = False
        for place, token in enumerate(self.tokens):
            if token.is_mark:
                if token.letters in _SENTENCE_ENDS and self._ends_sentence(place):
                    self.sentences.append(place)
                    parts.append(_BREAK)
                    cased.append(_BREAK)
                    at += 1
                    number_before = False
                    continue
                if token.letters != _AND_SIGN or not ands:
                    continue
            elif token.letters in articles and place + 1 < len(self.tokens):
                continue
            letters = min(ands) if token.letters == _AND_SIGN else token.letters
            is_number = letters[0].isdecimal()
            if is_number and number_before:
                parts.append(_BREAK)
                cased.append(_BREAK)
                at += 1
            number_before = is_number
            self._starts[at] = place
            at += len(letters)
            self._ends[at] = place
            parts.append(letters)
            cased.append(token.cased if len(token.cased) == len(letters) else letters)
        self.run = "".join(parts)
        self.letters = self.run.strip(_BREAK)
        self._cased_run = "".join(cased)

    def _ends_sentence(self, place: int) -> bool:
        """Whether a full stop ends a sentence; behind a short word it may be an abbreviation's."""
        if self.tokens[place].letters != ".":
            return True
        before = self.tokens[place - 1] if place else None
        if before is None or place + 1 == len(self.tokens):
            return True
        if self.tokens[place + 1].begin == self.tokens[place].end:
            return False
        return len(before.letters) > _SHORT_WORD or not before.letters.isalpha()

    def places(self, wanted: str, capitals: Sequence[str] = ()) -> Iterator[tuple[int, int]]:
        """Where a run of letters begins and ends with words: the first and the last token.

        `capitals` are the words of it that must be capitals here, too.
        """
        for at in occurrences(self.run, wanted):
            end = at + len(wanted)
            if at in self._starts and end in self._ends:
                here = self._cased_run[at:end]
                if all(word in here for word in capitals):
                    yield self._starts[at], self._ends[end]

    @cached_property
    def by_letters(self) -> dict[str, list[int]]:
        """The places of each word."""
        found: dict[str, list[int]] = {}
        for place, token in enumerate(self.tokens):
            if not token.is_mark:
                found.setdefault(token.letters, []).append(place)
        return found

    @cached_property
    def has_case(self) -> bool:
        """Whether capitals say anything in this text."""
        return any(token.is_capitalised for token in self.tokens)

    def sentence_of(self, place: int) -> int:
        """The number of the sentence in which a token stands."""
        return bisect_right(self.sentences, place)

    def span(self, first: int, last: int) -> tuple[int, int]:
        return self.tokens[first].begin, self.tokens[last].end

    def is_denied(self, first: int, last: int) -> bool:
        """Whether the claim says that this is not so: `not on the Rhine`, `the Rhine is not`."""
        through, articles = self.vocabulary.denied_through, self.vocabulary.articles
        denials = (*_denials(), *filter(None, self.vocabulary.denials))
        words = self._clause_before(first)
        skipped = others = 0
        while skipped <= len(words):
            if any(_ends_with(words[: len(words) - skipped], denial) for denial in denials):
                return True
            if skipped == len(words):
                break
            word = words[-1 - skipped]
            if word not in through:
                # `not the physicist Curie`: what is denied begins with its article
                others += 1
                if others > _MOST_BETWEEN:
                    break
                ahead = words[: len(words) - skipped][-_MOST_BETWEEN - 1 : -1]
                if not articles & set(ahead):
                    break
            skipped += 1
        return self._denied_after(last)

    def _clause_before(self, first: int) -> list[str]:
        """The words before a token, back to the next comma or the like."""
        words: list[str] = []
        for token in reversed(self.tokens[max(0, first - _REACH) : first]):
            if token.letters in _CLAUSE_ENDS:
                break
            if not token.is_mark:
                words.append(token.letters)
        return words[::-1]

    def _denied_after(self, last: int) -> bool:
        following = [token.letters for token in self.tokens[last + 1 : last + 3]]
        if len(following) < 2 or following[0] not in self.vocabulary.helps:
            return False
        denials = (*_denials(), *self.vocabulary.denials)
        return (following[1],) in denials or following[1] in self.vocabulary.wrong

    def alternatives(self, first: int, last: int) -> Iterator[tuple[int, bool]]:
        """Where a word such as `or` begins beside this, and whether this stands before it."""
        if any((token.letters,) in _denials() for token in self.tokens[first : last + 1]):
            return  # `not A, B or C` denies them all
        ors, eithers = alternatives()
        place = last + 1
        while place < len(self.tokens) and self.tokens[place].letters in (",", '"', "”", ")", "*"):
            place += 1
        if place < len(self.tokens) and self.tokens[place].letters in ors:
            yield self.tokens[place].begin, True
        place = first - 1
        while place >= 0 and (
            self.tokens[place].letters in self.vocabulary.denied_through
            or self.tokens[place].letters in ('"', "“", "(", "*")
        ):
            place -= 1
        if place >= 0 and self.tokens[place].letters in ors:
            yield self.tokens[place].begin, False
        since = max(0, first - _EITHER_REACH)
        before = [token.letters for token in self.tokens[since:first]]
        if any(word in eithers for word in before):
            for place in range(last + 1, min(len(self.tokens), last + _EITHER_REACH)):
                if self.tokens[place].letters in _SENTENCE_ENDS:
                    break
                if self.tokens[place].letters in ors:
                    yield self.tokens[place].begin, True
                    break


def _tokens(text: str, words: Vocabulary, language: str, *, spelled_out: bool) -> Iterator[Token]:
    every = _pieces(text, language, spelled_out=spelled_out)
    pieces = [piece for piece in every if piece.letters]
    place = 0
    while place < len(pieces):
        token, place = _number(pieces, place, words) or (pieces[place], place + 1)
        yield token


def _pieces(text: str, language: str, *, spelled_out: bool) -> Iterator[Token]:
    """The tokens as they stand, before number words are numbers."""
    for found in _token().finditer(text):
        written, (begin, end) = found[0], found.span()
        kind = found.lastgroup
        if kind in ("mark", "other"):
            if written not in "'’ʼ-‐‑":
                yield Token(written, written, begin, end, is_mark=True)
            continue
        if kind == "number":
            part_of_a_word = begin > 0 and text[begin - 1].isalpha()
            letters = plain(written) if part_of_a_word else _digits(plain(written))
            yield Token(letters, letters, begin, end)
            continue
        if kind == "short":
            written = written.replace(".", "")
        word = written
        if "'" in written or "’" in written or "ʼ" in written:
            word = re.sub("[’ʼ]", "'", written)
            lower = word.lower()
            if language == "en" and lower.endswith("n't"):
                yield _word(word[:-3], begin, end - 3, spelled_out=spelled_out)
                yield Token("not", "not", end - 3, end)
                continue
            if language == "fr" and word.index("'") < _SHORT_WORD:
                elided, _, word = word.partition("'")
                yield _word(elided, begin, begin + len(elided), spelled_out=spelled_out)
                begin += len(elided) + 1
            word = word.removesuffix("'s").removesuffix("'S").replace("'", "")
        yield _word(word, begin, end, spelled_out=spelled_out)


def _word(word: str, begin: int, end: int, *, spelled_out: bool) -> Token:
    cased = cased_letters(word, spelled_out=spelled_out)
    return Token(cased.casefold(), cased, begin, end)


def _digits(written: str) -> str:
    """A number without its thousands marks and without zeros at the end of its decimals."""
    whole = re.sub(r",(?=[0-9]{3}(?![0-9]))", "", written)
    if "." in whole and whole.count(".") == 1 and "," not in whole:
        whole = whole.rstrip("0").rstrip(".")
    return whole


def _number(pieces: list[Token], place: int, words: Vocabulary) -> tuple[Token, int] | None:
    """The number that begins here, in words or in digits with its scale, and where it ends."""
    first = pieces[place]
    if first.letters in SIGNS and place + 1 < len(pieces):
        after = pieces[place + 1]
        if not after.letters[0].isdecimal():
            return None
        token, stop = _scaled(pieces, place + 1) or (after, place + 2)
        return token._replace(begin=first.begin), stop
    if first.letters[0].isdecimal():
        return _scaled(pieces, place)
    if not words.begins_number(first.letters):
        return None
    found = spelled([piece.letters for piece in pieces[place : place + LONGEST]], words)
    if found is None:
        return None
    letters = ordinal(found.value) if found.ordinal else str(found.value)
    stop = place + found.length
    return Token(letters, letters, first.begin, pieces[stop - 1].end), stop


def _scaled(pieces: list[Token], place: int) -> tuple[Token, int] | None:
    """A number in digits with the scale that follows it."""
    number = pieces[place]
    after = pieces[place + 1] if place + 1 < len(pieces) else None
    if after is None or len(after.letters) <= _SHORT_WORD or after.letters not in SCALES:
        return None
    if "," in number.letters or number.letters.count(".") > 1 or not number.letters[-1].isdecimal():
        return None
    letters = _digits(f"{Decimal(number.letters) * SCALES[after.letters]:f}")
    return Token(letters, letters, number.begin, after.end), place + 2


def _measured(tokens: list[Token]) -> list[Token]:
    """The tokens with each unit behind a number by its one name: `48 Hrs` is `48 hours`."""
    for place in range(1, len(tokens)):
        unit = MEASURES.get(tokens[place].letters)
        if unit is not None and tokens[place - 1].letters.isdecimal():
            name = unit.casefold()
            tokens[place] = tokens[place]._replace(letters=name, cased=name)
    return tokens


def _ends_with(words: list[str], ending: tuple[str, ...]) -> bool:
    return tuple(words[-len(ending) :]) == ending


@functools.cache
def _token() -> re.Pattern[str]:
    """A word, a number or a mark. It takes long to compile, and most gold has no names."""
    return re.compile(
        rf"(?P<short>(?<!\w){_LETTER}\.(?:{_LETTER}\.)+(?!\w)|(?<!\w){_LETTER}(?:\.{_LETTER})+\.?(?!\w))"
        rf"|(?P<word>{_LETTER}+(?:['’ʼ]{_LETTER}+)*)"
        r"|(?P<mark>[\u00b2\u00b3\u00b9\u2070-\u209f]+)"
        rf"|(?P<number>[{DIGITS}]{{1,40}}(?:[.,][{DIGITS}]{{1,40}})*(?:(?:st|nd|rd|th)(?!\w))?)"
        rf"|(?P<joined>[{SPACELESS}])"
        r"|(?P<other>\S)"
    )


@functools.cache
def _denials() -> tuple[tuple[str, ...], ...]:
    """The words of denial of all languages, each as the letters of its words."""
    return tuple(
        tuple(letters_of(word) for word in denial.split())
        for language in LANGUAGES
        for denial in pack(language).denials
    )
