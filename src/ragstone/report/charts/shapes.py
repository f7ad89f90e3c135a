"""The shapes that charts are made of, in the colours of the page they are shown on.

Numbers are rounded to tenths of a pixel and text is escaped here, so a chart made of these is safe,
and the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ragstone.report.text import short, shown

# Each falls back to the light page's colour, for a chart that is shown outside of the page.
INK = "var(--ink,#211e1a)"
MUTED = "var(--muted,#625b51)"
RULE = "var(--line,#e6e0d6)"
RAIL = "var(--rail,#ece7de)"
BAR = "var(--bar,#51657f)"
PAPER = "var(--paper,#faf8f5)"
PASS = "var(--pass,#14633a)"
HOLD = "var(--hold,#7a4d00)"
FAIL = "var(--fail,#a4211b)"
PASS_ZONE = "var(--pass-zone,#cfe6d7)"
HOLD_ZONE = "var(--hold-tint,#fcf2de)"
FAIL_ZONE = "var(--fail-tint,#fcecea)"


def picture(width: float, height: float, parts: Iterable[str]) -> str:
    """The whole drawing; it shrinks with the page and never grows beyond its size."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {n(width)} {n(height)}" '
        f'width="{n(width)}" height="{n(height)}" style="font-family:var(--sans,sans-serif)">'
        f"{''.join(parts)}</svg>"
    )


def rect(
    x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1.0
) -> str:
    if not (width and height):
        return ""
    size = f'width="{n(width)}" height="{n(height)}"'
    style = f"fill:{fill};fill-opacity:{n(opacity, 2)}"
    return f'<rect x="{n(x)}" y="{n(y)}" {size} rx="2" style="{style}"/>'


def circle(
    x: float, y: float, radius: float, color: str, *, hollow: bool = False, opacity: float = 1.0
) -> str:
    # Paper around a full one parts it from what it covers; it is larger by that.
    fill, stroke = (PAPER, color) if hollow else (color, PAPER)
    radius += 0 if hollow else 1
    style = f"fill:{fill};stroke:{stroke};stroke-width:2;opacity:{n(opacity, 2)}"
    return f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(radius)}" style="{style}"/>'


def line(
    points: Iterable[tuple[float, float]],
    color: str,
    *,
    width: float = 1.0,
    dash: str = "",
    opacity: float = 1.0,
) -> str:
    """A line through two or more points."""
    at = " ".join(f"{n(x)},{n(y)}" for x, y in points)
    style = f"fill:none;stroke:{color};stroke-width:{n(width)};stroke-opacity:{n(opacity, 2)}"
    style += f";stroke-dasharray:{dash}" if dash else ""
    return f'<polyline points="{at}" style="{style}"/>'


def text(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    *,
    size: float = 12,
    weight: int = 400,
    color: str = INK,
    length: int = 60,
) -> str:
    """Words from anywhere, cut to `length` and escaped; whole in the tooltip where they are cut."""
    if not words:
        return ""
    cut = short(words, length)
    title = f"<title>{escape(shown(words, 300))}</title>" if cut.endswith("…") else ""
    style = f"fill:{color};font-size:{n(size)}px;font-weight:{weight}"
    at = f'x="{n(x)}" y="{n(y)}" text-anchor="{anchor}"'
    return f'<text {at} style="{style}">{title}{escape(cut)}</text>'


def label(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """What an axis, a key or a note says: small and pale."""
    return text(x, y, words, anchor, color=MUTED, size=11)


def key(x: float, y: float, entries: Sequence[tuple[str, str]], down: float = 0) -> str:
    """What the signs mean: each word with its sign, drawn at 0, before it.

    They stand beside one another, or `down` pixels under one another.
    """
    parts = []
    for index, (words, sign) in enumerate(entries):
        said = text(22, 4, words) if down else label(22, 4, words, "start")
        parts.append(f'<g transform="translate({n(x)} {n(y + index * down)})">{sign}{said}</g>')
        x += 0 if down else 44 + 6.2 * len(words)
    return "".join(parts)


def titled(words: str, *parts: str) -> str:
    """Shapes that share a tooltip."""
    return f"<g><title>{escape(shown(words, 300))}</title>{''.join(parts)}</g>"


def n(number: float, places: int = 1) -> str:
    """A coordinate.

    >>> n(12.0), n(0.25, 2), n(-0.04)
    ('12', '0.25', '0')
    """
    rounded = f"{number:.{places}f}"
    trimmed = rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
    return "0" if trimmed == "-0" else trimmed
