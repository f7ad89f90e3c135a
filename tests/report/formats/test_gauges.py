import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.gates.gate import Op, Threshold
from ragstone.report.document.blocks import Funnel, Step
from ragstone.report.formats.gauges import Stretch, bars, gauge

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("op", "passing"),
    [
        (">=", Stretch(80.0, 20.0)),
        (">", Stretch(80.0, 20.0)),
        ("<=", Stretch(0.0, 80.0)),
        ("<", Stretch(0.0, 80.0)),
        ("=", Stretch(80.0, 0.0)),
    ],
)
def test_the_passing_side_of_the_threshold_is_known(op: Op, passing: Stretch) -> None:
    assert gauge(0.5, None, Threshold(op, 0.8)).passing == passing


@given(NUMBERS, st.tuples(NUMBERS, NUMBERS), NUMBERS)
def test_everything_stands_on_the_axis(
    value: float, ends: tuple[float, float], limit: float
) -> None:
    drawn = gauge(value, (min(ends), max(ends)), Threshold(">=", limit))
    assert drawn.low <= min(value, *ends, limit, 0)
    assert drawn.high >= max(value, *ends, limit, 1)
    assert drawn.point is not None
    assert drawn.interval is not None
    assert drawn.threshold is not None
    assert all(0 <= at <= 100 for at in (drawn.point, drawn.interval.start, drawn.threshold))
    assert drawn.interval.start + drawn.interval.width <= 100.01


def test_without_a_number_there_is_an_axis_and_nothing_on_it() -> None:
    drawn = gauge(None, None)
    assert (drawn.low, drawn.high, drawn.point, drawn.interval) == (0.0, 1.0, None, None)


def test_a_funnel_starts_whole_and_shows_what_each_step_lost() -> None:
    first, second = bars(Funnel("f", 8, (Step("shipped", 6, 2, ()),)))
    assert (first.left.width, first.lost.width) == (100.0, 0.0)
    assert (second.left.width, second.lost) == (75.0, Stretch(75.0, 25.0))


def test_a_funnel_over_nothing_is_drawn_empty() -> None:
    assert all(
        math.isfinite(bar.left.width) for bar in bars(Funnel("f", 0, (Step("s", 0, 0, ()),)))
    )
