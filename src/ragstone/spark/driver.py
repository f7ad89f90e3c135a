"""Scores on Spark: lines to executors, rows of a question together, and the parts to the driver."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from ragstone import _version
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError
from ragstone.spark.arrow_types import frame_schema
from ragstone.spark.bad_inputs import raise_problems, read_whole
from ragstone.spark.file_splits import Split, splits_of, step_for, tasks_of
from ragstone.spark.job import Job, job_of, put_rows
from ragstone.spark.on_executors import task
from ragstone.spark.per_question import Partial
from ragstone.suites.declaration import Work
from ragstone.suites.in_parts import add_part, put_together
from ragstone.suites.inputs import tables_of

_PARTIAL = "fault string, partial binary"
_UNITS = {"": 0, "b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40}
# How many tasks a Connect server can run at a time is not told.
_CORES = 8


def scoring(session: Any) -> Callable[[Work[Any]], None]:
    """What reads and scores in the place of this machine (`suites/evaluate.py`)."""
    return lambda work: _score(session, work)


def _score(session: Any, work: Work[Any]) -> None:
    """Fills the tables with what is kept of all questions; or lists all that is wrong."""
    if work.suite.on_spark:
        work.suite.on_spark(work)
    whole, bad = read_whole(work)
    job = job_of(work, whole)
    cluster = _Cluster(session, job)
    lines = _lines(cluster, work)
    found = cluster.partials(lines)
    raise_problems(work, found, bad)
    counted = _counted(found)
    if any(partial.asked for partial in found):
        lines = _joined(lines)
        found = cluster.partials(lines)
        raise_problems(work, found, {}, lambda: _asked(lines))
    _put_together(work, found)
    work.lines.update(counted)


class _Cluster:
    """A session, and the run that travels to its executors."""

    def __init__(self, session: Any, job: Job) -> None:
        import duckdb

        self.session, self.job = session, job
        self.versions = (_version.__version__, duckdb.__version__)
        with Duck(1) as duck:
            self.columns, self.schema = frame_schema(duck, job.columns)
            self.partial_schema = frame_schema(
                duck, (("fault", "VARCHAR"), ("partial", "BLOB"))
            )[1]

    def rows(self, frame: Any, called: str, *payload: object) -> Any:
        """A frame of lines in the columns in which they travel."""
        told = pickle.dumps((self.job, *payload))
        made = task(f"ragstone.spark.per_line.{called}", told, self.versions, self.schema)
        return frame.mapInArrow(made, self.columns)

    def partials(self, lines: Any) -> list[Partial]:
        """What is kept of each part, scored where the rows of a question meet."""
        called = "ragstone.spark.per_question.score_questions"
        made = task(called, pickle.dumps(self.job), self.versions, self.partial_schema)
        rows = lines.repartition("key").mapInArrow(made, _PARTIAL).collect()
        for row in rows:
            if row.fault is not None:
                raise InputError(row.fault)
        return [pickle.loads(bytes(row.partial)) for row in rows]


def _lines(cluster: _Cluster, work: Work[Any]) -> Any:
    """The lines of all tables, as rows that know their place."""
    session, files, frames = cluster.session, [], []
    for tab, table in enumerate(cluster.job.tables):
        given = work.suite.input(table.given)
        sources = dict(tables_of(work, given))[table.name]
        for file, source in enumerate(sources):
            if source.table:
                frames.append(cluster.rows(_table(session, source), "read_lines", tab, file))
            elif source.fault is None:
                files.append((tab, file, _on_disk(source, work.duck.scratch)))
    tasks = _tasks(session, files)
    if tasks or not frames:
        numbers = session.range(0, len(tasks), 1, max(1, len(tasks)))
        frames.insert(0, cluster.rows(numbers, "read_files", tasks))
    return reduce(lambda one, other: one.union(other), frames)


def _tasks(session: Any, files: Sequence[tuple[int, int, Source]]) -> list[list[Split]]:
    most = _bytes(session.conf.get("spark.sql.files.maxPartitionBytes"))
    total = sum(source.path.stat().st_size for _, _, source in files)
    step = step_for(total, len(files), most, _cores(session))
    splits = [split for given in files for split in splits_of(*given, step)]
    return tasks_of(splits, step)


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


def _joined(lines: Any) -> Any:
    """Lines of the older shape with the qid of every item that asks their question."""
    items = lines.where("tab = 0 and gold_question is not null").selectExpr(
        "concat('?', gold_question) as key", "qid as item"
    )
    columns = [f"`{name}`" for name in lines.columns]
    found = {"`key`": "coalesce(concat('=', item), key) as key", "`qid`": "coalesce(qid, item) as qid"}
    return lines.join(items, "key", "left").selectExpr(*(found.get(name, name) for name in columns))


def _asked(lines: Any) -> dict[str, str]:
    """The qid of each question that lines of the older shape ask."""
    found = lines.where("trace_asked is not null and qid is not null")
    return {
        row.asked: row.qid
        for row in found.selectExpr("trace_asked as asked", "qid").distinct().collect()
    }


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
