"""What a phrase under the floor of five characters stands for, where that can be told.

`9.90` and `UK` say what they mean, `no` does so under a question that asks for yes or no, and
`keys` could be a part of any other word: such a phrase keeps the floor.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.matching.asked_kinds import asks_number, asks_when, asks_yes_or_no
from ragstone.matching.characters import fold
from ragstone.matching.dates import dates
from ragstone.matching.language_packs import LANGUAGES, pack
from ragstone.matching.numbers import numbers
from ragstone.matching.phrases import FLOOR, weight

Form = dict[str, object]


def short_forms(phrases: Sequence[str], question: str) -> list[Form]:
    """The typed answers that phrases stand for which are all too short; none where one is not.

    >>> short_forms(["UK", "keys"], "Where?"), short_forms(["9.90", "shipping"], "How much?")
    ([{'any': ['UK']}], [])
    """
    if any(weight(phrase) >= FLOOR for phrase in phrases):
        return []
    forms = (_form(phrase.strip(), question) for phrase in phrases)
    return [form for form in forms if form is not None]


def _form(phrase: str, question: str) -> Form | None:
    """A number, a date, or a yes or no where the question asks for one, else whole words; None for
    a word like any other.

    >>> _form("9.90", "How much is it?"), _form("9.90", "Which?"), _form("No", "Is it?")
    ({'number': '9.90'}, {'any': ['9.90']}, {'yesno': False})
    >>> _form("A", "Which?"), _form("keys", "Which?")
    ({'regex': '\\\\bA\\\\b'}, None)
    """
    if asks_when(question) and [phrase[each.begin : each.end] for each in dates(phrase)] == [
        phrase
    ]:
        return {"date": phrase}
    if any(each.isdecimal() for each in phrase):
        return _number(phrase, question) or {"any": [phrase]}
    polarity = _polarity(phrase) if asks_yes_or_no(question) else None
    if polarity is not None:
        return {"yesno": polarity}
    if len(phrase) == 1:
        # The article a is no answer A.
        return {"regex": rf"\b{phrase}\b"} if phrase.isascii() and phrase.isupper() else None
    return {"any": [phrase]} if phrase.isupper() else None


def _number(phrase: str, question: str) -> Form | None:
    found = numbers(phrase) if asks_number(question) else ()
    # What has a unit or a scale is looked for as it is written.
    alone = len(found) == 1 and phrase[found[0].begin : found[0].end] == phrase
    plain = alone and not found[0].unit and not found[0].scaled and phrase[0] != "("
    return {"number": f"{found[0].value:f}"} if plain else None


def _polarity(phrase: str) -> bool | None:
    """Whether a phrase is nothing but a yes or a no."""
    words = [(pack(each).yes, pack(each).no) for each in LANGUAGES]
    folded = fold(phrase).strip(" .!")
    if any(folded in yes for yes, _ in words):
        return True
    return False if any(folded in no for _, no in words) else None
