"""A session of Spark and a run on it: the frames of its lines, and what executors make of them."""

from __future__ import annotations

import pickle
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from ragstone import _version
from ragstone.contracts.sources import Source, size_of
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError
from ragstone.measure.measure import ASKED_AGAIN
from ragstone.spark.arrow_types import frame_schema
from ragstone.spark.bundles import BUNDLE, buckets_for
from ragstone.spark.file_splits import Split, splits_of, step_for, tasks_of
from ragstone.spark.job import Columns, Job, Table, needs_of
from ragstone.spark.on_executors import task
from ragstone.spark.per_question import Partial
from ragstone.spark.rows_out import RowsOut
from ragstone.spark.said_lines import lines_before
from ragstone.spark.tasks_done import telling
from ragstone.suites.declaration import Work
from ragstone.suites.inputs import tables_of

_UNITS = {"": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40}
# How many tasks a Connect server can run at a time is not told.
_CORES = 8
# Spark's own number of partitions: nobody has asked for another.
_USUAL = 200
_LINES = "ragstone.spark.per_line"
_SCORED = "ragstone.spark.per_question.score_questions"
_MERGED = "ragstone.spark.merge_parts.merge_some"
# So many parts are made one before they come to the driver.
_TOGETHER = 16
_PARTIAL: Columns = (("fault", "VARCHAR"), ("partial", "BLOB"))
_BREAKS: Columns = (("fault", "VARCHAR"), ("number", "BIGINT"), ("breaks", "BIGINT"))


