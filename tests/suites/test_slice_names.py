"""A slice names a field of gold: what is no name of one is told, in every suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragstone.errors import ConfigError
from ragstone.suites.config_file import options_of, read
from ragstone.suites.declaration import AnySuite
from ragstone.suites.registry import suites

# The tables that ragstone.toml has; a suite without one has no slices.
SUITES = ("answers", "retrieval", "context", "latency", "agreement", "stability", "audit")


@pytest.mark.parametrize(
    "suite", [each for each in suites() if each.name in SUITES], ids=lambda suite: suite.name
)
@pytest.mark.parametrize("name", ["", "\0", "a\0b"])
def test_a_slice_by_no_field_is_told(tmp_path: Path, suite: AnySuite, name: str) -> None:
    path = tmp_path / "ragstone.toml"
    written = name.replace("\0", "\\u0000")
    path.write_text(
        f'[[{suite.name}.slices]]\nwhere = {{ "{written}" = "" }}\ngates = {{ precision = 0.9 }}\n'
    )
    with pytest.raises(ConfigError, match=r"slices\[0\]\.where: expected the name of a field"):
        options_of(suite, read(path), {})
