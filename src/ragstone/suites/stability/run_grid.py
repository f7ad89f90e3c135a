"""Which jitter or which seed breaks which question: a row per question, a square per run."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ragstone.report.charts import shapes
from ragstone.report.charts.heatmap import Row, Square, heatmap
from ragstone.report.document.blocks import Picture
from ragstone.report.text import counted

DRAWN = 60
_KNOWN = ("none", "ws", "punct", "syn", "order")
_RIGHT = Square(shapes.PASS, sign="dot")
_REWORDED = Square(shapes.HOLD, sign="ring")
_BROKEN = Square(shapes.FAIL, sign="cross")
_KEY = (("right", _RIGHT), ("right, in other words", _REWORDED), ("broken", _BROKEN))


@dataclass(frozen=True, slots=True)
class DrawnRun:
    """A square: which run it is, the checks it breaks, and whether its claim is an unusual one."""

    seed: str
    jitter: str
    broken: tuple[str, ...]
    reworded: bool


def grid(drawn: Mapping[str, Sequence[DrawnRun]], failed: Collection[str], total: int) -> Picture:
    """The runs of some of the `total` questions; `failed` are all that fail."""
    runs = {(run.jitter, run.seed) for some in drawn.values() for run in some}
    columns = sorted(runs, key=lambda pair: (axis_key(pair[0]), axis_key(pair[1])))
    side = 15 if len(columns) <= 40 else 11 if len(columns) <= 80 else 8
    rows = [
        Row(
            qid,
            {(run.jitter, run.seed): _square(qid, run) for run in some},
            "fails" if qid in failed else "",
        )
        for qid, some in drawn.items()
    ]
    left = total - len(drawn)
    return Picture(
        "Runs by question, jitter and seed",
        heatmap(rows, columns, side=side, key=_KEY),
        _alt(drawn, len(failed)),
        "A row per question, a column of squares per jitter, a square per seed."
        + (f" {left:,} more questions are not drawn." if left > 0 else ""),
    )


def axis_key(value: str) -> tuple[int, int, str]:
    """Numbers in their order; `none` before the jitters, these in the order of the spec."""
    if value in _KNOWN:
        return 0, _KNOWN.index(value), value
    # Python reads no number of more than 4,300 digits.
    return (1, int(value), value) if re.fullmatch(r"-?[0-9]{1,400}", value) else (2, 0, value)


def _square(qid: str, run: DrawnRun) -> Square:
    looks = _BROKEN if run.broken else _REWORDED if run.reworded else _RIGHT
    what = f"broken: {', '.join(run.broken)}" if run.broken else "right"
    title = f"{qid}, seed {run.seed}, jitter {run.jitter}: {what}"
    return replace(looks, title=title)


def _alt(drawn: Mapping[str, Sequence[DrawnRun]], failed: int) -> str:
    said = []
    for qid, runs in drawn.items():
        jitters = sorted({run.jitter for run in runs if run.broken})
        said += [f"{qid} by {', '.join(jitters)}"] if jitters else []
    few = "; ".join(said[:8]) + ("; ..." if len(said) > 8 else "")
    return f"{counted(failed, 'question')} failed. Broken runs: {few or 'none'}."
