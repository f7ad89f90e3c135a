"""`fold(s) = casefold(NFC(s))` and `strip(s)` in DuckDB, equal to Python's to the code point.

DuckDB's own `lower` maps one code point to one, knows no final sigma, and its `trim` knows only the
space. Text in ASCII, nearly all of it, pays for none of this.
"""

from __future__ import annotations

import re
from importlib import resources
from weakref import WeakSet

from ragstone.engine.duck import Duck, quoted
from ragstone.matching.characters import fold

# A code point or a range of them, as fold.sql writes it.
_RANGE = re.compile(r"\\x\{(\w+)\}(?:-\\x\{(\w+)\})?")
# What Python's str.strip() strips, and so what the spec calls white space.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


_INSTALLED: WeakSet[Duck] = WeakSet()


def folded(text: str) -> str:
    """What `fold(strip(text))` is in the engine.

    >>> folded(" Straße ")
    'strasse'
    """
    return fold(text.strip())


def install(duck: Duck) -> None:
    """Defines the macros `fold(s)`, `strip(s)` and `blank(s)`: nothing is left after stripping."""
    if duck in _INSTALLED:
        return
    _INSTALLED.add(duck)
    sql = resources.files("ragstone.engine").joinpath("fold.sql").read_text(encoding="utf-8")
    ranges = ((int(low, 16), int(high or low, 16)) for low, high in _RANGE.findall(sql))
    characters = " ".join(chr(code) for low, high in ranges for code in range(low, high + 1))
    # As two texts, which the engine takes apart: a list of values is handed over one by one.
    texts = (f"string_split({quoted(each)}, ' ')" for each in (characters, characters.casefold()))
    duck.define(f"set variable folds = map({', '.join(texts)})")
    duck.define(sql.replace("{white_space}", WHITE_SPACE))
