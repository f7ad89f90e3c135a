"""The evidence over time, drawn: for every condition the bet that it holds and that it does not."""

from __future__ import annotations

import math

from ragstone.report.charts import shapes
from ragstone.report.charts.plot import Limit, Line, Panel, plot
from ragstone.report.charts.scale import Axis, near
from ragstone.report.document.blocks import Picture
from ragstone.serve.canary_page import CanaryPage, ConditionShown

# Powers of ten: what is beyond is drawn at the edge, for there it is settled.
_LOWEST, _HIGHEST = -2.0, 4.0
# Dots: a line is drawn in pieces, and longer dashes would be lost between short ones.
_AGAINST = "1 5"
_PIECES = 64
SAYS = (
    "Each panel is one condition. The full line is the evidence that it holds, the dotted one that "
    "it does not; both begin with 1. Where the full line reaches the mark “proven” the condition "
    "is proven, and where the dotted one reaches “refuted” it is refuted. Looking at it "
    "after every question is safe."
)


def evidence_chart(page: CanaryPage) -> Picture | None:
    """The picture; None before the first question."""
    measured = [each for each in page.conditions if each.questions]
    if not measured:
        return None
    across = near([0.0, float(max(page.questions, 1))], 5, "questions")
    panels = [_panel(each, page, across) for each in measured]
    key = (
        ("evidence that it holds", shapes.line([(2, 0), (24, 0)], shapes.BAR, width=2.5)),
        (
            "evidence that it does not",
            shapes.line([(2, 0), (24, 0)], shapes.HOLD, width=2.5, dash=_AGAINST),
        ),
    )
    said = "; ".join(_said(each) for each in measured)
    return Picture(
        "Evidence over time",
        plot(panels, height=150, key=key),
        f"The evidence after {page.questions:,} questions, as multiples of what it began with. "
        f"{said}.",
        SAYS,
    )


def _panel(each: ConditionShown, page: CanaryPage, across: Axis) -> Panel:
    few = each.path[:: max(1, len(each.path) // _PIECES)]
    lines = (
        Line(tuple((float(p.question), p.refuting) for p in few), shapes.HOLD, _AGAINST),
        Line(tuple((float(p.question), p.proving) for p in each.path), shapes.BAR),
    )
    limits = (
        Limit(math.log10(page.to_prove), "proven"),
        Limit(math.log10(page.to_refute), "refuted"),
    )
    ticks = tuple((power, _power(power)) for power in (-2.0, 0.0, 2.0, 4.0))
    up = Axis(_LOWEST, _HIGHEST, ticks)
    return Panel(across, up, lines, limits=limits, title=f"{each.title}: {state_in_words(each)}")


def state_in_words(each: ConditionShown) -> str:
    """`proven at question 580`, or `open`."""
    return f"{each.state} at question {each.at:,}" if each.at else each.state


def _power(power: float) -> str:
    """A power of ten, written out.

    >>> _power(-2.0), _power(0.0), _power(4.0)
    ('0.01', '1', '10,000')
    """
    return f"{10**power:,.0f}" if power >= 0 else f"{10**power:g}"


def wealth(power: float) -> str:
    """The evidence as a person reads it.

    >>> [wealth(each) for each in (1.3010299957, 0.0, -2.5, 7.2)]
    ['20', '1', '0.0032', 'over 1e6']
    """
    if power > 6:
        return "over 1e6"
    if power < -4:
        return "0"
    return f"{10**power:,.0f}" if power >= 1 else f"{10**power:.2g}"


def _said(each: ConditionShown) -> str:
    return (
        f"{each.title}: {wealth(each.proving)} that it holds, {wealth(each.refuting)} that it does "
        f"not, {state_in_words(each)}"
    )