class Cluster:
    """A session, and the run that travels to its executors.

    `splits` are the parts of files that its tasks read.
    """

    def __init__(self, session: Any, job: Job) -> None:
        import duckdb

        self.session, self.job = session, job
        self.splits: list[Split] = []
        self._met: Any = None
        self._reading = 0
        self._versions = (_version.__version__, duckdb.__version__)

    def partials(self, work: Work[Any]) -> list[Partial]:
        """What is kept of each part, looked at or scored where the rows of a question meet."""
        tasks = self._meet(work)
        made = self._mapped(self._met, _SCORED, columns=_PARTIAL)
        parts = len(self.job.buckets)
        if parts > _TOGETHER:
            # Else all of them would be in the driver's memory at the same time.
            merged = -(-parts // _TOGETHER)
            made = self._mapped(made.repartition(merged), _MERGED, columns=_PARTIAL)
            tasks += merged
        with telling(self.session, tasks):
            return [pickle.loads(bytes(row.partial)) for row in _collected(made)]

    def _meet(self, work: Work[Any]) -> int:
        """Brings the lines of a question together; says how many tasks a pass over them has."""
        if self._met is not None:
            return len(self.job.buckets)
        self._met = self._together(work)
        passes = 1 + bool(self.job.older) + bool(self.job.across)
        return self._reading + passes * len(self.job.buckets)

    def of_items(self, work: Work[Any], survey: int) -> list[Partial]:
        """What a survey makes of each part of the items, whose files alone are read for it."""
        items = tuple(table for table in self.job.tables if table.given == work.suite.slices_of)
        alone = Cluster(self.session, replace(self.job, tables=items, survey=survey))
        try:
            return alone.partials(work)
        finally:
            alone.forget_lines()

    def write(self, work: Work[Any], out: RowsOut) -> None:
        """Lets the executors write the rows of every part."""
        self.job = replace(self.job, rows_out=out)
        with telling(self.session, self._meet(work)):
            _collected(self._mapped(self._met, _SCORED, columns=_PARTIAL))

    def _together(self, work: Work[Any]) -> Any:
        """The lines of all tables, those of a question in one part; read once for all passes."""
        lines = self._lines(work)
        if self.job.older:
            lines = self._mapped(self._shuffled(lines), f"{_LINES}.meet_items")
        if self.job.across:
            lines = self._mapped(self._shuffled(lines), f"{_LINES}.meet_others")
        met = self._shuffled(lines)
        return met.persist() if needs_of(work).surveys else met

    def _shuffled(self, lines: Any) -> Any:
        return lines.repartition(len(self.job.buckets), "bucket")

    def forget_lines(self) -> None:
        """Lets go of the lines: the next pass, if there is one, reads them again."""
        if self._met is not None:
            self._met.unpersist()
        self._met = None

    def _lines(self, work: Work[Any]) -> Any:
        """The lines of all tables, as rows that know their place."""
        files, frames = [], []
        sources = [
            (tab, file, source)
            for tab, table in enumerate(self.job.tables)
            for file, source in enumerate(_sources(work, table))
        ]
        parts = self._parts_for([source for _, _, source in sources])
        self.job = replace(self.job, buckets=buckets_for(parts))
        for tab, file, source in sources:
            if source.table:
                frame = _table(self.session, source)
                frames.append(self._mapped(frame, f"{_LINES}.read_table", tab, file))
            elif source.fault is None:
                source = _on_disk(source, work.duck.scratch)
                files.append((tab, file, source, self._divides(work, tab, source)))
        tasks = self._tasks(files)
        # How many partitions a table has only Spark knows.
        self._reading = len(tasks) + len(frames)
        if tasks or not frames:
            frames.insert(0, self._mapped(self._numbers(tasks), f"{_LINES}.read_files", tasks))
        return reduce(lambda one, other: one.union(other), frames)

    def count_lines(self) -> None:
        """Lets the job know how many lines of its file come before each split."""
        some = [split for split in self.splits if not split.is_whole]
        self.job = replace(self.job, before=lines_before(some, self.breaks(some)))

    def breaks(self, splits: Sequence[Split]) -> list[int]:
        """How many lines end in each of the splits."""
        if not splits:
            return []
        called = f"{_LINES}.count_breaks"
        made = self._mapped(self._numbers(splits), called, list(splits), columns=_BREAKS)
        found = {row.number: int(row.breaks) for row in _collected(made)}
        return [found[number] for number, _ in enumerate(splits)]

    def _numbers(self, tasks: Sequence[object]) -> Any:
        """A frame of numbers, each in a partition of its own."""
        return self.session.range(0, len(tasks), 1, max(1, len(tasks)))

    def _mapped(
        self, frame: Any, called: str, *payload: object, columns: Columns | None = None
    ) -> Any:
        """A frame of what a function makes of another; of bundles, where no columns are named."""
        with Duck(1) as duck:
            spark, arrow = frame_schema(duck, columns or BUNDLE)
        # Of what is known of all questions, those who merge ask only which of them are the same.
        whole = {name: each for name, each in self.job.whole.items() if name == ASKED_AGAIN}
        job = self.job if called == _SCORED else replace(self.job, whole=whole)
        told = pickle.dumps((job, *payload))
        return frame.mapInArrow(task(called, told, self._versions, arrow), spark)

    def _parts_for(self, sources: Sequence[Source]) -> int:
        """How many parts are scored: each takes a while before its first question is."""
        wanted = int(self.session.conf.get("spark.sql.shuffle.partitions"))
        if wanted != _USUAL or any(source.table for source in sources):
            return wanted
        return max(_cores(self.session), -(-size_of(sources) // self._most))

    @property
    def _most(self) -> int:
        """The most bytes that a task reads."""
        return _bytes(self.session.conf.get("spark.sql.files.maxPartitionBytes"))

    def _divides(self, work: Work[Any], tab: int, source: Source) -> bool:
        """Whether several tasks can read a file: from any line on it must be plain to read."""
        if source.is_one_piece:
            return False
        divides = needs_of(work).divides
        return divides is None or divides(
            work, work.suite.input(self.job.tables[tab].given), source
        )

    def _tasks(self, files: Sequence[tuple[int, int, Source, bool]]) -> list[list[Split]]:
        total = sum(source.path.stat().st_size for _, _, source, _ in files)
        step = step_for(total, len(files), self._most, _cores(self.session))
        self.splits = [split for given in files for split in splits_of(*given, step)]
        return tasks_of(self.splits, step)


def _sources(work: Work[Any], table: Table) -> tuple[Source, ...]:
    return dict(tables_of(work, work.suite.input(table.given)))[table.name]


def _collected(frame: Any) -> list[Any]:
    """The rows of a frame, unless an executor has something to say against the run."""
    rows: list[Any] = frame.collect()
    for row in rows:
        if row.fault is not None:
            raise InputError(row.fault)
    return rows


def _bytes(text: str) -> int:
    """A size as Spark writes it.

    >>> _bytes("134217728b"), _bytes("128MB")
    (134217728, 134217728)
    """
    found = re.fullmatch(r"(\d+)\s*([a-z]*)", text.strip().lower())
    if found is None or found[2] not in _UNITS:
        raise ConfigError(f"spark.sql.files.maxPartitionBytes: cannot be read: {text!r}")
    return int(found[1]) << _UNITS[found[2]]


def _cores(session: Any) -> int:
    context = getattr(session, "_sc", None)
    return _CORES if context is None else max(1, int(context.defaultParallelism))


def _on_disk(source: Source, scratch: Path) -> Source:
    """The source under a path that other processes see: a file without a name gets one."""
    path = source.path.resolve()
    if not path.is_file() or str(source.path).startswith("/proc/self/fd/"):
        import shutil

        path = scratch / f"{len(list(scratch.iterdir()))}.lines"
        shutil.copyfile(source.path, path)
    return replace(source, path=path)


def _table(session: Any, source: Source) -> Any:
    """The rows of a table of the catalogue as lines of JSON, in the order of Spark's partitions."""
    return session.table(source.table).selectExpr(
        "cast(spark_partition_id() as bigint) as block",
        "monotonically_increasing_id() as place",
        "to_json(struct(*), map('ignoreNullFields', 'false')) as line",
    )
