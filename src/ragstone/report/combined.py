"""Several suites, one decision: the report of `ragstone gate`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from ragstone._version import __version__
from ragstone.report.jsonout import to_object
from ragstone.report.model import Block, Report


def combine(reports: Sequence[Report]) -> Report:
    """The suites' gates and metrics under their suite's name (`answers.precision`), in order."""
    blocks: list[Block] = []
    for report in reports:
        blocks += [
            replace(block, title=f"{report.suite}: {block.title}") for block in report.blocks
        ]
    return Report(
        suite="gate",
        version=__version__,
        figures={},
        metrics={f"{r.suite}.{name}": found for r in reports for name, found in r.metrics.items()},
        gates=tuple(replace(g, name=f"{r.suite}.{g.name}") for r in reports for g in r.gates),
        digest=hashlib.sha256("\n".join(r.digest for r in reports).encode()).hexdigest(),
        settings={r.suite: dict(r.settings) for r in reports},
        data={"suites": {r.suite: to_object(r) for r in reports}},
        blocks=tuple(blocks),
        warnings=tuple(f"{r.suite}: {warning}" for r in reports for warning in r.warnings),
        places={qid: at for r in reports for qid, at in r.places.items()},
    )
