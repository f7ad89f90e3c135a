"""Verdict rows as Parquet, written by the executors: a folder with a file of each part.

The driver never sees them. It makes the folder beside the one that the user names, on the disk that
all machines have, and renames it when all files are there.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.errors import ConfigError, InputError
from ragstone.files import target_of
from ragstone.measure.metric import Metric
from ragstone.scratch import make_folder, remove_folder
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.saved_rows import about, per_row, saved_sql
from ragstone.suites.verdict_files import write_parquet

_FILE = "part-{:05}.parquet"


@dataclass(frozen=True, slots=True)
class RowsOut:
    """What executors write: into which folder, which metrics, and what each file says of itself."""

    folder: Path
    metrics: tuple[Metric, ...]
    about: dict[str, Any]


def write_rows(work: Work[Any], out: RowsOut) -> None:
    """Writes the rows of one part; a task that is run again writes the same file again."""
    from pyspark import TaskContext

    for arm in work.arms:
        work.suite.rows(work, arm)
    context = TaskContext.get()
    part, attempt = context.partitionId(), context.taskAttemptId()
    final = out.folder / _FILE.format(part)
    unfinished = out.folder / f".{part}-{attempt}"
    write_parquet(work.duck, saved_sql(work, out.metrics), unfinished, out.about)
    unfinished.replace(final)


def must_be_free(name: str) -> Path:
    """Where a folder of rows may be written: where nothing is, or an earlier one."""
    target = target_of(name)
    if not target.exists():
        return target
    if not target.is_dir():
        raise ConfigError(
            f"{name} is a file, and on Spark rows are a folder of files; remove it, or name another"
        )
    others = [path.name for path in target.iterdir() if not path.match("part-*.parquet")]
    if others:
        raise ConfigError(f"{name} is a folder with other files in it ({others[0]}); name another")
    return target


class RowsFolder:
    """Takes the rows of a run into a folder beside the one that the user named.

    `writes` lets the executors do it, once there are some.
    """

    def __init__(self, name: str) -> None:
        self.name, self.target = name, must_be_free(name)
        if not self.target.parent.is_dir():
            raise ConfigError(f"{name}: there is no folder {self.target.parent}")
        self._made = make_folder(self.target.parent)
        self._cleanup = weakref.finalize(self, remove_folder, self._made)
        self._folder = self._made / "rows"
        self._folder.mkdir()
        self.writes: Callable[[Work[Any], RowsOut], None] | None = None

    def take(self, work: Work[Any], outcome: Outcome[Any]) -> None:
        """Lets the executors score once more, and write what they score."""
        assert self.writes is not None
        out = RowsOut(self._folder, per_row(outcome.metrics), about(work, outcome))
        self.writes(work, out)
        for unfinished in self._folder.glob(".*"):
            unfinished.unlink()
        if not any(self._folder.iterdir()):
            raise InputError(
                f"{self.name}: the executors have written no file that this machine sees; it must "
                "be on a disk that all machines have"
            )

    def put(self) -> None:
        """Puts the folder where the user wants it."""
        if self.target.is_dir():
            self.target.replace(self._made / "old")
        self._folder.replace(self.target)
        shutil.rmtree(self._made / "old", ignore_errors=True)
        # Whoever may read what this user writes.
        mask = os.umask(0)
        os.umask(mask)
        self.target.chmod(0o777 & ~mask)
