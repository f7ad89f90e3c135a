"""Reads a report back: from its JSON, or whole from what `to_state` keeps of it.

The JSON is for programs and leaves out what is only shown: tables, pictures, cards. A store that is
to show a report again without scoring keeps its state instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ragstone.comparison.verdict import Word, exit_code
from ragstone.engine.line_places import Place
from ragstone.errors import InputError
from ragstone.gates.gate import Judged, Status, Threshold
from ragstone.measure.metric import (
    Change,
    Count,
    Mean,
    Measured,
    Metric,
    Quantile,
    Ratio,
    Statistic,
)
from ragstone.report.document.blocks import (
    Answered,
    Chunk,
    Finding,
    Funnel,
    Offender,
    Offenders,
    Picture,
    QuestionPair,
    QuestionPairs,
    Reading,
    Step,
    Table,
)
from ragstone.report.document.question_list import QuestionList
from ragstone.report.formats.json_text import FORMAT, RARE_GATE_KEYS, dumps, plain
from ragstone.report.model import Report
from ragstone.report.saved_types import NOT_SAVED, fits

_SHARED = (
    *("format", "suite", "version", "decision", "pass", "unfrozen", "lacks", "proven", "digest"),
)
_CLASSES = {
    each.__name__: each
    for each in (
        *(Ratio, Count, Mean, Quantile, Statistic, Change, Measured, Threshold, Judged, Place),
        *(Table, Funnel, Reading, Offenders, Picture, Step, Finding, Offender),
        *(QuestionPairs, QuestionPair, Answered, Chunk, QuestionList),
    )
}
# The key that names the class of an object in a state.
_CLASS = "@"
_STATE = "state"
_ANOTHER_FORM = "a part of it has another form than a report's"


def _from_text(make: Callable[[Mapping[str, Any]], Report]) -> Callable[[str | bytes], Report]:
    """Reads the JSON object that `make` needs; anything but a report is one clear sentence."""

    def read(text: str | bytes) -> Report:
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            # Python's own words for it differ from version to version.
            raise InputError("this is not the JSON of a report: it is not JSON") from None
        if not isinstance(whole, dict):
            raise InputError("this is not the JSON of a report: it is no object")
        if whole.get("format", FORMAT) != FORMAT:
            raise InputError(
                f"this report has format {whole['format']!r}, and this version reads {FORMAT}"
            )
        try:
            report = make(whole)
        except KeyError as error:
            lacking = f"it has no {error.args[0]!r}"
        except (AttributeError, IndexError, TypeError, ValueError):
            lacking = _ANOTHER_FORM
        else:
            # Of another type, a number would only be found out by the format that shows it.
            if fits(report, Report):
                return report
            lacking = _ANOTHER_FORM
        raise InputError(f"this is not the JSON of a report: {lacking}")

    return read


@_from_text
def from_json(whole: Mapping[str, Any]) -> Report:
    """The report of a JSON object that `to_json` wrote, also of those from before `format`."""
    if _STATE in whole:
        raise InputError("this is the state of a report, not its JSON: read it with from_state")
    # Figures come before the settings and other data behind the metrics, as they were written.
    settings = whole["settings"]
    own = [name for name in whole if name not in (*_SHARED, "gates", "metrics", "warnings")]
    figures = own[: own.index("settings")]
    word = whole.get("verdict") if whole.get("decision") is None else None
    return Report(
        suite=whole["suite"],
        version=whole["version"],
        figures={name: whole[name] for name in figures},
        metrics={name: _measured(name, each) for name, each in whole["metrics"].items()},
        gates=tuple(_judged(name, each) for name, each in whole["gates"].items()),
        digest=whole["digest"],
        settings=settings,
        data={name: whole[name] for name in own[len(figures) + 1 :]},
        warnings=tuple(whole["warnings"]),
        lacks=whole.get("lacks", {}),
        unfrozen=whole.get("unfrozen", False),
        verdicts={} if word is None else {None: Word(word)},
        exit_without_gates=0 if word is None else exit_code(Word(word), settings["confidence"]),
    )


def _judged(name: str, gate: Mapping[str, Any]) -> Judged:
    threshold = Threshold(gate["op"], gate["threshold"])
    rest = {"name": name, "threshold": threshold, "status": Status(gate["status"])}
    found = _fields(Judged, gate)
    if isinstance(found.get("needed"), int):
        # One number, before it was a range.
        found["needed"] = (found["needed"], found["needed"])
    return Judged(**{**found, **rest})


def _measured(name: str, found: Mapping[str, Any]) -> Measured:
    return Measured(**{**_fields(Measured, found), "metric": _metric(name, found)})


def _fields(kind: type[Judged | Measured], found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the JSON has under their own names; other keys are passed over."""
    return {each.name: _read(found[each.name]) for each in fields(kind) if each.name in found}


