"""A hash of what was scored: the same for any order of rows, and summed over parts of a table.

Each row has a 128-bit number, the MD5 of its JSON text. A table has the sum of its rows' numbers
mod 2^128, to which the sum of another part can be added; SHA-256 of count and sum is its hash. It
tells inputs apart. It does not guard against forged ones: no sum of hashes does, whatever the
hash, so the rows have MD5, the cheapest that DuckDB has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.engine.duck import Duck, quoted

_MODULUS = 2**128


@dataclass(frozen=True, slots=True)
class ContentSum:
    """How many rows there are, and the sum mod 2^128 of their numbers.

    >>> ContentSum(1, 2**128 - 1) + ContentSum(2, 5)
    ContentSum(rows=3, total=4)
    """

    rows: int = 0
    total: int = 0

    def __add__(self, other: ContentSum) -> ContentSum:
        return ContentSum(self.rows + other.rows, (self.total + other.total) % _MODULUS)

    def finish(self) -> str:
        """The hash in hex, as a report shows it; nothing can be added to it any more."""
        return hashlib.sha256(f"{self.rows}:{self.total:x}".encode()).hexdigest()


def row_text(usual: str, rare: Sequence[str] = (), added: Sequence[str] = ()) -> str:
    """SQL for the text of a row that is hashed: `usual`, which is SQL too, and what goes behind it.

    Columns that are `rare` are null in most rows, and only in the text of a row where one is not:
    a null takes as long to write and to hash as a short value. Those that were `added` later are
    each in the text where it is not null, behind all else: rows without it have the text they had.
    """
    text = usual
    if rare:
        empty = " and ".join(f"{column} is null" for column in rare)
        # The usual case first: if it is that of all rows, no text is copied.
        text = f"case when {empty} then {text} else concat({text}, {json_of(rare)}) end"
    for column in added:
        behind = f"concat({text}, to_json({{{quoted(column)}: {column}}})::varchar)"
        text = f"case when {column} is null then {text} else {behind} end"
    return text


def json_of(columns: Sequence[str]) -> str:
    """SQL for columns as the text of a JSON array."""
    return f"to_json(row({', '.join(columns)}))::varchar"


def content_sum(
    duck: Duck,
    table: str,
    columns: Sequence[str],
    rare: Sequence[str] = (),
    added: Sequence[str] = (),
) -> ContentSum:
    """The sum over these columns (`row_text`) of every row of a table."""
    # A sum of 128-bit numbers would overflow, so each half is summed on its own.
    high, low, rows = duck.counts(f"""
        select
            coalesce(sum((number >> 64)::ubigint), 0),
            coalesce(sum((number & 18446744073709551615::uhugeint)::ubigint), 0),
            count(*)
        from (
            select md5_number({row_text("usual", rare, added)}) as number
            from (select *, {json_of(columns)} as usual from {table})
        )
    """)
    return ContentSum(rows, ((high << 64) + low) % _MODULUS)
