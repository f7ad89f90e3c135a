"""Reading `gold_answer` and its kin: typed answers, each checked to the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ragstone.errors import ConfigError
from ragstone.matching.answer_forms import (
    AllOf,
    AnyOf,
    Expectation,
    ListOf,
    Pattern,
    Phrase,
    WholeWords,
    YesNo,
)
from ragstone.matching.asked_kinds import asks_for
from ragstone.matching.claim_reading import Claim, Match
from ragstone.matching.dates import Date
from ragstone.matching.gold_dates import date_answer
from ragstone.matching.gold_numbers import number_answer
from ragstone.matching.language_packs import LANGUAGES
from ragstone.matching.misfits import Misfit, nearest, wrong
from ragstone.matching.names import NameAnswer
from ragstone.matching.record_answers import RecordAnswer, Scalar
from ragstone.matching.user_patterns import checked
from ragstone.matching.word_forms import TextAnswer, WordsAnswer

__all__ = ["Claim", "Expectation", "Match", "Misfit", "misfit", "parse"]

# The forms of an answer, and the keys that may go with each.
FORMS: dict[str, tuple[str, ...]] = {
    "number": ("unit", "scale", "abs", "rel", "sign", "decimal", "as_asked"),
    "date": ("order", "as_asked"),
    "yesno": ("language",),
    "any": (),
    "all": (),
    "regex": (),
    "text": ("language",),
    "words": ("language", "whole"),
    "name": ("language", "surname", "also"),
    "list": ("at_least",),
    "record": ("closed",),
}
_KEYS = [*FORMS, *dict.fromkeys(key for keys in FORMS.values() for key in keys)]
# Nobody nests deeper by intent, and Python's own stack is not without end.
DEEPEST = 20


def parse(
    value: object, decimal: str = ".", at: str = "gold_answer", question: str = ""
) -> Expectation:
    """One expectation, or a list of which any is enough.

    A plain text without a digit is read as `text`, one with a digit as whole words. The question
    says which words of it an answer may leave out.

    >>> answer = parse([{"number": "1577.00", "unit": "USD million"}, "not disclosed"])
    >>> answer.match(Claim("Capital expenditure was $1.577 billion.")).ok
    True
    >>> parse([{"number": "abc"}])
    Traceback (most recent call last):
        ...
    ragstone.matching.misfits.Misfit: gold_answer[0].number: expected a number, found "abc"
    """
    return _Reader(decimal, _plain_text, question).one_or_several(value, at)


def parse_forbidden(value: object, decimal: str = ".", at: str = "must_not") -> Expectation:
    """What must not be said: one or a list, where a plain text is a phrase.

    A surname alone may be somebody else's, so it is not forbidden.
    """
    return _Reader(decimal, Phrase, forbids=True).one_or_several(value, at)


def misfit(value: object, decimal: str = ".", at: str = "gold_answer") -> str | None:
    """What is wrong with a typed answer, or None.

    >>> misfit({"nummer": 5})
    'gold_answer: "nummer" is not known; did you mean "number"?'
    """
    try:
        parse(value, decimal, at)
    except Misfit as error:
        return error.reason
    return None


class _Reader:
    """Reads expectations; `text` is what a plain text stands for where it is met."""

    def __init__(
        self,
        decimal: str,
        text: Callable[[str], Expectation],
        question: str = "",
        *,
        forbids: bool = False,
        depth: int = 0,
    ) -> None:
        self.decimal = decimal
        self.text = text
        self.question = question
        self.forbids = forbids
        self.depth = depth

    def inside(self, text: Callable[[str], Expectation]) -> _Reader:
        """A reader of what stands inside of a form."""
        return _Reader(
            self.decimal, text, self.question, forbids=self.forbids, depth=self.depth + 1
        )

    def one_or_several(self, value: object, at: str) -> Expectation:
        if not isinstance(value, list):
            return self.one(value, at)
        parts = self.several(value, at)
        return parts[0] if len(parts) == 1 else AnyOf(parts)

    def several(self, value: object, at: str) -> tuple[Expectation, ...]:
        if not isinstance(value, list):
            raise wrong(at, "a list", value)
        if not value:
            raise Misfit(f"{at}: the list is empty, so nothing could ever match")
        return tuple(self.one(part, f"{at}[{place}]") for place, part in enumerate(value))

    def one(self, value: object, at: str) -> Expectation:
        if self.depth > DEEPEST:
            raise Misfit(f"{at}: nested more than {DEEPEST} deep")
        if isinstance(value, str):
            if not value.strip():
                raise Misfit(f"{at}: the text is empty")
            return self.text(value)
        if not isinstance(value, Mapping):
            raise Misfit(f"{at}: {_advice(value)}")
        return self._typed(value, at)

    def _typed(self, value: Mapping[str, object], at: str) -> Expectation:
        form = _form(value, at)
        given = {key: part for key, part in value.items() if part is not None}
        if form == "number":
            return self._number(given, at)
        if form == "date":
            return self._date(given, at)
        if form == "yesno":
            return _yes_or_no(given, at)
        if form == "regex":
            return _pattern(given["regex"], f"{at}.regex")
        if form in ("text", "words"):
            return self._in_words(form, given, at)
        if form == "name":
            return self._name(given, at)
        if form == "list":
            return self._list(given, at)
        if form == "record":
            return self._record(given, at)
        whole = WholeWords if self.forbids else _plain_text
        inner = self.inside(whole if form == "any" else Phrase)
        parts = inner.several(given[form], f"{at}.{form}")
        return AnyOf(parts) if form == "any" else AllOf(parts)

    def _number(self, given: Mapping[str, object], at: str) -> Expectation:
        """A number; asked how many, people leave out of what."""
        answer = number_answer(given, at, self.decimal)
        if _flag(given, "as_asked", at, False) and asks_for("count", self.question):
            return replace(answer, quantity=replace(answer.quantity, unit=""))
        return answer

    def _date(self, given: Mapping[str, object], at: str) -> Expectation:
        """A date; asked for a year or a month, people leave out the day."""
        answer = date_answer(given, at)
        date = answer.date
        if not _flag(given, "as_asked", at, False):
            return answer
        if asks_for("year", self.question):
            return replace(answer, date=Date(date.year))
        if asks_for("month", self.question):
            return replace(answer, date=replace(date, day=None))
        return answer

    def _in_words(self, form: str, given: Mapping[str, object], at: str) -> Expectation:
        text, language = _text(given[form], f"{at}.{form}"), _language(given, at)
        if form == "text":
            return TextAnswer(text, language)
        return WordsAnswer(text, language, _flag(given, "whole", at, False), self.question)

    def _name(self, given: Mapping[str, object], at: str) -> Expectation:
        surname = _flag(given, "surname", at, True) and not self.forbids
        name = NameAnswer(_text(given["name"], f"{at}.name"), surname, _language(given, at))
        also = given.get("also")
        if also is None:
            return name
        return AnyOf((name, *self.inside(TextAnswer).several(also, f"{at}.also")))

    def _list(self, given: Mapping[str, object], at: str) -> Expectation:
        question = self.question
        plain = self.inside(lambda text: WordsAnswer(text, question=question))
        entries = plain.several(given["list"], f"{at}.list")
        least = given.get("at_least")
        fits = isinstance(least, int) and not isinstance(least, bool) and 1 <= least <= len(entries)
        if least is not None and not fits:
            raise wrong(f"{at}.at_least", f"a whole number from 1 to {len(entries)}", least)
        return ListOf(entries, least if isinstance(least, int) else None)

    def _record(self, given: Mapping[str, object], at: str) -> Expectation:
        fields = given["record"]
        if not isinstance(fields, Mapping) or not fields:
            raise wrong(f"{at}.record", 'fields such as {"country": {"words": "France"}}', fields)
        inner = self.inside(_plain_text)
        return RecordAnswer(
            tuple(
                (str(name), inner.field(part, f"{at}.record.{name}"))
                for name, part in fields.items()
            ),
            _flag(given, "closed", at, False),
        )

    def field(self, value: object, at: str) -> Expectation:
        """A field of a record: a form, a record of its own, or a plain value."""
        if isinstance(value, (bool, int, float)):
            return Scalar(value)
        return self.one_or_several(value, at)


def _plain_text(text: str) -> Expectation:
    """What a plain text stands for: with a digit in it, whole words as they are written."""
    digits = any(letter.isdecimal() for letter in text)
    return WholeWords(text) if digits else TextAnswer(text)


def _form(given: Mapping[str, object], at: str) -> str:
    """The one form of an answer; every other key must belong to it."""
    forms = [key for key in given if key in FORMS and given[key] is not None]
    for key in given:
        if key not in _KEYS:
            raise Misfit(f'{at}: "{key}" is not known{nearest(str(key), _KEYS)}')
    if len(forms) != 1:
        names = ", ".join(f'"{form}"' for form in forms or FORMS)
        has = f"has {names} at once" if forms else f"has none of {names}"
        raise Misfit(f"{at}: {has}; an answer has one form")
    for key, part in given.items():
        if part is not None and key != forms[0] and key not in FORMS[forms[0]]:
            raise Misfit(f'{at}: "{key}" does not go with "{forms[0]}"')
    return forms[0]


def _text(value: object, at: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise wrong(at, "a text", value)
    return value


def _flag(given: Mapping[str, object], key: str, at: str, usual: bool) -> bool:
    value = given.get(key, usual)
    if not isinstance(value, bool):
        raise wrong(f"{at}.{key}", "true or false", value)
    return value


def _language(given: Mapping[str, object], at: str) -> str:
    language = given.get("language", "en")
    if language not in LANGUAGES:
        raise wrong(f"{at}.language", f"one of {', '.join(LANGUAGES)}", language)
    return str(language)


def _yes_or_no(given: Mapping[str, object], at: str) -> YesNo:
    yes, language = given["yesno"], given.get("language")
    if not isinstance(yes, bool):
        raise wrong(f"{at}.yesno", "true or false", yes)
    if language is not None and language not in LANGUAGES:
        raise wrong(f"{at}.language", f"one of {', '.join(LANGUAGES)}", language)
    return YesNo(yes, str(language) if language else None)


def _pattern(value: object, at: str) -> Pattern:
    if not isinstance(value, str) or not value:
        raise wrong(at, "a regular expression", value)
    try:
        checked(value, at)
    except ConfigError as error:
        raise Misfit(str(error)) from None
    return Pattern(value)


def _advice(value: object) -> str:
    """What to write instead of a bare JSON value."""
    if isinstance(value, bool):
        return f'write {{"yesno": {str(value).lower()}}}'
    if isinstance(value, (int, float)):
        return f'write {{"number": {value}}}'
    return 'expected a typed answer such as {"number": 5} or a text'
