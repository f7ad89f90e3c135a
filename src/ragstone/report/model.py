"""The report: one frozen object that every renderer reads and none changes.

What all suites share (decision, gates, metrics, digest) has fields of its own. What only one suite
shows is a list of blocks, each of a kind every renderer knows, so a suite gets all formats at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragstone.engine.line_places import Place
from ragstone.gates.gate import Judged, Status, decide
from ragstone.measure.metric import Measured
from ragstone.suites.evidence import Finding, Offender, Step

if TYPE_CHECKING:
    from ragstone.report.api import MetricView

__all__ = [
    "Block",
    "Cell",
    "Finding",
    "Funnel",
    "Json",
    "Offender",
    "Offenders",
    "Picture",
    "Place",
    "Reading",
    "Report",
    "Step",
    "Table",
]

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and columns; a cell that is a float is shown with 4 places."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Funnel:
    """What is left of a set after each check."""

    title: str
    total: int
    steps: tuple[Step, ...]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The likely layer, by rule."""

    title: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Offenders:
    """The rows that cost most, first; `total` counts them all."""

    title: str
    rows: tuple[Offender, ...]
    total: int
    says: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing made by the suite: self-contained SVG, and the words that stand for it."""

    title: str
    svg: str
    alt: str
    says: str = ""


Block = Table | Funnel | Reading | Offenders | Picture


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured and what was decided.

    `figures` are the suite's plain numbers in the order of the spec; `data` is what the suite adds
    to the JSON object (its funnel, offenders, inputs, ...); `settings` is the effective
    configuration that is shown and hashed. `metrics` keeps the order of declaration. `verdicts` are
    the suite's own words for a decision, where it has any.
    """

    suite: str
    version: str
    figures: Mapping[str, float | int | None]
    metrics: Mapping[str, Measured]
    gates: tuple[Judged, ...]
    digest: str
    settings: Mapping[str, Json]
    data: Mapping[str, Json]
    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()
    offending: Mapping[str, tuple[Offender, ...]] = field(default_factory=dict)
    places: Mapping[str, tuple[Place | None, Place | None]] = field(default_factory=dict)
    verdicts: Mapping[Status, str] = field(default_factory=dict)

    @property
    def decision(self) -> Status:
        return decide(self.gates)

    @property
    def passed(self) -> bool:
        return self.decision is Status.PASS

    @property
    def exit_code(self) -> int:
        return {Status.PASS: 0, Status.FAIL: 1, Status.UNMEASURABLE: 3}[self.decision]

    def __getitem__(self, name: str) -> MetricView:
        from ragstone.report.api import view

        return view(self, name)

    def render(self, format: str) -> str:
        """The report in one of the formats the command line knows, as text.

        The formats are terminal, json, markdown, html, junit, sarif and github.
        """
        from ragstone.report.formats import render

        return render(self, format)

    def to_json(self) -> str:
        return self.render("json")

    def to_markdown(self) -> str:
        return self.render("markdown")

    def to_html(self) -> str:
        return self.render("html")

    def to_junit(self) -> str:
        return self.render("junit")

    def to_sarif(self) -> str:
        return self.render("sarif")

    def save(self, path: str) -> None:
        """Writes the report to a file, in the format of its extension."""
        from ragstone.report.formats import format_of, write

        write(path, self.render(format_of(path)))

    def __str__(self) -> str:
        return self.render("terminal")

    def _repr_html_(self) -> str:
        """How a notebook shows it: the page in a frame, so that its style stays inside."""
        from html import escape

        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'
