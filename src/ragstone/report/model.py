"""The report: one frozen object that every renderer reads and none changes.

What all suites share (decision, gates, metrics, digest) has fields of its own. What only one suite
shows is a list of blocks, each of a kind every renderer knows, so a suite gets all formats at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partialmethod
from typing import TYPE_CHECKING, Any

from ragstone.engine.line_places import Place
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged, Status, decide
from ragstone.measure.interval import Interval
from ragstone.measure.metric import Measured
from ragstone.progress import doing
from ragstone.report.document.blocks import (
    Block,
    Json,
    Offender,
    Offenders,
    QuestionPair,
    QuestionPairs,
)
from ragstone.report.document.question_list import QuestionList

if TYPE_CHECKING:
    from ragstone.progress_task import Task
    from ragstone.suites.made_of import MadeOf
    from ragstone.suites.verdict_files import KeptRows


class UnknownMetric(ConfigError, KeyError):
    """A metric that the report does not hold; a KeyError too, as `report[name]` promises."""

    # KeyError would show the sentence inside quotes.
    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class MetricView:
    """One metric as a user of the library sees it."""

    name: str
    value: float | None
    numerator: int | None
    denominator: int
    interval: Interval | None
    vacuous: bool
    says: str
    report: Report = field(repr=False)

    def offenders(self) -> tuple[Offender, ...]:
        """The rows that cost this metric something, all of them."""
        if self.report.kept is None:
            return tuple(row for row in self.report.shown_offenders() if self.name in row.costs)
        rows = self.report.kept.offenders(self.name)
        texts = self.report.settings.get("report_texts", "all")
        if texts == "all":
            return rows
        from ragstone.report.private_texts import offender_with_texts

        return tuple(offender_with_texts(row, texts == "clip") for row in rows)


_EXITS = {Status.FAIL: 1, Status.UNMEASURABLE: 3, Status.PASS: 0}


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """What was measured and what was decided.

    `figures` are the suite's plain numbers in the order of the spec; `data` is what the suite adds
    to the JSON object (its funnel, offenders, inputs, ...); `settings` is the effective
    configuration that is shown and hashed. `metrics` keeps the order of declaration. `verdicts` are
    the suite's own words for a decision, where it has any; `notice` is a sentence that a reader
    must know before any number. `blocks_first` puts what changed before the gates, and `marker` is
    what a comment under a pull request is found by, to be updated instead of repeated. `provenance`
    says of a report that was kept when it was made, and at which commit. `lacks` goes from suite to
    a sentence, where no gate has tested what that suite is there to answer. An `unfrozen` report is
    of gold that is not as it was frozen: a look, which decides nothing. Without a gate
    `verdict_says` is the sentence behind the verdict's word, and `exit_without_gates` what the
    command ends with. `questions` lists every
    question of each suite, for the table of the page, and `labels` are what --label says of the
    run, for its footer; no other format shows them.

    A report that was just made also has its verdict rows (`kept`), what it was `made_of` where it
    is to be recorded, and, of a `gate`, the reports of the suites (`parts`); no file holds these.
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
    offending: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    places: Mapping[str, tuple[Place | None, Place | None]] = field(default_factory=dict)
    verdicts: Mapping[Status | None, str] = field(default_factory=dict)
    answered_in: str = "trace"
    notice: str = ""
    blocks_first: bool = False
    marker: str = ""
    provenance: str = ""
    lacks: Mapping[str, str] = field(default_factory=dict)
    unfrozen: bool = False
    verdict_says: str = ""
    exit_without_gates: int = 0
    questions: tuple[QuestionList, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    kept: KeptRows | None = field(default=None, repr=False, compare=False)
    made_of: MadeOf | None = field(default=None, repr=False, compare=False)
    parts: tuple[Report, ...] = field(default=(), repr=False, compare=False)

    @property
    def decision(self) -> Status | None:
        """What the gates came to; None where no gate is set."""
        if self.unfrozen:
            return Status.UNMEASURABLE
        return decide(self.gates, "; ".join(self.lacks.values()))

    @property
    def passed(self) -> bool:
        """Whether the gates let it ship: every one passes that could be tested."""
        return self.decision is Status.PASS

    @property
    def exit_code(self) -> int:
        """What a command ends with: 1 for FAIL, 3 for UNMEASURABLE, 0 for PASS."""
        if self.decision is None:
            return self.exit_without_gates
        return _EXITS[self.decision]

    @property
    def signal(self) -> Status | None:
        """The decision; without gates what the exit code means. Colours and icons follow it."""
        if self.decision is None and self.exit_without_gates:
            return next(each for each in _EXITS if _EXITS[each] == self.exit_without_gates)
        return self.decision

    @property
    def proven(self) -> int:
        """How many gates are proven: their whole interval is on the right side."""
        return sum(gate.proven is True for gate in self.tested_gates)

    @property
    def tested_gates(self) -> tuple[Judged, ...]:
        """The gates that had something to test: all that the verdict counts."""
        return tuple(gate for gate in self.gates if not gate.tests_nothing)

    @property
    def not_tested(self) -> int:
        return len(self.gates) - len(self.tested_gates)

    @property
    def level(self) -> float | None:
        """The level of the intervals; None where suites of one report have different ones."""
        # Where several suites are one report, each has settings of its own.
        alone = "confidence" in self.settings
        parts = [self.settings] if alone else [*self.settings.values()]
        levels = {part.get("confidence") or 0.95 for part in parts if isinstance(part, Mapping)}
        level = levels.pop() if levels else 0.95
        return level if isinstance(level, float) and not levels else None

    def __bool__(self) -> bool:
        """So that `assert report` in a test is the gate."""
        return self.passed

    def __repr__(self) -> str:
        """One line that names the gates which did not pass: pytest prints it for `assert report`.

        `<Report answers FAIL: precision 0.7500, wanted >= 0.8>`
        """
        from ragstone.report.words import summary

        return f"<Report {summary(self)}>"

    def __getitem__(self, name: str) -> MetricView:
        """The metric called `name`, by its own name, an alias, or `recall@5` for `recall@k`."""
        names = {name: name for name in self.metrics}
        for own, measured in self.metrics.items():
            for alias in measured.metric.aliases:
                names.setdefault(alias, own)
        names |= {
            f"{word.removesuffix('k')}{self.figures.get('k')}": own
            for word, own in names.items()
            if word.endswith("@k")
        }
        if name not in names:
            from ragstone.gates.judge import suggestion

            hint = suggestion(str(name), [*names], f"there are: {', '.join(self.metrics)}")
            raise UnknownMetric(f"no metric is called {name!r}{hint}")
        measured = self.metrics[names[name]]
        return MetricView(
            name=names[name],
            value=measured.value,
            numerator=measured.numerator,
            denominator=measured.denominator,
            interval=measured.interval,
            vacuous=measured.vacuous,
            says=measured.metric.says,
            report=self,
        )

    def shown_offenders(self) -> tuple[Offender, ...]:
        """Every offender shown in the report, once, in the order shown."""
        blocks = (block for block in self.blocks if isinstance(block, Offenders))
        return tuple(dict.fromkeys(row for block in blocks for row in block.rows))

    def shown_regressions(self) -> tuple[QuestionPair, ...]:
        """Every question shown that was right before and is wrong now, in the order shown."""
        blocks = (block for block in self.blocks if isinstance(block, QuestionPairs))
        return tuple(row for block in blocks if block.regressions for row in block.rows)

    def lines_of(self, qid: str) -> Iterator[tuple[str, Place]]:
        """The gold line of a question and that of its answer, where these are lines of files."""
        inputs = ("gold", self.answered_in)
        for input_, place in zip(inputs, self.places.get(qid, ()), strict=False):
            # Standard input and in-memory tables have no line that anybody could open.
            if place is not None and place.file != "-" and not place.file.startswith("<"):
                yield input_, place

    def render(self, format: str) -> str:
        """The report in one of the formats the command line knows, as text.

        The formats are terminal, json, markdown, html, junit, sarif and github.
        """
        from ragstone.report.formats import render

        return render(self, format)

    to_json = partialmethod(render, "json")
    to_markdown = partialmethod(render, "markdown")
    to_html = partialmethod(render, "html")
    to_junit = partialmethod(render, "junit")
    to_sarif = partialmethod(render, "sarif")
    __str__ = partialmethod(render, "terminal")

    def rows(self) -> Any:
        """The verdict rows as a pyarrow table: arm, qid, every check, every metric's value.

        `rows().to_pandas()` and `polars.from_arrow(rows())` make data frames of it.
        """
        return self._rows().arrow()

    def _rows(self) -> KeptRows:
        if self.kept is None:
            raise ConfigError("this report has no rows: only a report made by a call keeps them")
        return self.kept

    def to_dict(self) -> dict[str, Json]:
        """What `to_json` writes, as plain Python data."""
        from ragstone.report.formats.json_text import to_object

        return to_object(self)

    @staticmethod
    def from_json(text: str | bytes) -> Report:
        """The report that `to_json` or `--json` wrote: numbers, gates and data, without its blocks.

        Its own `to_json` gives the same bytes again.
        """
        from ragstone.report.saved import from_json

        return from_json(text)

    def to_state(self) -> str:
        """All of the report as JSON, blocks and pictures too, for `from_state`."""
        from ragstone.report.saved import to_state

        return to_state(self)

    @staticmethod
    def from_state(text: str | bytes) -> Report:
        """The report that `to_state` wrote; every format renders it as the first time."""
        from ragstone.report.saved import from_state

        return from_state(text)

    def save(self, path: str) -> None:
        """Writes the report to a file, in the format of its extension."""
        self.save_all([path])

    def save_all(self, paths: Iterable[str]) -> None:
        """Writes several files, each in the format of its extension: all of them or none."""
        from ragstone.files import write_files
        from ragstone.report.formats import format_of, wants_rows

        given = list(paths)
        for path in given:
            # A name that asks for what there is not is refused before anything is rendered.
            _ = self._rows() if wants_rows(path) else format_of(path)
        if not given:
            return
        with doing("writing", len(given), "files", step="writing") as task:
            write_files({path: self._content(path, task) for path in given})

    def _content(self, path: str, task: Task) -> Iterator[bytes]:
        """The bytes of a file in the format of its extension, made as they are written."""
        from ragstone.report.formats import format_of, streamed, wants_rows

        task.what = f"writing {path}"
        with task.piece():
            if wants_rows(path):
                yield from self._rows().content(path)
                return
            # Every renderer writes lone surrogates out; this is for text that comes from elsewhere.
            for part in streamed(self, format_of(path)):
                yield part.encode("utf-8", "backslashreplace")

    def _repr_html_(self) -> str:
        """How a notebook shows it: the page in a frame, so that its style stays inside."""
        from html import escape

        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'
