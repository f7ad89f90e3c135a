"""Runs on Spark that go wrong, are refused, lose a worker, or come from Python."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed here; `make test-spark` has it")

from builders import gold, trace, write_jsonl
from spark.loopback_cluster import ConnectServer, LoopbackCluster, session_members, wait_for
from spark.made_up_logs import items, lines
from spark.test_same_bytes import SPLIT, on_duckdb, on_spark

import ragstone as package
from ragstone.errors import ConfigError

WORDS = "--gold gold.jsonl --trace trace.jsonl"
Sessions = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "gold.jsonl", items(60))
    write_jsonl(tmp_path / "trace.jsonl", lines(60, 0))
    return tmp_path


def spoil(path: Path, **bad: str) -> None:
    """Puts other texts in the place of lines, each named by its number: `_3="..."`."""
    found = path.read_text().splitlines()
    for name, text in bad.items():
        found[int(name[1:]) - 1] = text
    path.write_text("\n".join(found) + "\n")


def twice(path: Path) -> None:
    path.write_text(path.read_text() + path.read_text().splitlines()[4] + "\n")


BROKEN: dict[str, tuple[str, Callable[[Path], None]]] = {
    "a line in one of 200 splits": (
        # The packed gold set is one split, so that the others are those of the traces.
        WORDS.replace("gold.jsonl", "gold.jsonl.gz"),
        lambda at: (
            spoil(at / "trace.jsonl", _41='{"qid": 1}'),
            (at / "gold.jsonl.gz").write_bytes(gzip.compress((at / "gold.jsonl").read_bytes())),
        )[0],
    ),
    "lines of both": (
        WORDS,
        lambda at: (
            spoil(at / "gold.jsonl", _7='{"qid": "Q"}', _50="{"),
            spoil(at / "trace.jsonl", _2="[1]", _30="\ufeff{}", _33='{"qid": "a", "qid": "b"}'),
            twice(at / "gold.jsonl"),
        )[0],
    ),
    "a question twice in gold": (WORDS, lambda at: twice(at / "gold.jsonl")),
    "a question with two traces": (f"{WORDS} --keep error", lambda at: twice(at / "trace.jsonl")),
    "no gold": (WORDS, lambda at: (at / "gold.jsonl").write_text("\n")),
    "a file that is not there": (
        f"{WORDS} gone.jsonl",
        lambda at: spoil(at / "trace.jsonl", _3="x"),
    ),
    "several lines": (WORDS, lambda at: spoil(at / "trace.jsonl", _1="{")),
    "thousands of lines": (
        WORDS,
        lambda at: (at / "trace.jsonl").write_text(
            (at / "trace.jsonl").read_text() + '{"qid": 1, "refused": 0}\n\n' * 1500
        ),
    ),
}


FOUND_BY_EXECUTORS = ("a line in one of 200 splits", "thousands of lines")


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_is_said_in_the_same_words(
    case: str, cluster: LoopbackCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, spoilt = BROKEN[case]
    spoilt(folder)
    one = on_duckdb(folder, words)
    assert one.code == 2
    if case in FOUND_BY_EXECUTORS:
        # The driver does not read the lines once more.
        monkeypatch.delattr("ragstone.spark.bad_inputs.list_problems")
    split = SPLIT
    if case == "a line in one of 200 splits":
        split = (folder / "trace.jsonl").stat().st_size // 200
    assert on_spark(cluster, folder, words, split=split) == one


def test_nothing_in_common(cluster: LoopbackCluster, folder: Path) -> None:
    write_jsonl(folder / "trace.jsonl", [trace("another")])
    one = on_duckdb(folder, WORDS)
    assert "share no question" in one.err
    assert on_spark(cluster, folder, WORDS) == one


def test_a_killed_worker_changes_nothing(
    cluster: LoopbackCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every task that reads writes down where it runs, and waits until the worker is dead.
    notes, killed = folder / "notes", folder / "killed"
    notes.mkdir()
    waiting = f"""
