"""The latency suite's report: every configuration under every load, the curve, the picks."""

from __future__ import annotations

import json

from ragstone._version import __version__
from ragstone.measure.metric import Measured
from ragstone.report.curve import curve
from ragstone.report.model import Block, Cell, Json, Report, Table
from ragstone.suites.latency.frontier import Standing
from ragstone.suites.latency.metrics import COMPARED, P95, P95_RELAXED, RELAXED_FROM
from ragstone.suites.latency.points import Point
from ragstone.suites.latency.suite import Evaluation

_SHOWN = (
    "p50", "p90", "p95", "p99", "tail", "precision", "chr", "refusals", "errors",
    "cost_per_correct",
)  # fmt: skip


def settings(found: Evaluation) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    return {
        "refusal": list(found.refusal),
        "only": found.only,
        "baseline": found.baseline is not None,
        "accuracy_gates": {name: str(limit) for name, limit in found.accuracy.items()},
        "strict": found.deciding.strict,
        "confidence": found.deciding.confidence,
    }


def inputs(found: Evaluation) -> dict[str, Json]:
    made: dict[str, Json] = dict(found.samples.inputs)
    if found.baseline is not None:
        made["baseline"] = dict(found.baseline.inputs)
    return made


def build(found: Evaluation, digest: str) -> Report:
    """Everything a renderer needs; the figures at the top are those of the reference point."""
    point = _reference(found)
    measured = {} if point is None else point.measured
    return Report(
        suite="latency",
        version=__version__,
        figures={
            "samples": sum(each.requests for each in found.points),
            "configurations": len({each.config for each in found.points}),
            "loads": len(found.standings),
            **{name: number.value for name, number in measured.items()},
        },
        metrics=measured,
        gates=found.gates,
        digest=digest,
        settings=settings(found),
        data=_data(found, point),
        blocks=tuple(_blocks(found)),
        warnings=tuple(_warnings(found)),
    )


def _reference(found: Evaluation) -> Point | None:
    """What the numbers at the top are about: the interactive pick under the heaviest load."""
    if not found.points:
        return None
    load, standing = list(found.standings.items())[-1]
    chosen = standing.interactive or standing.frontier[0]
    return next(p for p in found.points if p.rps == load and p.config == chosen)


def _data(found: Evaluation, point: Point | None) -> dict[str, Json]:
    last = list(found.standings.values())[-1:] or [Standing((), {}, None, None)]
    return {
        "inputs": inputs(found),
        "reference": None if point is None else {"config": point.config, "rps": point.rps},
        "points": [_point(each, found.standings[each.rps]) for each in found.points],
        "frontier": list(last[0].frontier),
        "picks": _picks(last[0]),
        "by_load": [
            {
                "rps": load,
                "frontier": list(standing.frontier),
                "dominated": dict(standing.dominated),
                "picks": _picks(standing),
            }
            for load, standing in found.standings.items()
        ],
    }


def _picks(standing: Standing) -> dict[str, Json]:
    return {"interactive": standing.interactive, "batch": standing.batch}


def _point(point: Point, standing: Standing) -> dict[str, Json]:
    knobs: Json = json.loads(json.dumps(point.knobs))
    return {
        "config": point.config,
        "rps": point.rps,
        "knobs": knobs,
        "requests": point.requests,
        "questions": point.questions,
        **{name: _value(measured) for name, measured in point.measured.items()},
        "intervals": {
            name: list(measured.interval) if measured.interval else None
            for name, measured in point.measured.items()
        },
        "buckets": {name: dict(row) for name, row in point.buckets.items()},
        "stage_ms": {name: dict(row) for name, row in point.stages.items()},
        "on_frontier": point.config in standing.frontier,
        "dominated_by": standing.dominated.get(point.config),
    }


def _value(measured: Measured) -> float | None:
    return measured.value


