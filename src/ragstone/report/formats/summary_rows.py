"""Sets rows of the summary under one another; on a narrow screen they fold, and lose no column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from ragstone.report.formats.screen import Screen
from ragstone.report.formats.summary_text import GAP, INDENT, NAME_LINES, Item, cut, folded

Row = tuple[str, ...]
# Of a name at least so much stands in its column; with less, a row becomes a list of facts.
_NAME = 24
# A column that is wider than this holds words.
_WORDY = 22
_CLAUSE = "; "


def aligned(
    rows: Sequence[Row], plain: Sequence[str], screen: Screen, heads: Row = ()
) -> list[Item]:
    """Rows under one another, the `heads` of their columns above the first.

    The first column has the `plain` names alone where there is no room for both. With still less
    room, a cell keeps its first clause, and what follows stands below its row with the other name.
    At last a row is a name with its facts below.
    """
    if not rows:
        return []
    room = screen.width - GAP
    named = [(name, *row[1:]) for row, name in zip(rows, plain, strict=True)]
    short = [tuple(cell.partition(_CLAUSE)[0] for cell in row) for row in named]
    for some in (rows, named):
        columns = _columns(rows, [heads, *some])
        if columns.total <= room:
            return columns.headed(heads, [[columns.line(row)] for row in some])
    columns = _columns(rows, [heads, *short])
    narrow = columns.within(room)
    if narrow is None:
        labels = tuple("" if at in columns.wordy else head for at, head in enumerate(heads))
        return [[*_facts(row, labels, screen)] for row in rows]
    notes = [_note(row, name) for row, name in zip(rows, plain, strict=True)]
    folding = zip(short, notes, strict=True)
    return narrow.headed(heads, [[*_folded(row, note, narrow, screen)] for row, note in folding])


def fitting(rows: Sequence[Row], screen: Screen) -> int:
    """How many columns there is room for side by side; the first of all and one more at least."""
    widths = _columns(rows, rows).widths
    ends = [min(widths[0], _NAME) + GAP]
    for wide in widths[1:]:
        ends.append(ends[-1] + GAP + wide)
    return max(sum(end <= screen.width for end in ends), 2)


@dataclass(frozen=True, slots=True)
class _Columns:
    """How wide the columns are, and which of them hold words."""

    widths: tuple[int, ...]
    wordy: frozenset[int]

    @property
    def total(self) -> int:
        return sum(self.widths) + GAP * (len(self.widths) - 1)

    def within(self, room: int) -> _Columns | None:
        """The same with less room for the name; None where too little of it would be seen."""
        first, *others = self.widths
        left = first - max(self.total - room, 0)
        return None if left < min(first, _NAME) else _Columns((left, *others), self.wordy)

    def line(self, row: Row, style: str = "") -> Text:
        made = Text(" " * GAP, style).append_text(cut(row[0], self.widths[0], pad=True))
        for place, cell in enumerate(row[1:], 1):
            left = place in self.wordy
            text = cut(cell, self.widths[place], pad=left)
            made.append(" " * (GAP + self.widths[place] - text.cell_len)).append_text(text)
        return made

    def headed(self, heads: Row, items: list[Item]) -> list[Item]:
        """The heads go with the first row: without what is below it, a head says nothing."""
        first, *others = items
        return [[self.line(heads), *first] if heads else first, *others]


def _columns(whole: Sequence[Row], rows: Sequence[Row]) -> _Columns:
    columns = zip(*filter(None, rows), strict=True)
    widest = [max(map(cell_len, column)) for column in zip(*whole, strict=True)]
    wordy = frozenset(place for place, wide in enumerate(widest) if wide > _WORDY)
    return _Columns(tuple(max(map(cell_len, column)) for column in columns), wordy)


def _more(row: Row) -> str:
    """What follows the first clauses of the cells behind the name."""
    return _CLAUSE.join(rest for cell in row[1:] if (rest := cell.partition(_CLAUSE)[2]))


def _note(row: Row, plain: str) -> str:
    """`(over_refusal): 85 to 570 more questions would settle it`, as far as there is more to say.

    >>> _note(("refused (over_refusal)", "no change; 85 more"), "refused")
    '(over_refusal): 85 more'
    """
    return ": ".join(filter(None, (row[0].removeprefix(plain).strip(), _more(row))))


def _folded(row: Row, note: str, columns: _Columns, screen: Screen) -> Iterator[Text]:
    """A row on one line, and below it what is left of its name, and the note."""
    name, below = row[0], ""
    if cell_len(name) > columns.widths[0]:
        ends = [at for at, each in enumerate(name) if each == " "]
        fits = [at for at in ends if cell_len(name[:at]) <= columns.widths[0]]
        name, below = (name[: fits[-1]], name[fits[-1] + 1 :]) if fits else (name, "")
    yield columns.line((name, *row[1:]))
    said = " ".join(filter(None, (below, note)))
    if said:
        yield from _indented(said, screen, INDENT)


def _facts(row: Row, labels: Row, screen: Screen) -> Iterator[Text]:
    """A row as its name and what there is to say of it, numbers with the head of their column."""
    yield from _indented(row[0], screen, GAP)
    cells = [cell.partition(_CLAUSE)[0] for cell in row]
    named = zip(labels[1:] or [""] * len(row), cells[1:], strict=False)
    facts = [*(f"{label} {cell}".strip() for label, cell in named if cell), _more(row)]
    for line in folded([*filter(None, facts)] or [""], screen.width - INDENT):
        yield from _indented(line, screen, INDENT)


def _indented(text: str, screen: Screen, indent: int) -> Iterator[Text]:
    for line in screen.folded(Text(text), NAME_LINES, indent=indent):
        yield Text(" " * indent).append_text(line)
