"""Questions that stand under several ids with one text: however many ids, they are one question.

Their rows rise and fall together, so intervals, tests and proofs count them as one cluster. The
table `asked_again` goes from each such id to the first of them; it is there only where some text
has several ids. All items are looked at for it before any is scored, also on other machines.
"""

from __future__ import annotations

from ragstone.engine.fold import install
from ragstone.measure.measure import ASKED_AGAIN
from ragstone.suites.declaration import O, Work
from ragstone.suites.statements import sql_of
from ragstone.suites.surveys import Survey

_WORDED = "worded"


def look(work: Work[O]) -> None:
    """What each item asks, as a hash of its folded text."""
    install(work.duck)
    parts = {"items": work.suite.slices_of, "text": work.suite.asks}
    work.duck.fill(_WORDED, sql_of(__package__, "worded.sql", **parts))


def settle(work: Work[O]) -> None:
    """The ids that have a text in common, where there are any."""
    # In nearly every set no text has two ids, and then this one look is all.
    if work.duck.query(f"select 1 from {_WORDED} group by words having count(*) > 1 limit 1"):
        note_same_questions(work, sql_of(__package__, "same_question.sql"))


def note_same_questions(work: Work[O], select: str) -> None:
    """Makes the table `asked_again` of ids, each `again` with the `first`, and says so."""
    work.duck.fill(ASKED_AGAIN, select)
    ids, texts = work.duck.counts(f"select count(*), count(distinct first) from {ASKED_AGAIN}")
    work.warnings.append(same_text_warning(ids, texts))


def same_text_warning(ids: int, texts: int) -> str:
    """What is said where several ids ask the same.

    >>> same_text_warning(3, 1)
    '3 ids ask the same one text: intervals and proofs count each text as one question'
    """
    many = "one text" if texts == 1 else f"{texts:,} texts"
    return f"{ids:,} ids ask the same {many}: intervals and proofs count each text as one question"


SAME_QUESTIONS = Survey(
    look,
    settle,
    tables=(_WORDED,),
    leaves=(ASKED_AGAIN,),
    due=lambda work: bool(work.suite.asks and work.sources.get(work.suite.slices_of)),
    of_items=True,
)