import os, time
from pathlib import Path
from ragstone.spark import per_line
def waited(split, scratch, made=per_line.piece_of):
    parent, killed = os.getppid(), Path({str(killed)!r})
    if not killed.exists():
        Path({str(notes)!r}, os.urandom(6).hex()).write_text(os.getcwd())
    while not killed.exists() and os.getppid() == parent:
        time.sleep(0.05)
    return made(split, scratch)
per_line.piece_of = waited
"""
    from ragstone.spark import cluster as clusters
    from ragstone.spark import on_executors

    def task(called: str, payload: bytes, versions: Any, schema: Any) -> Any:
        run = on_executors.task(called, payload, versions, schema)

        def waits(batches: Any) -> Any:
            from ragstone.spark import per_line

            if not hasattr(per_line, "waits"):
                exec(waiting, {})
                per_line.waits = True
            yield from run(batches)

        return waits

    monkeypatch.setattr(clusters, "task", task)

    def on(number: int) -> bool:
        home = cluster.worker_folder(number)
        return any(Path(note.read_text() or "/").is_relative_to(home) for note in notes.iterdir())

    cluster.session()
    found: list[Any] = []
    running = threading.Thread(
        target=lambda: found.append(on_spark(cluster, folder, WORDS)), daemon=True
    )
    one = on_duckdb(folder, WORDS)
    running.start()
    try:
        wait_for(lambda: on(0) and on(1), "a task on each worker")
        worker = cluster._workers[1].process.pid
        cluster.kill_worker(1)
        assert session_members(worker) == []
    finally:
        killed.touch()
        running.join()
    assert found == [one]


def test_executors_with_another_version_say_so() -> None:
    import pyarrow as pa
    from duckdb import __version__ as duckdb

    from ragstone.spark.on_executors import task

    schema = pa.schema([("fault", pa.string()), ("bucket", pa.int32())])
    run = task("ragstone.spark.per_line.read_files", b"", ("0.0.1", "1.0"), schema)
    ((row,),) = (batch.to_pylist() for batch in run(iter(())))
    own = f"ragstone {package.__version__} and duckdb {duckdb}"
    assert row["bucket"] is None
    assert row["fault"].startswith(
        f"the executors have {own}, and this process has ragstone 0.0.1 and duckdb 1.0; install"
    )


def test_a_session_is_an_engine(folder: Path, local_session: Sessions) -> None:
    here = package.answers(folder / "gold.jsonl", folder / "trace.jsonl")
    session = local_session()
    there = package.answers(items(60), folder / "trace.jsonl", engine=session)
    assert there.to_json() == here.to_json()
    with pytest.raises(ConfigError, match="has no rows"):
        there.rows()
    # It is the caller's, and goes on.
    assert session.range(3).count() == 3


def test_a_table_of_the_catalogue(folder: Path, local_session: Sessions) -> None:
    write_jsonl(folder / "gold.jsonl", [gold(f"Q{n}") for n in range(40)])
    claims = ("X rejects null keys.", "X takes all keys.", "not in context")
    write_jsonl(folder / "trace.jsonl", [trace(f"Q{n}", claims[n % 3]) for n in range(40)])
    session = local_session()
    session.read.json(str(folder / "trace.jsonl")).createOrReplaceTempView("traces")
    here = package.answers(folder / "gold.jsonl", folder / "trace.jsonl")
    there = package.answers(folder / "gold.jsonl", "table:traces", engine=session)
    assert there.to_json() == here.to_json()


def test_a_connect_server_is_an_engine(folder: Path, connect: ConnectServer) -> None:
    here = package.answers(folder / "gold.jsonl", folder / "trace.jsonl")
    there = package.answers(folder / "gold.jsonl", folder / "trace.jsonl", engine=connect.session())
    assert there.to_json() == here.to_json()
