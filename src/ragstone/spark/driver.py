"""Scores on Spark: lines to executors, rows of a question together, and the parts to the driver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ragstone.spark.bad_inputs import raise_problems, read_whole
from ragstone.spark.cluster import Cluster
from ragstone.spark.job import job_of
from ragstone.spark.merge_parts import lines_of, put_parts
from ragstone.suites.declaration import Work


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
    counted = lines_of(found)
    if any(partial.asked for partial in found):
        # Only now is it known that lines have to meet the items first that ask their question.
        cluster.job = replace(cluster.job, older=True)
        found = cluster.partials(cluster.lines(work))
        raise_problems(work, cluster, found, {})
    put_parts(work, found)
    # A line of the older shape may stand for several questions, and is one line all the same.
    work.lines.update(counted)
