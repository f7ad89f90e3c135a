"""Every format that can be named: those of the folders here, of packages, and of ragstone.toml."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from ragstone.errors import ConfigError
from ragstone.formats.declared_format import Format, Reads, format_of, must_declare, read_format
from ragstone.gates.judge import suggestion

# A package's entry point gives a `Format`, as `read_format` makes one of two files.
GROUP = "ragstone.formats"
_HERE = Path(__file__).parent


@functools.cache
def built_in(reads: Reads) -> dict[str, Format]:
    """The formats that come with Ragstone, by name."""
    files = sorted((_HERE / reads).glob("*.toml"))
    return {path.stem: read_format(path) for path in files}


def every_format() -> list[Format]:
    """All that come with Ragstone."""
    return [each for reads in get_args(Reads) for each in built_in(reads).values()]


def find_format(
    name: str, reads: Reads, own: Mapping[str, Mapping[str, Any]] | None = None
) -> Format:
    """The format of that name; `own` are those that ragstone.toml declares.

    `NAME:SYSTEM` chooses one of the systems whose answers a file holds.
    """
    plain, _, system = name.partition(":")
    if system:
        return replace(find_format(plain, reads, own), system=system)
    declared = (own or {}).get(name)
    if declared is not None and declared.get("reads") == reads:
        return own_format(name, declared)
    known = built_in(reads)
    if name in known:
        return known[name]
    packaged = _of_packages(name, reads)
    if packaged is not None:
        return packaged
    own_names = [each for each, table in (own or {}).items() if table.get("reads") == reads]
    raise ConfigError(_unknown(name, reads, [*known, *own_names]))


def own_format(name: str, table: Mapping[str, Any]) -> Format:
    """A format of ragstone.toml."""
    at = f"format.{name}"
    return format_of(name, table, Path(str(table["sql"])), at)


def own_formats_from_table(value: object, at: str) -> dict[str, dict[str, Any]]:
    """`[format.NAME]`, checked; which files it names is seen when the format is used."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{at}: expected a table for each format")
    for name, table in value.items():
        must_declare(table, f"{at}.{name}")
        if "sql" not in table:
            raise ConfigError(f"{at}.{name}: sql names the file with the statement, and is absent")
    return {str(name): dict(table) for name, table in value.items()}


def _unknown(name: str, reads: Reads, known: list[str]) -> str:
    other: Reads = "gold" if reads == "traces" else "traces"
    if name in built_in(other):
        right = built_in(other)[name].flag
        return f"{name} is a format of {other}, not of {reads}: that is {right}"
    return f"there is no format {name!r} of {reads}{suggestion(name, known)}"


def _of_packages(name: str, reads: Reads) -> Format | None:
    """The format that an installed package brings under this name."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        try:
            found = point.load()
        except Exception as error:
            raise ConfigError(
                f"the format {name} of {point.value} cannot be read: {error}"
            ) from error
        if isinstance(found, Format) and found.reads == reads:
            return found
    return None
