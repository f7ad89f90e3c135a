"""The columns that a path spells, in Hive's way: files in `day=2026-11-01/` have a column `day`."""

from __future__ import annotations

from pathlib import PurePath
from urllib.parse import unquote

# What writers put where a row has no value in the column.
_ABSENT = "__HIVE_DEFAULT_PARTITION__"


def path_columns(name: str) -> dict[str, str]:
    """The columns of a file by its path as the user gave it, each with its text.

    >>> path_columns("runs/day=2026-11-01/at=12%3A30/part-0.parquet")
    {'day': '2026-11-01', 'at': '12:30'}

    What cannot be shown is no column. Of two that differ in case only the last one counts, because
    the engine takes their names for one.
    """
    found: dict[str, tuple[str, str]] = {}
    for folder in PurePath(name).parts[:-1]:
        key, equals, value = map(unquote, folder.partition("="))
        if equals and key and key.isprintable() and value.isprintable():
            found[key.lower()] = (key, value)
    return {key: value for key, value in found.values() if value != _ABSENT}
