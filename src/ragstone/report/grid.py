"""Which jitter or which seed breaks which question: a row per question, a square per run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragstone.report import svg
from ragstone.report.model import Picture
from ragstone.suites.stability.questions import Question, Run

ROWS = 60
_LABEL, _TOP, _GAP = 170, 46, 10
_AMBER = "var(--hold,#7a4d00)"
_KNOWN = ("none", "ws", "punct", "syn", "order")


def grid(questions: Sequence[Question], failed: Mapping[str, tuple[str, ...]]) -> Picture:
    """The first questions of those given, drawn; the words say how many there are in all."""
    shown = questions[:ROWS]
    columns = _columns(shown)
    side = 14 if len(columns) <= 40 else 9 if len(columns) <= 80 else 6
    places = _places(columns, side)
    width = max([_LABEL + 240, *(x + side for x in places.values())]) + 90
    parts = [*_key(side), *_heads(columns, places, side)]
    for row, question in enumerate(shown):
        parts += _row(question, _TOP + row * (side + 4), places, side, question.qid in failed)
    left = len(questions) - len(shown)
    return Picture(
        "Runs by question, jitter and seed",
        svg.picture(width, _TOP + len(shown) * (side + 4) + 4, parts),
        _alt(shown, failed),
        "A row per question, a column of squares per jitter, a square per seed."
        + (f" {left:,} more questions are not drawn." if left > 0 else ""),
    )


def _columns(questions: Sequence[Question]) -> list[tuple[str, str]]:
    found = {(run.jitter, run.seed) for question in questions for run in question.runs}
    return sorted(found, key=lambda pair: (axis_key(pair[0]), axis_key(pair[1])))


def axis_key(value: str) -> tuple[int, int, str]:
    """Numbers in their order; `none` before the jitters, these in the order of the spec."""
    if value in _KNOWN:
        return 0, _KNOWN.index(value), value
    return (1, int(value), value) if re.fullmatch(r"-?[0-9]+", value) else (2, 0, value)


def _places(columns: Sequence[tuple[str, str]], side: int) -> dict[tuple[str, str], float]:
    places: dict[tuple[str, str], float] = {}
    x, before = float(_LABEL), None
    for jitter, seed in columns:
        if before is not None and jitter != before:
            # A narrow group still has room for its name.
            start = min(place for (name, _), place in places.items() if name == before)
            x = max(x + _GAP, start + 46)
        places[jitter, seed] = x
        x, before = x + side + 2, jitter
    return places


def _heads(
    columns: Sequence[tuple[str, str]], places: Mapping[tuple[str, str], float], side: int
) -> list[str]:
    parts = []
    for jitter in dict.fromkeys(name for name, _ in columns):
        first = min(x for (name, _), x in places.items() if name == jitter)
        parts.append(svg.text(first, _TOP - 8, jitter, size=11, weight=600, length=12))
    return parts


def _key(side: int) -> list[str]:
    parts = []
    x = float(_LABEL)
    words = (
        (svg.PASS, 0.55, "right"),
        (_AMBER, 0.55, "right, in other words"),
        (svg.FAIL, 0.9, "broken"),
    )
    for color, opacity, says in words:
        parts.append(svg.rect(x, 2, 12, 12, color, opacity=opacity))
        parts.append(svg.text(x + 18, 12, says, size=11, color=svg.MUTED))
        x += 40 + 6.2 * len(says)
    return parts


def _row(
    question: Question,
    y: float,
    places: Mapping[tuple[str, str], float],
    side: int,
    failed: bool,
) -> list[str]:
    weight = 700 if failed else 400
    base = y + side / 2 + 4
    parts = [
        svg.text(_LABEL - 12, base, question.qid, size=11, anchor="end", weight=weight, length=22)
    ]
    for run in question.runs:
        color, opacity = _tone(question, run)
        broken = question.broken(run)
        what = f"broken: {', '.join(broken)}" if broken else "right"
        title = f"{question.qid}, seed {run.seed}, jitter {run.jitter}: {what}"
        x = places[run.jitter, run.seed]
        parts.append(svg.rect(x, y, side, side, color, opacity=opacity, title=title))
    if failed:
        end = max(places.values()) + side + 12
        parts.append(svg.text(end, base, "fails", size=11, color=svg.FAIL, weight=600))
    return parts


def _tone(question: Question, run: Run) -> tuple[str, float]:
    if question.broken(run):
        return svg.FAIL, 0.9
    return (_AMBER, 0.55) if run.run_id in question.odd else (svg.PASS, 0.55)


def _alt(questions: Sequence[Question], failed: Mapping[str, tuple[str, ...]]) -> str:
    broken = {
        question.qid: sorted({run.jitter for run in question.runs if question.broken(run)})
        for question in questions
    }
    said = [f"{qid} by {', '.join(jitters)}" for qid, jitters in broken.items() if jitters]
    few = "; ".join(said[:8]) + ("; ..." if len(said) > 8 else "")
    return f"{len(failed):,} questions fail. Broken runs: {few or 'none'}."
