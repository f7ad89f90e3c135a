"""The stage that looks at lines: each is checked, and becomes a typed row that knows its place.

The reader is the one of `engine/read_lines.py`, with the same contracts and the same proof.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ragstone.contracts.diagnose import Rules
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, quoted
from ragstone.engine.read_lines import load
from ragstone.errors import InputError
from ragstone.spark.file_splits import Split, breaks_in, piece_of
from ragstone.spark.job import Job, create, travelling
from ragstone.spark.said_lines import said_by
from ragstone.suites.inputs import loading_of

# So many bytes of lines of a table are read at a time.
_AT_ONCE = 64 * 1024 * 1024


def read_files(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """The rows of the splits of each task whose number comes in."""
    job, tasks = pickle.loads(payload)
    for batch in batches:
        for number in batch.column("id").to_pylist():
            for split in tasks[number]:
                yield from _split_rows(job, split)


def read_lines(payload: bytes, batches: Iterator[Any]) -> Iterator[Any]:
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
            _load(job, duck, split.tab, piece.source)
        except OSError as error:
            says = (
                f"an executor cannot read {split.source.path} ({error.strerror}); files must lie "
                "on a disk that all executors have, or be a table of Spark's catalogue (table:NAME)"
            )
            yield from _refused(job, duck, place, fault=says)
        except InputError as error:
            said = said_by(error, late=piece is not None and piece.late)
            yield from _refused(job, duck, place, said=said)
        else:
            yield from _typed(job, duck, split.tab, "loaded.rowid", f"{split.start}", split.file)


def _line_rows(job: Job, tab: int, file: int, held: list[Any]) -> Iterator[Any]:
    import pyarrow as pa  # type: ignore[import-untyped]

    arrived = pa.Table.from_batches(held)
    with Duck(1) as duck:
        path = duck.scratch / "lines.jsonl"
        path.write_bytes(b"".join(f"{line}\n".encode() for line in arrived["line"].to_pylist()))
        create(duck, "places", (("block", "BIGINT"), ("place", "BIGINT")))
        duck.insert("places", "select block, place from batch", arrived)
        try:
            _load(job, duck, tab, Source("lines", path))
        except InputError as error:
            yield from _refused(job, duck, (tab, file, 0), said=said_by(error))
        else:
            joined = " join places on places.rowid = loaded.rowid"
            yield from _typed(job, duck, tab, "places.place", "places.block", file, joined)


def _load(job: Job, duck: Duck, tab: int, source: Source) -> None:
    work, table = job.work(duck), job.tables[tab]
    given = work.suite.input(table.given)
    loading = loading_of(work, given, "loaded", (source,))
    # In the order of lines, which is what tells the places apart; what spans lines comes later.
    load(duck, replace(loading, ordered=True, rules=Rules))


def _typed(
    job: Job, duck: Duck, tab: int, place: str, block: str, file: int, joined: str = ""
) -> Iterator[Any]:
    """The table `loaded` in the columns in which the lines of all tables travel."""
    table = job.tables[tab]
    key = "'=' || qid"
    if any(name == "asked" for name, _ in table.columns):
        # Lines of the older shape have a question; those with neither are spread evenly.
        nowhere = f"'#' || {file} || ':' || {block} || ':' || {place}"
        key = f"coalesce('=' || qid, '?' || asked, {nowhere})"
    have = {
        "refused": "false",
        "tab": str(tab),
        "file": str(file),
        "block": block,
        "place": place,
        "key": key,
        "qid": "qid",
        **{table.travels_as(name): name for name, _ in table.own},
    }
    yield from duck.batches(f"select {_cast(job, have)} from loaded{joined}")


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


def _refused(
    job: Job, duck: Duck, place: tuple[int, int, int], *, fault: str = "", said: str = ""
) -> Iterator[Any]:
    """A row that says what is wrong with lines of this file, or with the whole run."""
    tab, file, block = place
    have = {
        "fault": f"nullif({quoted(fault)}, '')",
        "said": f"nullif({quoted(said)}, '')",
        "refused": "true",
        "tab": str(tab),
        "file": str(file),
        "block": str(block),
        "place": "0",
        "key": "'#'",
    }
    yield from duck.batches(f"select {_cast(job, have)}")


def _cast(job: Job, have: dict[str, str]) -> str:
    return ", ".join(
        f"({have.get(name, 'null')})::{travelling(kind)} as {name}" for name, kind in job.columns
    )
