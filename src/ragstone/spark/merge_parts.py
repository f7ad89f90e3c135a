"""Makes one part of several: on executors some at a time, and then on the driver all of them.

What is kept of two parts adds up in any order (`suites/in_parts.py`), so that thousands of parts do
not have to come to the driver.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.spark.job import Job, put_rows, put_tables, surveys_of
from ragstone.spark.per_question import Partial, as_row, kept_of
from ragstone.suites.declaration import Work
from ragstone.suites.in_parts import add_part, part_tables, put_together


def put_parts(work: Work[Any], found: Sequence[Partial]) -> None:
    """Makes one set of tables of those of all parts."""
    work.parted = True
    for partial in found:
        put_tables(work.duck, partial.tables)
        add_part(work, partial.gathered)
    put_together(work)


def put_survey(work: Work[Any], found: Sequence[Partial], tables: Sequence[str]) -> None:
    """Adds up what all parts say of what was looked for."""
    for partial in found:
        work.gathered.add(partial.gathered)
        for name in tables:
            whole = partial.tables[name]
            put_rows(work.duck, f"looked_{name}", whole.columns, whole.rows)
            work.duck.fill(name, f"from looked_{name}")
    for name in tables:
        work.duck.run(f"drop table if exists looked_{name}")


def lines_of(found: Sequence[Partial]) -> dict[str, int]:
    """How many lines each table has in all parts."""
    counted: dict[str, int] = {}
    for partial in found:
        for table, lines in partial.lines.items():
            counted[table] = counted.get(table, 0) + lines
    return counted


def merge_some(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """The parts that come in as one; those in which something is wrong stay as they are."""
    (job,) = pickle.loads(payload)
    found: list[Partial] = []
    for batch in batches:
        for row in batch.to_pylist():
            if row["fault"] is not None:
                yield as_row(row["fault"], None)
                return
            found.append(pickle.loads(row["partial"]))
    good = [partial for partial in found if not partial.is_wrong]
    for partial in found:
        if partial.is_wrong:
            yield as_row(None, partial)
    if good:
        try:
            yield as_row(None, _merged(job, good))
        except InputError as error:
            yield as_row(str(error), None)


def _merged(job: Job, found: Sequence[Partial]) -> Partial:
    with Duck(1) as duck:
        work = job.work(duck)
        lines = lines_of(found)
        if job.survey is not None:
            tables = surveys_of(work)[job.survey].tables
            put_survey(work, found, tables)
            return kept_of(work, lines, work.gathered, tables)
        put_tables(duck, job.whole)
        put_parts(work, found)
        return kept_of(work, lines, work.gathered, part_tables(work))
