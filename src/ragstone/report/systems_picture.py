"""How do several systems stand beside one another? Systems × metrics, each value in its interval.

A panel a metric, a line a system, one axis for all: what does not overlap is seen at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ragstone.report.model import Picture
from ragstone.report.text import shown
from ragstone.report.words import number

WIDTH = 760
LEFT, RIGHT = 190, 150
LINE, TITLE, GAP, AXIS = 26, 26, 14, 30
NAME = 24
_INK, _MUTED, _LINE, _BAR = "var(--ink)", "var(--muted)", "var(--line)", "var(--bar)"


@dataclass(frozen=True, slots=True)
class Dot:
    """One system's value of one metric."""

    system: str
    value: float | None
    interval: tuple[float, float] | None
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric with a dot for every system."""

    metric: str
    dots: tuple[Dot, ...]


def picture(panels: Sequence[Panel], interval_name: str) -> Picture:
    """The drawing, and the words that stand for it."""
    top, parts = 0, []
    for panel in panels:
        parts.append(_panel(panel, top))
        top += TITLE + LINE * len(panel.dots) + GAP
    height = top + AXIS
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="presentation" font-family="var(--sans)" font-size="13">'
        f"{_axis(top)}{''.join(parts)}</svg>"
    )
    said = "; ".join(
        f"{panel.metric}: " + ", ".join(f"{d.system} {number(d.value)}" for d in panel.dots)
        for panel in panels
    )
    says = (
        f"A dot is the mean over questions, the bar its {interval_name}; the ring is the baseline."
    )
    return Picture("Systems side by side", svg, said, says)


def _at(value: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * min(max(value, 0.0), 1.0), 1)


def _axis(bottom: int) -> str:
    lines = []
    for step in range(6):
        x = _at(step / 5)
        lines.append(
            f'<line x1="{x}" x2="{x}" y1="{TITLE}" y2="{bottom}" style="stroke:{_LINE}"/>'
            f'<text x="{x}" y="{bottom + 18}" text-anchor="middle" style="fill:{_MUTED}" '
            f'font-size="12">{step / 5:.1f}</text>'
        )
    return "".join(lines)


def _panel(panel: Panel, top: int) -> str:
    title = (
        f'<text x="0" y="{top + 17}" font-weight="600" style="fill:{_INK}">'
        f"{escape(shown(panel.metric, 60))}</text>"
    )
    return title + "".join(
        _dot(dot, top + TITLE + LINE * line + LINE // 2) for line, dot in enumerate(panel.dots)
    )


def _dot(dot: Dot, y: int) -> str:
    name = shown(dot.system, 200)
    short = name if len(name) <= NAME else f"{name[: NAME - 1]}…"
    parts = [
        f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end" style="fill:{_INK}">'
        f"<title>{escape(name)}</title>{escape(short)}</text>"
    ]
    if dot.interval is not None:
        low, high = _at(dot.interval[0]), _at(dot.interval[1])
        parts.append(
            f'<rect x="{low}" y="{y - 4}" width="{round(high - low, 1)}" height="8" rx="4" '
            f'style="fill:{_BAR};fill-opacity:.3"/>'
        )
    label = number(dot.value)
    if dot.value is not None:
        fill = "var(--paper)" if dot.baseline else _BAR
        parts.append(
            f'<circle cx="{_at(dot.value)}" cy="{y}" r="5" '
            f'style="fill:{fill};stroke:{_BAR};stroke-width:2"/>'
        )
    if dot.interval is not None:
        label += f"  ({number(dot.interval[0], 2)}–{number(dot.interval[1], 2)})"
    parts.append(
        f'<text x="{WIDTH}" y="{y + 4}" text-anchor="end" style="fill:{_MUTED}" font-size="12">'
        f"{label}</text>"
    )
    return "".join(parts)
