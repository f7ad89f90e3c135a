"""The parts of a page: what belongs to which suite, and what links call each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from ragstone.gates.gate import Judged, Status, decide
from ragstone.measure.metric import Measured
from ragstone.report import words
from ragstone.report.document.blocks import Block, Offenders, QuestionPairs, Table
from ragstone.report.model import Report
from ragstone.report.text import shown

NAME = 200
# Cards that a page has of each list, and rows of each table.
CARDS = 500
TABLE_ROWS = 1000


def part_of_link(text: str) -> str:
    """A text as a link's fragment has it; the script writes it the same way.

    >>> part_of_link("D 55/ä")
    'D%2055%2F%C3%A4'
    """
    return quote(shown(text, NAME), safe="!*'()~", errors="backslashreplace")


@dataclass(frozen=True, eq=False)
class Shown:
    """A block with the name that links have for it, and those of its rows by their number."""

    block: Block
    id: str
    title: str
    rows: Mapping[int, str]


@dataclass(frozen=True, eq=False)
class Section:
    """What a page shows of one suite. The suite of a report of its own has no name here.

    `cards` are the links of the questions that have a card on the page.
    """

    suite: str
    status: Status | None
    gates: tuple[Judged, ...]
    blocks: tuple[Shown, ...]
    metrics: Mapping[str, Measured]
    cards: Mapping[str, str]

    @property
    def prefix(self) -> str:
        return f"{self.suite}." if self.suite else ""

    @property
    def open_gates(self) -> tuple[Judged, ...]:
        """The gates that are seen at once: failed ones, then the others that stop the verdict."""
        stopping = [gate for gate in self.gates if gate.stops_the_verdict]
        return tuple(sorted(stopping, key=lambda gate: _ORDER.index(gate.status)))

    @property
    def passing(self) -> tuple[Judged, ...]:
        return tuple(gate for gate in self.gates if gate.status is Status.PASS)

    @property
    def not_tested(self) -> tuple[Judged, ...]:
        """Those that had nothing to test and stop nothing."""
        return tuple(gate for gate in self.gates if gate.tests_nothing and not gate.required)

    def question(self, qid: str) -> str:
        """What links call a question of this suite."""
        return f"{self.prefix}q={part_of_link(qid)}"


_ORDER = (Status.FAIL, Status.UNMEASURABLE, Status.NOT_TESTED)
# Suites that do not pass come before the others.
_FIRST: dict[Status | None, int] = {Status.FAIL: 0, Status.UNMEASURABLE: 1}


def gate_id(name: str) -> str:
    return f"gate={part_of_link(name)}"


def sections_of(report: Report) -> tuple[Section, ...]:
    """The suites of a page in their order; a report of one suite is one section without a name."""
    suites = report.data.get("suites")
    taken: set[str] = set()
    if report.suite != "gate" or not isinstance(suites, Mapping):
        blocks = ((block.title, block) for block in report.blocks)
        metrics = words.ungated(report)
        return (_section(report, "", report.gates, blocks, metrics, taken),)
    made = []
    for suite in suites:
        gates = tuple(gate for gate in report.gates if gate.name.startswith(f"{suite}."))
        front = f"{suite}: "
        blocks = (
            (block.title.removeprefix(front), block)
            for block in report.blocks
            if block.title.startswith(front)
        )
        ungated = words.ungated(report).items()
        metrics = {name: each for name, each in ungated if name.startswith(f"{suite}.")}
        made.append(_section(report, suite, gates, blocks, metrics, taken))
    return tuple(sorted(made, key=lambda section: _FIRST.get(section.status, 2)))


def _section(
    report: Report,
    suite: str,
    gates: tuple[Judged, ...],
    blocks: Iterable[tuple[str, Block]],
    metrics: Mapping[str, Measured],
    taken: set[str],
) -> Section:
    status = decide(gates, report.lacks.get(suite, "")) if suite else report.decision
    section = Section(suite, status, gates, (), metrics, {})
    cards: dict[str, str] = {}
    made = []
    listed = [(title, block) for title, block in blocks]
    # A question that is on the page twice is found among the offenders.
    order = sorted(range(len(listed)), key=lambda at: not isinstance(listed[at][1], Offenders))
    rows = {at: _rows(section, listed[at][1], cards) for at in order}
    for at, (title, block) in enumerate(listed):
        id_ = _free(f"{section.prefix}{_slug(title)}", taken)
        named = rows[at]
        if isinstance(block, Table):
            named = _table_rows(block, id_)
        made.append(Shown(block, id_, title, named))
    return Section(suite, status, gates, tuple(made), metrics, cards)


def _rows(section: Section, block: Block, cards: dict[str, str]) -> dict[int, str]:
    """The links of the cards of a block: each question's first card on the page has one."""
    found: dict[int, str] = {}
    if isinstance(block, Offenders | QuestionPairs):
        for number, qid in enumerate([row.qid for row in block.rows][:CARDS]):
            if qid not in cards:
                cards[qid] = found[number] = section.question(qid)
    return found


def _table_rows(table: Table, id_: str) -> dict[int, str]:
    """The links of the rows of a table that begin with a name of their own."""
    found: dict[str, int] = {}
    for number, row in enumerate(table.rows[:TABLE_ROWS]):
        if row and isinstance(row[0], str) and row[0]:
            found.setdefault(f"{id_}={part_of_link(row[0])}", number)
    return {number: link for link, number in found.items()}


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "part"


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number where another part of the page has it."""
    free, number = name, 1
    while free in taken or free in _OWN:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


# What the page itself calls its parts.
_OWN = frozenset(
    {"gates", "metrics", "questions", "settings", "data", "said", "filter", "count", "more"}
    | {"next", "previous", "copy-view", "help", "help-open", "unfold", "decision", "warnings"}
)
