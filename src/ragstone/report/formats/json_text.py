"""The report as one JSON object with unrounded values, in a fixed order."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from ragstone.progress import doing
from ragstone.report.document.figures import measured_json
from ragstone.report.text import HIDDEN

if TYPE_CHECKING:
    from ragstone.gates.gate import Judged
    from ragstone.measure.metric import Measured
    from ragstone.progress_task import Task
    from ragstone.report.document.blocks import Json
    from ragstone.report.model import Report


# What is written of a value.
Made = Callable[[object], object]

# The first key of every JSON object that a command prints. It is raised when a reader of the old
# form could misread the new one; a new key is no reason.
FORMAT = 1

# A list of more entries than these is written row by row.
_LONG = 100
# The line breaks of the indentation are the only control characters that JSON leaves.
_HIDDEN = re.compile(f"(?!\n){HIDDEN.pattern}")

# The fields of a gate that its JSON has under their own names, in this order.
_GATE_KEYS = (
    *("value", "numerator", "denominator", "tested", "judged_on", "interval"),
    *("needs_samples", "status", "vacuous", "proven", "needed", "note"),
)
RARE_GATE_KEYS = ("by_chance", "required", "unbounded", "waived", "with_waived")


def to_object(report: Report) -> dict[str, Json]:
    """The report as plain data; raises where two of its parts use the same key."""
    return {key: plain(value) for key, value in _whole(report).items()}


def _whole(report: Report) -> dict[str, object]:
    parts: tuple[Mapping[str, object], ...] = (
        {
            "format": FORMAT,
            "suite": report.suite,
            "version": report.version,
            "decision": report.decision,
            "pass": report.passed if report.gates or report.unfrozen else None,
            # Only where it is so: other reports are the same bytes as before there were locks.
            **({"unfrozen": True} if report.unfrozen else {}),
            **({"lacks": report.lacks} if report.lacks else {}),
            "proven": _proven(report),
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
    whole: dict[str, object] = {}
    for key, value in chain.from_iterable(part.items() for part in parts):
        if key in whole:
            raise ValueError(f"the report names {key!r} twice at the top of its JSON")
        whole[key] = value
    return whole


def render(report: Report) -> str:
    """`to_object`, as text that ends with a line break."""
    return "".join(streamed(report))


def streamed(report: Report) -> Iterator[str]:
    """What `render` gives, in pieces; each row is made plain when it is written."""
    return pieces(_whole(report), plain)


def dumps(value: object) -> str:
    """Indented UTF-8 JSON in which every character that acts on a terminal is written as `\\uXXXX`.

    JSON asks that only for C0; a C1 control or a bidi override in a log is no better.
    """
    return "".join(pieces(value))


def pieces(value: object, made: Made = lambda same: same) -> Iterator[str]:
    """What `dumps` gives, piece by piece: what holds many entries is written entry by entry.

    `made` is what is written of a value.
    """
    many = _many(value)
    telling = doing("", many, "entries") if many else nullcontext()
    with telling as task:
        for piece in _pieces(value, made, "\n", task):
            yield _HIDDEN.sub(lambda match: _escaped(match.group()), piece)
        yield "\n"


@cache
def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def _many(value: object, deep: int = 4) -> int:
    """How many entries a value holds that are written one by one."""
    if not isinstance(value, Mapping | list | tuple):
        return 0
    if len(value) > _LONG:
        return len(value)
    inside = value.values() if isinstance(value, Mapping) else value
    return sum(_many(each, deep - 1) for each in inside) if deep else 0


def _pieces(value: object, made: Made, line: str, task: Task | None) -> Iterator[str]:
    """`line` is a line break, and what a line begins with at this depth."""
    if not _many(value):
        yield _text(made(value), line)
    elif isinstance(value, Mapping):
        # A key is written as in an object of its own, for not every one is a text.
        bare = partial(json.dumps, ensure_ascii=False)
        named = ((bare({key: None})[1:-5], each) for key, each in value.items())
        yield from _entries(named, made, "{}", line, task, one_by_one=len(value) > _LONG)
    elif isinstance(value, list | tuple):
        unnamed = (("", each) for each in value)
        yield from _entries(unnamed, made, "[]", line, task, one_by_one=len(value) > _LONG)


def _entries(
    entries: Iterable[tuple[str, object]],
    made: Made,
    ends: str,
    line: str,
    task: Task | None,
    *,
    one_by_one: bool,
) -> Iterator[str]:
    inside, before = f"{line}  ", ends[0]
    for name, each in entries:
        yield f"{before}{inside}{name}"
        if one_by_one:
            yield _text(made(each), inside)
        else:
            yield from _pieces(each, made, inside, task)
        if task and one_by_one:
            task.done += 1
        before = ","
    yield f"{line}{ends[1]}"


def _text(value: object, line: str) -> str:
    # A line break in a string is written out, so every one that is left is of the indentation.
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return text.replace("\n", line)


def _proven(report: Report) -> dict[str, object] | None:
    """How many gates are proven, of how many, and at which level; null without a gate."""
    if not report.gates:
        return None
    return {"gates": report.proven, "of": len(report.tested_gates), "level": report.level}


def _gate(gate: Judged) -> dict[str, object]:
    return {
        "metric": gate.metric,
        "threshold": gate.threshold.value,
        "op": gate.threshold.op,
        **{name: getattr(gate, name) for name in _GATE_KEYS},
        # Only where it is so: gates of other reports are the same bytes as before.
        **{name: getattr(gate, name) for name in RARE_GATE_KEYS if getattr(gate, name)},
    }


def _metric(measured: Measured) -> dict[str, object]:
    return {
        **measured_json(measured),
        "kind": type(measured.metric).__name__.lower(),
        "unit": getattr(measured.metric, "unit", ""),
        "better": measured.metric.better,
        "says": measured.metric.says,
        # Reports from before there were plain names are the same bytes when they are read again.
        **({"title": measured.metric.title} if measured.metric.title else {}),
    }


def plain(value: object) -> Json:
    """Plain data all the way down; what is not a number becomes null, for JSON has no NaN."""
    # Most of the data is this, and a look at the type is quickest.
    if type(value) in (str, int, bool):
        return value  # type: ignore[return-value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    raise TypeError(f"a report cannot hold a {type(value).__name__}")
