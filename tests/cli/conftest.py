"""What tests of several commands start from."""

from __future__ import annotations

import pytest
from builders import gold, trace
from command import Folder


@pytest.fixture
def hundred(folder: Folder) -> Folder:
    """90 right answers of 100: over 0.8 as a sample, and with confidence just so."""
    said = [trace(f"A{n:03}", "no" if n < 10 else "X rejects null keys") for n in range(100)]
    folder.write("gold.jsonl", [gold(f"A{n:03}") for n in range(100)])
    folder.write("trace.jsonl", said)
    return folder
