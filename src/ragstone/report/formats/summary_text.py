"""How lines of the summary are cut and set under one another."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from ragstone.gates.gate import Status

COLOR = {Status.PASS: "green", Status.FAIL: "red", Status.UNMEASURABLE: "yellow", None: "cyan"}
# More than a line of the widest screen holds: the rest of a text is not even looked at.
TEXT = 300
GAP = 2
# A column that is wider than `_WORDY` holds words, and may be cut to `_FEW_WORDS`.
_WORDY = 22
_FEW_WORDS = 16
# Of a name so much is seen, before there is room for the columns behind it.
_NAME = 32
Item = list[Text]


def cut(text: str, cells: int, style: str = "", *, pad: bool = False) -> Text:
    """A text in so many cells; it ends in dots where that is not all."""
    made = Text(text, style)
    made.truncate(cells, overflow="ellipsis", pad=pad)
    return made


def aligned(rows: Sequence[tuple[str, ...]], plain: Sequence[str], width: int) -> list[Item]:
    """Rows under one another, a line each.

    The first column has the `plain` names alone where there is no room for both; one that is too
    long even so goes on below. A column of words is cut to make room; columns that do not fit
    then are left out, from the right.
    """
    if not rows:
        return []
    room = width - GAP
    widths = [max(cell_len(row[place]) for row in rows) for place in range(len(rows[0]))]
    wordy = [place for place, wide in enumerate(widths) if place and wide > _WORDY]
    least = [_WORDY if place in wordy else wide for place, wide in enumerate(widths)]
    if sum(least) + GAP * (len(least) - 1) > room:
        rows = [(name, *row[1:]) for row, name in zip(rows, plain, strict=True)]
        widths[0] = max(map(cell_len, plain))
    for place in wordy:
        over = sum(widths) + GAP * (len(widths) - 1) - room
        widths[place] = max(widths[place] - max(over, 0), _FEW_WORDS)
    ends = [sum(wide + GAP for wide in widths[1 : place + 1]) for place in range(len(widths))]
    named = min(widths[0], _NAME)
    used = [place for place, end in enumerate(ends) if place and named + end <= room]
    widths[0] = min(widths[0], room - (ends[used[-1]] if used else 0))
    return [_row(row, widths, used, wordy) for row in rows]


def _row(
    row: Sequence[str], widths: Sequence[int], used: Sequence[int], wordy: Sequence[int]
) -> Item:
    name, below = row[0], ""
    if cell_len(name) > widths[0]:
        fits = [
            at for at, each in enumerate(name) if each == " " and cell_len(name[:at]) <= widths[0]
        ]
        name, below = (name[: fits[-1]], name[fits[-1] + 1 :]) if fits else (name, "")
    line = Text("  ").append_text(cut(name, widths[0], pad=True))
    for place in used:
        cell = cut(row[place], widths[place], pad=place in wordy)
        line.append(" " * (GAP + widths[place] - cell.cell_len)).append_text(cell)
    return [line, *([Text("    ").append_text(cut(below, widths[0] - GAP))] if below else [])]
