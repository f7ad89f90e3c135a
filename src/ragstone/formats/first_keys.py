"""By which keys a file begins: enough to name the formats that it may be of."""

from __future__ import annotations

import re
from collections.abc import Collection

from ragstone.formats.declared_format import Format, Reads
from ragstone.formats.known_formats import built_in

# A string that is not closed reaches to the end: to look for another in it takes quadratic time.
_TOKEN = re.compile(rb'(?s)[\[\]{}]|"(?:[^"\\]|\\.)*+(?:"(?P<colon>\s*:)?)?')


def first_keys(head: bytes) -> set[str]:
    """The keys of the first object of a JSON text, of which only the beginning may be there.

    >>> sorted(first_keys(b'[{"id": 1, "in": {"x": "{"}, "out": [{"y": 2}]}, {"z":'))
    ['id', 'in', 'out']
    """
    found: set[str] = set()
    depth = outer = 0
    for token in _TOKEN.finditer(head):
        text = token.group()
        if text == b"{" and not outer:
            outer = depth = depth + 1
        elif text in (b"{", b"["):
            depth += 1
        elif text in (b"}", b"]"):
            depth -= 1
            if outer and depth < outer:
                break
        elif token["colon"] is not None and depth == outer:
            found.add(text.rpartition(b":")[0].strip()[1:-1].decode("utf-8", "replace"))
    return found


def formats_with(keys: Collection[str], reads: Reads) -> list[Format]:
    """The formats whose own keys are all there, those that ask for most of them first."""

    def most(format: Format) -> int:
        return max((len(some) for some in format.keys if some <= set(keys)), default=0)

    known = [format for format in built_in(reads).values() if most(format)]
    return sorted(known, key=lambda format: (-most(format), format.name))
