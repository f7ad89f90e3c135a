"""Squares in rows and columns, coloured by what each of them stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragstone.report.charts import shapes

LEFT, TOP, BETWEEN = 170, 48, 2
Column = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Square:
    """One cell; `shade` is how strong its colour is, from 0 to 1."""

    color: str
    shade: float
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A name and the squares of a row, by column; a note at its end marks the row as bad."""

    name: str
    squares: Mapping[Column, Square]
    note: str = ""


def heatmap(
    rows: Sequence[Row],
    columns: Sequence[Column],
    *,
    side: float,
    key: Sequence[tuple[str, Square]] = (),
    row_title: str = "",
    column_title: str = "",
) -> str:
    """The chart; a column is `(group, name)`, and the group is written above its columns."""
    places = _places(columns, side)
    right = max(places.values(), default=LEFT) + side
    # Small squares are set apart, so that the names of their rows do not touch.
    pitch = max(side + BETWEEN, 14)
    signs = [(words, shapes.rect(4, -6, 12, 12, s.color, opacity=s.shade)) for words, s in key]
    parts = [
        shapes.key(LEFT, 10, signs),
        shapes.label((LEFT + right) / 2, 16, column_title),
        shapes.label(0, TOP - 8, row_title, "start"),
    ]
    for group in dict.fromkeys(name for name, _ in columns):
        starts = [x for (name, _), x in places.items() if name == group]
        middle = (starts[0] + starts[-1] + side) / 2
        parts.append(shapes.text(middle, TOP - 8, group, "middle", size=11, weight=600, length=14))
    for index, row in enumerate(rows):
        y = TOP + pitch * index
        parts += _row(row, y, places, side)
        parts.append(
            shapes.text(right + 10, y + side / 2 + 4, row.note, size=11, color=shapes.FAIL)
        )
    return shapes.picture(max(right + 60, LEFT + 360), TOP + pitch * len(rows) + 4, parts)


def _places(columns: Iterable[Column], side: float) -> dict[Column, float]:
    """Where each column starts."""
    places: dict[Column, float] = {}
    x, start, before = float(LEFT), float(LEFT), None
    for group, name in columns:
        if before not in (None, group):
            # Some air between groups, and room for the name of one that is a single square.
            start = x = max(x + 8, start + 46)
        places[group, name] = x
        x, before = x + side + BETWEEN, group
    return places


def _row(row: Row, y: float, places: Mapping[Column, float], side: float) -> list[str]:
    base, weight = y + side / 2 + 4, 700 if row.note else 400
    parts = [shapes.text(LEFT - 12, base, row.name, "end", size=11, weight=weight, length=22)]
    for column, square in row.squares.items():
        x = places[column]
        color, weight = (shapes.INK, 600) if square.shade else (shapes.MUTED, 400)
        said = shapes.text(
            x + side / 2, base + 2, square.text, "middle", size=17, weight=weight, color=color
        )
        rail = shapes.rect(x, y, side, side, shapes.RAIL)
        filled = shapes.rect(x, y, side, side, square.color, opacity=square.shade)
        parts.append(shapes.titled(square.title, rail, filled, said))
    return parts
