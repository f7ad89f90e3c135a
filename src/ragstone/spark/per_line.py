"""The stage that looks at lines: each is checked, and becomes a typed row that knows its place.

The reader is the one of `engine/read_lines.py`, with the same contracts and the same proof.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.spark.bundles import (
    ASKS,
    BUNDLE,
    LINES,
    LOOKED_AT,
    OLDER,
    REFUSED,
    TOLD,
    bundle,
    bundles_of,
    put_bundle,
    unbundled,
)
from ragstone.spark.file_splits import Split, breaks_in, piece_of
from ragstone.spark.job import AGAIN, PLACE, Columns, Job, create, needs_of, read_lines
from ragstone.spark.said_lines import said_by
from ragstone.suites.declaration import Work
from ragstone.suites.surveys import Numbered

# So many bytes of lines of a table are read at a time.
_AT_ONCE = 64 * 1024 * 1024
# What lines of the older shape are looked up in: the questions of the items.
ASKED: Columns = (("question", "VARCHAR"), ("qid", "VARCHAR"))
# Where a line stands, and what it is called.
NAMED: Columns = (*PLACE, ("name", "VARCHAR"))


def read_files(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """The rows of the splits of each task whose number comes in."""
    job, tasks = pickle.loads(payload)
    for batch in batches:
        for number in batch.column("id").to_pylist():
            for split in tasks[number]:
                yield from _split_rows(job, split)


def read_table(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """The rows of a table of Spark's catalogue, which come in as lines of JSON with places."""
    job, tab, file = pickle.loads(payload)
    held: list[Any] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size >= _AT_ONCE:
            yield from _line_rows(job, tab, file, held)
            held, size = [], 0
    if held:
        yield from _line_rows(job, tab, file, held)


def _split_rows(job: Job, split: Split) -> Iterator[Any]:
    place = (split.tab, split.file, split.start)
    with Duck(1) as duck:
        piece = None
        try:
            piece = piece_of(split, duck.scratch)
            if piece is None:
                return
            work = _load(job, duck, split.tab, piece.source, divided=not split.is_whole)
        except OSError as error:
            says = (
                f"an executor cannot read {split.source.path} ({error.strerror}); files must lie "
                "on a disk that all executors have, or be a table of Spark's catalogue (table:NAME)"
            )
            yield bundle(0, split.tab, REFUSED, b"", fault=says)
        except InputError as error:
            said = said_by(error, late=piece is not None and piece.late)
            yield from _refused(job, place, said)
        else:
            places = f"{split.file} as file, {split.start} as block, trace.rowid as place"
            before = None
            if job.before is not None:
                before = job.before.get(place, 0) + piece.late
            _place(work, places, Numbered(piece.source, split.file, before))
            yield from _bundled(job, duck, split.tab)


def _line_rows(job: Job, tab: int, file: int, held: list[Any]) -> Iterator[Any]:
    import pyarrow as pa  # type: ignore[import-untyped]

    arrived = pa.Table.from_batches(held)
    with Duck(1) as duck:
        path = duck.scratch / "lines.jsonl"
        path.write_bytes(b"".join(f"{line}\n".encode() for line in arrived["line"].to_pylist()))
        create(duck, "places", (("block", "BIGINT"), ("place", "BIGINT")))
        duck.insert("places", "select block, place from batch", arrived)
        try:
            work = _load(job, duck, tab, Source("lines", path), divided=True)
        except InputError as error:
            yield from _refused(job, (tab, file, 0), said_by(error))
        else:
            places = f"{file} as file, places.block, places.place"
            joined = "join places on places.rowid = trace.rowid"
            _place(work, places, Numbered(Source("lines", path), file, None), joined)
            if job.tables[tab].has_name and duck.query("from placed where name is null limit 1"):
                says = "a row has no name, and no number either: give it a trace_id or a qid"
                yield bundle(0, tab, REFUSED, b"", fault=f"{job.name_of(tab, file)}: {says}")
            yield from _bundled(job, duck, tab)


def _load(job: Job, duck: Duck, tab: int, source: Source, *, divided: bool) -> Work[Any]:
    work = job.work(duck)
    given = work.suite.input(job.tables[tab].given)
    # In the order of lines, which is what tells the places apart.
    read_lines(work, given, "loaded", source, divided=divided)
    return work


