"""A ledger of four runs, and the pages over it; tests read both and change neither."""

from __future__ import annotations

from pathlib import Path

import pytest
from serve.board_pages import board_over
from serve.recorded_ledger import record

from ragstone.serve.page_routes import Board


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("ledger")
    return folder, record(folder)


@pytest.fixture(scope="session")
def board(ledger: tuple[Path, list[str]]) -> Board:
    return board_over(ledger[0])
