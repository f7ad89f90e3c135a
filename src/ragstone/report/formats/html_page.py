"""The report as one HTML file that loads nothing and runs no script."""

from __future__ import annotations

import json
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ragstone.report import words
from ragstone.report.document.figures import interval, number
from ragstone.report.formats.gauges import LINE, bars, gauge
from ragstone.report.formats.highlight import pieces
from ragstone.report.model import Report
from ragstone.report.text import clip, few, short, shown, visible

TEXT = 2000
LINE_LENGTH = 500
NAME = 200
# The name of a funnel's step leaves room for its counts on a phone.
STEP = 22
ITEMS = 50
CARDS = 500
TABLE_ROWS = 1000
# The first cards are open, so that the page explains itself; the rest fold away.
OPEN = 3


def render(report: Report) -> str:
    """The page, as one string."""
    return page("report.html.j2", report=report, interval_name=words.interval_name(report))


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
        positions=gauge,
        limits={"cards": CARDS, "rows": TABLE_ROWS, "open": OPEN, "line": LINE},
    )
    environment.filters.update(
        number=number,
        interval=interval,
        text=lambda text: shown(text, TEXT, lines=True),
        line=lambda text: shown(text, LINE_LENGTH),
        step=lambda name: short(name, STEP),
        name=lambda text: shown(text, NAME),
        clip=lambda text: clip(text, TEXT),
        few=lambda items: few(items, ITEMS),
        cell=lambda value: words.cell(value, NAME),
        json=lambda value: json.dumps(value, ensure_ascii=False),
        pieces=pieces,
        bars=bars,
        trusted=Markup,
        kind=lambda block: type(block).__name__,
    )
    return environment


def _plain(value: object) -> object:
    """Writes out the invisible characters of every value that is put into the page.

    Escaping of HTML comes after this, by Jinja. Markup is what was escaped or drawn already.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value, lines=True)
