"""How rows travel: in bundles, one for each part that is scored.

Spark would take every row apart, column by column, twice on each side of a shuffle, which takes
several times as long as scoring it. So it is given the rows of a part as one value, Arrow as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ragstone.engine.duck import Duck, identifier
from ragstone.spark.job import Columns, Job

LINES, REFUSED = "lines", "refused"
# What meets before: lines of the older shape and the items, lines that are looked at beside others,
# and what such lines are told.
OLDER, ASKS, LOOKED_AT, TOLD = "older", "asks", "looked at", "told"
# `fault` is what an executor has to say against the whole run. The rows are those of a table
# (`tab`) or, of what is refused, the reasons.
BUNDLE: Columns = (
    ("fault", "VARCHAR"),
    ("bucket", "INTEGER"),
    ("tab", "INTEGER"),
    ("kind", "VARCHAR"),
    ("rows", "BLOB"),
)
# Many bundles come in one batch, whose offsets have 32 bits.
_LARGEST = 16 * 1024 * 1024
_SEED = 42
_WORD = 2**32 - 1


def bundles_of(
    job: Job, duck: Duck, tab: int, kind: str, columns: Columns, rows: str, key: str
) -> Iterator[Any]:
    """What there is `from ...` in bundles; rows with the same `key` go to the same part."""
    listed = ", ".join(f"({identifier(name)})::{of} as {identifier(name)}" for name, of in columns)
    part = f"(hash({key}) % {len(job.buckets)})::integer"
    sql = f"select {listed}, {part} as to_part {rows}"
    if len(job.buckets) > 1:
        sql += " order by to_part"
    held: list[Any] = []
    now = 0
    for batch in duck.batches(sql):
        for start, part_of, count in _runs(batch.column(len(columns))):
            size = sum(each.nbytes for each in held)
            if held and (part_of != now or size > _LARGEST):
                yield bundle(job.buckets[now], tab, kind, _written(held))
                held = []
            now = part_of
            held.append(batch.slice(start, count).select(range(len(columns))))
    if held:
        yield bundle(job.buckets[now], tab, kind, _written(held))


def _runs(parts: Any) -> Iterator[tuple[int, int, int]]:
    """Where the rows of each part begin, whose they are, and how many."""
    from pyarrow import compute  # type: ignore[import-untyped]

    found, start = compute.run_end_encode(parts), 0
    for part, end in zip(found.values.to_pylist(), found.run_ends.to_pylist(), strict=True):
        yield start, part, end - start
        start = end


def bundle(bucket: int, tab: int, kind: str, rows: bytes, fault: str | None = None) -> Any:
    """One row of the frame."""
    import pyarrow as pa

    return pa.record_batch(
        {
            "fault": pa.array([fault], pa.string()),
            "bucket": pa.array([bucket], pa.int32()),
            "tab": pa.array([tab], pa.int32()),
            "kind": pa.array([kind], pa.string()),
            "rows": pa.array([rows], pa.binary()),
        }
    )


def _written(batches: Sequence[Any]) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    how = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, batches[0].schema, options=how) as stream:
        for batch in batches:
            stream.write_batch(batch)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def put_bundle(duck: Duck, table: str, rows: bytes) -> None:
    """Adds the rows of a bundle to a table with the columns in which they travelled."""
    import pyarrow as pa

    with pa.ipc.open_stream(rows) as stream:
        duck.insert(table, "from batch", stream.read_all())


def unbundled(batches: Iterator[Any]) -> Iterator[dict[str, Any]]:
    """The bundles that come in, one at a time."""
    for batch in batches:
        for number in range(batch.num_rows):
            yield batch.slice(number, 1).to_pylist()[0]


def buckets_for(parts: int) -> tuple[int, ...]:
    """A number for each part that Spark's hash puts into the partition of that part.

    If it were another hash, parts would share partitions, and nothing else.
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < parts:
        found.setdefault(_spark_hash(number) % parts, number)
        number += 1
    return tuple(found[part] for part in range(parts))


def _spark_hash(number: int) -> int:
    """Spark's `hash` of an int, which is Murmur3 with the seed 42.

    >>> _spark_hash(0), _spark_hash(1)
    (933211791, -559580957)
    """
    mixed = _turned(number * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD
    mixed = (_turned(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _WORD
    mixed ^= 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    mixed ^= mixed >> 16
    return mixed - 2**32 if mixed >> 31 else mixed


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD
