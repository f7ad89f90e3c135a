"""Two runs of the answers suite as saved rows in an engine, for tests of comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builders import Record

import ragstone
from ragstone.comparison.pairing import gold_pairs, shared_metrics
from ragstone.comparison.partial import Partial
from ragstone.comparison.protected import must_be_known
from ragstone.comparison.row_sets import read_row_set
from ragstone.engine.duck import Duck


@contextmanager
def two_runs(
    folder: Path,
    gold_a: Sequence[Record],
    said_a: Sequence[Record],
    said_b: Sequence[Record],
    gold_b: Sequence[Record] | None = None,
    protect: Sequence[str] = (),
    limit: int | None = None,
    **options: Any,
) -> Iterator[Partial]:
    """What is kept of all questions, and the engine with `rows_a` and `rows_b`."""
    gold_b = gold_a if gold_b is None else gold_b
    for side, items, said in (("a", gold_a, said_a), ("b", gold_b, said_b)):
        ragstone.score(items, said, **options).save(str(folder / f"{side}.parquet"))
    with Duck(1) as duck:
        a = read_row_set(duck, folder / "a.parquet", "before", "a")
        b = read_row_set(duck, folder / "b.parquet", "after", "b")
        kept = Partial(duck, a, b, shared_metrics(a, b)[0], protect, limit=limit)
        kept.add()
        gold_pairs(kept.told, a, b)
        must_be_known(duck, kept.told, protect)
        yield kept
