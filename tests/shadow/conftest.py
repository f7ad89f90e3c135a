"""The targets of `shadows` begin anew for each test, and the canary has a folder with gold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shadow import shadows
from shadow.canary_runs import MANY
from shadow.made_pairs import answers_gold


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    shadows.asked.clear()
    shadows.free.clear()
    yield
    shadows.free.set()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    answers_gold(tmp_path / "gold.jsonl", 2 * MANY)
    return tmp_path
