"""A trend for a terminal or a plain log: a line for each metric, then the newest recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from ragstone.ledger import trend_words as words
from ragstone.ledger.trend_lines import Line, Section, Trend
from ragstone.report.formats.screen import GAP, Rows, Screen
from ragstone.report.text import short, shown

WIDTH = 80
# Of so many recordings a line is drawn, unless more are asked for and there is room.
USUAL = 20
# Of a line at least so much is seen, of a name at most so much.
_LEAST = 8
_NAME = 130
_INDENT = 2
_NEWEST = 5
_CELL = 40
_BRANCH = 16
_ABOUT = ("when (UTC)", "run", "decision", "commit", "branch")
_BEHIND = ("from", "to", "change", "gate", "status", "interval")
_COLOR = {"PASS": "green", "FAIL": "red"}


def render(trend: Trend, *, color: bool = False, width: int = WIDTH, wanted: int = USUAL) -> str:
    """The trend, at most 80 cells wide; `wanted` is of how many recordings a line is drawn."""
    screen = Screen(color=color, width=min(width, WIDTH))
    lines: list[str] = []
    for section in trend.sections:
        head = Text(shown(section.suite, _CELL), "bold")
        lines += screen.text(head.append(f": {words.recorded(section)}", "not bold"))
        lines += [*_drawn(section, screen, wanted), ""]
    lines += screen.rows(_newest(trend, screen.width))
    rest = words.left_out(trend.older)
    lines += ["", *screen.text(Text(rest, "dim"))] if rest else []
    return "".join(f"{line}\n" for line in lines)


def _drawn(section: Section, screen: Screen, wanted: int) -> Iterator[str]:
    """A row for each line; where names and drawings do not fit beside it, the name stands above."""
    names = [Text(shown(words.name(section, line), _NAME)) for line in section.lines]
    most = min(wanted, len(section.recordings))
    table = _rows(section, screen.width - 2 * _INDENT, most)
    whole = _named(names, table)
    if screen.holds(whole, _INDENT) or not screen.holds(table, 2 * _INDENT):
        yield from screen.rows(whole, _INDENT)
        return
    head, *rows = screen.rows(table, 2 * _INDENT)
    yield head
    for name, row in zip(names, rows, strict=True):
        yield from screen.text(name, _INDENT)
        yield row


def _named(names: Sequence[Text], table: Rows) -> Rows:
    """The table with the names in front, which are not folded."""
    return Rows(
        ("metric", *table.columns),
        [(name, *row) for name, row in zip(names, table.rows, strict=True)],
        fixed={0, *(place + 1 for place in table.fixed)},
        numeric={place + 1 for place in table.numeric},
    )


def _rows(section: Section, room: int, most: int) -> Rows:
    """Numbers are as wide as they are; the drawing has what these leave.

    Where that is too little, the interval of the newest number is left to the other formats.
    """
    numbers = [_numbers(line.last(most)) for line in section.lines]
    columns = zip(_BEHIND, *map(_plain, numbers), strict=True)
    widths = [max(map(cell_len, column)) + GAP for column in columns]
    behind = _BEHIND if room - sum(widths) >= min(most, _LEAST) else _BEHIND[:-1]
    drawn = min(most, max(room - sum(widths[: len(behind)]), _LEAST))
    title = f"last {drawn}" if drawn >= _LEAST else "trend"
    lines = [line.last(drawn) for line in section.lines]
    rows = [
        (Text(words.sparkline(line.points), "bold"), *_numbers(line)[: len(behind)])
        for line in lines
    ]
    return Rows((title, *behind), rows, fixed={0, 4, 5, 6}, numeric={1, 2, 3})


def _plain(row: tuple[Text, ...]) -> list[str]:
    return [text.plain for text in row]


def _color(status: str) -> str:
    return _COLOR.get(status, "yellow")


def _numbers(line: Line) -> tuple[Text, ...]:
    """What stands behind the drawing."""
    first = next((each for each in line.points if each.value is not None), line.newest)
    newest = line.newest
    status = newest.status or ("absent" if newest.value is None else "")
    return (
        Text(words.value(first)),
        Text(words.value(newest, line.unit)),
        Text(words.changed(line)),
        Text(words.limit(newest)),
        Text(short(status, _CELL), _color(newest.status)),
        Text(words.ends(newest, line.unit)),
    )


def _newest(trend: Trend, room: int) -> Rows:
    """A line each: what users wrote themselves is cut to what the rest leaves."""
    newest = trend.newest(_NEWEST)
    branches = [short(each.branch or "", _BRANCH) for each in newest]
    facts = [
        [words.when(each), each.short, words.decision(each), words.commit(each)] for each in newest
    ]
    rows = [
        (*(short(fact, _BRANCH) for fact in some), branch)
        for some, branch in zip(facts, branches, strict=True)
    ]
    taken = sum(max(map(cell_len, column)) + GAP for column in zip(_ABOUT, *rows, strict=True))
    left = max(room - taken, _LEAST)
    labelled = [
        (*row, short(words.labels(each), left)) for row, each in zip(rows, newest, strict=True)
    ]
    kept = [at for at in range(len(_ABOUT) + 1) if any(row[at] for row in labelled)]
    texts = [
        tuple(Text(row[at], _color(row[at]) if at == 2 else "") for at in kept) for row in labelled
    ]
    return Rows(tuple((*_ABOUT, "labels")[at] for at in kept), texts, fixed=set(range(len(kept))))
