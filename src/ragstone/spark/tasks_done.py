"""How many tasks of a run on Spark are done, for whoever waits for it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ragstone.progress import PROGRESS, doing
from ragstone.spark.spark_session import is_connect

# What tells the jobs of one run from those of others in the same session.
_GROUP = "spark.jobGroup.id"
_SAID = "spark.job.description"

# By the number of a stage: how many of its tasks are done.
Stages = dict[int, int]


@contextmanager
def telling(session: Any, tasks: int) -> Iterator[None]:
    """Inside, the user sees how many of so many tasks are done."""
    if PROGRESS.get() is None:
        yield
        return
    watching = _connected if is_connect(session) else _jobs
    with watching(session) as look, doing("", tasks, "tasks", lambda: _part(look, tasks)):
        yield


def _part(look: Callable[[], Stages], tasks: int) -> float:
    return min(1.0, sum(look().values()) / max(1, tasks))


@contextmanager
def _jobs(session: Any) -> Iterator[Callable[[], Stages]]:
    """Asks the driver of this process for the jobs that begin inside."""
    context = session.sparkContext
    before = {name: context.getLocalProperty(name) for name in (_GROUP, _SAID)}
    group = f"ragstone {uuid.uuid4()}"
    context.setJobGroup(group, "ragstone")
    tracker, done = context.statusTracker(), Stages()

    def look() -> Stages:
        # A driver that stops while it is asked is no reason to end: the run itself will say so.
        with suppress(Exception):
            for job in tracker.getJobIdsForGroup(group):
                found = tracker.getJobInfo(job)
                for number in found.stageIds if found else ():
                    stage = tracker.getStageInfo(number)
                    done[number] = max(done.get(number, 0), stage.numCompletedTasks if stage else 0)
        return done

    try:
        yield look
    finally:
        for name, value in before.items():
            context.setLocalProperty(name, value)


@contextmanager
def _connected(session: Any) -> Iterator[Callable[[], Stages]]:
    """Listens to what a Connect server says of itself while it works."""
    done = Stages()

    def hear(stages: Any, **_: object) -> None:
        for stage in stages or ():
            done[stage.stage_id] = max(done.get(stage.stage_id, 0), stage.num_completed_tasks)

    session.registerProgressHandler(hear)
    try:
        yield lambda: done
    finally:
        session.removeProgressHandler(hear)
