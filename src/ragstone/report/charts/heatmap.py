"""Squares in rows and columns, each with a colour and a sign of its own for what it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragstone.report.charts import shapes
from ragstone.report.text import short

TOP, BETWEEN = 24, 2
# Names of rows are cut to this many letters.
_NAME = 19
Column = tuple[str, str]
# Dark ink is read on a colour of this strength, by day and by night.
STRONGEST = 0.4


@dataclass(frozen=True, slots=True)
class Square:
    """One cell: coloured by `shade`, from 0 to 1, with a text; or a sign of its own.

    The signs are `dot`, `ring` and `cross`: they are told apart without their colours.
    """

    color: str
    shade: float = 0.0
    title: str = ""
    text: str = ""
    sign: str = ""


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
    tall: float = 0,
    key: Sequence[tuple[str, Square]] = (),
    row_title: str = "",
    column_title: str = "",
) -> str:
    """The chart; a column is `(group, name)`, and the group is written above its columns.

    A cell is a square of this `side`, or as `tall` as is said.
    """
    tall = tall or side
    said, top = shapes.key([(words, _marked(4, -7, 14, 14, square)) for words, square in key])
    top += TOP + (20 if column_title else 0)
    names = [row_title, *(short(row.name, _NAME) for row in rows)]
    left = 14 + max(shapes.width_of(name, 11) for name in names)
    places = _places(columns, side, left)
    right = max(places.values(), default=left) + side
    # Small squares are set apart, so that the names of their rows do not touch.
    pitch = max(tall + BETWEEN, 15)
    parts = [
        said,
        shapes.label((left + right) / 2, top - 26, column_title),
        shapes.label(0, top - 8, row_title, "start"),
    ]
    for group in dict.fromkeys(name for name, _ in columns):
        starts = [x for (name, _), x in places.items() if name == group]
        middle = (starts[0] + starts[-1] + side) / 2
        parts.append(shapes.text(middle, top - 8, group, "middle", size=11, weight=600, length=15))
    for index, row in enumerate(rows):
        y = top + pitch * index
        parts += _row(row, y, left, places, side, tall)
        note = shapes.text(right + 10, y + tall / 2 + 4, row.note, size=11, color=shapes.FAIL)
        parts.append(note)
    width = max(right + 20 + max(shapes.width_of(row.note[:60], 11) for row in rows), shapes.NARROW)
    return shapes.fixed_picture(width, top + pitch * len(rows) + 4, parts)


def _places(columns: Iterable[Column], side: float, left: float) -> dict[Column, float]:
    """Where each column starts."""
    places: dict[Column, float] = {}
    x, start, before = left, left, None
    for group, name in columns:
        if before is not None and before != group:
            # Some air between groups, and room for the name of one that is a single square.
            x = max(x + 8, start + shapes.width_of(short(before, 15), 11) + 6)
            start = x
        places[group, name] = x
        x, before = x + side + BETWEEN, group
    return places


def _row(
    row: Row, y: float, left: float, places: Mapping[Column, float], side: float, tall: float
) -> list[str]:
    base, weight = y + tall / 2 + 4, 700 if row.note else 400
    parts = [shapes.text(left - 8, base, row.name, "end", size=11, weight=weight, length=_NAME)]
    for column, square in row.squares.items():
        parts.append(shapes.titled(square.title, _marked(places[column], y, side, tall, square)))
    return parts


def _marked(x: float, y: float, side: float, tall: float, square: Square) -> str:
    """A cell at its place."""
    middle, center, color = x + side / 2, y + tall / 2, square.color
    rail = shapes.rect(x, y, side, tall, shapes.RAIL)
    if square.sign == "dot":
        return rail + shapes.circle(middle, center, side * 0.24, color)
    if square.sign == "ring":
        return rail + shapes.circle(middle, center, side * 0.26, color, hollow=True)
    if square.sign == "cross":
        arm = side * 0.26
        strokes = [
            [(middle - arm, center + slope * arm), (middle + arm, center - slope * arm)]
            for slope in (1, -1)
        ]
        full = shapes.rect(x, y, side, tall, color)
        return full + "".join(shapes.line(each, shapes.PAPER, width=1.5) for each in strokes)
    filled = shapes.rect(x, y, side, tall, color, opacity=square.shade * STRONGEST)
    ink, weight = (shapes.INK, 600) if square.shade else (shapes.MUTED, 400)
    said = shapes.text(middle, center + 6, square.text, "middle", size=17, weight=weight, color=ink)
    return rail + filled + said
