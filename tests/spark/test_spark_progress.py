"""Whoever waits for Spark sees how many tasks are done, and in the end that all of them are."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

from builders import write_jsonl
from spark.loopback_cluster import ConnectServer, LoopbackCluster
from spark.made_up_logs import items, lines, older
from spark.test_same_bytes import SPLIT

import ragstone as package
from ragstone.progress import PROGRESS, Progress
from ragstone.progress_task import Task


class Watched(Progress):
    """Notes what could be said of each pass over the tasks when it ends."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.ended: list[str] = []

    @contextmanager
    def doing(self, task: Task) -> Iterator[Task]:
        with super().doing(task):
            yield task
            if task.unit == "tasks":
                self.ended.append(task.says(self._clock()))


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    token = PROGRESS.set(made)
    yield made
    PROGRESS.reset(token)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "gold.jsonl", items(60))
    write_jsonl(tmp_path / "trace.jsonl", lines(60, 0))
    write_jsonl(tmp_path / "older.jsonl", older(60))
    return tmp_path


def all_done(said: list[str]) -> list[int]:
    """How many tasks each pass had; every one says that all of them are done."""
    found = [re.search(r": ([\d,]+) of ([\d,]+) tasks, ", each) for each in said]
    assert said and all(each and each[1] == each[2] for each in found), said
    return [int(each[2].replace(",", "")) for each in found if each]


@pytest.mark.parametrize("trace", ["trace.jsonl", "older.jsonl"])
def test_every_task_of_a_cluster_is_counted(
    folder: Path, cluster: LoopbackCluster, watched: Watched, trace: str
) -> None:
    session = cluster.session(**{"spark.sql.files.maxPartitionBytes": str(SPLIT)})
    session.sparkContext.setJobGroup("mine", "before")
    before = session.sparkContext.getLocalProperty("spark.jobGroup.id")
    package.answers(folder / "gold.jsonl", folder / trace, engine=session)
    assert min(all_done(watched.ended)) > 2
    # The jobs of the session's owner keep their name.
    assert session.sparkContext.getLocalProperty("spark.jobGroup.id") == before == "mine"


def test_a_connect_server_tells_of_its_tasks(
    folder: Path, connect: ConnectServer, watched: Watched
) -> None:
    session: Any = connect.session()
    package.answers(folder / "gold.jsonl", folder / "trace.jsonl", engine=session)
    assert watched.ended and all(" tasks, " in each for each in watched.ended)
    done = [int(each.split(": ")[1].split(" of ")[0]) for each in watched.ended]
    assert max(done) > 0, watched.ended
