"""The content sum in plain Python, from its definition: what the engine's SQL must agree with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from ragstone.engine.content_hash import ContentSum


def content_sum_of(rows: Iterable[Sequence[object]]) -> ContentSum:
    """The sum of rows in memory, equal to that of a table that holds the same."""
    count = total = 0
    for row in rows:
        text = _json(row).encode("utf-8", "surrogatepass")
        total += int.from_bytes(hashlib.md5(text, usedforsecurity=False).digest(), "little")
        count += 1
    return ContentSum(count, total % 2**128)


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
    """The shortest digits that give the float back, with an exponent from 1e21 and under 1e-6."""
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
