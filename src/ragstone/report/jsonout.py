"""What does a program read? One JSON object with unrounded values, in a fixed order."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from ragstone.report.text import HIDDEN

if TYPE_CHECKING:
    from ragstone.gates.gate import Judged
    from ragstone.measure.metric import Measured
    from ragstone.report.model import Json, Report


def to_object(report: Report) -> dict[str, Json]:
    """The report as plain data; a suite that names a key twice is wrong, and is told so."""
    parts: tuple[Mapping[str, object], ...] = (
        {
            "suite": report.suite,
            "version": report.version,
            "decision": report.decision.value,
            "pass": report.passed,
            "digest": report.digest,
        },
        report.figures,
        {
            "settings": report.settings,
            "gates": {gate.name: _gate(gate) for gate in report.gates},
            "metrics": {name: _metric(measured) for name, measured in report.metrics.items()},
        },
        report.data,
        {"warnings": report.warnings},
    )
    whole: dict[str, Json] = {}
    for key, value in chain.from_iterable(part.items() for part in parts):
        if key in whole:
            raise ValueError(f"the report names {key!r} twice at the top of its JSON")
        whole[key] = _plain(value)
    return whole


def render(report: Report) -> str:
    """`to_object`, as text that ends with a line break."""
    return dumps(to_object(report))


def dumps(value: Json) -> str:
    """Indented UTF-8 JSON in which every character that acts on a terminal is written as `\\uXXXX`.

    JSON asks that only for C0; a C1 control or a bidi override in a log is no better.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return HIDDEN.sub(lambda match: _escaped(match.group()), text) + "\n"


def _escaped(character: str) -> str:
    # The line breaks of the indentation are the only control characters that dumps leaves.
    return character if character == "\n" else json.dumps(character)[1:-1]


def _gate(gate: Judged) -> dict[str, object]:
    return {
        "metric": gate.metric,
        "threshold": gate.threshold.value,
        "op": gate.threshold.op,
        "value": gate.value,
        "judged_on": gate.judged_on,
        "interval": gate.interval,
        "status": gate.status.value,
        "vacuous": gate.vacuous,
        "proven": gate.proven,
        "needed": gate.needed,
        "note": gate.note,
    }


def _metric(measured: Measured) -> dict[str, object]:
    return {
        "value": measured.value,
        "numerator": measured.numerator,
        "denominator": measured.denominator,
        "interval": measured.interval,
        "vacuous": measured.vacuous,
        "better": measured.metric.better,
        "says": measured.metric.says,
    }


def _plain(value: object) -> Json:
    """Plain data all the way down; what is not a number becomes null, for JSON has no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise TypeError(f"a report cannot hold a {type(value).__name__}")
