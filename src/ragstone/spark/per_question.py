"""The stage that looks at questions: a private engine scores all lines of some of them.

What comes out of a partition is what is kept of a part (`suites/in_parts.py`), as bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragstone.engine.duck import Duck, identifier
from ragstone.errors import InputError
from ragstone.spark.job import Job, Whole, columns_of, create, put_rows, rows_of
from ragstone.spark.said_lines import Said, first_said
from ragstone.suites.declaration import Work
from ragstone.suites.gathered import Gathered
from ragstone.suites.in_parts import part_tables, score_part
from ragstone.suites.inputs import is_repeated


@dataclass(frozen=True, slots=True)
class Partial:
    """What is kept of the questions of one partition.

    `lines` are those of each table. `refused` are parts of files some line of which breaks its
    contract, `repeated` the tables that have a key twice that may be there once; `asked` counts
    lines of the older shape, whose qid is not known yet. Where any is there, nothing is scored.
    """

    lines: Mapping[str, int]
    refused: tuple[Said, ...] = ()
    repeated: tuple[str, ...] = ()
    asked: int = 0
    gathered: Gathered = field(default_factory=Gathered)
    notes: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Whole] = field(default_factory=dict)


def score_questions(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """One row with the partial of all lines that come in; none if none does."""
    import pyarrow as pa  # type: ignore[import-untyped]

    (job,) = pickle.loads(payload)
    with Duck(1) as duck:
        create(duck, "arrived", job.columns)
        for batch in batches:
            duck.insert("arrived", "from batch", pa.Table.from_batches([batch]))
        if not duck.query("from arrived limit 1"):
            return
        fault, partial = _fault(duck), None
        try:
            partial = None if fault else pickle.dumps(_scored(job, duck))
        except InputError as error:
            fault = str(error)
        yield pa.record_batch(
            {"fault": pa.array([fault], pa.string()), "partial": pa.array([partial], pa.binary())}
        )


def _fault(duck: Duck) -> str | None:
    found = duck.query("select min(fault) from arrived where fault is not null having count(*) > 0")
    if found:
        return str(found[0][0])
    lost = "tab is null or file is null or block is null or place is null"
    if duck.query(f"select 1 from arrived where {lost} limit 1"):
        # Which line of a question counts would be left to chance.
        return "a line has lost its place on the way; nothing was scored"
    return None


def _scored(job: Job, duck: Duck) -> Partial:
    told = "select tab, file, block, said from arrived where refused order by all"
    refused = tuple(first_said(duck.query(told)))
    for tab, _ in enumerate(job.tables):
        _fill(job, duck, tab)
    duck.run("drop table arrived")
    work = job.work(duck)
    lines = {table.name: duck.count(f"select count(*) from {table.name}") for table in job.tables}
    repeated = tuple(table.name for table in job.tables if _repeats(work, table.name, table.given))
    asked = sum(
        duck.count(f"select count(*) from {table.name} where qid is null and asked is not null")
        for table in job.tables
        if any(name == "asked" for name, _ in table.columns)
    )
    if refused or repeated or asked:
        return Partial(lines, refused, repeated, asked)
    return _kept(job, work, lines)


def _kept(job: Job, work: Work[Any], lines: Mapping[str, int]) -> Partial:
    duck = work.duck
    for name, whole in job.whole.items():
        put_rows(duck, name, whole.columns, whole.rows)
    if work.suite.on_spark:
        work.suite.on_spark(work)
    gathered = score_part(work)
    tables = {
        name: Whole(columns_of(duck, name), rows_of(duck, name)) for name in part_tables(work)
    }
    return Partial(lines, gathered=gathered, notes=work.notes, tables=tables)


def _fill(job: Job, duck: Duck, tab: int) -> None:
    """A table of a job, its rows in the order of the lines."""
    table = job.tables[tab]
    create(duck, table.name, table.columns)
    travelled = [
        "file" if name == "source" else f"{table.travels_as(name)}::{kind} as {identifier(name)}"
        for name, kind in table.columns
    ]
    duck.run(f"""
        insert into {table.name} select {", ".join(travelled)} from arrived
        where tab = {tab} and not refused order by file, block, place, qid
    """)


def _repeats(work: Work[Any], table: str, name: str) -> bool:
    """Whether a key is there twice that may be there once."""
    given = work.suite.input(name)
    if given.keeps and getattr(work.options, "keep", None) == "error":
        return is_repeated(work.duck, table, "qid")
    return bool(given.unique) and is_repeated(work.duck, table, given.unique, given.within)
