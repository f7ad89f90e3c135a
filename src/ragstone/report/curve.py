"""Speed against accuracy, drawn: each configuration with its intervals, the frontier, the picks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.gates.gate import Threshold
from ragstone.report import svg
from ragstone.report.drawing import round_up
from ragstone.report.model import Picture
from ragstone.suites.latency.frontier import Standing
from ragstone.suites.latency.points import Point

_WIDTH, _HEIGHT = 980, 330
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 370, 52, 44
_ROWS = 20


@dataclass(frozen=True, slots=True)
class _Axes:
    """Where a latency and a share stand on the paper."""

    top: float
    high: float
    step: float
    low: float

    def x(self, latency: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * latency / self.high

    def y(self, share: float) -> float:
        room = _HEIGHT - _TOP - _BOTTOM
        return self.top + _TOP + room * (1 - (share - self.low) / (1 - self.low))


def curve(
    load: float,
    points: Sequence[Point],
    standing: Standing,
    limit: Threshold | None,
    accuracy: dict[str, Threshold],
) -> Picture:
    """One load: precision above, chr below, both against p95 and p99."""
    slowest = [p.measured["p99"].interval or (0.0, p.value("p99") or 0.0) for p in points]
    step = round_up(max([high for _, high in slowest] + [1.0]) / 6)
    high = step * math.ceil(max([high for _, high in slowest] + [1.0]) / step)
    ordered = sorted(points, key=lambda p: (p.value("p95") or 0.0, p.config))
    numbers = {point.config: number for number, point in enumerate(ordered, 1)}
    parts = _names(ordered, standing)
    for panel, name in enumerate(("precision", "chr")):
        lows = [(p.measured[name].interval or (p.value(name) or 0.0, 1.0))[0] for p in points]
        gate = accuracy.get(name)
        low = max(0.0, min([*lows, gate.value if gate else 1.0]) - 0.05)
        axes = _Axes(panel * _HEIGHT, high, step, min(0.9, int(low * 10) / 10))
        parts += _frame(axes, name, limit, gate)
        parts += _frontier(axes, name, points, standing)
        parts += _dots(axes, name, points, standing, numbers)
    return Picture(
        f"Speed against accuracy at {load:g} request{'' if load == 1 else 's'} a second",
        svg.picture(_WIDTH, 2 * _HEIGHT, [*_key(), *parts]),
        _alt(points, standing),
        "A full dot is p95, a hollow one p99, bars are 95 % intervals by bootstrap over questions; "
        "what another configuration beats is grey.",
    )


def _key() -> list[str]:
    y = 14.0
    return [
        svg.circle(_LEFT + 6, y, 5, svg.BAR),
        svg.text(_LEFT + 16, y + 4, "p95", size=11, color=svg.MUTED),
        svg.circle(_LEFT + 62, y, 4, svg.PAPER, stroke=svg.BAR),
        svg.text(_LEFT + 72, y + 4, "p99", size=11, color=svg.MUTED),
        svg.line(_LEFT + 112, y, _LEFT + 136, y, svg.PASS, width=2),
        svg.text(_LEFT + 142, y + 4, "frontier", size=11, color=svg.MUTED),
        svg.line(_LEFT + 204, y, _LEFT + 228, y, svg.INK, dashes="4 3"),
        svg.text(_LEFT + 234, y + 4, "gate", size=11, color=svg.MUTED),
    ]


def _frame(axes: _Axes, name: str, limit: Threshold | None, gate: Threshold | None) -> list[str]:
    left, right = _LEFT, _WIDTH - _RIGHT
    bottom = axes.y(axes.low)
    parts = [svg.text(left, axes.top + _TOP - 8, name, weight=600)]
    for step in range(6):
        share = axes.low + (1 - axes.low) * step / 5
        parts.append(svg.line(left, axes.y(share), right, axes.y(share), svg.RULE))
        parts.append(
            svg.text(left - 8, axes.y(share) + 4, f"{share:.2f}", size=11, anchor="end",
                     color=svg.MUTED)
        )  # fmt: skip
    for count in range(round(axes.high / axes.step) + 1):
        latency = count * axes.step
        said = f"{latency:,g}" + (" ms" if latency == axes.high else "")
        parts.append(
            svg.text(axes.x(latency), bottom + 18, said, size=11, anchor="middle", color=svg.MUTED)
        )
    if limit is not None and limit.value <= axes.high:
        x = axes.x(limit.value)
        parts.append(svg.line(x, axes.y(1.0), x, bottom, svg.INK, dashes="4 3"))
    if gate is not None:
        parts.append(svg.line(left, axes.y(gate.value), right, axes.y(gate.value), svg.INK,
                              dashes="4 3"))  # fmt: skip
    return parts


def _frontier(axes: _Axes, name: str, points: Sequence[Point], standing: Standing) -> list[str]:
    # The frontier is one of precision; against chr the same configurations are only marked.
    if name != "precision" or len(standing.frontier) < 2:
        return []
    by_name = {point.config: point for point in points}
    chosen = [by_name[config] for config in standing.frontier]
    return [
        svg.path(
            [(axes.x(p.value("p95") or 0), axes.y(p.value(name) or 0)) for p in chosen], svg.PASS
        )
    ]


def _dots(
    axes: _Axes,
    name: str,
    points: Sequence[Point],
    standing: Standing,
    numbers: Mapping[str, int],
) -> list[str]:
    """What is beaten lies below what is not, so that nothing good is covered."""
    parts: list[str] = []
    for point in sorted(points, key=lambda p: (p.config not in standing.dominated, p.config)):
        beaten = point.config in standing.dominated
        color, shade = (svg.MUTED, 0.4) if beaten else (svg.BAR, 1.0)
        y = axes.y(point.value(name) or 0.0)
        p95, p99 = (axes.x(point.value(each) or 0.0) for each in ("p95", "p99"))
        parts += _bars(axes, point, name, color, shade * 0.6)
        title = _title(point, name)
        parts.append(svg.circle(p99, y, 4, svg.PAPER, stroke=color, opacity=shade, title=title))
        parts.append(svg.circle(p95, y, 9, color, opacity=shade, title=title))
        number = str(numbers[point.config])
        parts.append(svg.text(p95, y + 3.5, number, size=10, anchor="middle", color=svg.PAPER,
                              weight=700))  # fmt: skip
    return parts


def _names(points: Sequence[Point], standing: Standing) -> list[str]:
    """The configurations by number, fastest first, beside the drawing."""
    x = _WIDTH - _RIGHT + 34
    parts = []
    for row, point in enumerate(points[:_ROWS]):
        y = _TOP + 8 + 24 * row
        beaten = point.config in standing.dominated
        color, shade = (svg.MUTED, 0.4) if beaten else (svg.BAR, 1.0)
        parts.append(svg.circle(x, y - 4, 9, color, opacity=shade))
        parts.append(svg.text(x, y - 0.5, str(row + 1), size=10, anchor="middle", color=svg.PAPER,
                              weight=700))  # fmt: skip
        said = point.config + _role(point.config, standing)
        ink = svg.MUTED if beaten else svg.INK
        parts.append(svg.text(x + 16, y, said, size=12, color=ink, length=48))
    return parts


def _bars(axes: _Axes, point: Point, name: str, color: str, opacity: float) -> list[str]:
    parts = []
    y = axes.y(point.value(name) or 0.0)
    for each, width in (("p95", 2.5), ("p99", 1.0)):
        ends = point.measured[each].interval
        if ends is not None:
            parts.append(svg.line(axes.x(ends[0]), y, axes.x(ends[1]), y, color, width=width,
                                  opacity=opacity))  # fmt: skip
    ends = point.measured[name].interval
    if ends is not None:
        x = axes.x(point.value("p95") or 0.0)
        parts.append(svg.line(x, axes.y(ends[0]), x, axes.y(ends[1]), color, width=2.5,
                              opacity=opacity))  # fmt: skip
    return parts


def _role(config: str, standing: Standing) -> str:
    beaten = standing.dominated.get(config)
    if beaten:
        return f" (beaten by {beaten})"
    roles = [n for n in ("interactive", "batch") if getattr(standing, n) == config]
    return f" ★ {', '.join(roles)}" if roles else ""


def _title(point: Point, name: str) -> str:
    return (
        f"{point.config}: p95 {point.value('p95') or 0:,.0f} ms, "
        f"p99 {point.value('p99') or 0:,.0f} ms, {name} {point.value(name) or 0:.4f}"
    )


def _alt(points: Sequence[Point], standing: Standing) -> str:
    said = [
        f"{p.config} p95 {p.value('p95') or 0:,.0f} ms, precision {p.value('precision') or 0:.4f}, "
        f"chr {p.value('chr') or 0:.4f}{_role(p.config, standing)}"
        for p in points[:12]
    ]
    more = f"; and {len(points) - 12} more" if len(points) > 12 else ""
    return "; ".join(said) + more + "."
