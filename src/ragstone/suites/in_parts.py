"""Scores a part of the questions at a time, and puts together what is kept of each.

What needs memory is the join of gold and what was done with it, and the rows that come out of it.
So the tables are put in the order of their parts once, by a hash of the qid; of each part only the
condensed tables stay (`suites/condense.py`), which hold no more questions than there are ways to
come out, however many were scored.
"""

from __future__ import annotations

from dataclasses import replace

from ragstone.contracts.sources import size_of
from ragstone.engine.duck import Duck, quoted
from ragstone.progress import doing
from ragstone.suites.condense import TIMES, condense, condensed_tables, evidence_tables
from ragstone.suites.declaration import Input, O, Work
from ragstone.suites.gathered import Gathered
from ragstone.suites.inputs import content_of

_DIVIDED = "divided_"
_STASHED = "stashed_"
# While a part is scored its tables, their join and its rows are there: about as much as this many
# times the bytes of its lines.
_ROOM = 4


def parts_for(work: Work[O], memory: int) -> int:
    """Into how many parts the inputs are divided, so that each can be scored in this memory."""
    size = size_of([each for some in work.sources.values() for each in some])
    return max(1, -(-_ROOM * size // memory))


def score_in_parts(work: Work[O], parts: int) -> None:
    """Makes the rows of all questions in so many parts, and leaves the tables condensed."""
    duck, tables = work.duck, evidence_tables(work)
    lines = dict(work.lines)
    for table in tables:
        name, share = _input_of(work, table).name, work.duck.share
        with doing(f"putting {name} in order", lines[table], "lines", share, step="ordering"):
            _divide(work, table, parts)
        del work.lines[table]
    work.parted = True
    with doing("scoring", parts, "parts", duck.share, step="scoring") as task:
        for number in range(parts):
            with task.piece():
                for table in tables:
                    _fetch(duck, table, number)
                add_part(work, score_part(work))
    for table in tables:
        duck.run(f"drop table {_DIVIDED}{table}")
    put_together(work)
    # A line of the older shape may stand for several questions, and is one line all the same.
    work.lines.update(lines)


def _divide(work: Work[O], table: str, parts: int) -> None:
    """Puts the rows of a table in order of their parts, each part in the order of its lines."""
    lines = f"select *, rowid as line, qid as unit from {table}"
    if work.suite.lines_in_parts:
        lines = work.suite.lines_in_parts(work, table)
    work.duck.run(f"""
        create temp table {_DIVIDED}{table} as
        select * exclude (line, unit), (hash(coalesce(unit, '')) % {parts})::uinteger as part
        from ({lines}) order by part, line
    """)
    work.duck.run(f"drop table {table}")


def _fetch(duck: Duck, table: str, number: int) -> None:
    """Makes the table of one part; the parts stand together, so the others are not read."""
    duck.run(f"""
        create or replace temp table {table} as
        select * exclude (part) from {_DIVIDED}{table} where part = {number}
    """)


def part_tables(work: Work[O]) -> tuple[str, ...]:
    """The tables that stay of a part: those of all parts are put together."""
    return (*condensed_tables(work), *evidence_tables(work), *work.suite.tallied)


def score_part(work: Work[O]) -> Gathered:
    """Scores the questions that are in the tables, and leaves these condensed."""
    duck, part = work.duck, replace(work, gathered=Gathered())
    for arm in work.arms:
        work.suite.rows(part, arm)
    for table in evidence_tables(work):
        part.lines[table] = duck.count(f"select count(*) from {table}")
        if table not in part.sums:
            part.sums[table] = content_of(duck, _input_of(work, table), table)
    if work.listing is not None:
        from ragstone.suites.question_rows import gather_questions

        gather_questions(part)
    condense(part)
    return part.gathered


def add_part(work: Work[O], gathered: Gathered) -> None:
    """Moves the condensed tables of a part behind those of the parts before it."""
    work.gathered.add(gathered)
    for table in part_tables(work):
        _stash(work, table)
    work.duck.condensed = False


def _input_of(work: Work[O], table: str) -> Input:
    return next(each for each in work.suite.inputs if table.startswith(each.name))


def _stash(work: Work[O], table: str) -> None:
    """Moves the rows of a table behind those of the parts before it."""
    duck, columns = work.duck, work.duck.columns(table)
    moved = [f"{sql} as {place}" for place, sql in _moved(work).items() if place in columns]
    swap = f" replace ({', '.join(moved)})" if moved else ""
    duck.fill(f"{_STASHED}{table}", f"select *{swap} from {table} order by rowid")
    if duck.has(table):
        duck.forget(table)
    elif TIMES in columns:
        # A table that is there before any row is made.
        empty = f"select * exclude ({TIMES}) from {table} limit 0"
        duck.run(f"create or replace temp table {table} as {empty}")


def _moved(work: Work[O]) -> dict[str, str]:
    """The places of rows behind those of the parts before, as SQL."""
    whose = " ".join(
        f"when {quoted(arm.name)} then {_stashed_rows(work.duck, arm.table)}" for arm in work.arms
    )
    return {
        "gold_row": f"gold_row + {_stashed_rows(work.duck, work.suite.slices_of)}",
        "trace_row": f"trace_row + case arm {whose} end",
    }


def _stashed_rows(duck: Duck, table: str) -> int:
    name = f"{_STASHED}{table}"
    return duck.count(f"select count(*) from {name}") if duck.has(name) else 0


def put_together(work: Work[O]) -> None:
    """Makes one set of tables of those of all parts."""
    duck = work.duck
    for table in part_tables(work):
        duck.rename(f"{_STASHED}{table}", table)
    if work.suite.views:
        work.suite.views(work)
    duck.condensed = True
    condense(work)
