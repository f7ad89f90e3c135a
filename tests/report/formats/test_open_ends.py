"""An interval may have an open end: every format says so, and nothing is proven by it."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.report_builder import LATENCY, judged, report

from ragstone.gates.gate import Status, Threshold
from ragstone.gates.judge import judge
from ragstone.measure.interval import Interval
from ragstone.measure.metric import Measured
from ragstone.report.charts.dots import Dot, Row, dots
from ragstone.report.charts.plot import Panel, Point, plot
from ragstone.report.charts.scale import near
from ragstone.report.document.figures import interval
from ragstone.report.formats import FORMATS, render
from ragstone.report.formats.gauges import gauge
from ragstone.report.model import Report

# Those that tell of every metric; the others tell of gates that fail, or of offenders only.
TELL_METRICS = ("terminal", "markdown", "html", "json")
TELL_FAILED_GATES = ("terminal", "markdown", "html", "json", "junit", "sarif", "github")
END = st.none() | st.floats(-1e6, 1e6)


@st.composite
def ends_around_a_value(draw: st.DrawFn) -> tuple[float, Interval]:
    """A value and an interval that holds it, of which one end or both are open."""
    value = draw(st.floats(-1e6, 1e6))
    below, above = draw(END), draw(END)
    low = None if below is None else min(below, value)
    high = None if above is None else max(above, value)
    open_below = draw(st.booleans())
    return value, (None if open_below else low, high if open_below else None)


def measured(value: float, ends: Interval) -> Measured:
    return replace(LATENCY, value=value, interval=ends, needs_samples=368)


def with_open_ends(value: float, ends: Interval) -> Report:
    found = measured(value, ends)
    gate = judged(
        found, "<=", value - 1, Status.FAIL, name="p99_gate", needs_samples=found.needs_samples
    )
    metrics = {"p99_gate": found, "p99_alone": found}
    return report(gates=(gate,), metrics=metrics, blocks=())


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25, deadline=None)
@given(found=ends_around_a_value())
def test_every_format_copes_with_an_open_end_and_says_what_it_needs(
    name: str, found: tuple[float, Interval]
) -> None:
    shown = with_open_ends(*found)
    text = render(shown, name)
    again = Report.from_json(shown.to_json()), Report.from_state(shown.to_state())
    assert [render(each, name) for each in again] == [text, text]
    assert "None" not in text.replace("none", "")
    said = '"needs_samples": 368' if name == "json" else "needs 368 samples"
    times = 2 if name in TELL_METRICS else 1 if name in TELL_FAILED_GATES else 0
    assert text.count(said) >= times


@given(ends_around_a_value())
def test_an_open_end_is_null_in_json(found: tuple[float, Interval]) -> None:
    whole = json.loads(with_open_ends(*found).to_json())
    for told in (whole["gates"]["p99_gate"], whole["metrics"]["p99_alone"]):
        assert told["interval"] == list(found[1])
        assert told["needs_samples"] == 368


@given(ends_around_a_value(), st.sampled_from([">=", "<=", ">", "<"]), st.floats(-1e6, 1e6))
def test_an_open_end_proves_nothing(
    found: tuple[float, Interval], op: str, threshold: float
) -> None:
    value, ends = found
    limit = Threshold(op, threshold)  # type: ignore[arg-type]
    known = [measured(value, ends)]
    (gate,) = judge(
        {each.name: each for each in known},
        {LATENCY.name: limit},
        questions=lambda: 9,
        confidence=0.95,
    )
    low, high = ends
    worse, best = (low, high) if op in (">=", ">") else (high, low)
    if worse is None and best is None:
        assert gate.proven is False
    if gate.status is Status.PASS:
        assert worse is not None
    if "proven to fail at" in gate.note and "not" not in gate.note:
        assert best is not None and gate.status is Status.FAIL


def test_values_that_are_all_alike_prove_nothing() -> None:
    limit = {LATENCY.name: Threshold("<=", 2000.0)}
    for ends, proven in (((5.0, 5.0), False), ((5.0, 6.0), True)):
        found = {LATENCY.name: measured(5.0, ends)}
        (gate,) = judge(found, limit, questions=lambda: 9, confidence=0.95)
        assert gate.proven is proven


@given(ends_around_a_value())
def test_an_open_end_is_drawn_to_the_end_of_the_axis(found: tuple[float, Interval]) -> None:
    value, (low, high) = found
    drawn = gauge(value, (low, high))
    assert drawn.interval is not None and drawn.point is not None
    stop = drawn.interval.start + drawn.interval.width
    assert drawn.interval.start <= drawn.point + 0.01 and drawn.point <= stop + 0.01
    assert low is not None or drawn.interval.start == 0.0
    assert high is not None or stop == pytest.approx(100.0)
    assert "nan" not in dots([Row("p99", (Dot(value, (low, high)),))], "now", "before")
    axis = near([-1e6, 1e6])
    point = Point(value, value, (low, high), (low, high))
    assert "nan" not in plot([Panel(axis, axis, points=(point,))], height=100)


def test_open_ends_in_words() -> None:
    assert interval((0.5, None), 368) == "0.5000 or more (needs 368 samples)"
    assert interval((None, 0.5), 72) == "0.5000 or less (needs 72 samples)"
    assert interval((None, None), 1368) == "needs 1,368 samples"
    assert interval((0.5, None)) == "0.5000 or more"
