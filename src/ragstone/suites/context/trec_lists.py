"""TREC files as lists by question, for the context suite: read and ranked by the engine."""

from __future__ import annotations

from typing import Literal

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.engine.trec_lines import TrecFile, must_be_good, with_views


def judgments(
    duck: Duck, source: Source, kind: Literal["qrels", "beir"]
) -> list[tuple[str, list[str], list[int]]]:
    """The judged documents of each question, and their grades."""
    file = TrecFile(source, kind, "qrels")
    rows = with_views(
        duck,
        (file,),
        lambda: duck.query("""
            select qid, list(doc order by doc), list(grade order by doc),
                list_unique(list(doc)) < count(*)
            from qrels group by qid order by qid
        """),
        lambda: must_be_good((file,)),
    )
    if any(twice for *_, twice in rows):
        must_be_good((file,))
    return [
        (str(qid), docs, grades)
        for qid, docs, grades, _ in rows
        if isinstance(docs, list) and isinstance(grades, list)
    ]


def rankings(duck: Duck, source: Source, strict: bool) -> list[tuple[str, list[str], int]]:
    """The documents of each question in rank order, each once, and how many were repeated.

    The order is trec_eval's: score descending as float32, then document id descending.
    """
    file = TrecFile(source, "run", "run")
    rows = with_views(
        duck,
        (file,),
        lambda: duck.query("""
            select qid, list(doc order by score::float desc, doc desc), bool_or(isnan(score))
            from run group by qid order by qid
        """),
        lambda: must_be_good((file,), strict),
    )
    found = []
    for qid, docs, has_nan in rows:
        if has_nan:
            must_be_good((file,), strict)
        ranked = list(docs) if isinstance(docs, list) else []
        once = list(dict.fromkeys(ranked))
        found.append((str(qid), once, len(ranked) - len(once)))
    if strict and any(repeated for *_, repeated in found):
        must_be_good((file,), strict)
    return found
