"""What the tests of the ledger share."""

from __future__ import annotations

import pytest
from command import Command, Folder


@pytest.fixture
def user(folder: Folder, command: Command) -> Command:
    """A user with two questions, their answers, and no ledger."""
    folder.fill()
    return command
