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
    long = drawn.axis.high - drawn.axis.low
    assert drawn.axis.low <= min(value, *ends, limit) + 1e-6 * long
    assert drawn.axis.high >= max(value, *ends, limit) - 1e-6 * long
    assert drawn.point is not None
    assert drawn.interval is not None
    assert drawn.threshold is not None
    assert all(0 <= at <= 100 for at in (drawn.point, drawn.interval.start, drawn.threshold))
    assert drawn.interval.start + drawn.interval.width <= 100.01


NEAR_ONE_ANOTHER = st.tuples(
    st.sampled_from([0.0, 0.5, 0.95, 1.0, -0.05, 268.9, 2000.0]),
    st.tuples(*[st.floats(-0.05, 0.05)] * 4).filter(lambda some: max(some) - min(some) > 1e-4),
)


@given(NEAR_ONE_ANOTHER)
def test_value_interval_and_threshold_are_not_one_dot(
    drawn_around: tuple[float, tuple[float, ...]],
) -> None:
    middle, offsets = drawn_around
    value, low, high, limit = (middle + each for each in offsets)
    drawn = gauge(value, (min(low, high), max(low, high)), Threshold(">=", limit))
    assert drawn.interval is not None
    assert drawn.point is not None
    assert drawn.threshold is not None
    ends = (drawn.interval.start, drawn.interval.start + drawn.interval.width)
    marks = (drawn.point, drawn.threshold, *ends)
    assert max(marks) - min(marks) >= 24.9


def test_the_canarys_difference_is_readable() -> None:
    """On an axis up to 1 its value, interval and threshold were one dot."""
    drawn = gauge(-0.0125, (-0.0417, 0.0167), Threshold(">=", -0.05))
    assert drawn.axis.low == -0.06
    assert drawn.axis.high == 0.02
    assert (drawn.threshold, drawn.point) == (12.5, 59.38)


def test_a_number_alone_is_seen_against_nothing() -> None:
    drawn = gauge(3.0, None, Threshold("=", 3.0))
    assert (drawn.axis.low, drawn.axis.high, drawn.point) == (0.0, 3.0, 100.0)


def test_without_a_number_there_is_an_axis_and_nothing_on_it() -> None:
    drawn = gauge(None, None)
    assert (drawn.axis.low, drawn.axis.high) == (0.0, 1.0)
    assert (drawn.point, drawn.interval) == (None, None)


def test_a_funnel_starts_whole_and_shows_what_each_step_lost() -> None:
    first, second = bars(Funnel("f", 8, (Step("shipped", 6, 2, ()),)))
    assert (first.left.width, first.lost.width) == (100.0, 0.0)
    assert (second.left.width, second.lost) == (75.0, Stretch(75.0, 25.0))


def test_a_funnel_over_nothing_is_drawn_empty() -> None:
    assert all(
        math.isfinite(bar.left.width) for bar in bars(Funnel("f", 0, (Step("s", 0, 0, ()),)))
    )