def _place(work: Work[Any], places: str, file: Numbered, joined: str = "") -> None:
    """The view `placed` of the lines that were loaded, with their places and names."""
    across, name = needs_of(work).across, ""
    if across:
        across.names(work.duck, "loaded", [file])
        name = f", {across.name} as name"
        joined += " left join unnamed_loaded as lines on lines.trace_row = trace.rowid"
    select = f"select {places}, trace.*{name} from loaded as trace {joined}"
    work.duck.run(f"create temp view placed as {select}")


def _bundled(job: Job, duck: Duck, tab: int) -> Iterator[Any]:
    """The rows of the view `placed`, for the parts in which they are scored."""
    table = job.tables[tab]
    columns, lines = table.travels_in, "from placed"
    if job.older and table.may_ask:
        older = "qid is null and asked is not null"
        yield from bundles_of(job, duck, tab, OLDER, columns, f"from placed where {older}", "asked")
        lines = f"from placed where not ({older})"
    elif job.older:
        asks = "from placed where question is not null"
        yield from bundles_of(job, duck, tab, ASKS, ASKED, asks, "question")
    yield from bundles_of(job, duck, tab, LINES, columns, lines, table.key)
    across = job.across
    if across:
        looked_at = f"from placed where {across.wanted}"
        columns = (*NAMED, *across.looked_at.items())
        yield from bundles_of(job, duck, tab, LOOKED_AT, columns, looked_at, across.key)


def meet_items(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """Lines of the older shape with the qid of every item that asks their question."""
    (job,) = pickle.loads(payload)
    with Duck(1) as duck:
        create(duck, "asks", ASKED)
        for tab, table in enumerate(job.tables):
            create(duck, f"older_{tab}", table.travels_in)
        for found in unbundled(batches):
            if found["kind"] in (OLDER, ASKS):
                into = "asks" if found["kind"] == ASKS else f"older_{found['tab']}"
                put_bundle(duck, into, found["rows"])
            else:
                yield bundle(*(found[name] for name, _ in (*BUNDLE[1:], BUNDLE[0])))
        for tab, table in enumerate(job.tables):
            if table.may_ask:
                lines = f"""
                    from (
                        select asks.qid, older.* exclude (qid) from older_{tab} as older
                        left join asks on asks.question = older.asked
                    )
                """
                columns = table.travels_in
                yield from bundles_of(job, duck, tab, LINES, columns, lines, table.key)


def meet_others(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """What lines that are looked at are told of each other; all others as they are."""
    (job,) = pickle.loads(payload)
    across = job.across
    columns = (*NAMED, *across.looked_at.items())
    with Duck(1) as duck:
        work = job.work(duck)
        for tab, _ in enumerate(job.tables):
            create(duck, f"arrived_{tab}", columns)
        for found in unbundled(batches):
            if found["kind"] == LOOKED_AT:
                put_bundle(duck, f"arrived_{found['tab']}", found["rows"])
            else:
                yield bundle(*(found[name] for name, _ in (*BUNDLE[1:], BUNDLE[0])))
        for tab, table in enumerate(job.tables):
            # In the order of the lines.
            every = f"from arrived_{tab} order by file, block, place"
            duck.run(f"create temp table looked_at_{tab} as {every}")
            listed = ", ".join(across.looked_at)
            named = f"select rowid as trace_row, name as qid, {listed} from looked_at_{tab}"
            across.decides(work, named)
            told = f"""
                from again_{table.name} as others
                join looked_at_{tab} as line on line.rowid = others.trace_row
            """
            columns = (*NAMED, (AGAIN, across.again))
            yield from bundles_of(job, duck, tab, TOLD, columns, told, table.key)


def count_breaks(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """How many lines end in each of the splits whose numbers come in."""
    import pyarrow as pa

    _, splits = pickle.loads(payload)
    for batch in batches:
        numbers = batch.column("id").to_pylist()
        yield pa.record_batch(
            {
                "fault": pa.nulls(len(numbers), pa.string()),
                "number": pa.array(numbers, pa.int64()),
                "breaks": pa.array([breaks_in(splits[each]) for each in numbers], pa.int64()),
            }
        )


def _refused(job: Job, place: tuple[int, int, int], said: str) -> Iterator[Any]:
    """Says what is wrong with lines of a file; all of it comes together in one part."""
    tab, file, block = place
    yield bundle(job.buckets[0], tab, REFUSED, json.dumps([file, block, said]).encode())
