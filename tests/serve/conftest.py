"""A ledger of four runs, and the pages over it; tests read both and change neither."""

from __future__ import annotations

from pathlib import Path

import pytest
from once_a_session import once
from serve.board_pages import board_over
from serve.recorded_ledger import record

from ragstone.serve.page_routes import Board


@pytest.fixture(scope="session")
def ledger() -> tuple[Path, list[str]]:
    digests, folder = once("ledger", record)
    return folder, digests


@pytest.fixture(scope="session")
def board(ledger: tuple[Path, list[str]]) -> Board:
    return board_over(ledger[0])
