"""The ground of the tests on Spark: the cluster is a real one, and what travels arrives as it was.

What a task runs is defined inside its test: a task gets such a function by its code, and one of
this module by its name, which no executor could import.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

import duckdb
import pyarrow as pa
from spark.loopback_cluster import (
    ConnectServer,
    LoopbackCluster,
    session_members,
    wait_for,
)

import ragstone

Batches = Iterator[pa.RecordBatch]
Sessions = Callable[..., Any]


def test_tasks_have_the_drivers_python_and_packages(cluster: LoopbackCluster) -> None:
    def report(batches: Batches) -> Batches:
        import sys

        import duckdb

        import ragstone

        for _ in batches:
            found = [sys.executable, duckdb.__version__, ragstone.__version__]
            yield pa.record_batch({"found": [found]})

    spark = cluster.session()
    rows = spark.range(2, numPartitions=2).mapInArrow(report, "found array<string>").collect()
    expected = [sys.executable, duckdb.__version__, ragstone.__version__]
    assert [row.found for row in rows] == [expected, expected]


def test_tasks_run_on_both_workers(cluster: LoopbackCluster) -> None:
    def report(batches: Batches) -> Batches:
        from pathlib import Path

        for _ in batches:
            yield pa.record_batch({"folder": [str(Path.cwd())]})

    spark = cluster.session()
    # A barrier starts its tasks at the same time, and each worker has one core.
    tasks = spark.range(2, numPartitions=2).mapInArrow(report, "folder string", barrier=True)
    folders = [Path(row.folder) for row in tasks.collect()]
    for number in (0, 1):
        home = cluster.worker_folder(number)
        assert [folder.is_relative_to(home) for folder in folders].count(True) == 1


def test_a_job_outlives_a_killed_worker(cluster: LoopbackCluster, tmp_path: Path) -> None:
    killed = tmp_path / "killed"

    def doubled(batches: Batches) -> Batches:
        import os
        import time

        from pyspark import TaskContext

        task = TaskContext.get()
        note = tmp_path / f"{task.partitionId()}-{task.taskAttemptId()}"
        part = note.with_suffix(".part")
        part.write_text(str(Path.cwd()))
        part.rename(note)
        # No task is done before the worker is dead, so the kill falls into the middle of the job.
        # A task whose driver is gone has another parent, and nobody waits for it.
        parent = os.getppid()
        while not killed.exists() and os.getppid() == parent:
            time.sleep(0.05)
        for batch in batches:
            yield pa.record_batch({"n": [2 * n for n in batch.column("id").to_pylist()]})

    def started() -> list[tuple[str, str]]:
        notes = [path for path in tmp_path.iterdir() if path.suffix == "" and path != killed]
        return [(note.name.split("-")[0], note.read_text()) for note in notes]

    def on(number: int) -> list[str]:
        home = cluster.worker_folder(number)
        return [part for part, folder in started() if Path(folder).is_relative_to(home)]

    spark = cluster.session()
    worker = cluster._workers[1].process.pid
    job = spark.range(1000, numPartitions=6).mapInArrow(doubled, "n bigint")
    found: list[int] = []
    running = threading.Thread(target=lambda: found.extend(row.n for row in job.collect()))
    running.start()
    try:
        wait_for(lambda: on(0) and on(1), "a task on each worker")
        lost = on(1)
        # The worker, its executor, the daemon that forks Python workers, and one of those.
        assert len(session_members(worker)) >= 4
        cluster.kill_worker(1)
        assert session_members(worker) == []
    finally:
        killed.touch()
        running.join()
    assert sorted(found) == [2 * n for n in range(1000)]
    # What the dead worker had begun was done again on the other one.
    assert set(lost) <= set(on(0))
    # For the next test it is there again.
    assert cluster.session().range(10, numPartitions=4).count() == 10
    assert cluster.registered() == 2


def test_lines_end_at_line_feeds_only(cluster: LoopbackCluster, tmp_path: Path) -> None:
    file = tmp_path / "some lines.jsonl"
    lines = [f'{{"n": {n}, "text": "a\rb\u2028c\x0bd ä 𝄞"}}' for n in range(400)]
    # A line of its own that is blank, one that ends in \r, and a last one without an end.
    lines[100] = ""
    lines[200] += "\r"
    file.write_bytes("\n".join(lines).encode())
    spark = cluster.session(**{"spark.sql.files.maxPartitionBytes": 4096})
    read = spark.read.text(str(file), lineSep="\n").selectExpr(
        "_metadata.file_block_start as block",
        "monotonically_increasing_id() as place",
        "cast(value as binary) as line",
    )
    rows = sorted(read.collect(), key=lambda row: (row.block, row.place))
    assert [bytes(row.line).decode() for row in rows] == lines
    blocks = sorted({row.block for row in rows})
    assert blocks == list(range(0, file.stat().st_size, 4096))
    assert len(blocks) > 2


ODD = ["", "ä", "e\u0301", "𝄞", "a\rb\nc\u2028", "'\"\\", "\ufeff", "ß" * 1000]


def odd_rows() -> pa.Table:
    """Texts and lists with everything in them that may get lost on the way."""
    lists = [[], None, [None], [""], ODD, ["", None, "x"], [], ["y"]]
    return pa.table(
        {
            "n": pa.array(range(8), pa.int64()),
            "text": pa.array([*ODD[:7], None], pa.string()),
            "texts": pa.array(lists, pa.list_(pa.string())),
            "flag": pa.array([True, False, None] * 2 + [None, True], pa.bool_()),
            "raw": pa.array([b"", b"\xff\x00", None, *[b"x"] * 5], pa.binary()),
        }
    )


COLUMNS = "n bigint, text string, texts array<string>, flag boolean, raw binary"


def travelled(spark: Any, rows: pa.Table) -> list[dict[str, Any]]:
    """The rows after a shuffle and two stages in Python."""

    def same(batches: Batches) -> Batches:
        yield from batches

    frame = spark.createDataFrame(rows, schema=COLUMNS).mapInArrow(same, COLUMNS)
    back = frame.repartition(3, "n").mapInArrow(same, COLUMNS).toArrow()
    return back.sort_by("n").to_pylist()


def test_texts_and_lists_arrive_as_they_were(cluster: LoopbackCluster) -> None:
    rows = odd_rows()
    assert travelled(cluster.session(), rows) == rows.to_pylist()


def listening(processes: list[int]) -> set[str]:
    """The addresses, as the kernel writes them, at which these processes wait for connections."""
    files = [file for pid in processes for file in Path(f"/proc/{pid}/fd").iterdir()]
    sockets = {re.sub(r"socket:\[(\d+)\]", r"\1", str(file.readlink())) for file in files}
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    # The columns are: local address and port, state (0A is listening), inode.
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in sockets}


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux's list of sockets")
def test_everything_listens_on_loopback_alone(
    cluster: LoopbackCluster, connect: ConnectServer
) -> None:
    cluster.session()
    from pyspark import SparkContext

    daemons = [cluster._master, *cluster._workers, connect.daemon]
    members = [pid for daemon in daemons for pid in session_members(daemon.process.pid)]
    found = listening([*members, SparkContext._gateway.proc.pid])
    # IPv4's, and the same as IPv6 writes it, which is what Java takes.
    assert found
    assert found <= {"0100007F", "0000000000000000FFFF00000100007F"}


def test_settings_end_with_their_session(cluster: LoopbackCluster, local_session: Sessions) -> None:
    key = "spark.sql.files.maxPartitionBytes"
    assert cluster.session(**{key: 4096}).conf.get(key) == "4096"
    usual = cluster.session().conf.get(key)
    assert usual == local_session().conf.get(key) == "134217728b"


def test_a_driver_alone_does_the_same(local_session: Sessions) -> None:
    rows = odd_rows()
    assert travelled(local_session(), rows) == rows.to_pylist()


def test_a_connect_server_does_the_same(connect: ConnectServer) -> None:
    rows = odd_rows()
    spark = connect.session()
    assert type(spark).__module__ == "pyspark.sql.connect.session"
    assert travelled(spark, rows) == rows.to_pylist()


def test_sessions_of_all_kinds_follow_one_another(
    connect: ConnectServer, local_session: Sessions
) -> None:
    kinds = [connect.session, local_session, connect.session, local_session]
    assert [made().range(7).count() for made in kinds] == [7, 7, 7, 7]
