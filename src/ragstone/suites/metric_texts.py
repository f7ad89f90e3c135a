"""Why a metric matters, when it misleads, and an example that the engine computes.

The texts stand in `metrics.toml` beside each suite's metrics, and are read only by those who ask:
`ragstone explain` and the page of metrics. Metrics of one family (`P@1`, `P@5`) share a text under
`P@`, in which {k} is the cut; a suite that takes metrics from another one has their texts too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ragstone.contracts.toml_file import packaged
from ragstone.measure.metric import Change, Mean, Measured, Metric

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck

Value = bool | int | float | str
Rows = tuple[tuple[Value | None, ...], ...]

# The suites in which the texts of a suite's metrics are looked for, where these are not its own.
_OWNERS = {
    "canary": ("canary", "retrieval"),
    "latency": ("latency", "answers"),
    "audit": ("audit", "answers"),
    "trec": ("context",),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A few rows as a metric sees them: what happened in each, and the columns it looks at.

    `before` are the rows of the baseline, where the metric compares with one.
    """

    columns: tuple[str, ...]
    happened: tuple[str, ...]
    rows: Rows
    before: Rows = ()


@dataclass(frozen=True, slots=True)
class MetricText:
    """What is said of a metric beyond its declaration; `owner` is the suite whose text it is."""

    owner: str
    why: str
    misleads: str
    example: Example


def metric_text(suite: str, name: str) -> MetricText | None:
    """The text of a metric; None where nobody has written one, as of another tool's scores."""
    stem, _, cut = name.partition("@")
    number = cut.split("_")[0]
    family = f"{stem}@{cut.removeprefix(number)}"
    for owner in _OWNERS.get(suite, (suite,)):
        texts = _texts(owner)
        for key in (name, family) if cut else (name,):
            if key in texts:
                return _filled(owner, texts[key], number)
    return None


@cache
def _texts(suite: str) -> Mapping[str, Mapping[str, Any]]:
    try:
        return packaged(f"ragstone.suites.{suite}", "metrics.toml")
    except (FileNotFoundError, ModuleNotFoundError):
        # A suite that somebody declares elsewhere need not have any.
        return {}


def _filled(owner: str, said: Mapping[str, Any], k: str) -> MetricText:
    def cut(text: str) -> str:
        return text.replace("{k}", k)

    happened = tuple(cut(row[0]) for row in said["rows"])
    example = Example(
        tuple(cut(said["columns"]).split()),
        happened,
        tuple(map(_row, said["rows"])),
        tuple(map(_row, said.get("before", ()))),
    )
    return MetricText(owner, cut(said["why"]), cut(said["misleads"]), example)


def _row(written: Sequence[Value]) -> tuple[Value | None, ...]:
    # TOML has no null: "-" stands for it.
    return tuple(None if value == "-" else value for value in written[1:])


def worked_out(duck: Duck, metric: Metric, example: Example, of: Sequence[Metric]) -> Measured:
    """What the engine makes of an example; `of` are the metrics of the suite."""
    if not isinstance(metric, Change):
        return _measured(duck, metric, example.columns, example.rows)
    from ragstone.measure.arm_differences import changed

    (base,) = [each for each in of if each.name == metric.metric]
    now, before = (
        _measured(duck, base, example.columns, rows) for rows in (example.rows, example.before)
    )
    return changed(metric, now, before)


def _measured(duck: Duck, metric: Metric, columns: Sequence[str], rows: Rows) -> Measured:
    from ragstone.engine.duck import identifier
    from ragstone.measure.measure import measure

    names = ", ".join(identifier(column) for column in ("number", *columns))
    cells = [(number, *row) for number, row in enumerate(rows)]
    places = [
        f"({', '.join(f'$at{n}_{c}' for c in range(len(row)))})" for n, row in enumerate(cells)
    ]
    given = {f"at{n}_{c}": cell for n, row in enumerate(cells) for c, cell in enumerate(row)}
    duck.run(
        f"create or replace temp table example as select * from (values {', '.join(places)}) "
        f"as made({names})",
        given,
    )
    plain = replace(metric, tested="true", cluster=None, extra=False)
    if isinstance(plain, Mean):
        plain = replace(plain, repeats="")
    found = measure(duck, [plain], tables=lambda over: "example")
    return replace(found[""][metric.name], metric=metric)
