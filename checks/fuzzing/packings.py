"""How a file is packed, and how libraries other than ragstone's readers unpack it."""

from __future__ import annotations

import gzip
import io
import math
import sys
import zlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pyarrow  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]

from fuzzing.broken import damage
from fuzzing.strict_reader import DAMAGED, Verdict, read, read_rows

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ENDINGS = {"plain": "jsonl", "gzip": "jsonl.gz", "zstd": "jsonl.zst", "parquet": "parquet"}


def packed(chance: Random, content: bytes, how: str) -> bytes:
    """The content as one member or frame, or as several of them, one after the other."""
    if how == "plain":
        return content
    cuts = sorted(chance.randint(0, len(content)) for _ in range(chance.choice((0, 0, 0, 1, 3))))
    parts = [content[a:b] for a, b in zip([0, *cuts], [*cuts, len(content)], strict=True)]
    if how == "gzip":
        return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)
    checked: dict[int, int] = {zstd.CompressionParameter.checksum_flag: chance.randint(0, 1)}
    return b"".join(zstd.compress(part, options=checked) for part in parts)


def parquet(chance: Random, rows: Sequence[Mapping[str, Any]]) -> bytes | None:
    """The rows as Parquet; None where its columns of one type each cannot hold them."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        table = pyarrow.table({name: [row.get(name) for row in rows] for name in names})
        file = io.BytesIO()
        how = chance.choice(("snappy", "zstd", "none", "gzip"))
        pyarrow.parquet.write_table(table, file, compression=how)
        # It writes lists in lists of any depth, and reads at most 100.
        pyarrow.parquet.read_schema(io.BytesIO(file.getvalue()))
    except (pyarrow.ArrowException, OSError, OverflowError, UnicodeEncodeError):
        return None
    return file.getvalue()


def maybe_damaged(chance: Random, data: bytes) -> bytes:
    """The packed bytes, one time in eight with some of them changed."""
    return data if chance.random() < 0.875 else damage(chance, data)


def verdict_of(record: str, data: bytes, *, whole: bool = True) -> Verdict | None:
    """What should be said of a file, whatever it is packed in; None where nobody can know.

    `whole` says that a Parquet file was not damaged. Its format has few checksums, so what is left
    of a damaged one may still be a table, or not.
    """
    if data[:4] == b"PAR1":
        return _of_parquet(record, data) if whole else None
    try:
        content = unpacked(data)
    except (EOFError, OSError, zlib.error, zstd.ZstdError):
        return DAMAGED
    return read(record, content)


def unpacked(data: bytes) -> bytes:
    """The bytes behind gzip or zstd, seen by the first bytes; others are as they are."""
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return bytes(zstd.decompress(data))
    return data


def _of_parquet(record: str, data: bytes) -> Verdict:
    table = pyarrow.parquet.read_table(io.BytesIO(data))
    if len({name.lower() for name in table.column_names}) < table.num_columns:
        # `qid` and `QID`: the contract tells them apart and readers of Parquet do not.
        return DAMAGED
    rows = table.to_pylist()
    for row in rows:
        for name, value in row.items():
            # In a column of numbers NaN is how data frames write "absent".
            if isinstance(value, float) and math.isnan(value):
                row[name] = None
    return read_rows(record, rows)
