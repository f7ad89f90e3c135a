"""What a person writes of a gold item, in the terminal or on a page, and the item that it makes.

A draft knows the fields that are edited. Of an item that exists, everything else stays as it is,
and so does the spelling of each field that the person did not change.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from ragstone.contracts.gold_evidence import gold_ids
from ragstone.contracts.ids import slug_of
from ragstone.contracts.not_json import NotJson
from ragstone.contracts.record import EVERY_KEY, Allowing, problems
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.retrieval_records import RETRIEVAL_GOLD
from ragstone.contracts.strict_json import parse
from ragstone.suites.answers.lint import texts_in

LONGEST_QID = 200
_SLUG = 40
# The field of an item that says who took it over, when, and from where. No metric reads it.
ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Draft:
    """What is edited of an item; `answer` is the JSON of its typed answer, or nothing.

    Of retrieval gold `citations` are the relevant ids, and the question is the first wording.
    """

    qid: str
    question: str
    answerable: bool = True
    phrases: tuple[str, ...] = ()
    answer: str = ""
    citations: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    anchor: str = ""

    def tidied(self) -> Draft:
        """Without blanks around texts, line ends within them, empty ones and repeats."""
        made: dict[str, object] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                texts = (" ".join(each.split()) for each in value)
                made[field.name] = tuple(dict.fromkeys(each for each in texts if each))
            elif isinstance(value, str):
                words = field.name == "question"
                made[field.name] = " ".join(value.split()) if words else value.strip()
        return replace(self, **made)  # type: ignore[arg-type]


def draft_of(item: Mapping[str, object], *, retrieval: bool = False) -> Draft:
    """The draft that stands for an item as it is."""
    wordings = texts_in(item, "paraphrases")
    answer = item.get("gold_answer")
    return Draft(
        qid=str(item["qid"]),
        question=wordings[0] if retrieval and wordings else str(item.get("question") or ""),
        answerable=bool(item.get("answerable", True)),
        phrases=tuple(texts_in(item, "gold_claim_substr")),
        answer="" if answer is None else json.dumps(answer, ensure_ascii=False),
        citations=tuple(texts_in(item, "relevant") if retrieval else gold_ids(item)),
        paraphrases=tuple(wordings[1:] if retrieval else wordings),
        tags=tuple(texts_in(item, "tags")),
        anchor=str(item.get("anchor_section") or ""),
    ).tidied()


def item_of(
    draft: Draft, old: Mapping[str, object] | None = None, *, retrieval: bool = False
) -> dict[str, object]:
    """The item of a draft: the old one with what was changed, or a new one.

    >>> item_of(Draft("keep", "How long?", citations=("p1",)))["gold_citations"]
    ['p1']
    """
    given = draft.tidied()
    made = dict(old or {})
    before = draft_of(old, retrieval=retrieval) if old is not None else None
    written = _retrieval_fields if retrieval else _answer_fields
    for names, name, value in written(given, made):
        changed = before is None or any(_of(given, each) != _of(before, each) for each in names)
        if not changed:
            continue
        if value is None:
            made.pop(name, None)
        else:
            made[name] = value
    return made


def _of(draft: Draft, name: str) -> object:
    return getattr(draft, name)


Written = Iterator[tuple[tuple[str, ...], str, object]]


def _answer_fields(draft: Draft, old: Mapping[str, object]) -> Written:
    """The fields of the draft that each field of an item is made of, and its value."""
    yield ("qid",), "qid", draft.qid
    yield ("question",), "question", draft.question
    yield ("answerable",), "answerable", draft.answerable
    yield ("phrases",), "gold_claim_substr", list(draft.phrases) or None
    yield ("answer",), "gold_answer", _parsed(draft.answer)
    yield ("citations",), "gold_citations", _evidence(draft.citations, old.get("gold_citations"))
    yield ("paraphrases",), "paraphrases", list(draft.paraphrases) or None
    yield ("tags",), "tags", list(draft.tags) or None


def _retrieval_fields(draft: Draft, old: Mapping[str, object]) -> Written:
    wordings = [each for each in (draft.question, *draft.paraphrases) if each]
    spans = old.get("relevant_offsets")
    yield ("qid",), "qid", draft.qid
    yield ("question", "paraphrases"), "paraphrases", wordings
    yield ("citations",), "relevant", list(draft.citations)
    if isinstance(spans, dict):
        kept = {id: span for id, span in spans.items() if id in draft.citations}
        yield ("citations",), "relevant_offsets", kept or None
    yield ("anchor",), "anchor_section", draft.anchor or None
    yield ("tags",), "tags", list(draft.tags) or None


def _parsed(answer: str) -> object:
    """The typed answer; what is no JSON stays a text, which `wrong_with` refuses."""
    if not answer:
        return None
    return parse(answer.encode("utf-8", "replace")) if _is_json(answer) else answer


def _is_json(text: str) -> bool:
    try:
        parse(text.encode("utf-8", "replace"))
    except NotJson:
        return False
    return True


def _evidence(ids: tuple[str, ...], old: object) -> object:
    """The ids as a list; where there were grades, those that stay keep theirs, and new ones get 1.

    What was graded as no evidence stays.
    """
    if not isinstance(old, dict):
        return list(ids) or None
    graded = gold_ids({"gold_citations": old})
    made = {id: grade for id, grade in old.items() if (id in graded) == (id in ids)}
    return {**made, **{id: 1 for id in ids if id not in made}}


def wrong_with(
    draft: Draft, item: Mapping[str, object], taken: Collection[str], *, retrieval: bool = False
) -> list[str]:
    """Why the item of a draft cannot be saved; `taken` are the qids of other items."""
    found = [_said(draft, name, reason) for name, reason in _broken(item, retrieval)]
    if draft.answer and not retrieval and not _is_json(draft.answer):
        found.append('gold_answer: expected JSON, such as {"number": 30, "unit": "days"}')
    if not draft.question:
        found.append("question: write what is asked")
    if len(draft.qid) > LONGEST_QID:
        found.append(f"qid: expected at most {LONGEST_QID} characters")
    if draft.qid in taken:
        found.append(f"qid: another item is called {draft.qid}; write another name")
    try:
        json.dumps(item, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        found.append("a text holds half of a character, and cannot be written")
    return list(dict.fromkeys(found))


def _broken(item: Mapping[str, object], retrieval: bool) -> Iterable[tuple[str, str]]:
    return problems(RETRIEVAL_GOLD if retrieval else GOLD, dict(item), Allowing({}, (EVERY_KEY,)))


def _said(draft: Draft, name: str, reason: str) -> str:
    if name == "relevant" and not draft.citations:
        return "relevant: choose a chunk that answers the question"
    return f"{name}: {reason}"


def proposed_qid(question: str, taken: Collection[str]) -> str:
    """A name for a new item that none has yet: the words of its question, and a number if needed.

    >>> proposed_qid("How long are events kept?", {"how-long-are-events-kept"})
    'how-long-are-events-kept-2'
    """
    name = slug_of(question)[:_SLUG].strip("-") if question.strip() else "question"
    return next(each for each in _names(name) if each not in taken)


def _names(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def accepted(item: Mapping[str, object], by: str, at: str, from_: str) -> dict[str, object]:
    """The item, with who took it over, when, and from where."""
    return {**item, ACCEPTED: {"by": by, "at": at, "from": from_}}


def merged(mine: Draft, base: Draft, now: Draft) -> tuple[Draft, list[str]]:
    """My draft on top of what somebody else made of the same item, and what both of us changed.

    What I left as it was takes their words; where both wrote something, mine stay.

    >>> base = Draft("A", "Why?")
    >>> merged(replace(base, question="How?"), base, replace(base, tags=("x",)))[0].tags
    ('x',)
    """
    theirs: dict[str, object] = {}
    both = []
    for field in fields(Draft):
        own, before, other = (getattr(each, field.name) for each in (mine, base, now))
        if own == before:
            theirs[field.name] = other
        elif other not in (before, own):
            both.append(field.name)
    return replace(mine, **theirs), both  # type: ignore[arg-type]
