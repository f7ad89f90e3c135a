"""What tests of the GitHub Action start from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ci.comments_server import serving
from ci.github_jobs import GitHub
from ci.repository import Repository


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    """A repository whose base branch passes, and a server for its comments."""
    with serving() as comments:
        yield GitHub(tmp_path / "runner", Repository(tmp_path / "repository"), comments)
