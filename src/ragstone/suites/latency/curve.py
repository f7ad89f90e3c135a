"""Speed against accuracy, drawn: each configuration with its intervals, the frontier, the picks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragstone.gates.gate import Threshold
from ragstone.report.charts import shapes
from ragstone.report.charts.plot import Limit, Line, Panel, Point, dot, plot
from ragstone.report.charts.scale import Axis, near
from ragstone.report.document.blocks import Picture
from ragstone.report.document.figures import limit as written
from ragstone.report.document.figures import quantity, titled
from ragstone.suites.latency.frontier import Standing
from ragstone.suites.latency.points import MeasuredPoint

# Above so many configurations, only those on the frontier are named.
_NAMED = 20
_FRONTIER = Line(color=shapes.INK, width=1.5)
_KEY = (
    ("p95", dot(10, 0, Point())),
    ("p99", shapes.circle(10, 0, 3.5, shapes.BAR, hollow=True)),
    ("beaten, or does not work", dot(10, 0, Point(pale=True))),
    ("95 % interval", shapes.line([(0, 0), (20, 0)], shapes.RANGE, width=2.5)),
    ("frontier", shapes.line([(0, 0), (20, 0)], shapes.INK, width=1.5)),
    ("gate", shapes.line([(0, 0), (20, 0)], shapes.INK, dash="4 4")),
)


def curve(
    load: float,
    points: Sequence[MeasuredPoint],
    numbers: Mapping[str, int],
    standing: Standing,
    limit: Threshold | None,
    accuracy: Mapping[str, Threshold],
) -> Picture:
    """One load: precision above, chr below, both against p95 and p99.

    `numbers` has the number of every configuration, the same in every picture and table.
    """
    # What is beaten, or does not work, is drawn first, so that it covers nothing good.
    drawn = sorted(points, key=lambda p: (p.config in standing.frontier, numbers[p.config]))
    ordered = sorted(points, key=lambda p: numbers[p.config])
    named = [p for p in ordered if len(points) <= _NAMED or p.config in standing.frontier]
    labels = {p.config: str(numbers[p.config]) for p in named[:_NAMED]}
    across = _milliseconds(points, limit)
    panels = []
    for name in ("precision", "chr"):
        upward = _shares(name, points, accuracy.get(name))
        lines = []
        # The frontier is one of precision; against chr the same configurations are only marked.
        if name == "precision" and len(standing.frontier) > 1:
            at = {p.config: (p.value("p95"), p.value("precision")) for p in points}
            lines.append(replace(_FRONTIER, points=tuple(at[c] for c in standing.frontier)))
        dots = [_dot(p, name, standing, labels.get(p.config, "")) for p in drawn]
        called = titled(name, points[0].measured[name].metric)
        limits = _limits(across, limit, accuracy.get(name))
        panels.append(Panel(across, upward, tuple(lines), tuple(dots), limits, called))
    legend = [
        (
            f"{p.config}{_role(p.config, standing)}",
            shapes.text(10, 4, labels[p.config], "middle", weight=700),
        )
        for p in named[:_NAMED]
    ]
    rest = len(points) - len(legend)
    says = (
        "Further left is faster, further up is more accurate. p95: 95 % of requests answered "
        "within; p99: 99 % of requests answered within."
    )
    if rest > 0:
        says += f" {rest:,} more configurations are drawn without a number; the table has them all."
    return Picture(
        f"Speed against accuracy at {load:g} request{'' if load == 1 else 's'} a second",
        plot(panels, height=220, key=_KEY, legend=legend),
        _alt(points, standing),
        says,
    )


def _milliseconds(points: Sequence[MeasuredPoint], limit: Threshold | None) -> Axis:
    """From 0 to the slowest, and to the gate where that is not far beyond."""
    ends = [end for p in points for end in p.measured["p95"].interval or () if end is not None]
    slowest = max([*ends, *(p.value("p99") for p in points), 1.0])
    near_gate = [limit.value] if limit is not None and limit.value <= 2 * slowest else []
    return near([0.0, slowest, *near_gate], 6, "p95 and p99, in ms from the planned arrival")


def _shares(name: str, points: Sequence[MeasuredPoint], gate: Threshold | None) -> Axis:
    """As long as everything drawn needs, and up to 1."""
    ends = [end for p in points for end in p.measured[name].interval or () if end is not None]
    return near([*ends, *(p.value(name) for p in points), gate.value if gate else 1.0, 1.0])


def _limits(x: Axis, limit: Threshold | None, gate: Threshold | None) -> tuple[Limit, ...]:
    made = []
    if limit is not None and limit.value <= x.high:
        made.append(Limit(limit.value, f"gate {written(limit, 'ms')}", upright=True))
    if gate is not None:
        made.append(Limit(gate.value, f"gate {written(gate)}"))
    return tuple(made)


def _dot(point: MeasuredPoint, name: str, standing: Standing, number: str) -> Point:
    y, beaten = point.value(name), point.config not in standing.frontier
    p95, p99 = (point.value(each) for each in ("p95", "p99"))
    times = f"p95 {quantity(p95, 'ms')}, p99 {quantity(p99, 'ms')}"
    title = f"{point.config}: {times}, {name} {quantity(y)}"
    ends = {each: point.measured[each].interval for each in ("p95", name)}
    return Point(p95, y, ends["p95"], ends[name], p99, number, title, pale=beaten)


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
        f"{p.config}: 95 % answered within {quantity(p.value('p95'), 'ms')} (p95), right and "
        f"rightly cited {quantity(p.value('precision'))} (precision), "
        f"cites the right evidence {quantity(p.value('chr'))} (chr)"
        f"{_role(p.config, standing)}"
        for p in points[:12]
    ]
    more = f"; and {len(points) - 12} more" if len(points) > 12 else ""
    return "; ".join(said) + more + "."
