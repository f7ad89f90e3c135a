"""A trend as one Markdown text, as one HTML page that loads nothing, and as plain data."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ragstone._version import __version__
from ragstone.ledger import trend_words as words
from ragstone.ledger.recording import Recording
from ragstone.ledger.trend_drawing import HEIGHT, drawing
from ragstone.ledger.trend_lines import Line, Point, Section, Trend
from ragstone.report.formats import html_page
from ragstone.report.formats.markdown_text import LONGEST, code, prose
from ragstone.report.plain_names import recorded_title
from ragstone.report.text import shown

Link = Callable[[Recording], str]
_ICON = {"PASS": "✅", "FAIL": "❌", "UNMEASURABLE": "⚠️"}
_FOOT = f"<sub>ragstone {__version__}</sub>\n"
# Room for the headings of a section, and for the sentences about what is left out.
_AROUND = 400
_TIP = 200


def links(place: str, file: str | None) -> Link:
    """The address of a run's report, as seen from the page `file`, or from the working folder."""
    scheme, separator, rest = place.partition("://")
    if separator and scheme not in ("file", "local"):
        # A password in the address of a ledger is nothing for a page that is passed on.
        bare = re.sub(r"(?<=://)[^/@]*@", "", place).rstrip("/")
        return lambda recording: f"{bare}/{_report(recording)}"
    start = Path(file).parent if file else Path()
    folder = Path(os.path.relpath(rest if separator else place, start)).as_posix()
    return lambda recording: f"{quote(os.fsencode(folder))}/{_report(recording)}"


def _report(recording: Recording) -> str:
    return f"runs/{quote(recording.run, safe='')}/report.html"


def as_data(trend: Trend) -> dict[str, Any]:
    """All of it for a program; points stand in the order of the recordings, oldest first."""
    return {
        "sections": [
            {
                "suite": section.suite,
                "recordings": [_recording(each) for each in section.recordings],
                "metrics": {line.name: _line(line) for line in section.lines},
            }
            for section in trend.sections
        ],
        "older": trend.older,
    }


def _recording(each: Recording) -> dict[str, Any]:
    keys = ("run", "at", "suite", "version", "decision", "commit", "branch", "dirty", "labels")
    return {key: getattr(each, key) for key in keys}


def _line(line: Line) -> dict[str, Any]:
    return {
        "unit": line.unit,
        "change": line.change,
        "points": [
            {
                "value": each.value,
                "interval": each.interval,
                "numerator": each.numerator,
                "denominator": each.denominator,
                "threshold": None if each.threshold is None else str(each.threshold),
                "status": each.status or None,
            }
            for each in line.points
        ],
    }


def markdown(trend: Trend) -> str:
    """The history as tables, newest first, at most as long as a comment may be."""
    room = LONGEST - len(_FOOT) - _AROUND
    parts, too_many = ["# Trend"], 0
    for number, section in enumerate(trend.sections):
        text = _history(section, room // (len(trend.sections) - number))
        if len(text) + 2 > room:
            too_many += 1
            continue
        room -= len(text) + 2
        parts.append(text)
    suites = f"{too_many} more suites do not fit" if too_many else ""
    notes = (f"_{note}_" for note in (suites, words.left_out(trend.older)) if note)
    return "\n\n".join([*parts, *notes, _FOOT])


def _history(section: Section, room: int) -> str:
    """A heading and the rows that fit; older ones are left out, and counted."""
    names = [_name(section, line) for line in section.lines]
    columns = ["when (UTC)", "run", "commit", "branch", "decision", "labels", *names]
    aligned = ["---"] * 6 + ["---:"] * len(names)
    head = f"## {prose(section.suite)}\n\n{prose(words.recorded(section))}"
    table = f"\n\n{_row(columns)}\n{_row(aligned)}"
    room -= len(head) + len(table) + _AROUND
    rows: list[str] = []
    for index in reversed(range(len(section.recordings))):
        row = _row(_cells(section, index))
        room -= len(row) + 1
        if room < 0:
            break
        rows.append(row)
    left = len(section.recordings) - len(rows)
    note = f"\n\n_{words.count(left)} left out: see the HTML page or the JSON_" if left else ""
    return head + (f"{table}\n" + "\n".join(rows) if rows else "") + note


def _name(section: Section, line: Line) -> str:
    plain = recorded_title(section.suite, line.name)
    return f"{prose(plain)} ({code(line.name)})" if plain else code(line.name)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(section: Section, index: int) -> list[str]:
    each = section.recordings[index]
    decided = words.decision(each)
    return [
        words.when(each),
        code(each.short),
        code(words.commit(each)) if each.commit else "",
        prose(each.branch or ""),
        f"{_ICON.get(decided, '➖')} {prose(decided)}",
        prose(words.labels(each)),
        *(_value(line.points[index], line.unit) for line in section.lines),
    ]


def _value(point: Point, unit: str) -> str:
    """`0.7000 (0.5000 to 0.8500) ❌ >= 0.8`: with its threshold where the gate does not pass."""
    ends = words.ends(point, unit)
    said = prose(words.value(point, unit)) + (f" ({prose(ends)})" if ends else "")
    if point.status in ("", "PASS"):
        return said
    return f"{said} {_ICON.get(point.status, '⚠️')} {prose(words.limit(point))}"


def html(trend: Trend, link: Link) -> str:
    """The page; `link` gives the address of a recording's report."""
    return html_page.page(
        "trend.html.j2",
        trend=trend,
        say=words,
        link=link,
        drawing=drawing,
        height=HEIGHT,
        tip=tip,
        version=__version__,
    )


def tip(section: Section, line: Line, recording: Recording, point: Point) -> str:
    """What a point says when it is pointed at, a line each."""
    ends, limit = words.ends(point, line.unit), words.limit(point)
    made = " of ".join(filter(None, (words.commit(recording), recording.branch)))
    lines = (
        f"{words.when(recording)} UTC, run {recording.short}",
        made,
        words.labels(recording),
        f"{words.name(section, line)}: {words.value(point, line.unit)}"
        + (f" ({ends})" if ends else ""),
        f"gate {limit}: {point.status}" if limit else "",
        f"decision: {words.decision(recording)}",
    )
    return "\n".join(shown(line, _TIP) for line in lines if line)
