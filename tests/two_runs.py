"""Two runs of the answers suite as saved rows in an engine, for tests of comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builders import Record

import ragstone
from ragstone.comparison.pairing import GoldPairs, pair_gold
from ragstone.comparison.protected import keep_protected
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
    **options: Any,
) -> Iterator[tuple[Duck, GoldPairs]]:
    """The engine with `rows_a`, `rows_b`, `gold_pairs` and `protected_questions`."""
    gold_b = gold_a if gold_b is None else gold_b
    for side, items, said in (("a", gold_a, said_a), ("b", gold_b, said_b)):
        ragstone.score(items, said, **options).save(str(folder / f"{side}.parquet"))
    with Duck(1) as duck:
        a = read_row_set(duck, folder / "a.parquet", "before", "a")
        b = read_row_set(duck, folder / "b.parquet", "after", "b")
        pairs = pair_gold(duck, a, b, None)
        keep_protected(duck, protect)
        yield duck, pairs
