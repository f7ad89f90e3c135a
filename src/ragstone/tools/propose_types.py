"""Typed answers for phrases, by rule: what a person means by `$8.70` or `Yes, by 13%`.

A phrase that is a number, a date, a yes or no, or too short to match gets the form for it. Of a
longer text, the first sentence that says yes or no or holds numbers is taken as the answer, and
what follows it as its explanation. The question decides what a phrase may mean: yes and no answer
a question that asks for them, and a bare number in other words one that asks for a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from ragstone.matching.asked_kinds import asks_number, asks_when, asks_yes_or_no
from ragstone.matching.characters import fold
from ragstone.matching.dates import Date, dates
from ragstone.matching.expectations import misfit
from ragstone.matching.folded_words import Token
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.names import PARTICLES
from ragstone.matching.number_words import SHARES
from ragstone.matching.numbers import Number, numbers
from ragstone.matching.word_forms import content, readings
from ragstone.suites.answers.lint import texts_in
from ragstone.tools.asked_units import Asked, asked_of, unit_of
from ragstone.tools.shared_surnames import shared, surname

Form = dict[str, Any]
Part = TypeVar("Part", Number, Date)

# A phrase of fewer words may well stand in a claim as it is.
SENTENCE = 5
HINT = "a sentence that no claim repeats word for word: write nuggets instead"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u00c0-\u00de(])|\n+")
_WORD = re.compile(r"[^\W\d_]+")
_NO_ANSWER = re.compile(r"\.?\s?[0-9]|['’-]\w")
# What may stand around a number without making a sentence of it.
_AROUND = re.compile(r"(?i)[\s.,;:~≈()]|about|approximately|approx|around|roughly|circa")
# Who and where are answered by names, whatever figures stand beside them: `Jack Nicklaus (6)`.
_NAMED = re.compile(r"(?i)\b(?:who|whom|whose|where)\b")
# `8 Mile` and `127 Hours` are films.
_TITLE = re.compile(r"[0-9]+ [A-Z][a-z]+")
# A remark behind a phrase.
_REMARK = re.compile(r"\s+\([^()]*\)\s*\Z")
_WHO = re.compile(r"(?i)\b(?:who|whom|whose)\b")
_AND = re.compile(r"(?i)\band\b|&|,")
# `red, white and blue`
_ENTRIES = re.compile(r"\s*(?:,\s*(?:and\s+)?|;|\band\s)\s*")
# `on the continent of Antarctica` answers with its place, whatever word leads to it.
_LEADING = re.compile(
    r"(?i)\A(?:in|on|at|by|from|to|with|during|around|about|after|before|of|for|as|since)\s+(?=\w)"
)
# `v2.1`, `C++` and `7/1/2023` are looked for as they are written.
_IN_A_WORD = re.compile(r"[^\W\d_]\d|\d[^\W\d_]|[^\w\s.,;:!?'’\"“”()&–—-]")
_ARTICLE = re.compile(r"(?i)\A(?:an?|the) (?=\w)")
_LEAST_ENTRIES = 3
_MOST_PARTS = 4
_MOST_SIDE_BY_SIDE = 1
# Of a longer text no rule can say which of its words matter.
MOST_WORDS = 10
_BULLET = re.compile(r"[-*•–]\s*")


@dataclass(frozen=True, slots=True)
class Typed:
    """A phrase and the form that says what it means; None where it stays a phrase."""

    phrase: str
    form: Form | None
    why: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What could be typed of one gold item, phrase by phrase."""

    qid: str
    question: str
    typed: tuple[Typed, ...]

    @property
    def forms(self) -> list[Form]:
        return [each.form for each in self.typed if each.form is not None]

    def applied(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """The item with typed answers in the place of the phrases that they stand for."""
        typed = {each.phrase for each in self.typed if each.form is not None}
        kept = [phrase for phrase in texts_in(item, "gold_claim_substr") if phrase not in typed]
        made: dict[str, Any] = {}
        for name, value in item.items():
            if name != "gold_claim_substr":
                made[name] = value
                continue
            if kept:
                made[name] = kept
            made["gold_answer"] = self.forms[0] if len(self.forms) == 1 else self.forms
        return made


def propose_all(gold: Iterable[Mapping[str, Any]]) -> list[Proposal]:
    """What to type of every item; a surname that two items share proves neither.

    >>> names = [{"qid": name, "question": "Who?", "answerable": True, "gold_claim_substr": [name]}
    ...          for name in ("Ann Lee", "Bob Lee")]
    >>> propose_all(names)[0].forms
    [{'name': 'Ann Lee', 'surname': False}]
    """
    found = [proposal for item in gold if (proposal := propose(item)) is not None]
    names = [(each.qid, form) for each in found for form in each.forms if "name" in form]
    of_two = shared((qid, form["name"]) for qid, form in names)
    for _, form in names:
        if surname(form["name"]) in of_two:
            form["surname"] = False
    return found


def propose(item: Mapping[str, Any]) -> Proposal | None:
    """What to type of a gold item; None where nothing is to be said of it.

    >>> found = propose({"qid": "a", "answerable": True, "gold_claim_substr": ["$8.70"],
    ...                  "question": "What is the net PPNE? Answer in USD billions."})
    >>> found.forms
    [{'number': '8.70', 'unit': 'USD billion'}]
    """
    if not item["answerable"] or item.get("gold_answer") is not None:
        return None
    question = str(item.get("question") or "")
    asked = asked_of(question)
    typed = [_typed(phrase, question, asked) for phrase in texts_in(item, "gold_claim_substr")]
    said = tuple(each for each in typed if each.form is not None or each.why)
    return Proposal(str(item["qid"]), question, said) if said else None


def _typed(phrase: str, question: str, asked: Asked) -> Typed:
    form, why = _form(phrase, question, asked)
    # What gold would refuse, such as a number of a hundred digits, stays a phrase.
    if form is not None and misfit(form) is None:
        return Typed(phrase, form, why)
    return Typed(phrase, None, HINT if len(phrase.split()) >= SENTENCE else "")


def _form(written: str, question: str, asked: Asked) -> tuple[Form | None, str]:
    """The form that says what a phrase means, and what the phrase was taken for."""
    # `Jack Nicklaus (6)`: what stands behind in parentheses is a remark.
    phrase = _REMARK.sub("", written) or written
    date = _alone(dates(phrase), phrase)
    if date is not None and (not date.is_a_year or asks_when(question)):
        return _date(date), "a date"
    number = _alone(numbers(phrase), phrase)
    if number is not None and not (_TITLE.fullmatch(phrase) and not asks_number(question)):
        return _number(number, asked), "a number"
    polarity = _polarity(phrase) if asks_yes_or_no(question) else None
    if polarity is not None and len(_WORD.findall(phrase)) == 1:
        return {"yesno": polarity}, "yes or no"
    parts = _parts(phrase, question, asked)
    if parts:
        return {"all": parts}, "what a sentence says"
    if not phrase.strip() or _is_a_sentence(phrase):
        return None, ""
    return _in_words(phrase, question)


def _is_a_sentence(phrase: str) -> bool:
    """Whether a phrase says so much that no rule can tell which of its words matter."""
    ends = phrase.rstrip().endswith(".") and len(phrase.split()) >= SENTENCE
    return ends or len(_content(phrase)) > MOST_WORDS


def _content(phrase: str) -> list[Token]:
    (words, *_) = readings(phrase, "en")
    return content(words.tokens, "en")


def _in_words(phrase: str, question: str) -> tuple[Form, str]:
    """A list, a name, or words, by how the phrase is written and what the question asks."""
    entries = [entry for entry in _ENTRIES.split(phrase) if entry.strip()]
    short = all(1 <= len(_content(entry)) <= _MOST_PARTS for entry in entries)
    if len(entries) >= _LEAST_ENTRIES and short:
        return {"list": entries}, "a list"
    phrase = _LEADING.sub("", phrase)
    words = _ARTICLE.sub("", phrase).split()
    if 2 <= len(words) <= _MOST_PARTS and not _AND.search(phrase) and _is_capitalised(words):
        who = _WHO.search(question) is not None
        held = fold(words[-1]) in fold(question)
        return {
            "name": " ".join(words),
            **({} if who and not held else {"surname": False}),
        }, "a name"
    if _IN_A_WORD.search(phrase) or not _WORD.search(phrase):
        return {"any": [phrase]}, "whole words"
    has_digit = any(letter.isdecimal() for letter in phrase)
    if len(_content(phrase)) > _MOST_SIDE_BY_SIDE and not has_digit:
        return {"words": phrase}, "several words"
    return {"text": phrase}, "words side by side"


def _is_capitalised(words: list[str]) -> bool:
    """Whether all words begin with a capital, but for particles such as `van` in between."""
    inner = [word for word in words[1:-1] if word not in PARTICLES]
    return all(word[0].isupper() and word[0].isalpha() for word in [words[0], *inner, words[-1]])


def _alone(found: Sequence[Part], phrase: str) -> Part | None:
    """The number or date that the phrase is, and nothing else but marks and an `about`."""
    if len(found) != 1:
        return None
    (only,) = found
    rest = phrase[: only.begin] + phrase[only.end :]
    return None if _AROUND.sub("", rest) else only


def _date(date: Date) -> Form | None:
    """The form of a date; a day or month of no year is none that gold can name."""
    if date.year is None:
        return None
    parts = [f"{date.year}"]
    if date.quarter is not None:
        parts.append(f"Q{date.quarter}")
    parts += [f"{part:02}" for part in (date.month, date.day) if part is not None]
    return {"date": "-".join(parts)}


def _number(number: Number, asked: Asked) -> Form:
    """The form of a number, in the unit and with the decimals that the question asks for."""
    value = number.value
    if asked.decimals is not None and number.decimals > asked.decimals:
        value = round(value, asked.decimals)
    unit = unit_of(number, asked)
    return {"number": f"{value:f}", **({"unit": unit} if unit else {})}


def _polarity(text: str) -> bool | None:
    """Whether a text begins with a yes or a no."""
    first = _WORD.search(text)
    if first is None or text[: first.start()].strip():
        return None
    word = fold(first[0])
    for language in LANGUAGES:
        words = pack(language)
        if word == words.yes[0]:
            return True
        # `No. 5` counts, and `non-partisan` is one word: neither says no.
        if word == words.no[0] and not _NO_ANSWER.match(text, first.end()):
            return False
    return None


def _parts(phrase: str, question: str, asked: Asked) -> list[Form]:
    """What the first sentence that says something says: its polarity and its numbers."""
    for place, written in enumerate(_SENTENCE_END.split(phrase)):
        # The dash before a line of a list is no minus.
        listed = _BULLET.match(written) if place else None
        sentence = written[listed.end() :] if listed else written
        polarity = _polarity(sentence) if asks_yes_or_no(question) else None
        parts: list[Form] = [] if polarity is None else [{"yesno": polarity}]
        if asks_when(question):
            parts += _dates_in(sentence, question)
        parts += _figures_in(sentence, question, asked)
        if parts:
            return parts
    return []


def _dates_in(sentence: str, question: str) -> list[Form]:
    """The dates that answer: not those that the question gives."""
    given = [_date(date) for date in dates(question)]
    found = [_date(date) for date in dates(sentence)]
    return _distinct(form for form in found if form is not None and form not in given)


def _figures_in(sentence: str, question: str, asked: Asked) -> list[Form]:
    """The numbers that answer: no year, and none that the question gives in whatever spelling.

    A bare number answers only a question that asks for one: `Boeing 747` is a name.
    """
    wanted = asks_number(question) or asked != Asked()
    if _NAMED.search(question) or (_TITLE.fullmatch(sentence) and not wanted):
        return []
    given = {_size(number) for number in numbers(question)}
    years = [date for date in dates(sentence) if date.is_a_year]
    return _distinct(
        _number(number, asked)
        for number in numbers(sentence)
        if _size(number) not in given
        and not _is_one_of(number, years)
        and (wanted or number.unit or number.scaled)
    )


def _distinct(forms: Iterable[Form]) -> list[Form]:
    found: list[Form] = []
    for form in forms:
        if form not in found:
            found.append(form)
    return found


def _size(number: Number) -> Decimal:
    return abs(number.value * number.scale * SHARES.get(number.unit, Decimal(1)))


def _is_one_of(number: Number, years: list[Date]) -> bool:
    """Whether a number is the year that stands there, and not 2,019 of something."""
    bare = not number.unit and not number.scaled
    return bare and any(year.begin <= number.begin < year.end for year in years)
