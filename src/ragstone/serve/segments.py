"""Journals that are full become Parquet files, which are there for as long as they are kept.

A segment is written under another name, synced, and renamed; only then does its journal go. If
both are there after a crash, the segment is whole, and the journal is the one too many.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ragstone.engine.duck import Duck, listed, quoted, text, whole
from ragstone.files import sync_folder
from ragstone.own_files import own_files
from ragstone.scratch import keep, part_file
from ragstone.serve.frames import Batch, Stored
from ragstone.worker import say

SEGMENT = ".parquet"
_NAME = re.compile(r"[0-9]{9,18}\.parquet")
# What a segment needs at once; the rest is spilled.
_MEMORY = 512 * 10**6
_COLUMNS = {
    "id": "VARCHAR",
    "kind": "VARCHAR",
    "moment": "BIGINT",
    "name": "VARCHAR",
    "qid": "VARCHAR",
    "text": "VARCHAR",
    "arrived": "BIGINT",
}
# One record has at most the size of a request, and JSON in JSON is longer.
_LONGEST = 128 * 1024 * 1024


# What is done with a segment that cannot be read; the others are read on.
Spoiled = Callable[[Path], None]


def pass_over(path: Path) -> None:
    """For whoever only reads a folder that a server may use."""
    say(f"{path} cannot be read, and is passed over")


def segments_in(folder: Path) -> list[Path]:
    """The segments of a folder, oldest first."""
    return own_files(folder, _NAME)


@contextmanager
def _passing(path: Path, spoiled: Spoiled) -> Iterator[None]:
    """Inside, one segment is read. A full disk or too little memory is no fault of it."""
    from ragstone.engine.native import duckdb

    try:
        yield
    except duckdb.Error:
        spoiled(path)


def write_segment(path: Path, batches: Iterable[Batch]) -> None:
    """The records of a journal as a segment, whole or not at all."""
    with _engine() as duck:
        lines = keep(duck.scratch, _lines(batches))
        columns = ", ".join(f"{name}: '{kind}'" for name, kind in _COLUMNS.items())
        source = (
            f"read_json({quoted(str(lines))}, format = 'newline_delimited', "
            f"columns = {{{columns}}}, maximum_object_size = {_LONGEST})"
        )
        _write(duck, path, f"select * from {source}")


def _lines(batches: Iterable[Batch]) -> Iterator[bytes]:
    encode = msgspec.json.encode
    for batch in batches:
        for record in batch.records:
            row = dict(zip(_COLUMNS, (*_values(record), batch.arrived), strict=True))
            yield encode(row) + b"\n"


def _values(record: Stored) -> tuple[str, str, int, str, str, str]:
    return record.id, record.kind, record.moment, record.name, record.qid, record.text


def _engine() -> Duck:
    duck = Duck(1)
    duck.limit(_MEMORY)
    return duck


def _write(duck: Duck, path: Path, select: str) -> None:
    how = "format parquet, compression zstd, use_tmp_file false, row_group_size 10240"
    with part_file(path.parent, 0o600) as (part, file):
        duck.run(f"copy ({select}) to {quoted(str(part))} ({how})")
        os.fsync(file.fileno())
        part.replace(path)
    sync_folder(path.parent)


def forget_in(path: Path, ids: Sequence[str], spoiled: Spoiled) -> int:
    """Takes the records of questions, traces or ids out of a segment; says how many there were."""
    rows = f"read_parquet({_named(path)})"
    wanted = listed(ids)
    meant = " or ".join(f"list_contains({wanted}, {each})" for each in ("id", "name", "qid"))
    found = 0
    with _engine() as duck:
        with _passing(path, spoiled):
            some = duck.count(f"select count(*) from {rows} where {meant}")
            if some:
                # All of it is read before it is written anew.
                duck.run(f"select max(hash(each)) from {rows} as each")
            found = some
        if found:
            _write(duck, path, f"select * from {rows} where not ({meant})")
    return found


def traces_asked(paths: Sequence[Path], ids: Sequence[str], spoiled: Spoiled) -> set[str]:
    """The traces whose spans ask one of these questions: only the root's span names it."""
    asked = f"kind = 'span' and name <> '' and list_contains({listed(ids)}, qid)"
    found: set[str] = set()
    with _engine() as duck:
        for path in paths:
            with _passing(path, spoiled):
                rows = f"read_parquet({_named(path)})"
                found.update(duck.texts(f"select distinct name from {rows} where {asked}"))
    return found


def newest_arrival(path: Path, spoiled: Spoiled) -> int | None:
    """When the last record of a segment came in, in milliseconds; None where it cannot be read."""
    with _engine() as duck, _passing(path, spoiled):
        return duck.count(f"select coalesce(max(arrived), 0) from read_parquet({_named(path)})")
    return None


def ids_in(paths: Sequence[Path], most: int, spoiled: Spoiled) -> list[str]:
    """The ids of the last records of some segments, oldest first."""
    found: list[str] = []
    with _engine() as duck:
        for path in reversed(paths):
            if len(found) >= most:
                break
            with _passing(path, spoiled):
                rows = f"read_parquet({_named(path)}, file_row_number = true)"
                ids = duck.texts(f"select id from {rows} order by file_row_number")
                found = [*ids, *found]
    return found[-most:]


def records_in(
    paths: Sequence[Path], since: int, until: int, spoiled: Spoiled = pass_over
) -> Iterator[Stored]:
    """The records of segments with a moment from `since` to before `until`, in milliseconds."""
    names = ", ".join(tuple(_COLUMNS)[:-1])
    within = f"moment >= {since} and moment < {until}"
    with _engine() as duck:
        for path in paths:
            with _passing(path, spoiled):
                for id, kind, moment, name, qid, said in duck.stream(
                    f"select {names} from read_parquet({_named(path)}) where {within}"
                ):
                    yield Stored(
                        text(id), text(kind), whole(moment), text(name), text(qid), text(said)
                    )


def _named(path: Path) -> str:
    return quoted(str(path))
