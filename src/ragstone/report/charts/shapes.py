"""The shapes that charts are made of, in the colours of the page they are shown on.

Across, a place is pixels, or a share of the width of the frame it is drawn in. So a chart is as
wide as its page and its words keep their size: on a phone, on a screen and on paper. Numbers are
rounded and text is escaped here, so a chart made of these is safe, and the same bytes everywhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from ragstone.report.text import short, shown

# Each falls back to the light page's colour, for a chart that is shown outside of the page.
INK = "var(--ink,#211e1a)"
MUTED = "var(--muted,#625b51)"
RULE = "var(--line,#e6e0d6)"
RAIL = "var(--rail,#ece7de)"
BAR = "var(--bar,#51657f)"
RANGE = "var(--range,#7b899d)"
PAPER = "var(--paper,#faf8f5)"
PASS = "var(--pass,#14633a)"
HOLD = "var(--hold,#7a4d00)"
FAIL = "var(--fail,#a4211b)"
PASS_ZONE = "var(--pass-zone,#cfe6d7)"
HOLD_ZONE = "var(--hold-tint,#fcf2de)"
FAIL_ZONE = "var(--fail-tint,#fcecea)"

_FONT = "font-family:var(--sans,sans-serif)"
# The narrowest and the widest that a drawing is; what is laid out for both holds in between.
NARROW, WIDE = 300, 760
SIZE, SMALL = 12, 11
# Words above this length are cut; a tooltip has them whole.
LONGEST = 90


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the width of the frame around it."""

    of_width: float


Across = float | Share


def at(place: Across) -> str:
    """A place across, as SVG writes it.

    >>> at(12.0), at(Share(0.4567))
    ('12', '45.67%')
    """
    return f"{n(100 * place.of_width, 2)}%" if isinstance(place, Share) else n(place)


def picture(height: float, parts: Iterable[str], *, left: float = 0, right: float = 0) -> str:
    """The whole drawing, as wide as the page has room for it.

    Shares are of the width between the margins `left` and `right`, in which only words stand.
    """
    around = f"box-sizing:border-box;padding:0 {n(right)}px 0 {n(left)}px;overflow:visible"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="{n(height)}" '
        f'style="min-width:{NARROW}px;max-width:{WIDE}px;{around};{_FONT}">{"".join(parts)}</svg>'
    )


def fixed_picture(width: float, height: float, parts: Iterable[str]) -> str:
    """A drawing of one size, which is scrolled in its frame where there is less room."""
    size = f'width="{n(width)}" height="{n(height)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} style="{_FONT}">{"".join(parts)}</svg>'


def lower(top: float, parts: Iterable[str]) -> str:
    """A part of the drawing, moved down."""
    return f'<g transform="translate(0 {n(top)})">{"".join(parts)}</g>'


def rect(
    x: Across, y: float, width: Across, height: float, fill: str, *, opacity: float = 1.0
) -> str:
    if not (width.of_width if isinstance(width, Share) else width) or not height:
        return ""
    size = f'width="{at(width)}" height="{n(height)}"'
    style = f"fill:{fill}" + (f";fill-opacity:{n(opacity, 2)}" if opacity < 1 else "")
    return f'<rect x="{at(x)}" y="{n(y)}" {size} rx="2" style="{style}"/>'


def circle(x: Across, y: float, radius: float, color: str, *, hollow: bool = False) -> str:
    # Paper around a full one parts it from what it covers; it is larger by that.
    fill, stroke = (PAPER, color) if hollow else (color, PAPER)
    radius += 0 if hollow else 1
    style = f"fill:{fill};stroke:{stroke};stroke-width:2"
    return f'<circle cx="{at(x)}" cy="{n(y)}" r="{n(radius)}" style="{style}"/>'


