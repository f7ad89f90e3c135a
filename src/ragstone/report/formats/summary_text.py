"""How texts of the summary are cut to a line, and folded where nothing may be cut."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from ragstone.gates.gate import Status

COLOR = {
    Status.PASS: "green",
    Status.FAIL: "red",
    Status.UNMEASURABLE: "yellow",
    Status.NOT_TESTED: "cyan",
    None: "cyan",
}
# More than a line of the widest screen holds: the rest of a text is not even looked at.
TEXT = 300
GAP = 2
# What stands below a name.
INDENT = 4
# A name is never longer than these lines: what a user calls a slice has no bound.
NAME_LINES = 2
Item = list[Text]


def cut(text: str, cells: int, style: str = "", *, pad: bool = False) -> Text:
    """A text in so many cells; it ends in dots where that is not all."""
    made = Text(text, style)
    made.truncate(cells, overflow="ellipsis", pad=pad)
    return made


def folded(parts: Sequence[str], room: int) -> list[str]:
    """What is said, folded between its parts: no number is torn apart.

    >>> folded(("0.5000 (1/2)", "0.0945 to 0.9055", "needs <= 0.05"), 32)
    ['0.5000 (1/2), 0.0945 to 0.9055,', 'needs <= 0.05']
    """
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]}, {part}"
        # Behind a part that is not the last there is a comma.
        fits = cell_len(longer) + (part is not parts[-1]) <= room
        lines[-1] = longer if fits else f"{lines[-1]},"
        lines += [] if fits else [part]
    return lines
