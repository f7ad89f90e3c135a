"""Puts points and recordings of a trend into words, the same way in every format."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.gates.gate import TOLERANCE
from ragstone.ledger.recording import Recording
from ragstone.ledger.trend_lines import Line, Point, Section
from ragstone.report.document.figures import ABSENT, interval, judged_quantity, number, quantity
from ragstone.report.plain_names import recorded_name

_BLOCKS = "▁▂▃▄▅▆▇█"
_LEVEL = _BLOCKS[3]


def name(section: Section, line: Line) -> str:
    """Both names of the metric: `cites the right evidence (chr)`."""
    return recorded_name(section.suite, line.name)


def when(recording: Recording) -> str:
    """`2026-11-17 05:30`, in UTC."""
    return f"{recording.at[:10]} {recording.at[11:16]}"


def commit(recording: Recording) -> str:
    """`1a2b3c4`, with a star where the tree differed from the commit."""
    if recording.commit is None:
        return ""
    return recording.commit[:7] + ("*" if recording.dirty else "")


def labels(recording: Recording) -> str:
    return " ".join(f"{name}={text}" for name, text in recording.labels.items())


def decision(recording: Recording) -> str:
    return recording.decision or "NO GATES"


def value(point: Point, unit: str = "") -> str:
    """The number; one that fails never looks as if it passed.

    >>> from ragstone.gates.gate import Threshold
    >>> value(Point(0.79996, threshold=Threshold(">=", 0.8), status="FAIL"))
    '0.79996'
    >>> value(Point(3.0, numerator=3)), value(Point(1840.25), "ms"), value(Point())
    ('3', '1,840 ms', '–')
    """
    if point.value is None:
        return ABSENT
    if point.whole and float(point.value).is_integer():
        return number(int(point.value))
    if point.threshold is None:
        return quantity(point.value, unit)
    return judged_quantity(point.value, point.threshold, unit)


def ends(point: Point, unit: str = "") -> str:
    """The interval, `0.2500 to 0.7500`; nothing where there is none."""
    said = interval(point.interval, unit=unit)
    return "" if said == ABSENT else said


def changed(line: Line) -> str:
    """`+0.0235`; `0.0000` where the number is the same as it was.

    >>> changed(Line("chr", "", (Point(0.5), Point(), Point(0.75))))
    '+0.2500'
    """
    change = line.change
    if change is None:
        return ABSENT
    if line.newest.whole and float(change).is_integer():
        return f"{int(change):+,}" if change else "0"
    said = quantity(change, line.unit)
    return f"+{said}" if change > 0 and any(each in said for each in "123456789") else said


def limit(point: Point) -> str:
    """The threshold of its gate, `>= 0.8`; nothing where it has none."""
    return "" if point.threshold is None else str(point.threshold)


def sparkline(points: Sequence[Point]) -> str:
    """A block for each value, from the least to the most that their intervals reach.

    What chance explains so stays a nearly level line. An absent value is a gap; values that are all
    the same are a level line, half high.

    >>> sparkline([Point(0.1), Point(0.5), Point(), Point(0.9)])
    '▁▅ █'
    >>> sparkline([Point(0.5, (0.1, 0.9)), Point(0.6, (0.2, 1.0))])
    '▄▅'
    >>> sparkline([Point(0.7), Point(0.7)])
    '▄▄'
    """
    values = {each.value for each in points if each.value is not None}
    ends = {end for each in points for end in each.interval or () if end is not None}
    # Values that do not differ are level, wherever their intervals end.
    reach = values | ends if len(values) > 1 else values
    low, high = min(reach, default=0.0), max(reach, default=0.0)

    def block(point: Point) -> str:
        if point.value is None:
            return " "
        if high - low <= TOLERANCE:
            return _LEVEL
        return _BLOCKS[round((len(_BLOCKS) - 1) * (point.value - low) / (high - low))]

    return "".join(map(block, points))


def recorded(section: Section) -> str:
    """`3 recordings, from 2026-11-01 to 2026-11-17`."""
    first, last = (section.recordings[at].at[:10] for at in (0, -1))
    if first == last:
        return f"{count(len(section.recordings))} of {first}"
    return f"{count(len(section.recordings))}, from {first} to {last}"


def count(recordings: int) -> str:
    return "1 recording" if recordings == 1 else f"{recordings:,} recordings"


def left_out(older: int) -> str:
    """What is said of recordings before those that are shown; nothing where there are none."""
    return f"{count(older)} before these; --limit shows more" if older else ""
