"""Phrases that would reject right answers: other wordings of each, made by rule.

A wording counts only where the gold item refuses it and the form that `gold type` proposes for the
phrase takes it: so there is always a form to write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from ragstone.matching.expectations import Claim, Expectation, parse
from ragstone.matching.folded_words import FoldedWords
from ragstone.matching.letters import cased_letters
from ragstone.matching.phrases import FLOOR, has_phrase, weight
from ragstone.suites.answers.lint import Weakness, texts_in
from ragstone.tools.propose_types import Form, propose

_MOST_SHOWN = 3
# In a longer phrase the last word is often no noun.
_MOST_NOUN_WORDS = 2
_ARTICLE = re.compile(r"(?i)\A(?:the|an?) ")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐‑](?=[^\W\d_])")


def brittle(gold: Sequence[Mapping[str, object]]) -> list[Weakness]:
    """The phrases of a gold set that reject right answers, each with three of them.

    >>> item = {"qid": "A", "question": "Which part?", "answerable": True}
    >>> (found,) = brittle([{**item, "gold_claim_substr": ["rear-view mirror"]}])
    >>> found.says.partition(";")[0]
    "'rear-view mirror' is brittle: it rejects 'rearview mirror', 'rear view mirror'"
    """
    return [weak for item in gold for weak in _of_item(item)]


def _of_item(item: Mapping[str, object]) -> Iterator[Weakness]:
    proposal = propose(item)
    for typed in proposal.typed if proposal else ():
        if typed.form is None or not {"text", "words", "name"} & typed.form.keys():
            continue
        if weight(typed.phrase) < FLOOR:
            continue  # it rejects every answer, which is told by itself
        form = parse(typed.form, question=str(item.get("question") or ""))
        phrases = texts_in(item, "gold_claim_substr")
        rejected = [
            wording
            for wording in _wordings(typed.phrase, typed.form)
            if not any(has_phrase(wording, phrase) for phrase in phrases) and _takes(form, wording)
        ]
        if rejected:
            shown = ", ".join(map(repr, rejected[:_MOST_SHOWN]))
            written = json.dumps(typed.form, ensure_ascii=False)
            says = f"{typed.phrase!r} is brittle: it rejects {shown}; write {written}"
            yield Weakness(str(item["qid"]), "brittle", says)


def _takes(form: Expectation, wording: str) -> bool:
    return form.match(Claim(wording)).ok


def _wordings(phrase: str, form: Form) -> list[str]:
    """The phrase as others write it, each wording once."""
    return [each for each in dict.fromkeys(_others(phrase, form)) if each != phrase]


def _others(phrase: str, form: Form) -> Iterator[str]:
    yield _ARTICLE.sub("", phrase)
    yield _HYPHEN.sub("", phrase)
    yield _HYPHEN.sub(" ", phrase)
    yield phrase.replace("'", "’") if "'" in phrase else phrase.replace("’", "'")
    yield cased_letters(phrase)
    if "name" in form:
        yield from _names(phrase)
        return
    read = FoldedWords(phrase, "en")
    if weight(phrase) == len(phrase):
        yield " ".join(token.letters for token in read.tokens if not token.is_mark)
    if "," in phrase:
        yield phrase.rpartition(",")[0]
    words = phrase.split()
    if len(words) <= _MOST_NOUN_WORDS and words[-1].islower() and words[-1].isalpha():
        yield " ".join([*words[:-1], read.vocabulary.numberings(words[-1])[-1]])


def _names(phrase: str) -> Iterator[str]:
    first, *middle, last = phrase.split()
    if middle:
        yield f"{first} {last}"
        yield " ".join([first, *(f"{part[0]}." for part in middle), last])
    else:
        yield f"{first[0]}. {last}"
    yield f"{last}, {first}"
