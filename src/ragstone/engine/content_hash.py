"""A hash of what was scored: the same for any order of lines, and addable across partitions."""

from __future__ import annotations

import hashlib

from ragstone.engine.duck import Duck

_MODULUS = 2**128


def content_hash(duck: Duck, table: str, mark: str) -> str:
    """The sum mod 2^128 of a 128-bit mark of each row, and their count, hashed once.

    It tells inputs apart; it does not guard against someone who forges them. No sum of hashes
    does, whatever the hash, so the marks are MD5, the cheapest there is that never changes.
    """
    high, low, rows = duck.counts(f"""
        select
            coalesce(sum(({mark} >> 64)::ubigint), 0),
            coalesce(sum(({mark} & 18446744073709551615::uhugeint)::ubigint), 0),
            count(*)
        from {table}
    """)
    total = (high << 64) + low
    return hashlib.sha256(f"{rows}:{total % _MODULUS:x}".encode()).hexdigest()


def row_mark(columns: str) -> str:
    """The mark of a row that these columns tell apart from every other, as SQL."""
    return f"md5_number(to_json(row({columns}))::varchar)"
