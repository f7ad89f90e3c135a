"""A mirror that is offered questions without an app before it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ragstone.shadow.live_answer import LiveAnswer
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import Counts, PairFiles
from ragstone.shadow.pairs import ArmRecord, Hit, Retrieval, Said
from ragstone.shadow.question_mirror import QuestionMirror

# As pytest finds the modules of tests.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
GOOD = "py:shadow.shadows:good"
ARM = ArmRecord(
    Retrieval(topk=(Hit("d1", "all about it"),), index_hash="now"),
    Said(claim="live", citations=(Hit("d1"),)),
)


def mirror(data: Path, target: str = GOOD, **more: Any) -> QuestionMirror:
    """A mirror of every question, with time enough to end on a busy machine."""
    return QuestionMirror(MirrorSettings(target, data, **{"share": 1.0, "closing": 60.0, **more}))


def live(question: str, id: str = "") -> LiveAnswer:
    return LiveAnswer(question, ARM, id=id or question, ts=1, qid=f"qid of {question}")


def offer(to: QuestionMirror, question: str, size: int = 10) -> None:
    to.offer(partial(reading, question), size)


def reading(question: str, is_chosen: Callable[[str], bool]) -> LiveAnswer | None:
    return live(question) if is_chosen(question) else None


def pairs(data: Path) -> dict[str, Any]:
    return {pair.id: pair for pair in PairFiles(data).pairs()}


def total(counts: Counts) -> int:
    settled = counts.left_out + counts.unread + counts.dropped + counts.answered + counts.failed
    return settled + counts.waiting
