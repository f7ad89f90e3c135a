"""The few shapes that the suites' pictures are made of, in the colours of the page they stand on.

Numbers are rounded to tenths of a pixel and text is escaped here, so a picture made of these is
safe, and the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ragstone.report.text import shown

# Each falls back to the light page's colour, for a picture that stands alone.
INK = "var(--ink,#211e1a)"
MUTED = "var(--muted,#625b51)"
RULE = "var(--line,#e6e0d6)"
RAIL = "var(--rail,#ece7de)"
BAR = "var(--bar,#51657f)"
PASS = "var(--pass,#14633a)"
FAIL = "var(--fail,#a4211b)"
PAPER = "var(--paper,#faf8f5)"
_FONT = "font-family:var(--sans,sans-serif)"


def picture(width: float, height: float, parts: Iterable[str]) -> str:
    """The whole drawing; it shrinks with the page and never grows beyond its size."""
    inside = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {n(width)} {n(height)}" '
        f'width="{n(width)}" height="{n(height)}" style="{_FONT}">{inside}</svg>'
    )


def rect(
    x: float, y: float, width: float, height: float, fill: str, *,
    opacity: float = 1.0, stroke: str = "none", title: str = "",
) -> str:  # fmt: skip
    style = f"fill:{fill};fill-opacity:{n(opacity, 2)};stroke:{stroke}"
    size = f'width="{n(width)}" height="{n(height)}"'
    return f'<rect x="{n(x)}" y="{n(y)}" {size} rx="2" style="{style}">{_title(title)}</rect>'


def circle(
    x: float, y: float, radius: float, fill: str, *, stroke: str = PAPER, opacity: float = 1.0,
    title: str = "",
) -> str:  # fmt: skip
    style = f"fill:{fill};stroke:{stroke};stroke-width:1.5;opacity:{n(opacity, 2)}"
    at = f'cx="{n(x)}" cy="{n(y)}" r="{n(radius)}"'
    return f'<circle {at} style="{style}">{_title(title)}</circle>'


def line(
    x1: float, y1: float, x2: float, y2: float, color: str, *,
    width: float = 1.0, dashes: str = "", opacity: float = 1.0,
) -> str:  # fmt: skip
    style = f"stroke:{color};stroke-width:{n(width)};stroke-opacity:{n(opacity, 2)}"
    style += f";stroke-dasharray:{dashes}" if dashes else ""
    return f'<line x1="{n(x1)}" y1="{n(y1)}" x2="{n(x2)}" y2="{n(y2)}" style="{style}"/>'


def path(points: Iterable[tuple[float, float]], color: str, width: float = 2.0) -> str:
    """A line through points."""
    drawn = " ".join(f"{n(x)},{n(y)}" for x, y in points)
    style = f"fill:none;stroke:{color};stroke-width:{n(width)}"
    return f'<polyline points="{drawn}" style="{style}"/>'


def text(
    x: float, y: float, words: str, *,
    color: str = INK, size: float = 12, anchor: str = "start", weight: int = 400, length: int = 40,
) -> str:  # fmt: skip
    """Words from anywhere: cut, made visible and escaped."""
    style = f"fill:{color};font-size:{n(size)}px;font-weight:{weight}"
    said = escape(shown(words, length))
    return f'<text x="{n(x)}" y="{n(y)}" text-anchor="{anchor}" style="{style}">{said}</text>'


def n(number: float, places: int = 1) -> str:
    """A coordinate.

    >>> n(12.0), n(0.25, 2), n(-0.04)
    ('12', '0.25', '0')
    """
    rounded = f"{number:.{places}f}"
    trimmed = rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
    return "0" if trimmed == "-0" else trimmed


def _title(words: str) -> str:
    return f"<title>{escape(shown(words, 300))}</title>" if words else ""