def _metric(name: str, found: Mapping[str, Any]) -> Metric:
    """What is known of a metric: how to show it, and not how it was measured."""
    said = {key: found[key] for key in ("better", "says")}
    said |= {"name": name, "title": found.get("title", "")}
    unit = found.get("unit", "")
    match found.get("kind"):
        case "ratio":
            return Ratio(**said, of="", hit="", empty=0.0)
        case "count":
            return Count(**said, of="", hit="")
        case "mean":
            return Mean(**said, of="", value="", empty=0.0)
        case "quantile":
            return Quantile(**said, of="", value="", q=0.0, unit=unit)
    return Statistic(**said, of="", how="", unit=unit)


def to_state(report: Report) -> str:
    """Every field of the report as JSON; objects carry the name of their class."""
    names = (field.name for field in fields(report) if field.name not in NOT_SAVED)
    state = {name: _kept(getattr(report, name)) for name in names}
    for name in ("questions", "verdict_says", "exit_without_gates", "lacks"):
        if not state[name]:
            # States from before there was such a thing do not have it.
            del state[name]
    # A status is a word in JSON, and None is no key at all: pairs keep both.
    state["verdicts"] = [[status, word] for status, word in report.verdicts.items()]
    return dumps({"format": FORMAT, _STATE: state})


def _kept(value: object) -> object:
    if is_dataclass(value):
        found = {field.name: getattr(value, field.name) for field in fields(value)}
        for name in ("barred", *RARE_GATE_KEYS):
            if name in found and not found[name]:
                # Most are not, and states from before there were others do not say so.
                del found[name]
        if isinstance(value, Measured):
            # What would settle a change is known when it is judged; nobody asks later.
            del found["paired"]
        if isinstance(value, Offender):
            # Nor have states from before there were such parts of a card.
            rare = ("chunks", "before", "accepted_by")
            found = {n: each for n, each in found.items() if n not in rare or each}
        # How a statistic is computed is a function, which no file can hold.
        named = {name: _kept(item) for name, item in found.items() if not callable(item)}
        return {_CLASS: type(value).__name__, **named}
    if isinstance(value, Mapping):
        return {str(key): _kept(item) for key, item in value.items()}
    return [_kept(item) for item in value] if isinstance(value, list | tuple) else plain(value)


@_from_text
def from_state(whole: Mapping[str, Any]) -> Report:
    """The report that `to_state` kept."""
    state = dict(whole[_STATE])
    raw = {name: state.pop(name) for name in ("figures", "settings", "data")}
    pairs = state.pop("verdicts")
    verdicts = {None if status is None else Status(status): word for status, word in pairs}
    return Report(**raw, verdicts=verdicts, **{name: _read(each) for name, each in state.items()})


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_read(item) for item in value)
    if not isinstance(value, dict):
        return value
    name = value.get(_CLASS)
    named = {key: _read(item) for key, item in value.items() if key != _CLASS}
    if not isinstance(name, str):
        return {key: _read(item) for key, item in value.items()}
    if "status" in named:
        named["status"] = Status(named["status"])
    made = _CLASSES[name](**named)
    if isinstance(made, Table) and any(len(row) != len(made.columns) for row in made.rows):
        raise ValueError("a row is not as long as the table is wide")
    return made
