"""Pages over a ledger, without a server: their addresses, and what is answered there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragstone.ledger.run_store import RunStore
from ragstone.report.private_texts import Texts
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.page_routes import Board, Pages
from ragstone.serve.printed_page import printed_page
from ragstone.suites.config_file import Config

HERE = "/question?qid="


def board_over(folder: Path, texts: Texts = "all") -> Board:
    return Board(KnownRuns(RunStore(str(folder / ".ragstone"))), Config(), texts)


def answered(board: Board, address: str) -> tuple[int, str]:
    status, body = printed_page(Pages(board).routes(), address)
    return status, body.decode()


def data(board: Board, address: str) -> dict[str, Any]:
    status, body = answered(board, address)
    assert status == 200, body
    found: dict[str, Any] = json.loads(body)
    return found


def addresses(digests: list[str]) -> dict[str, str]:
    """An address of every page."""
    return {
        "/runs": "/runs",
        "/runs/{run}": f"/runs/{digests[2]}",
        "/questions": f"/questions?run={digests[2]}",
        "/questions/{qid:path}": "/questions/billing-01",
        "/question": f"{HERE}billing-01",
        "/compare": f"/compare?a={digests[1]}&b={digests[2]}",
    }