def line(
    points: Sequence[tuple[Across, float]], color: str, *, width: float = 1.0, dash: str = ""
) -> str:
    """A line through two or more points."""
    style = f"stroke:{color};stroke-width:{n(width)};stroke-linecap:round"
    style += f";stroke-dasharray:{dash}" if dash else ""
    parts = [
        f'<line x1="{at(x)}" y1="{n(y)}" x2="{at(right)}" y2="{n(down)}"/>'
        for (x, y), (right, down) in pairwise(points)
    ]
    return f'<g style="{style}">{"".join(parts)}</g>' if parts else ""


def text(
    x: Across,
    y: float,
    words: str,
    anchor: str = "start",
    *,
    right: float = 0,
    size: float = SIZE,
    weight: int = 400,
    color: str = INK,
    length: int = LONGEST,
    halo: bool = False,
) -> str:
    """Words from anywhere, cut to `length` and escaped; whole in the tooltip where they are cut.

    They begin, end or have their middle `right` pixels to the right of x. With a `halo` of paper
    they are read over a line.
    """
    if not words:
        return ""
    cut = short(words, length)
    title = f"<title>{escape(shown(words, 300))}</title>" if cut.endswith("…") else ""
    style = f"fill:{color};font-size:{n(size)}px;font-weight:{weight}"
    style += f";paint-order:stroke;stroke:{PAPER};stroke-width:3px" if halo else ""
    place = f'x="{at(x)}" y="{n(y)}" text-anchor="{anchor}"' + (f' dx="{n(right)}"' * bool(right))
    return f'<text {place} style="{style}">{title}{escape(cut)}</text>'


def label(
    x: Across,
    y: float,
    words: str,
    anchor: str = "middle",
    *,
    right: float = 0,
    size: float = SMALL,
) -> str:
    """What an axis, a key or a note says: small and pale."""
    return text(x, y, words, anchor, right=right, color=MUTED, size=size)


def clipped(
    x: float, y: float, room: float, words: str, *, size: float = SIZE, weight: int = 400
) -> str:
    """Words that are cut where their line has no room for them; whole in their tooltip.

    `room` is the share of the width that they have.
    """
    drawn = text(0, 13, words, size=size, weight=weight)
    said = f"<title>{escape(shown(words, 300))}</title>{drawn}"
    place = f'x="{n(x)}" y="{n(y - 13)}" width="{at(Share(room))}" height="18"'
    return f'<svg {place} overflow="hidden">{said}</svg>'


def room_beside(note: str, margins: float = 0, size: float = SIZE) -> float:
    """The share of the width that a note at the end of a line leaves to the name before it."""
    return max(0.2, 1 - (width_of(note, size) + 12) / (NARROW - margins))


def width_of(words: str, size: float = SIZE) -> float:
    """How wide words are at most, in pixels, in any of the usual fonts without serifs.

    >>> width_of("0.8000") < width_of("precision") < width_of("MMMMMMMMM")
    True
    """
    hundredths: int = sum(_hundredths(each) for each in words)
    return size * hundredths / 100


def _hundredths(character: str) -> int:
    """The width of a character, in hundredths of its size."""
    if character in "iljtfrI.,:;'|!()[] -":
        return 43
    if unicodedata.east_asian_width(character) in "WF":
        return 105
    if character in "mwMW@%—…" or ord(character) > 0x2000:
        return 102
    return 78 if character.isupper() else 66


def key(entries: Sequence[tuple[str, str]], left: float = 0) -> tuple[str, float]:
    """What the signs mean: each word behind its sign, drawn at 0; and the height that this takes.

    They are broken into as many lines as the narrowest drawing needs, and begin at its edge,
    `left` of where its shares begin.
    """
    parts, x, y = [], 0.0, 12.0
    for words, sign in entries:
        needed = 30 + width_of(words, SMALL) + 12
        if x and x + needed > NARROW:
            x, y = 0.0, y + 20
        said = label(30, 4, words, "start")
        parts.append(f'<g transform="translate({n(x - left)} {n(y)})">{sign}{said}</g>')
        x += needed
    return "".join(parts), (y + 14 if entries else 0)


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
