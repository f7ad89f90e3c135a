"""An app behind a mirror, and what came of the only question that it was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragstone.shadow import Mirror
from ragstone.shadow.pair_files import Counts, PairFiles

GOOD = "py:shadow.shadows:good"


def mirrored(app: Any, data: Path, **more: Any) -> Mirror:
    return Mirror(app, **{"target": GOOD, "share": 1.0, "data": data, **more})


def only(data: Path) -> Any:
    (pair,) = PairFiles(data).pairs()
    return pair


def unread(counts: Counts) -> str:
    """The reason of the only question, which could not be read."""
    assert (counts.seen, counts.unread) == (1, 1), counts
    return counts.why["unread"]
