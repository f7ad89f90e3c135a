"""Speed against accuracy, drawn: each configuration with its intervals, the frontier, the picks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.gates.gate import Threshold
from ragstone.report.charts import shapes
from ragstone.report.charts.plot import Line, Panel, Point, plot
from ragstone.report.charts.scale import Axis, even, round_up
from ragstone.report.document.blocks import Picture
from ragstone.suites.latency.frontier import Standing
from ragstone.suites.latency.points import MeasuredPoint

_NAMED = 20
_FRONTIER = Line(color=shapes.INK, width=2)
_KEY = (
    ("p95", Point()),
    ("p99", Point(hollow=True)),
    ("frontier", _FRONTIER),
    ("gate", Line(color=shapes.INK, dash="4 3", width=1)),
)


def curve(
    load: float,
    points: Sequence[MeasuredPoint],
    standing: Standing,
    limit: Threshold | None,
    accuracy: Mapping[str, Threshold],
) -> Picture:
    """One load: precision above, chr below, both against p95 and p99."""
    # What is beaten, or does not work, is drawn first, so that it covers nothing good.
    drawn = sorted(points, key=lambda p: (p.config in standing.frontier, p.config))
    fastest = sorted(points, key=lambda p: (p.value("p95"), p.config))
    numbers = {point.config: str(number) for number, point in enumerate(fastest, 1)}
    across = _milliseconds(points)
    panels = []
    for name in ("precision", "chr"):
        upward = _shares(name, points, accuracy.get(name))
        lines = _limits(across, upward, limit, accuracy.get(name))
        # The frontier is one of precision; against chr the same configurations are only marked.
        if name == "precision" and len(standing.frontier) > 1:
            at = {p.config: (p.value("p95"), p.value("precision")) for p in points}
            lines.append(replace(_FRONTIER, points=tuple(at[c] for c in standing.frontier)))
        dots = [d for p in drawn for d in _dots(p, name, standing, numbers[p.config])]
        panels.append(Panel(across, upward, tuple(lines), tuple(dots), name))
    legend = [
        (
            p.config + _role(p.config, standing),
            Point(label=numbers[p.config], faded=p.config not in standing.frontier),
        )
        for p in fastest[:_NAMED]
    ]
    return Picture(
        f"Speed against accuracy at {load:g} request{'' if load == 1 else 's'} a second",
        plot(panels, width=556, height=234, key=_KEY, legend=legend, legend_width=346),
        _alt(points, standing),
        "A full dot is p95, a hollow one p99, bars are 95 % intervals; what "
        "another configuration beats, and what does not work, is grey.",
    )


def _milliseconds(points: Sequence[MeasuredPoint]) -> Axis:
    ends = [end for p in points for end in p.measured["p99"].interval or () if end is not None]
    slowest = max([*ends, *(p.value("p99") for p in points), 1.0])
    step = round_up(slowest / 6)
    steps = math.ceil(slowest / step)
    return even(0.0, step * steps, steps, ",g", title="ms")


def _shares(name: str, points: Sequence[MeasuredPoint], gate: Threshold | None) -> Axis:
    """From a tenth below everything drawn up to 1."""
    ends = [end for p in points for end in p.measured[name].interval or () if end is not None]
    lows = [*ends, *(p.value(name) for p in points)]
    low = max(0.0, min([*lows, gate.value if gate else 1.0]) - 0.05)
    return even(min(0.9, int(low * 10) / 10), 1.0, 5, ".2f")


def _limits(x: Axis, y: Axis, limit: Threshold | None, gate: Threshold | None) -> list[Line]:
    ends = []
    if limit is not None and limit.value <= x.high:
        ends.append(((limit.value, y.low), (limit.value, y.high)))
    if gate is not None:
        ends.append(((x.low, gate.value), (x.high, gate.value)))
    return [Line(each, shapes.INK, "4 3", 1) for each in ends]


def _dots(point: MeasuredPoint, name: str, standing: Standing, number: str) -> tuple[Point, Point]:
    """p99 hollow and below, p95 with its number and the interval of the share."""
    y, beaten = point.value(name), point.config not in standing.frontier
    p95, p99 = (point.value(each) for each in ("p95", "p99"))
    title = f"{point.config}: p95 {p95:,.0f} ms, p99 {p99:,.0f} ms, {name} {y:.4f}"
    ends = {each: point.measured[each].interval for each in ("p95", "p99", name)}
    return (
        Point(p99, y, ends["p99"], None, "", title, hollow=True, faded=beaten),
        Point(p95, y, ends["p95"], ends[name], number, title, faded=beaten),
    )


def _role(config: str, standing: Standing) -> str:
    if config in standing.unfit:
        return f" ({standing.unfit[config]})"
    beaten = standing.dominated.get(config)
    if beaten:
        return f" (beaten by {beaten})"
    roles = [n for n in ("interactive", "batch") if getattr(standing, n) == config]
    return f" ★ {', '.join(roles)}" if roles else ""


def _alt(points: Sequence[MeasuredPoint], standing: Standing) -> str:
    said = [
        f"{p.config} p95 {p.value('p95'):,.0f} ms, precision {p.value('precision'):.4f}, "
        f"chr {p.value('chr'):.4f}{_role(p.config, standing)}"
        for p in points[:12]
    ]
    more = f"; and {len(points) - 12} more" if len(points) > 12 else ""
    return "; ".join(said) + more + "."
