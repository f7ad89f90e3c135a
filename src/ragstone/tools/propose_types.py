"""Typed answers for phrases, by rule: what a person means by `$8.70` or `Yes, by 13%`.

A phrase that is a number, a date, a yes or no, or too short to match gets the form for it. Of a
longer text, the first sentence that says yes or no or holds numbers is taken as the answer, and
what follows it as its explanation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ragstone.matching.characters import fold
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.number_words import SHARES
from ragstone.matching.numbers import Number, numbers
from ragstone.matching.phrases import FLOOR, weight
from ragstone.suites.answers.lint import texts_in
from ragstone.tools.asked_units import Asked, asked_of, unit_of

Form = dict[str, Any]

# A phrase of fewer words may well stand in a claim as it is.
SENTENCE = 5
HINT = "a sentence that no claim repeats word for word: write nuggets instead"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u00c0-\u00de(])|\n+")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
# What may stand around a number without making a sentence of it.
_AROUND = re.compile(r"(?i)[\s.,;:~≈()]|about|approximately|approx|around|roughly|circa")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_WHEN = re.compile(
    r"(?i)\bwhen\b|\b(?:what|which)\s+(?:fiscal\s+|calendar\s+)?"
    r"(?:years?|dates?|days?|months?|quarters?)\b"
)
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
    found = _number_alone(phrase)
    if found is not None:
        return Typed(phrase, _number(found, asked), "a number")
    polarity = _polarity(phrase)
    if polarity is not None and not _FIRST_WORD.search(phrase, _first_word_end(phrase)):
        return Typed(phrase, {"yesno": polarity}, "yes or no")
    parts = _parts(phrase, question, asked)
    if parts:
        return Typed(phrase, {"all": parts}, "what a sentence says")
    if phrase.strip() and weight(phrase) < FLOOR:
        return Typed(phrase, {"any": [phrase]}, f"under {FLOOR} characters, so whole words")
    return Typed(phrase, None, HINT if len(phrase.split()) >= SENTENCE else "")


def _number_alone(phrase: str) -> Number | None:
    """The number that the phrase is, and nothing else but marks and an `about`."""
    found = numbers(phrase)
    if len(found) != 1:
        return None
    (only,) = found
    rest = phrase[: only.begin] + phrase[only.end :]
    return None if _AROUND.sub("", rest) else only


def _number(number: Number, asked: Asked) -> Form:
    """The form of a number, in the unit and with the decimals that the question asks for."""
    value = number.value
    if asked.decimals is not None and number.decimals > asked.decimals:
        value = round(value, asked.decimals)
    unit = unit_of(number, asked)
    return {"number": f"{value:f}", **({"unit": unit} if unit else {})}


def _polarity(text: str) -> bool | None:
    """Whether a text begins with a yes or a no."""
    first = _FIRST_WORD.match(text.lstrip())
    if first is None:
        return None
    word = fold(first[0])
    for language in LANGUAGES:
        words = pack(language)
        if word == words.yes[0]:
            return True
        # `No. 5` counts, and denies nothing.
        if word == words.no[0]:
            return None if re.match(r"\.?\s?[0-9]", text.lstrip()[first.end() :]) else False
    return None


def _first_word_end(text: str) -> int:
    found = _FIRST_WORD.search(text)
    return found.end() if found else 0


def _parts(phrase: str, question: str, asked: Asked) -> list[Form]:
    """What the first sentence that says something says: its polarity and its numbers."""
    given = {_size(number) for number in numbers(question)}
    for place, written in enumerate(_SENTENCE_END.split(phrase)):
        # The dash before a line of a list is no minus.
        sentence = (
            _BULLET.sub("", written, count=1) if place and _BULLET.match(written) else written
        )
        polarity = _polarity(sentence)
        parts: list[Form] = [] if polarity is None else [{"yesno": polarity}]
        parts += _evidence(sentence, given, asked, when=_WHEN.search(question) is not None)
        if parts:
            return parts
    return []


def _evidence(sentence: str, given: set[Decimal], asked: Asked, *, when: bool) -> list[Form]:
    """The numbers that answer: not what the question gives, and years only if it asks when."""
    forms: list[Form] = []
    for number in numbers(sentence):
        if _size(number) in given or (_is_year(number) and not when):
            continue
        form = {"date": f"{number.value:f}"} if _is_year(number) else _number(number, asked)
        if form not in forms:
            forms.append(form)
    return forms


def _size(number: Number) -> Decimal:
    return abs(number.value * number.scale * SHARES.get(number.unit, Decimal(1)))


def _is_year(number: Number) -> bool:
    bare = not number.unit and not number.scaled and not number.decimals
    return bare and _YEAR.fullmatch(f"{number.value:f}") is not None
