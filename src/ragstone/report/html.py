"""What does anybody with a browser read? One file that asks for nothing and runs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ragstone.gates.gate import Judged
from ragstone.measure.metric import Measured
from ragstone.report import words
from ragstone.report.drawing import LINE, Gauge, bars, gauge
from ragstone.report.highlight import Piece, pieces
from ragstone.report.model import Offender, Report
from ragstone.report.text import clip, few, shown, visible

TEXT = 2000
LINE_LENGTH = 500
NAME = 200
STEP = 22
ITEMS = 50
CARDS = 500
TABLE_ROWS = 1000
# The first cards are open, so that the page explains itself; the rest fold away.
OPEN = 3


def render(report: Report) -> str:
    """The page, as one string."""
    return _environment().get_template("report.html.j2").render(_context(report))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ragstone.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_plain,
    )
    environment.filters.update(
        number=words.number,
        interval=words.interval,
        threshold=words.threshold,
        share=words.share,
        value=words.value,
        text=lambda text: shown(text, TEXT, lines=True),
        line=lambda text: shown(text, LINE_LENGTH),
        step=_step,
        name=lambda text: shown(text, NAME),
        few=lambda items: few(items, ITEMS),
        cell=lambda value: words.cell(value, NAME),
        bars=bars,
        numeric=words.numeric,
        trusted=Markup,
        kind=lambda block: type(block).__name__,
    )
    return environment


def _step(name: str) -> str:
    """The name of a funnel's step, short enough to leave room for its counts on a phone."""
    plain = visible(name)
    return plain if len(plain) <= STEP else f"{plain[: STEP - 1]}…"


def _plain(value: object) -> object:
    """Every value on its way into the page: what acts on a reader's eye is written out.

    Escaping of HTML comes after this, by Jinja. Markup is what was escaped or drawn already.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value, lines=True)


def _context(report: Report) -> dict[str, object]:
    return {
        "report": report,
        "verdict": words.verdict(report),
        "headline": words.headline(report),
        "figures": {
            name: each for name, each in report.figures.items() if name not in report.metrics
        },
        "gates": [_gate(report, gate) for gate in report.gates],
        "metrics": [
            (name, measured, gauge(measured.value, measured.interval))
            for name, measured in report.metrics.items()
        ],
        "interval_name": words.interval_name(report),
        "card": _card,
        "settings": _settings(report.settings),
        "limits": {"cards": CARDS, "rows": TABLE_ROWS, "open": OPEN, "line": LINE},
    }


def _settings(settings: Mapping[str, object]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in settings.items()
    }


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate, with all that is drawn of it."""

    gate: Judged
    measured: Measured | None
    value: str
    about: str
    says: str
    gauge: Gauge


def _gate(report: Report, gate: Judged) -> GateRow:
    metric = words.metric_of(report, gate)
    return GateRow(
        gate=gate,
        measured=words.whole(report, gate),
        value=words.gate_value(report, gate),
        about=words.about(gate),
        says=metric.metric.says if metric else "",
        gauge=gauge(gate.value, gate.interval, gate.threshold),
    )


@dataclass(frozen=True, slots=True)
class Card:
    """One offender: its claim cut where the gold stands, its ids with what each of them is."""

    row: Offender
    claim: tuple[Piece, ...]
    note: str
    citations: tuple[tuple[str, bool, bool], ...]
    retrieved: tuple[tuple[str, bool], ...]
    more_citations: str
    more_retrieved: str


def _card(row: Offender) -> Card:
    claim, note = clip(row.claim or "", TEXT)
    gold, found = frozenset(row.gold_citations), frozenset(row.retrieved_ids)
    citations, more_citations = few(row.citations, ITEMS)
    retrieved, more_retrieved = few(row.retrieved_ids, ITEMS)
    return Card(
        row=row,
        claim=pieces(claim, row.gold_claim_substr),
        note=note,
        citations=tuple((each, each in gold, each not in found) for each in citations),
        retrieved=tuple((each, each in gold) for each in retrieved),
        more_citations=more_citations,
        more_retrieved=more_retrieved,
    )
