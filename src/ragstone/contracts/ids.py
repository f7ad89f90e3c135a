"""Ids, and the lists of ids that a cell of a table may hold as text."""

from __future__ import annotations

import ast
import math
import re
import reprlib
import warnings
from collections.abc import Callable

from ragstone.contracts.record import shown
from ragstone.contracts.strict_json import NotJson, parse

# Data frames write a column of whole numbers with one gap in it as 1.0, 2.0, ...
_WHOLE = re.compile(r"-?[0-9]+\.0")

# Python needs about 500 bytes of memory for each id of a list, so a cell must end somewhere.
_LONGEST_PYTHON_LIST = 1_000_000
# A string that is never closed goes on to the end: it is looked at once, and not from every quote.
_STRING = re.compile(r"'(?:[^'\\]|\\.)*+(?:'|\Z)|\"(?:[^\"\\]|\\.)*+(?:\"|\Z)", re.DOTALL)
_NO_COMMA = re.compile(r"''\s*[A-Za-z]*''")
_HALF_A_PAIR = re.compile(r"[\ud800-\udfff]")


class NotIds(ValueError):
    """The cell holds no list of ids; the message says why."""


def slug_of(title: str) -> str:
    """A title as part of an id: its words in lower case, joined by hyphens.

    >>> slug_of("Limits & quotas (v2.1)"), slug_of("???")
    ('limits-quotas-v2-1', 'section')
    """
    words = re.findall(r"[^\W_]+", title.casefold())
    return "-".join(words)[:60].strip("-") or "section"


def id_text(value: str | int | float) -> str:
    """An id is text: 1, "1" and 1.0 are the same question.

    >>> id_text(1), id_text("1"), id_text(1.0), id_text("1.0"), id_text("0"), id_text("1.50")
    ('1', '1', '1', '1', '0', '1.50')
    """
    if isinstance(value, str):
        return value[:-2] if _WHOLE.fullmatch(value) else value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def ids_in(value: object) -> list[str]:
    """The ids of a field: a list, the text of a JSON or Python list, one bare id, or nothing.

    >>> ids_in(["a", 7]), ids_in('["a", "b"]'), ids_in("['a', \\"it's\\"]"), ids_in(" one id ")
    (['a', '7'], ['a', 'b'], ['a', "it's"], ['one id'])
    >>> ids_in(None), ids_in(""), ids_in("[]")
    ([], [], [])
    >>> ids_in("['a' 'b']")
    Traceback (most recent call last):
        ...
    ragstone.contracts.ids.NotIds: expected a comma between the ids in "['a' 'b']"
    """
    if value is None:
        return []
    if isinstance(value, list):
        return _from_list(value)
    if not isinstance(value, str):
        raise NotIds(f"expected a list of ids, or its text, found {shown(value)}")
    text = value.strip()
    if not text:
        return []
    if text[0] == "[":
        try:
            found = parse(text.encode("utf-8", "surrogatepass"))
        except NotJson:
            return _from_python(text)
        return _from_list(found) if isinstance(found, list) else []
    if text[0] == "{":
        raise NotIds(f"expected a list of ids, or its text, found {shown(value)}")
    return [text]


def _from_list(items: list[object], show: Callable[[object], str] = shown) -> list[str]:
    ids = []
    for position, item in enumerate(items):
        if (
            isinstance(item, bool)
            or not isinstance(item, str | int | float)
            or item == ""
            # 1e400 is read as infinity, and so would be every other number that is too large.
            or (isinstance(item, float) and math.isinf(item))
        ):
            raise NotIds(f"expected an id, found {show(item)} at position {position}")
        ids.append(item if isinstance(item, str) else id_text(item))
    return ids


def _from_python(text: str) -> list[str]:
    """The ids of a Python list as `repr` writes it; `literal_eval` runs no code."""
    if len(text) > _LONGEST_PYTHON_LIST:
        raise NotIds(
            f"expected a JSON list, found a Python list of more than {_LONGEST_PYTHON_LIST:,} "
            "characters; write it as a JSON list"
        )
    # NumPy prints an array without commas, and Python would read 'a' 'b' as the one id 'ab'.
    if _NO_COMMA.search(_STRING.sub("''", text)):
        raise NotIds(f"expected a comma between the ids in {shown(text)}")
    try:
        with warnings.catch_warnings():
            # Python warns of '\\d' on standard error, and reads the two characters.
            warnings.simplefilter("ignore")
            found: object = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        # Python's own words differ from version to version.
        found = None
    if not isinstance(found, list):
        raise NotIds(f"expected a list of ids such as ['a', 'b'], found {shown(text)}")
    ids = _from_list(found, reprlib.repr)
    if "\\" in text and _HALF_A_PAIR.search("".join(ids)):
        raise NotIds(f"expected a character, found half of a surrogate pair in {shown(text)}")
    return ids
