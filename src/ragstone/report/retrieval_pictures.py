"""What a person sees of an index at a glance: SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ragstone.report.model import Picture
from ragstone.report.text import shown
from ragstone.report.words import number
from ragstone.suites.retrieval.canary import Canary
from ragstone.suites.retrieval.evidence import BINS, Node
from ragstone.suites.retrieval.metrics import KS, RISK, STABLE
from ragstone.suites.retrieval.side import Side

WIDTH = 760
SECTIONS = 60

_COMPARED = (
    *(f"R@{k}" for k in KS),
    "P@5",
    "anchor_hit@5",
    "coverage",
    "citation_accuracy",
    "lambda_convergence",
    "delta_s_median",
    "delta_s_p90",
)
# Set apart by dash as well as by colour; red and green are kept for good and bad.
_LINES = (
    ("var(--bar)", ""),
    ("var(--hold)", "6 3"),
    ("var(--muted)", "2 3"),
    ("var(--ink)", "8 3 2 3"),
    ("var(--pass)", "1 4"),
)


def _svg(height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="100%" style="max-width:{WIDTH}px" '
        f'font-size="13" fill="var(--ink)">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", tone: str = "--ink") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="var({tone})">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, tone: str = "--line", more: str = "") -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="var({tone})" {more}/>'


def versus(found: Canary) -> Picture:
    """Every compared metric on one axis: live as a ring, shadow as a dot, with their intervals."""
    rows = [
        (name, found.live.measured[name], found.shadow.measured[name])
        for name in _COMPARED
        if found.live.measured[name].value is not None
        and found.shadow.measured[name].value is not None
    ]
    left, right, step, top = 170, 690, 38, 34
    height = top + step * len(rows) + 26

    def at(value: float) -> float:
        return round(left + (right - left) * min(1.0, max(0.0, value)), 2)

    bottom = height - 26
    parts = [_line(at(x / 4), top - 6, at(x / 4), bottom) for x in range(5)]
    parts += [_text(at(x / 4), height - 8, f"{x / 4:g}", "middle", "--muted") for x in range(5)]
    parts.append(f'<circle cx="{left + 6}" cy="12" r="5" fill="none" stroke="var(--muted)" '
                 'stroke-width="2"/>')  # fmt: skip
    parts.append(_text(left + 18, 16, "live"))
    parts.append(f'<circle cx="{left + 76}" cy="12" r="5" fill="var(--bar)"/>')
    parts.append(_text(left + 88, 16, "shadow, each with its interval"))
    for index, (name, live, shadow) in enumerate(rows):
        y = top + step * index + 14
        parts.append(_text(0, y + 4, name))
        for each, dy, tone in ((live, -6, "--muted"), (shadow, 6, "--bar")):
            low, high = each.interval or (each.value or 0.0, each.value or 0.0)
            parts.append(_line(at(low), y + dy, at(high), y + dy, tone, 'stroke-width="3"'))
            fill = "var(--panel)" if tone == "--muted" else f"var({tone})"
            parts.append(
                f'<circle cx="{at(each.value or 0.0):g}" cy="{y + dy}" r="5" fill="{fill}" '
                f'stroke="var({tone})" stroke-width="2"/>'
            )
        delta = (shadow.value or 0.0) - (live.value or 0.0)
        parts.append(_text(WIDTH, y + 4, f"{'+' if delta > 0 else ''}{number(delta)}", "end"))
    alt = "; ".join(
        f"{name}: live {number(live.value)}, shadow {number(shadow.value)}"
        for name, live, shadow in rows
    )
    return Picture("Live against shadow", _svg(height, parts), alt)


def delta_s(side: Side, counts: Sequence[int]) -> Picture:
    """The ΔS of the questions in twentieths, over the three bands."""
    left, right, top, bottom = 46, 740, 34, 200
    tallest = max(max(counts), 1)
    scale = side.delta_s.scale
    cuts = [0.0, min(1.0, STABLE * scale), min(1.0, RISK * scale), 1.0]
    parts = []
    for name, tone, low, high in zip(
        ("stable", "transitional", "risk"),
        ("--pass-zone", "--hold-tint", "--fail-tint"),
        cuts[:-1],
        cuts[1:],
        strict=True,
    ):
        x, width = left + (right - left) * low, (right - left) * (high - low)
        parts.append(
            f'<rect x="{x:g}" y="{top}" width="{width:g}" height="{bottom - top}" '
            f'fill="var({tone})"/>'
        )
        if width > 70:
            parts.append(_text(x + width / 2, top - 8, name, "middle", "--muted"))
    step = (right - left) / BINS
    for index, count in enumerate(counts):
        tall = (bottom - top - 4) * count / tallest
        if count:
            parts.append(
                f'<rect x="{left + step * index + 1:g}" y="{bottom - tall:g}" '
                f'width="{step - 2:g}" height="{tall:g}" fill="var(--bar)"/>'
            )
    parts.append(_line(left, bottom, right, bottom, "--muted"))
    parts += [
        _text(left + (right - left) * x / 5, bottom + 18, f"{x / 5:g}", "middle", "--muted")
        for x in range(6)
    ]
    parts.append(_text(left - 8, top + 10, f"{tallest:,}", "end", "--muted"))
    parts.append(_text((left + right) / 2, bottom + 38, "ΔS", "middle", "--muted"))
    known = sum(counts)
    shares = [side.measured[f"delta_s_{band}"].value for band in ("stable", "transitional", "risk")]
    alt = (
        f"ΔS of {known:,} questions: stable {number(shares[0])}, transitional "
        f"{number(shares[1])}, risk {number(shares[2])}"
    )
    line = f"The line in force is {side.delta_s.line:.4g}"
    says = {
        "log": f"As the log brings it. {line}, as the spec has it.",
        "computed": f"Computed by {side.delta_s.embedder}. "
        + (f"{line}, calibrated." if side.delta_s.calibrated else "Not calibrated: not gated."),
        "none": "",
    }[side.delta_s.source]
    return Picture("ΔS and its bands", _svg(bottom + 46, parts), alt, says)


def recall(side: Side) -> Picture:
    """R@k over k, all questions and each type."""
    left, right, top, bottom = 46, 560, 16, 220
    series = [("all", side.measured), *list(side.by_type.items())[:4]]
    if len(side.by_type) == 1:
        series = series[:1]

    def at(k: int, value: float) -> tuple[float, float]:
        return (
            round(left + (right - left) * (k - 1) / 9, 2),
            round(bottom - (bottom - top) * value, 2),
        )

    parts = [_line(left, at(1, x / 4)[1], right, at(1, x / 4)[1]) for x in range(5)]
    parts += [_text(left - 8, at(1, x / 4)[1] + 4, f"{x / 4:g}", "end", "--muted")
              for x in range(5)]  # fmt: skip
    parts += [_text(at(k, 0)[0], bottom + 20, f"R@{k}", "middle", "--muted") for k in KS]
    told = []
    for index, (name, row) in enumerate(series):
        tone, dash = _LINES[index]
        points = [at(k, row[f"R@{k}"].value or 0.0) for k in KS]
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{tone}" stroke-width="2.5" '
            f'stroke-dasharray="{dash}"/>'
        )
        parts += [f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{tone}"/>' for x, y in points]
        y = top + 14 + 24 * index
        parts.append(
            f'<line x1="{right + 16}" y1="{y - 4}" x2="{right + 52}" y2="{y - 4}" '
            f'stroke="{tone}" stroke-width="2.5" stroke-dasharray="{dash}"/>'
        )
        questions = row["missing"].denominator
        parts.append(_text(right + 60, y, f"{name} ({questions:,})"))
        told.append(f"{name}: " + ", ".join(f"R@{k} {number(row[f'R@{k}'].value)}" for k in KS))
    return Picture("Recall by k and type", _svg(bottom + 30, parts), "; ".join(told))


def tree(nodes: Sequence[Node], answers: bool) -> Picture:
    """The title tree, each section as wide as its coverage and coloured by it."""
    what = "coverage" if answers else "share found in the first five"
    head = nodes[:SECTIONS]
    left, full, step = 250, 360, 24
    parts = []
    for index, node in enumerate(head):
        y = step * index + 16
        value = node.value or 0.0
        tone = "--pass" if value >= 0.9 else "--hold" if value >= 0.7 else "--fail"
        parts.append(_text(12 * node.depth, y, shown(node.section, 30)))
        parts.append(
            f'<rect x="{left}" y="{y - 12}" width="{full}" height="14" fill="var(--rail)"/>'
        )
        parts.append(
            f'<rect x="{left}" y="{y - 12}" width="{full * value:g}" height="14" '
            f'fill="var({tone})"/>'
        )
        parts.append(_text(left + full + 10, y, f"{value:.0%} of {node.questions:,}"))
    says = f"Each section with the questions anchored in it or below it, by {what}."
    if len(nodes) > len(head):
        says += f" The first {len(head)} of {len(nodes):,} sections."
    alt = ", ".join(f"{node.section} {number(node.value)}" for node in head[:12])
    return Picture("Title tree", _svg(step * len(head) + 8, parts), f"{what}: {alt}", says)
