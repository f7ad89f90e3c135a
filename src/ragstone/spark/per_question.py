"""The stage that looks at questions: a private engine scores all lines of some of them.

What comes out of a partition is what is kept of a part (`suites/in_parts.py`), as bytes.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragstone.engine.duck import Duck, Row, identifier
from ragstone.errors import InputError
from ragstone.spark.bundles import REFUSED, TOLD, put_bundle, unbundled
from ragstone.spark.job import (
    AGAIN,
    PLACE,
    Job,
    Table,
    Whole,
    create,
    needs_of,
    put_tables,
    surveys_of,
    whole_of,
)
from ragstone.spark.rows_out import write_rows
from ragstone.spark.said_lines import Said, first_said
from ragstone.suites.declaration import Work
from ragstone.suites.gathered import Gathered
from ragstone.suites.in_parts import part_tables, score_part
from ragstone.suites.inputs import is_repeated, tables_of
from ragstone.suites.several_files import Shared, shared_answers


@dataclass(frozen=True, slots=True)
class Partial:
    """What is kept of the questions of one partition.

    `lines` are those of each table. `refused` are parts of files some line of which breaks its
    contract, `repeated` the tables that have a key twice that may be there once (with the qids of
    their questions, in the older shape), `strange` those with a qid that gold must have and has
    not, `shared` what several files of a table answer; `asked` counts lines of the older shape,
    whose qid is not known yet, and `unnamed` those whose name is their number in the file. Where
    any is there, nothing is scored.
    """

    lines: Mapping[str, int]
    refused: tuple[Said, ...] = ()
    repeated: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    strange: frozenset[str] = frozenset()
    shared: Mapping[str, Shared] = field(default_factory=dict)
    asked: int = 0
    unnamed: int = 0
    gathered: Gathered = field(default_factory=Gathered)
    tables: Mapping[str, Whole] = field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        wrong = (self.refused, self.repeated, self.strange, self.shared, self.asked, self.unnamed)
        return any(wrong)


def score_questions(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """One row with the partial of all bundles that come in; none if none does."""
    (job,) = pickle.loads(payload)
    with Duck(1) as duck:
        fault = partial = None
        try:
            partial = _partial(job, duck, batches)
        except InputError as error:
            fault = str(error)
        except OSError as error:
            fault = f"an executor cannot write {error.filename}: {error.strerror}"
        if fault or partial:
            yield as_row(fault, partial)


def as_row(fault: str | None, partial: Partial | None) -> Any:
    """A row of the frame of partials."""
    import pyarrow as pa  # type: ignore[import-untyped]

    row = None if partial is None else pickle.dumps(partial)
    return pa.record_batch(
        {"fault": pa.array([fault], pa.string()), "partial": pa.array([row], pa.binary())}
    )


def _partial(job: Job, duck: Duck, batches: Iterator[Any]) -> Partial | None:
    said: list[Row] = []
    for tab, table in enumerate(job.tables):
        create(duck, f"arrived_{tab}", table.travels_in)
        if job.across:
            create(duck, f"told_{tab}", (*PLACE, ("name", "VARCHAR"), (AGAIN, job.across.again)))
    found = None
    for found in unbundled(batches):
        if found["fault"] is not None:
            raise InputError(found["fault"])
        if found["kind"] == REFUSED:
            said.append((found["tab"], *json.loads(found["rows"])))
        else:
            into = "told" if found["kind"] == TOLD else "arrived"
            put_bundle(duck, f"{into}_{found['tab']}", found["rows"])
    if found is None:
        return None
    for tab, _ in enumerate(job.tables):
        _fill(job, duck, tab)
    return _scored(job, job.work(duck), tuple(first_said(sorted(said))))


def _scored(job: Job, work: Work[Any], refused: tuple[Said, ...]) -> Partial:
    duck = work.duck
    lines = {table.name: duck.count(f"select count(*) from {table.name}") for table in job.tables}
    repeated = {
        table.name: _asked(duck, table)
        for table in job.tables
        if _repeats(work, table.name, table.given)
    }
    older = "qid is null and asked is not null"
    asked = sum(
        duck.count(f"select count(*) from {table.name} where {older}")
        for table in job.tables
        if table.may_ask and not job.older
    )
    unnamed = sum(
        duck.count(f"select count(*) from {table.name} where name is null")
        for table in job.tables
        if table.has_name
    )
    strange = frozenset(table.name for table in job.tables if _is_strange(work, table))
    shared = {
        name: answers
        for table in job.tables
        for each in [work.suite.input(table.given)]
        for name, sources in tables_of(work, each)
        if name == table.name and (answers := shared_answers(work, each, name, sources))
    }
    found = Partial(lines, refused, repeated, strange, shared, asked, unnamed)
    return found if found.is_wrong or job.only_checked else _kept(job, work, lines)


def _asked(duck: Duck, table: Table) -> dict[str, str]:
    """The qids of questions that lines of the older shape ask, of those with several lines."""
    if not table.may_ask:
        return {}
    found = duck.query(f"""
        select asked, qid from {table.name} where asked is not null and qid in (
            select qid from {table.name} group by qid having count(*) > 1
        ) order by all
    """)
    return {str(question): str(qid) for question, qid in found}


def _kept(job: Job, work: Work[Any], lines: Mapping[str, int]) -> Partial:
    put_tables(work.duck, job.whole)
    if job.survey is not None:
        survey = surveys_of(work)[job.survey]
        survey.look(work)
        return kept_of(work, lines, work.gathered, survey.tables)
    needs_of(work).ready(work)
    if job.rows_out:
        write_rows(work, job.rows_out)
        return Partial(lines)
    return kept_of(work, lines, score_part(work), part_tables(work))


def kept_of(
    work: Work[Any], lines: Mapping[str, int], gathered: Gathered, tables: Iterable[str]
) -> Partial:
    """What is kept of the questions, with these tables of the engine."""
    return Partial(
        lines, gathered=gathered, tables={name: whole_of(work.duck, name) for name in tables}
    )


def _fill(job: Job, duck: Duck, tab: int) -> None:
    """A table of a job, its rows in the order of the lines."""
    table, arrived = job.tables[tab], f"arrived_{tab}"
    lost = "file is null or block is null or place is null"
    if duck.query(f"select 1 from {arrived} where {lost} limit 1"):
        # Which line of a question counts would be left to chance.
        raise InputError("a line has lost its place on the way; nothing was scored")
    create(duck, table.name, table.columns)
    travelled = ", ".join(
        "file" if name == "source" else f"{identifier(name)}::{kind}"
        for name, kind in table.columns
    )
    rows = arrived
    if table.has_name:
        told = f"select file, block, place, {AGAIN} from told_{tab}"
        rows += f" left join ({told}) using (file, block, place)"
    duck.run(f"""
        insert into {table.name} select {travelled} from {rows}
        order by file, block, place, qid
    """)
    duck.run(f"drop table {arrived}")


def _repeats(work: Work[Any], table: str, name: str) -> bool:
    """Whether a key is there twice that may be there once."""
    given = work.suite.input(name)
    if given.keeps and getattr(work.options, "keep", None) == "error":
        return is_repeated(work.duck, table, "qid")
    return bool(given.unique) and is_repeated(work.duck, table, given.unique, given.within)


def _is_strange(work: Work[Any], table: Table) -> bool:
    """Whether a line has no qid of gold, where it must have one."""
    if work.suite.input(table.given).unknown != "error":
        return False
    known = "qid is not null and qid in (select qid from gold)"
    return bool(work.duck.query(f"select 1 from {table.name} where not ({known}) limit 1"))
