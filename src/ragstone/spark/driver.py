"""Scores on Spark: lines to executors, rows of a question together, and the parts to the driver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ragstone.spark.bad_inputs import raise_problems, read_whole
from ragstone.spark.cluster import Cluster
from ragstone.spark.job import job_of, put_rows
from ragstone.spark.per_question import Partial
from ragstone.suites.declaration import Work
from ragstone.suites.in_parts import add_part, put_together


def scoring(session: Any) -> Callable[[Work[Any]], None]:
    """What reads and scores in the place of this machine (`suites/evaluate.py`)."""
    return lambda work: _score(session, work)


def _score(session: Any, work: Work[Any]) -> None:
    """Fills the tables with what is kept of all questions; or lists all that is wrong."""
    if work.suite.on_spark:
        work.suite.on_spark(work)
    whole, bad = read_whole(work)
    cluster = Cluster(session, job_of(work, whole))
    found = cluster.partials(cluster.lines(work))
    raise_problems(work, cluster, found, bad)
    counted = _counted(found)
    if any(partial.asked for partial in found):
        # Only now is it known that lines have to meet the items first that ask their question.
        cluster.job = replace(cluster.job, older=True)
        found = cluster.partials(cluster.lines(work))
        raise_problems(work, cluster, found, {})
    _put_together(work, found)
    # A line of the older shape may stand for several questions, and is one line all the same.
    work.lines.update(counted)


def _counted(found: Sequence[Partial]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for partial in found:
        for table, lines in partial.lines.items():
            counted[table] = counted.get(table, 0) + lines
    return counted


def _put_together(work: Work[Any], found: Sequence[Partial]) -> None:
    """Makes one set of tables of those of all parts."""
    work.parted = True
    for partial in found:
        for name, whole in partial.tables.items():
            put_rows(work.duck, name, whole.columns, whole.rows)
        work.notes.update(partial.notes)
        add_part(work, partial.gathered)
    put_together(work)
