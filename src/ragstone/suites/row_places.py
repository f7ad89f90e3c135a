"""On which lines of which files the rows of a report are: for SARIF and CI logs, only on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.contracts.sources import Source
from ragstone.engine.line_places import Place, places
from ragstone.report.document.blocks import Offender
from ragstone.suites.declaration import O, Suite
from ragstone.suites.foreign_inputs import format_named

Places = dict[str, tuple[Place | None, Place | None]]


def row_places(
    suite: Suite[O],
    options: O,
    sources: Mapping[str, tuple[Source, ...]],
    rows: Sequence[Offender],
) -> Places:
    """Of each row, the line of its gold item and the line of what was scored."""
    qids = {row.qid for row in rows}
    asked = {row.question: row.qid for row in rows if row.question is not None}
    found: list[dict[str, list[Place]]] = []
    for name in (suite.slices_of, suite.answered_in):
        if not name or not sources.get(name):
            found.append({qid: [] for qid in qids})
            continue
        record = suite.input(name).record
        if format_named(options, suite.input(name)) is not None:
            # Lines of another tool's file have no qid to find them by.
            found.append({qid: [] for qid in qids})
            continue
        mapping = options.mapping(record)
        table = record if record.tables else None
        found.append(places(sources[name], mapping, qids, asked, table=table))
    # The first of several lines is scored where the user says so; the last otherwise.
    pick = 0 if getattr(options, "keep", "first") == "first" else -1
    gold, answers = found
    return {
        qid: (gold[qid][0] if gold[qid] else None, answers[qid][pick] if answers[qid] else None)
        for qid in sorted(qids)
    }
