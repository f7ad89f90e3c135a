"""Lays out texts, pairs and tables as lines of a screen, row by row.

Rich measures every cell of a table several times and keeps all of it: ten thousand rows took
fifteen seconds. Here a line is ready as soon as its row is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from io import StringIO

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

# Between columns.
GAP = 2
# Words may be folded to columns this narrow; below that, a table becomes one fact a line.
_NARROW = 20
_LABEL = 32


@dataclass(frozen=True)
class Rows:
    """Rows and columns. Those that are `fixed` or `numeric` are never folded."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Text, ...]]
    fixed: Set[int] = frozenset()
    numeric: Set[int] = frozenset()


class Screen:
    """A screen of some width, with colours or without; every method gives lines as they come."""

    def __init__(self, *, color: bool, width: int) -> None:
        self.width = max(width, 40)
        self._color = color
        # An empty environment: what is drawn depends on the arguments and on nothing else.
        self._console = Console(
            file=StringIO(),
            width=self.width,
            force_terminal=color,
            color_system="standard" if color else None,
            no_color=not color,
            legacy_windows=False,
            _environ={},
        )

    def text(self, text: Text, indent: int = 0) -> Iterator[str]:
        """A text, folded between words where it is too long for a line."""
        for line in self._folded(text, self.width - indent):
            yield f"{' ' * indent}{self._drawn(line)}".rstrip()

    def folded(self, text: Text, most: int, indent: int = 0) -> list[Text]:
        """A text on at most so many lines; the last one ends in dots where that is not all."""
        width = self.width - indent
        lines = [*self._folded(text, width)]
        if len(lines) > most:
            for line in lines:
                line.rstrip()
            rest = Text(" ").join(lines[most - 1 :])
            rest.truncate(width, overflow="ellipsis")
            lines[most - 1 :] = [rest]
        return lines

    def pairs(self, pairs: Iterable[tuple[str, Text]], indent: int = 0) -> Iterator[str]:
        """A label and its text on each line, the texts under one another."""
        given = [(Text(label, "dim"), text) for label, text in pairs]
        if not given:
            return
        room = self.width - indent - GAP
        widest = min(max(_cells(label) for label, _ in given), _LABEL, room // 2)
        widths = (widest, room - widest)
        for pair in given:
            yield from self._row(pair, widths, indent)

    def rows(self, table: Rows, indent: int = 0) -> Iterator[str]:
        """A table; where the screen is too narrow for its numbers, one fact a line.

        `<= 0.05` must not be cut to `<= 0.0` to make it fit: a number is shown whole or below.
        """
        widths = self._widths(table, self.width - indent)
        if widths is not None:
            head = tuple(Text(column, "dim") for column in table.columns)
            for row in (head, *table.rows):
                yield from self._row(row, widths, indent, table.numeric)
            return
        for name, *cells in table.rows:
            yield from self.text(Text(name.plain, "bold"), indent)
            named = zip(table.columns[1:], cells, strict=True)
            yield from self.pairs((pair for pair in named if pair[1].plain), indent + 2)

    def holds(self, table: Rows, indent: int = 0) -> bool:
        """Whether there is room for its columns side by side."""
        return self._widths(table, self.width - indent) is not None

    def _widths(self, table: Rows, room: int) -> tuple[int, ...] | None:
        """How wide each column is; None where even the narrowest columns are too wide together."""
        widest = [cell_len(column) for column in table.columns]
        for row in table.rows:
            for index, cell in enumerate(row):
                widest[index] = max(widest[index], _cells(cell))
        room -= GAP * (len(widest) - 1)
        whole = table.fixed | table.numeric
        words = [index for index in range(len(widest)) if index not in whole]
        least = [
            width if index in whole else min(width, _NARROW) for index, width in enumerate(widest)
        ]
        if sum(least) > room:
            return None
        while sum(widest) > room:
            widest[max(words, key=lambda index: widest[index])] -= 1
        return tuple(widest)

    def _row(
        self,
        cells: Sequence[Text],
        widths: Sequence[int],
        indent: int,
        numeric: Set[int] = frozenset(),
    ) -> Iterator[str]:
        """One row, as many lines as its highest cell."""
        columns = [self._folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
        for number in range(max(map(len, columns))):
            line = " " * indent
            for index, (column, width) in enumerate(zip(columns, widths, strict=True)):
                cell = column[number] if number < len(column) else Text()
                blanks = " " * (width - _cells(cell))
                drawn = self._drawn(cell)
                line += (blanks + drawn if index in numeric else drawn + blanks) + " " * GAP
            yield line.rstrip()

    def _folded(self, text: Text, width: int) -> Sequence[Text]:
        if "\n" not in text.plain and _cells(text) <= width:
            return (text,)
        return [*text.wrap(self._console, width, overflow="fold")]

    def _drawn(self, text: Text) -> str:
        if not self._color:
            return text.plain
        return "".join(
            part.style.render(part.text, color_system=ColorSystem.STANDARD)
            if part.style
            else part.text
            for part in text.render(self._console)
        )


def _cells(text: Text) -> int:
    """How many cells of the screen a text takes; some characters take two."""
    plain = text.plain
    return len(plain) if plain.isascii() else cell_len(plain)
