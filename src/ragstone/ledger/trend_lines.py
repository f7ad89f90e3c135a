"""How numbers went from recording to recording: a line for each metric, suite by suite.

A run of `gate` calls a number `answers.precision` and a run of `score` calls it `precision`, of the
suite `answers`; both are points of one line. Recordings stand in the order of time, oldest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.gates.gate import Status, Threshold
from ragstone.ledger.recording import Recording
from ragstone.measure.interval import Interval

GATE = "gate"
"""The suite of a run of several suites."""


@dataclass(frozen=True, slots=True)
class Point:
    """What one recording has for a metric; `status` is its gate's, and empty where it has none."""

    value: float | None = None
    interval: Interval | None = None
    numerator: int | None = None
    denominator: int | None = None
    threshold: Threshold | None = None
    status: str = ""

    @property
    def whole(self) -> bool:
        """Whether the value is a count, which has neither decimals nor an interval."""
        return self.interval is None and self.numerator == self.value


NOTHING = Point()


@dataclass(frozen=True, slots=True)
class Line:
    """A metric, or the gate of a slice, with a point for every recording of its section."""

    name: str
    unit: str
    points: tuple[Point, ...]

    @property
    def newest(self) -> Point:
        return self.points[-1]

    @property
    def change(self) -> float | None:
        """From the first measured value to the newest; None where either is missing."""
        first = next((each.value for each in self.points if each.value is not None), None)
        last = self.newest.value
        return None if first is None or last is None else last - first

    def last(self, count: int) -> Line:
        return Line(self.name, self.unit, self.points[-count:])


@dataclass(frozen=True, slots=True)
class Section:
    """A suite: its recordings, oldest first, and the lines through them."""

    suite: str
    recordings: tuple[Recording, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """All sections; `older` is how many recordings were left out, as there were more than asked."""

    sections: tuple[Section, ...]
    older: int = 0

    def newest(self, count: int) -> list[Recording]:
        """The newest recordings of all sections, newest first; each once."""
        every = {(each.at, each.run): each for own in self.sections for each in own.recordings}
        return [every[key] for key in sorted(every, reverse=True)[:count]]


Names = Mapping[str, Sequence[str]]
"""By suite the names of the lines that are wanted, in this order."""


def trend_of(newest_first: Sequence[Recording], wanted: Names, older: int = 0) -> Trend:
    """The lines that are wanted, through the recordings."""
    sections = []
    for suite, names in wanted.items():
        own = tuple(each for each in reversed(newest_first) if suite in suites_of(each))
        lines = tuple(_line(suite, name, own) for name in names)
        if own and lines:
            sections.append(Section(suite, own, lines))
    return Trend(tuple(sections), older)


def gated(newest_first: Iterable[Recording]) -> dict[str, list[str]]:
    """By suite what the newest recording of it gates; all its metrics, where it gates nothing."""
    found: dict[str, list[str]] = {}
    for each in newest_first:
        for suite in suites_of(each):
            if suite not in found:
                found[suite] = [*_of_suite(each, each.gates, suite)] or [
                    *_of_suite(each, each.metrics, suite)
                ]
    return found


def known(newest_first: Iterable[Recording]) -> dict[str, list[str]]:
    """By suite every name that a recording has a number or a gate for, those of the newest first.

    >>> one = Recording(run="", at="", suite="answers", version="", decision=None, texts="all",
    ...     metrics={"precision": {}, "chr": {}}, gates={"precision": {}})
    >>> known([one])
    {'answers': ['precision', 'chr']}
    """
    found: dict[str, dict[str, None]] = {}
    for each in newest_first:
        for suite in suites_of(each):
            names = found.setdefault(suite, {})
            names |= dict.fromkeys(_of_suite(each, each.gates, suite))
            names |= dict.fromkeys(_of_suite(each, each.metrics, suite))
    return {suite: [*names] for suite, names in found.items()}


def suites_of(recording: Recording) -> tuple[str, ...]:
    """The suites that a recording has numbers of."""
    if recording.suite != GATE:
        return (recording.suite,)
    named = (name.partition(".")[0] for name in (*recording.gates, *recording.metrics))
    return tuple(dict.fromkeys(named))


def _of_suite(recording: Recording, entries: Mapping[str, Any], suite: str) -> dict[str, Any]:
    """Gates or metrics of one suite, without its name in front."""
    if recording.suite != GATE:
        return dict(entries)
    before = f"{suite}."
    return {
        name.removeprefix(before): each for name, each in entries.items() if name.startswith(before)
    }


def _line(suite: str, name: str, recordings: Sequence[Recording]) -> Line:
    points, unit = [], ""
    for each in recordings:
        before = f"{suite}." if each.suite == GATE else ""
        metric, gate = each.metrics.get(before + name), each.gates.get(before + name)
        points.append(_point(metric, gate))
        # A slice has no number beside its gate; what it is measured in is the metric's.
        whole = metric or (each.metrics.get(before + gate["metric"]) if gate else None) or {}
        unit = whole.get("unit") or unit
    return Line(name, unit, tuple(points))


def _point(metric: Mapping[str, Any] | None, gate: Mapping[str, Any] | None) -> Point:
    number = gate or metric
    if number is None:
        return NOTHING
    ends = number.get("interval")
    # What had nothing to test has a value that was agreed on, and no height in a drawing.
    tested = gate is None or gate["status"] != Status.NOT_TESTED
    return Point(
        value=number.get("value") if tested else None,
        interval=None if ends is None else (ends[0], ends[1]),
        numerator=number.get("numerator"),
        denominator=number.get("denominator"),
        threshold=Threshold(gate["op"], gate["threshold"]) if gate else None,
        status=gate["status"] if gate else "",
    )
