"""Chooses which questions of a gold set a run asks: by qid, by tag, the first so many."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragstone.contracts.questions import Question
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion


def chosen(
    questions: Sequence[Question],
    qids: Collection[str] = (),
    tags: Collection[str] = (),
    limit: int | None = None,
) -> tuple[Question, ...]:
    """The questions with one of the qids and one of the tags, as many as `limit`, in gold order.

    >>> asked = [Question("A1", "Who?", tags=("staff",)), Question("A2", "Where?")]
    >>> [question.qid for question in chosen(asked, tags=["staff"])]
    ['A1']
    >>> chosen(asked, tags=["staf"])
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: --tag 'staf': the gold set has no such tag; did you mean 'staff'?
    """
    known = [question.qid for question in questions]
    used = sorted({tag for question in questions for tag in question.tags})
    _must_occur("qid", qids, known)
    _must_occur("tag", tags, used)
    if limit is not None and limit < 1:
        raise ConfigError(f"--limit {limit}: expected at least 1")
    found = [
        question
        for question in questions
        if (not qids or question.qid in qids)
        and (not tags or not set(tags).isdisjoint(question.tags))
    ]
    if not found:
        raise ConfigError("no question has one of the qids and one of the tags that were given")
    return tuple(found[:limit])


def _must_occur(name: str, given: Collection[str], known: Sequence[str]) -> None:
    """A mistyped word would quietly ask nothing, or less than was meant."""
    for word in given:
        if word not in known:
            otherwise = f"there are {len(known):,}" if known else "it has none"
            hint = suggestion(word, known, otherwise)
            raise ConfigError(f"--{name} {word!r}: the gold set has no such {name}{hint}")
