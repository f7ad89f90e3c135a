"""Questions that stand under several ids with one text: however many ids, they are one question.

Their rows rise and fall together, so intervals count them as one cluster. `asked_again` goes from
each such id to the first of them; it is there only where some text has several ids.
"""

from __future__ import annotations

from ragstone.engine.fold import install
from ragstone.measure.measure import ASKED_AGAIN
from ragstone.suites.declaration import O, Work
from ragstone.suites.statements import sql_of


def note_same_questions(work: Work[O]) -> None:
    """Finds the ids with one text, where the items have texts, once all of them are there."""
    duck, items = work.duck, work.suite.slices_of or "gold"
    if items not in work.lines or duck.has(ASKED_AGAIN):
        return
    columns = duck.columns(items)
    texts = {"question": "question", "paraphrases": "paraphrases[1]"}
    text = next((sql for name, sql in texts.items() if name in columns), None)
    if text is None or "qid" not in columns:
        return
    install(duck)
    # In nearly every set no text has two ids, and then this one look is all.
    if not duck.query(f"select 1 from {items} group by hash(fold({text})) having count(*) > 1"):
        return
    duck.fill(ASKED_AGAIN, sql_of(__package__, "same_question.sql", items=items, text=text))
    ids, texts_of = duck.counts(f"select count(*), count(distinct first) from {ASKED_AGAIN}")
    if not ids:
        duck.forget(ASKED_AGAIN)
        return
    many = "one text" if texts_of == 1 else f"{texts_of:,} texts"
    work.warnings.append(
        f"{ids:,} ids ask the same {many}: intervals and proofs count each text as one question"
    )
