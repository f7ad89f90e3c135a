"""A hash of what was scored: the same for any order of rows, and summed over parts of a table.

Each row has a 128-bit number, the MD5 of its JSON text. A table has the sum of its rows' numbers
mod 2^128, to which the sum of another part can be added; SHA-256 of count and sum is its hash. It
tells inputs apart. It does not guard against forged ones: no sum of hashes does, whatever the
hash, so the rows have MD5, the cheapest that both DuckDB and Python have.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragstone.engine.duck import Duck

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


def content_sum(duck: Duck, table: str, columns: str) -> ContentSum:
    """The sum over these columns (a SQL list such as `qid, claim`) of every row of a table."""
    number = f"md5_number(to_json(row({columns}))::varchar)"
    # A sum of 128-bit numbers would overflow, so each half is summed on its own.
    high, low, rows = duck.counts(f"""
        select
            coalesce(sum(({number} >> 64)::ubigint), 0),
            coalesce(sum(({number} & 18446744073709551615::uhugeint)::ubigint), 0),
            count(*)
        from {table}
    """)
    return ContentSum(rows, ((high << 64) + low) % _MODULUS)


def content_sum_of(rows: Iterable[Sequence[object]]) -> ContentSum:
    """The same sum of rows in memory, equal to that of a table that holds the same.

    >>> with Duck() as duck:
    ...     in_sql = content_sum(duck, "(select 'a' as x, 1.0::double as y)", "x, y")
    >>> in_sql == content_sum_of([("a", 1.0)])
    True
    """
    count = total = 0
    for row in rows:
        text = _json(row).encode("utf-8", "surrogatepass")
        total += int.from_bytes(hashlib.md5(text, usedforsecurity=False).digest(), "little")
        count += 1
    return ContentSum(count, total % _MODULUS)


def _json(value: object) -> str:
    """JSON as DuckDB spells it: no blanks, upper-case escapes, floats as JavaScript has them."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{re.sub(_ESCAPED, _escape, value)}"'
        case int():
            return str(value)
        case float():
            return _float(value)
        case Sequence():
            return f"[{','.join(map(_json, value))}]"
    raise TypeError(f"a {type(value).__name__} has no content hash")


_ESCAPED = r'[\x00-\x1f"\\]'
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return _SHORT.get(character) or f"\\u{ord(character):04X}"


def _float(value: float) -> str:
    """The shortest digits that give the float back, with an exponent from 1e21 and under 1e-6.

    >>> [_float(x) for x in (1.0, 1e20, 1e21, 1e-6, 1.5e-7)]
    ['1.0', '100000000000000000000.0', '1e21', '0.000001', '1.5e-7']
    """
    text = repr(value)
    if "e" not in text:
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(text, text)
    sign = "-" if value < 0 else ""
    mantissa, exponent = text.removeprefix("-").split("e")
    digits, power = mantissa.replace(".", ""), int(exponent)
    if 0 < power < 21:
        return f"{sign}{digits:0<{power + 1}}.0"
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return f"{sign}{mantissa}e{power}"
