"""`[tool.ragstone]` in `pyproject.toml`: the same settings, in a file that a project has anyway."""

from __future__ import annotations

import re
from pathlib import Path

from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError

PROJECT_FILE = "pyproject.toml"
# What stands before every key, so that a message names the place where it is mended.
PREFIX = "tool.ragstone."

# Every way to spell the table has the name as a key. A file without that is not parsed: most
# commands look at one, and few are ours.
_KEY = re.compile(rb"""(?:^|[\s.\[{,])["']?ragstone["']?\s*[\].=]""")
_HEADER = re.compile(rb"""^\s*\[\s*tool\s*\.\s*["']?ragstone["']?\s*[.\]]""", re.MULTILINE)


def is_project_file(path: Path) -> bool:
    return path.name == PROJECT_FILE


def has_settings(path: Path) -> bool:
    """Whether the file is there and has the table; one that is no TOML is nobody's business here.

    Unless it has the header of the table: settings that are passed over look like a pass.
    """
    if not path.is_file():
        return False
    held = path.read_bytes()
    if not _KEY.search(held):
        return False
    from ragstone.contracts.toml_file import read_toml

    try:
        return _table(read_toml(path, ("tool", "ragstone"))) is not None
    except ConfigError:
        return _HEADER.search(held) is not None


def settings_of(path: Path) -> dict[str, object]:
    """The table, out of the file that holds it; ConfigError where there is none."""
    from ragstone.contracts.toml_file import read_toml

    found = _table(read_toml(path, ("tool", "ragstone")))
    if found is None:
        raise ConfigError(f"{path} has no table [tool.ragstone]")
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: tool.ragstone: expected a table, found {clipped(found)}")
    return found


def _table(whole: dict[str, object]) -> object:
    tool = whole.get("tool")
    return tool.get("ragstone") if isinstance(tool, dict) else None
