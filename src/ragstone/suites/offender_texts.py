"""The texts of the chunks that offenders are about, where the run has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragstone.engine.duck import text
from ragstone.report.document.blocks import Chunk, Offender
from ragstone.suites.declaration import O, Work

# How many chunks a card shows, of those that were retrieved and in all, and how much of each.
RETRIEVED, MOST, CHARACTERS = 10, 16, 600
_INPUTS = ("texts", "manifest")


def with_chunks(work: Work[O], rows: Sequence[Offender]) -> tuple[Offender, ...]:
    """The rows with the texts of what was retrieved, cited and wanted."""
    given = [name for name in _INPUTS if work.sources.get(name)]
    given = [name for name in given if {"id", "text"} <= {*work.duck.columns(name)}]
    # What an arm did is in a table of the engine where a suite can be scored in parts.
    own = work.suite.in_parts and "own_texts" in work.duck.columns(work.arm(work.shown).table)
    if not rows or not (given or own):
        return tuple(rows)
    wanted = {row: _ids(row) for row in rows}
    texts = _texts(work, given, {each for ids in wanted.values() for each in ids})
    if own:
        # What the pipeline saw comes before what a file says.
        texts |= _own_texts(work, {row.qid for row in rows})
    return tuple(
        replace(row, chunks=tuple(Chunk(each, texts[each]) for each in ids if each in texts))
        for row, ids in wanted.items()
    )


def _ids(row: Offender) -> list[str]:
    """The first ids that were retrieved, then those cited or wanted that are not among them."""
    gold = (each for some in row.gold_citations for each in some.split(" or "))
    every = (*row.retrieved_ids[:RETRIEVED], *row.citations, *gold)
    return list(dict.fromkeys(every))[:MOST]


def _texts(work: Work[O], given: Sequence[str], ids: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    # Texts come before a manifest, which is read first and so written over.
    for name in reversed(given):
        found |= _pairs(
            work,
            f"""
            select id, min(left(text, {CHARACTERS + 1})) from {name}
            where text is not null and id in (select unnest($some::varchar[])) group by id
            """,
            ids,
        )
    return found


def _own_texts(work: Work[O], qids: Iterable[str]) -> dict[str, str]:
    table = work.arm(work.shown).table
    return _pairs(
        work,
        f"""
        select id, min(left(words, {CHARACTERS + 1})) from (
            select unnest(text_ids) as id, unnest(own_texts) as words from {table}
            where qid in (select unnest($some::varchar[]))
        ) where id is not null and words <> '' group by id
        """,
        qids,
    )


def _pairs(work: Work[O], sql: str, some: Iterable[str]) -> dict[str, str]:
    rows = work.duck.query(sql, {"some": sorted(some)})
    return {text(each): text(words) for each, words in rows}
