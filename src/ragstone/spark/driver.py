"""Scores on Spark: lines to executors, rows of a question together, and the parts to the driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ragstone.errors import ConfigError, InputError
from ragstone.progress import doing
from ragstone.progress_task import Task
from ragstone.spark.bad_inputs import must_travel, raise_problems, read_whole
from ragstone.spark.cluster import Cluster
from ragstone.spark.job import Whole, begin, job_of, needs_of, surveys_of, whole_of
from ragstone.spark.merge_parts import lines_of, put_parts, put_survey
from ragstone.spark.per_question import Partial
from ragstone.spark.rows_out import RowsFolder
from ragstone.suites.declaration import Work


def scoring(session: Any, rows: RowsFolder | None) -> Callable[[Work[Any]], None]:
    """What reads and scores in the place of this machine (`suites/evaluate.py`).

    `rows` takes them from the executors afterwards.
    """
    return lambda work: _score(session, work, rows)


def _score(session: Any, work: Work[Any], rows: RowsFolder | None) -> None:
    """Fills the tables with what is kept of all questions; or lists all that is wrong."""
    arranges = needs_of(work).arranges
    if arranges:
        arranges(work)
    begin(work)
    whole, bad = read_whole(work)
    cluster = Cluster(session, job_of(work, whole))
    if rows:
        rows.writes = cluster.write
    try:
        if bad:
            # All that is left is to find out what is wrong with the other inputs.
            cluster.job = replace(cluster.job, only_checked=True)
        else:
            needs_of(work).ready(work)
        with doing("", len(surveys_of(work)) + 1, "passes") as task:
            if not bad:
                _look_around(work, cluster, whole, task)
            task.done = task.total - 1
            with task.piece():
                found, lines = _partials(work, cluster, bad)
    finally:
        cluster.forget_lines()
    put_parts(work, found)
    # A line of the older shape may stand for several questions, and is one line all the same.
    work.lines.update(lines)


def _look_around(work: Work[Any], cluster: Cluster, whole: Mapping[str, Whole], task: Task) -> None:
    """Makes the suite's surveys, and lets the executors know what they come to."""
    for number, survey in enumerate(surveys_of(work)):
        if not survey.due(work):
            continue
        with task.piece():
            if survey.of_items:
                found = cluster.of_items(work, number)
            else:
                cluster.job = replace(cluster.job, survey=number)
                found, _ = _partials(work, cluster, {})
        if not found or any(partial.is_wrong for partial in found):
            # With the lines of the other inputs, all that is wrong is listed at once.
            return
        put_survey(work, found, survey.tables)
        survey.settle(work)
        leaves = {name: whole_of(work.duck, name) for name in survey.leaves if work.duck.has(name)}
        for name, left in leaves.items():
            must_travel(f"what is known of all questions ({name})", left)
        whole = {**whole, **leaves}
        # A survey may find out whose rows are shown.
        job = replace(cluster.job, survey=None, shown=work.shown)
        cluster.job = replace(job, whole=whole, arms=work.arms, notes=dict(work.notes))
    if work.undivided:
        raise ConfigError(
            f"{work.undivided} cannot be had on Spark, in parts; leave out --engine spark"
        )


def _partials(
    work: Work[Any], cluster: Cluster, bad: Mapping[str, InputError]
) -> tuple[list[Partial], dict[str, int]]:
    """What all parts come to, and the lines of each table; or all that is wrong with any input."""
    found = cluster.partials(work)
    raise_problems(work, cluster, found, bad)
    lines = lines_of(found)
    if any(partial.asked or partial.unnamed for partial in found):
        # Only now is it known that lines have to meet the items first that ask their question, or
        # are called by their number, which somebody has to count.
        cluster.job = replace(cluster.job, older=any(partial.asked for partial in found))
        if any(partial.unnamed for partial in found):
            cluster.count_lines()
        cluster.forget_lines()
        found = cluster.partials(work)
        raise_problems(work, cluster, found, {})
    return found, lines
