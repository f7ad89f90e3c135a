"""Records as Parquet files, for tests that hold them against the same records as JSONL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = Mapping[str, Any]


def holdable(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows without the columns whose values are of several types."""
    names = dict.fromkeys(name for row in rows for name in row)
    kept = [name for name in names if table_of([{name: row.get(name)} for row in rows]) is not None]
    return [{name: row[name] for name in kept if name in row} for row in rows]


def table_of(rows: Sequence[Row]) -> Any:
    """The rows as an Arrow table; None where its columns, of one type each, cannot hold them."""
    names = dict.fromkeys(name for row in rows for name in row)
    if len({name.lower() for name in names}) < len(names):
        # Readers of Parquet know no case, and ours refuses such a file.
        return None
    try:
        table = pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return None
    return table if names and all(map(_is_held, table.schema.types)) else None


def write_parquet(path: Path, rows: Sequence[Row], **how: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table_of(rows), path, **how)
    return path


def _is_held(kind: Any) -> bool:
    """Parquet has no struct without a field."""
    inside: Iterable[Any] = [kind.field(number).type for number in range(kind.num_fields)]
    return not (pa.types.is_struct(kind) and kind.num_fields == 0) and all(map(_is_held, inside))
