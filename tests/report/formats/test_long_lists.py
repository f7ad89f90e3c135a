"""A report may list very many rows: every format that writes them all tells how far it is."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from report.report_builder import ROWS, report

from ragstone.progress import PROGRESS, Progress, doing
from ragstone.progress_task import Task
from ragstone.report.document.blocks import Offenders
from ragstone.report.formats import FORMATS, render
from ragstone.report.model import Report

MANY = 300
# Formats that show so many rows and no more, whatever a report holds, and why.
BOUNDED = {
    "markdown": "a comment has room for few",
    "html": "the first are cards, and the table of all questions has a limit of its own",
    "junit": "one case for each gate",
}


class Watched(Progress):
    """Keeps every task, and how far it was when it ended."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.ended: list[tuple[str, float, float, str]] = []

    @contextmanager
    def doing(self, task: Task) -> Iterator[Task]:
        with super().doing(task):
            yield task
            self.ended.append((task.what, task.done, task.total, task.unit))


@pytest.fixture
def long_report() -> Report:
    rows = tuple(replace(ROWS[0], qid=f"Q{n}") for n in range(MANY))
    listed = [{"qid": row.qid, "claim": row.claim} for row in rows]
    return report(blocks=(Offenders("Offenders", rows, MANY),), data={"offenders": listed})


@pytest.mark.parametrize("format", FORMATS)
def test_every_row_of_a_long_list_is_counted(format: str, long_report: Report) -> None:
    quiet = render(long_report, format)
    watched = Watched()
    token = PROGRESS.set(watched)
    try:
        with doing("writing all.txt", 1, "files"):
            assert render(long_report, format) == quiet
    finally:
        PROGRESS.reset(token)
    counted = [each for each in watched.ended if each[2] == MANY]
    assert bool(counted) is (format not in BOUNDED), watched.ended
    assert all(each[:3] == ("writing all.txt", MANY, MANY) for each in counted), counted
