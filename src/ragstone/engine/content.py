"""A hash of what was read: the same for any order of lines, and addable across partitions."""

from __future__ import annotations

import hashlib

from ragstone.engine.duck import Duck

_MODULUS = 2**256


def content_hash(duck: Duck, columns: str, rows: str) -> str:
    """The sum mod 2^256 of the SHA-256 of each row, with the number of rows, hashed once more.

    The sum alone would do; the last hash makes it a string of even bits, and the count makes an
    empty input differ from none.
    """
    parts = ", ".join(
        f"sum(('0x' || hash[{start} : {start + 15}])::ubigint)" for start in (1, 17, 33, 49)
    )
    *sums, count = duck.one(f"""
        select {parts}, count(*)
        from (select sha256(to_json(row({columns}))::varchar) as hash from {rows})
    """)
    total = 0
    for part in sums:
        total = (total << 64) + int(str(part or 0))
    return hashlib.sha256(f"{count}:{total % _MODULUS:x}".encode()).hexdigest()
