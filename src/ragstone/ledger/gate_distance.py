"""How far each gate of a recorded run is from its other verdict, from the saved rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragstone.comparison.row_sets import RowSet, read_row_set, reading_rows
from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import InputError
from ragstone.gates.gate import Judged, Status
from ragstone.ledger.fewest_changes import fewest, fewest_of_worst
from ragstone.measure.metric import Change, Statistic
from ragstone.report.document.blocks import Block, Cell, Table
from ragstone.report.model import Report
from ragstone.suites import slices
from ragstone.suites.registry import find_suite

NOT_SAID = "not known for this kind of number"


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a gate is from its other verdict.

    `at` is the threshold from which on it changes, `decides` whether that alone changes the whole
    decision. `questions` is how many would have to be answered otherwise; None where no number of
    them would do, or where `why` says that it is not known.
    """

    gate: str
    at: float | None
    says: str
    decides: bool
    questions: int | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class SuiteRows:
    """The saved rows of one suite, and what is known of its gates."""

    duck: Duck
    path: Path
    name: str
    report: Report
    options: Mapping[str, Any]

    def fewest(self, gate: Judged) -> tuple[int | None, str]:
        """The fewest questions behind a gate's other verdict, or why they are not known."""
        measured = self.report.metrics.get(gate.metric)
        if measured is None or isinstance(measured.metric, Statistic | Change):
            return None, NOT_SAID
        rows = self._read(gate.arm)
        metric = rows.metrics.get(gate.metric)
        if metric is None:
            return None, NOT_SAID
        where = self._part_of(gate, rows.slice_fields)
        column = identifier(metric.column)
        found = self.duck.query(
            f"select qid, {column}::double from rows_a where {where} and {column} is not null"
        )
        listed = [(str(qid), float(str(value))) for qid, value in found]
        if find_suite(self.report.suite).judged_on_worst and metric.kind == "mean":
            return fewest_of_worst(listed, gate.threshold), ""
        return fewest(listed, metric, gate.threshold), ""

    def questions(self, arm: str | None, gate: Judged | None) -> int:
        """How many questions a gate looks at; a gate that is new looks at all of them."""
        rows = self._read(arm)
        where = self._part_of(gate, rows.slice_fields)
        return self.duck.count(f"select count(distinct qid) from rows_a where {where}")

    def _read(self, arm: str | None) -> RowSet:
        """The rows of an arm; a gate of a lone arm does not say whose it is."""
        with reading_rows(self.duck, {self.name: self.path}):
            return read_row_set(self.duck, self.path, self.name, "a", arm or None)

    def _part_of(self, gate: Judged | None, fields: Sequence[str]) -> str:
        """The rows that a gate looks at: those of its slice, without waived questions."""
        tests = ["true"]
        waived = self.report.data.get("waived")
        for each in waived if isinstance(waived, list) else ():
            if isinstance(each, dict) and each.get("state") in ("in_force", "not_needed"):
                tests.append(f"qid <> {quoted(str(each['qid']))}")
        if gate is not None and gate.part:
            items = "select distinct qid, slices from rows_a"
            self.duck.run(f"create or replace temp view regated_items as {items}")
            slices.part(self.duck, "regated_items", self._where(gate.part), fields)
            tests.append(slices.in_part("qid"))
        return " and ".join(tests)

    def _where(self, part: str) -> list[tuple[str, slices.Value]]:
        """The fields and values behind the name of a slice."""
        for where, _ in self.options.get("slices", ()):
            if slices.name_of(list(where.items())) == part:
                return list(where.items())
        raise InputError(f"{self.name}: no slice of this run is called {part!r}")


def distance(gate: Judged, prefix: str, whole: Report, rows: SuiteRows) -> Distance:
    name = f"{prefix}{gate.name}"
    count, why = rows.fewest(gate)
    other = Status.FAIL if gate.status is Status.PASS else Status.PASS
    other = gate.status if gate.tests_nothing else other
    flipped = tuple(
        replace(each, status=other) if each.name == name else each for each in whole.gates
    )
    return Distance(
        gate=name,
        at=gate.judged_on,
        says=_turns(gate),
        decides=replace(whole, gates=flipped).decision is not whole.decision,
        questions=count,
        why=why,
    )


def _turns(gate: Judged) -> str:
    """At which threshold a gate has its other verdict."""
    if gate.tests_nothing:
        return "at no threshold: it has nothing to test"
    if gate.judged_on is None:
        return "at no threshold: it could not be measured"
    at = f"{gate.judged_on:.4f}"
    passes = gate.status is Status.PASS
    match gate.threshold.op:
        case ">=" | ">":
            return f"fails above {at}" if passes else f"passes at {at} or below"
        case "<=" | "<":
            return f"fails below {at}" if passes else f"passes at {at} or above"
    return f"fails at any other than {at}" if passes else f"passes at {at}"


def distance_blocks(distances: Sequence[Distance]) -> list[Block]:
    rows: list[tuple[Cell, ...]] = [
        (each.gate, each.says, "yes" if each.decides else "no", _questions(each))
        for each in distances
    ]
    if not rows:
        return []
    columns = ("gate", "another threshold", "changes the decision", "fewest questions")
    says = (
        "The threshold at which each gate would have its other verdict, whether that alone changes "
        "the decision, and the fewest questions that would have to be answered otherwise."
    )
    return [Table("What would change it", columns, tuple(rows), says)]


def _questions(each: Distance) -> str:
    if each.why:
        return each.why
    return "none would do" if each.questions is None else f"{each.questions:,}"


def distance_json(each: Distance) -> dict[str, Any]:
    return {
        "gate": each.gate,
        "threshold": each.at,
        "changes_decision": each.decides,
        "fewest_questions": each.questions,
        "says": each.says,
        "why": each.why or None,
    }