def _blocks(found: Evaluation) -> list[Block]:
    blocks: list[Block] = []
    for load, standing in found.standings.items():
        points = [each for each in found.points if each.rps == load]
        name = P95_RELAXED.name if load >= RELAXED_FROM else P95.name
        blocks.append(curve(load, points, standing, found.limits.get(name), dict(found.accuracy)))
    if found.points:
        blocks += [_points_table(found), _picks_table(found)]
        if found.baseline is not None:
            blocks.append(_compared_table(found))
        blocks.append(_buckets_table(found))
        if any(each.stages for each in found.points):
            blocks.append(_stages_table(found))
    return blocks


def _points_table(found: Evaluation) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in found.points:
        beaten = found.standings[each.rps].dominated.get(each.config)
        numbers = [_cell(each.measured[name]) for name in _SHOWN]
        standing = f"beaten by {beaten}" if beaten else "frontier"
        rows.append((each.config, _load(each.rps), each.requests, *numbers, standing))
    return Table(
        "Every configuration under every load",
        ("config", "rps", "requests", *_SHOWN, "standing"),
        tuple(rows),
        "Times in milliseconds from the planned arrival; each row is measured on its own.",
    )


def _load(rps: float) -> Cell:
    return int(rps) if rps.is_integer() else rps


def _whole(value: Cell, name: str) -> Cell:
    # Whole milliseconds are as precise as a clock across a network is.
    timed = name in ("p50", "p90", "p95", "p99")
    return round(value) if timed and isinstance(value, float) else value


def _cell(measured: Measured) -> Cell:
    return None if measured.vacuous else _whole(measured.value, measured.name)


def _picks_table(found: Evaluation) -> Table:
    rows = tuple(
        (f"{load:g}", standing.interactive or "none", standing.batch or "none",
         ", ".join(standing.frontier))
        for load, standing in found.standings.items()
    )  # fmt: skip
    return Table(
        "Picks",
        ("rps", "interactive", "batch", "frontier, fastest first"),
        rows,
        "interactive: the fastest on the frontier that meets the accuracy gates; batch: the most "
        "precise within the relaxed latency gate.",
    )


def _compared_table(found: Evaluation) -> Table:
    names = tuple(metric.name for metric in COMPARED)
    rows = tuple(
        (each.config, _load(each.rps), *(each.value(name) for name in names))
        for each in found.points
    )
    return Table("Against the baseline", ("config", "rps", *names), rows)


def _buckets_table(found: Evaluation) -> Table:
    names = ("requests", "p50", "p95", "p99", "precision", "chr", "refusals")
    rows = tuple(
        (each.config, _load(each.rps), bucket, *(_whole(row[name], name) for name in names))
        for each in found.points
        for bucket, row in each.buckets.items()
    )
    says = (
        "short: under 50 words; medium: 50 to 200; long: over 200; unknown: gold has no question."
    )
    return Table("By length of the question", ("config", "rps", "length", *names), rows, says)


def _stages_table(found: Evaluation) -> Table:
    rows = tuple(
        (
            each.config,
            _load(each.rps),
            stage,
            row["requests"],
            _whole(row["p50"], "p50"),
            _whole(row["p95"], "p95"),
        )
        for each in found.points
        for stage, row in each.stages.items()
    )
    return Table("By stage", ("config", "rps", "stage", "requests", "p50", "p95"), rows)


def _warnings(found: Evaluation) -> list[str]:
    warnings = []
    if not found.points:
        warnings.append("the samples file is empty: nothing can be measured")
    for each in found.points:
        failed = each.measured["errors"].numerator
        if failed:
            warnings.append(
                f"{each.where}: {failed:,} of {each.requests:,} requests ended in an error; their "
                "times count as they are"
            )
        if 0 < each.priced < each.requests - (failed or 0):
            warnings.append(
                f"{each.where}: {each.priced:,} of {each.requests:,} requests say what they cost, "
                "so the cost of a right answer is not known"
            )
    return warnings
