"""What the latency suite shows: the curves, the picks, and every point by length and by stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ragstone.report.document.blocks import Block, Cell, Json, Table
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.latency.curve import curve
from ragstone.suites.latency.frontier import Standing
from ragstone.suites.latency.metrics import COMPARED, P95, P95_RELAXED, RELAXED_FROM
from ragstone.suites.latency.options import LatencyOptions
from ragstone.suites.latency.points import MeasuredPoint, Row, measured_points
from ragstone.suites.standard_blocks import grouped, offenders_block, slice_tables

_TIMES = ("p50", "p90", "p95", "p99")
_UNITS = {**{name: f"{name} (ms)" for name in _TIMES}, "cost_per_correct": "cost_per_correct (USD)"}
_SHOWN = (*_TIMES, "tail", "precision", "chr", "refusals", "errors", "cost_per_correct")


def facts(work: Work[LatencyOptions], outcome: Outcome[LatencyOptions]) -> Mapping[str, Any]:
    """Every point with its details, and how the configurations stand under each load."""
    points = [point for name, point in work.notes["points"].items() if name in outcome.arms]
    return {
        "points": measured_points(work.duck, points, outcome.measured),
        "standings": work.notes["standings"],
    }


def figures(outcome: Outcome[LatencyOptions]) -> dict[str, float | int | None]:
    points = outcome.facts["points"]
    measured = outcome.first if points else {}
    return {
        "samples": sum(each.requests for each in points),
        "configurations": len({each.config for each in points}),
        "loads": len(outcome.facts["standings"]),
        **{name: number.value for name, number in measured.items()},
    }


def data(outcome: Outcome[LatencyOptions]) -> dict[str, Json]:
    points, standings = outcome.facts["points"], outcome.facts["standings"]
    loads = {load: _standing(standing) for load, standing in standings.items()}
    heaviest = list(loads.values())[-1] if loads else _standing(Standing((), {}, {}, None, None))
    shown = [each for each in points if each.name == outcome.shown]
    return {
        "reference": {"config": shown[0].config, "rps": shown[0].rps} if shown else None,
        "points": [_point(each, standings[each.rps]) for each in points],
        "frontier": heaviest["frontier"],
        "picks": heaviest["picks"],
        "by_load": [{"rps": load, **standing} for load, standing in loads.items()],
    }


def _standing(standing: Standing) -> dict[str, Json]:
    return {
        "frontier": list(standing.frontier),
        "dominated": dict(standing.dominated),
        "unfit": dict(standing.unfit),
        "picks": {"interactive": standing.interactive, "batch": standing.batch},
    }


def _point(each: MeasuredPoint, standing: Standing) -> dict[str, Json]:
    return {
        "config": each.config,
        "rps": each.rps,
        "knobs": dict(each.knobs),
        "requests": each.requests,
        "questions": each.questions,
        **{name: found.value for name, found in each.measured.items()},
        "intervals": {
            name: list(found.interval) if found.interval else None
            for name, found in each.measured.items()
        },
        "buckets": {name: dict(row) for name, row in each.lengths.items()},
        "stage_ms": {name: dict(row) for name, row in each.stages.items()},
        "on_frontier": each.config in standing.frontier,
        "dominated_by": standing.dominated.get(each.config),
        "unfit": standing.unfit.get(each.config),
    }


def blocks(outcome: Outcome[LatencyOptions]) -> list[Block]:
    points, options, made = outcome.facts["points"], outcome.options, list[Block]()
    numbers = _numbers(outcome)
    for load, standing in outcome.facts["standings"].items():
        limit = options.limits.get(P95_RELAXED.name if load >= RELAXED_FROM else P95.name)
        some = [each for each in points if each.rps == load]
        made.append(curve(load, some, numbers, standing, limit, options.accuracy))
    if points:
        made += [_points_table(outcome), _picks_table(outcome)]
        if "baseline" in outcome.inputs:
            names = tuple(metric.name for metric in COMPARED)
            rows = tuple((*_head(p), *(p.measured[name].value for name in names)) for p in points)
            made.append(Table("Against the baseline", ("config", "rps", *names), rows))
        says = (
            "short: under 50 words; medium: 50 to 200; long: over 200; unknown: gold has no "
            "question."
        )
        lengths = [(each, each.lengths) for each in points]
        made += _parts_table("By length of the question", "length", lengths, says)
        made += _parts_table("By stage", "stage", [(each, each.stages) for each in points])
    of = f": {outcome.shown}" if outcome.several else ""
    return [*made, *slice_tables(outcome), *offenders_block(outcome, of)]


def _numbers(outcome: Outcome[LatencyOptions]) -> dict[str, int]:
    """The number of each configuration, by name: the same in every picture and table."""
    names = sorted({each.config for each in outcome.facts["points"]}, key=_counting)
    return {name: number for number, name in enumerate(names, 1)}


def _counting(name: str) -> tuple[tuple[int, str], ...]:
    """The order that people count in: k=5 before k=10.

    >>> sorted(["k=10", "k=5", "k=5,rerank"], key=_counting)
    ['k=5', 'k=5,rerank', 'k=10']
    """
    return tuple(
        (len(part.lstrip("0")) * part.isdigit(), part) for part in re.split(r"([0-9]+)", name)
    )


def _points_table(outcome: Outcome[LatencyOptions]) -> Table:
    rows: list[tuple[Any, ...]] = []
    known = _numbers(outcome)
    for each in outcome.facts["points"]:
        found = [each.measured[name] for name in _SHOWN]
        numbers = [_whole(None if one.vacuous else one.value, one.name) for one in found]
        standing = outcome.facts["standings"][each.rps]
        whose = (known[each.config], *_head(each))
        rows.append((*whose, each.requests, *numbers, _became(each.config, standing)))
    rows.sort(key=lambda row: (row[0], row[2]))
    return Table(
        "Every configuration under every load",
        ("no.", "config", "rps", "requests", *(_UNITS.get(n, n) for n in _SHOWN), "standing"),
        tuple(rows),
        "Times in milliseconds from the planned arrival; each row is measured on its own. The "
        "numbers are those of the pictures.",
    )


def _became(config: str, standing: Standing) -> str:
    if config in standing.unfit:
        return standing.unfit[config]
    beaten = standing.dominated.get(config)
    return f"beaten by {beaten}" if beaten else "frontier"


def _head(each: MeasuredPoint) -> tuple[Cell, Cell]:
    return each.config, int(each.rps) if each.rps.is_integer() else each.rps


def _whole(value: Cell, name: str) -> Cell:
    # Whole milliseconds are as precise as a clock across a network is.
    return round(value) if name in _TIMES and isinstance(value, float) else value


def _picks_table(outcome: Outcome[LatencyOptions]) -> Table:
    rows = tuple(
        (
            f"{load:g}",
            each.interactive or "none",
            each.batch or "none",
            ", ".join(each.frontier) or "none",
        )
        for load, each in outcome.facts["standings"].items()
    )
    return Table(
        "Which configuration to pick",
        ("rps", "interactive", "batch", "frontier, fastest first"),
        rows,
        "interactive: the fastest on the frontier that meets the accuracy gates; batch: the most "
        "precise within the relaxed latency gate. What ships no answer, or fails more requests "
        "than the error gate allows, is never picked.",
    )


def _parts_table(
    title: str, what: str, parts: list[tuple[MeasuredPoint, Mapping[str, Row]]], says: str = ""
) -> list[Block]:
    """A part of every point in each line: its questions of one length, or one stage."""
    found = [(each, name, row) for each, some in parts for name, row in some.items()]
    if not found:
        return []
    rows = tuple(
        (*_head(each), name, *(_whole(value, column) for column, value in row.items()))
        for each, name, row in found
    )
    columns = (_UNITS.get(name, name) for name in found[0][2])
    return [Table(title, ("config", "rps", what, *columns), rows, says)]


def warnings(outcome: Outcome[LatencyOptions]) -> list[str]:
    if not outcome.facts["points"]:
        return ["the samples file is empty: nothing can be measured"]
    found, points = [], outcome.facts["points"]
    for each in points:
        failed = each.measured["errors"].numerator or 0
        if failed:
            ended = f"{failed:,} of {each.requests:,} requests ended in an error"
            many = "configurations and loads with requests that ended in an error"
            counted = "their times count as they are"
            found.append((each.name, f"{ended}; {counted}", f"{many}; {counted}"))
        if 0 < each.priced < each.requests - failed:
            priced = f"{each.priced:,} of {each.requests:,} requests say what they cost"
            many = "configurations and loads where only some requests say what they cost"
            unknown = "so the cost of a right answer is not known"
            found.append((each.name, f"{priced}, {unknown}", f"{many}, {unknown}"))
    # A point is named even where it is the only one, as its gates are.
    return grouped(found, max(len(points), 2))
