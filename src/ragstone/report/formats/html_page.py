"""The report as one HTML file that loads nothing; the only script it runs is its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ragstone.progress import doing
from ragstone.report import words
from ragstone.report.document.blocks import Table
from ragstone.report.document.figures import interval, number
from ragstone.report.document.question_list import columns
from ragstone.report.formats import page_words
from ragstone.report.formats.gauges import LINE, bars, gauge
from ragstone.report.formats.highlight import pieces
from ragstone.report.formats.page_sections import (
    CARDS,
    NAME,
    TABLE_ROWS,
    gate_id,
    sections_of,
)
from ragstone.report.model import Report
from ragstone.report.text import clip, few, said_and_line, short, shown, visible

TEXT = 2000
LINE_LENGTH = 500
CHUNK = 600
# How many of the retrieved chunks a card has.
RETRIEVED = 10
# The name of a funnel's step leaves room for its counts on a phone.
STEP = 22
ITEMS = 50
# The first cards are open, so that the page explains itself; the rest fold away.
OPEN = 3
# How many failing gates of several suites are seen at once, and how many warnings: six suites fit
# on three screens.
GATES = 8
WARNINGS = 3
# More metrics than these are folded away.
METRICS = 8


def render(report: Report, *, bar: str = "", history: str = "") -> str:
    """The page, as one string.

    A server puts a `bar` of its own above it, and gives the address of a question's `history`, to
    which the question's id is added.
    """
    sections = sections_of(report)
    fields = dict.fromkeys(field for each in report.questions for field in each.fields)
    return page(
        "report.html.j2",
        report=report,
        sections=sections,
        several=bool(sections and sections[0].suite),
        open_gates=GATES // max(1, sum(bool(each.open_gates) for each in sections)) or 1,
        filter_fields=tuple(fields),
        listed=sum(len(each.qids) for each in report.questions),
        interval_name=words.interval_name(report),
        data=_data(report),
        bar=Markup(bar),
        history=history,
        **_script(),
    )


def _data(report: Report) -> str:
    """The questions for the script; no text of them ends the element or acts on the page."""
    found = []
    listed = sum(len(each.qids) for each in report.questions)
    with doing("", listed or 1, "questions") as task:
        for each in report.questions:
            made = columns(each)
            # A qid is written as in links; of other texts lines stay.
            found.append({**_plain_data(made), "qid": [shown(qid, NAME) for qid in made["qid"]]})
            task.done += len(each.qids)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _plain_data(value: Any) -> Any:
    if isinstance(value, str):
        return shown(value, NAME, lines=True)
    if isinstance(value, Mapping):
        return {name: _plain_data(each) for name, each in value.items()}
    return [*map(_plain_data, value)] if isinstance(value, list | tuple) else value


@cache
def _script(name: str = "report.js") -> dict[str, str]:
    """The script, and the hash by which the page's own policy knows it."""
    source = files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
    return {"script": source, "script_hash": f"sha256-{digest}"}


def script_hash(name: str = "report.js") -> str:
    """What a policy of content names a page's script by."""
    return _script(name)["script_hash"]


def script_text(name: str) -> str:
    """A script of ours, as it stands in a page."""
    return _script(name)["script"]


def page(template: str, **values: object) -> str:
    """A page from one of the templates; all texts in it are made visible and escaped."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ragstone.report.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_plain,
    )
    environment.globals.update(
        words=words,
        page_words=page_words,
        positions=gauge,
        history="",
        limits={
            "cards": CARDS,
            "rows": TABLE_ROWS,
            "metrics": METRICS,
            "open": OPEN,
            "line": LINE,
            "warnings": WARNINGS,
            "retrieved": RETRIEVED,
        },
    )
    environment.filters.update(
        number=number,
        said_and_line=said_and_line,
        interval=interval,
        figure_columns=_figure_columns,
        before_bracket=lambda text: text.partition(" (")[0],
        text=lambda text: shown(text, TEXT, lines=True),
        line=lambda text: shown(text, LINE_LENGTH),
        step=lambda name: short(name, STEP),
        name=lambda text: shown(text, NAME),
        # What a form sends back must be what it was given, also where it cannot be seen.
        unchanged=Markup.escape,
        clip=lambda text: clip(text, TEXT),
        chunk=lambda text: (text[:CHUNK], "…" if len(text) > CHUNK else ""),
        few=lambda items: few(items, ITEMS),
        cell=lambda value: words.cell(value, NAME),
        json=lambda value: json.dumps(value, ensure_ascii=False),
        pieces=pieces,
        bars=bars,
        trusted=Markup,
        gate_id=gate_id,
        kind=lambda block: type(block).__name__,
    )
    return environment


# A number as it is written in a cell: with a sign, a unit, its interval.
_FIGURE = re.compile(r"(?:[-+−–≤≥0-9.,%()]|to|ms|USD|or more|or less|needs|samples|\s)*")


def _figure_columns(table: Table) -> frozenset[int]:
    """The columns of numbers, also where they are written with an interval: flush right, one line.

    The first column is a name, even where names are numbers.
    """
    written = (
        index
        for index in range(1, len(table.columns))
        if all(
            _FIGURE.fullmatch(row[index])  # type: ignore[arg-type]
            for row in table.rows
            if isinstance(row[index], str)
        )
    )
    return words.numeric(table) | frozenset(written)


def _plain(value: object) -> object:
    """Writes out the invisible characters of every value that is put into the page.

    Escaping of HTML comes after this, by Jinja. Markup is what was escaped or drawn already.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value, lines=True)
