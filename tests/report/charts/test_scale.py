"""Axes have round numbers, hold what is drawn on them, and are not much longer than it."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from ragstone.report.charts.scale import near

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False) | st.floats(0, 1)


@given(st.lists(NUMBERS, min_size=1, max_size=12), st.integers(2, 8))
def test_an_axis_holds_what_is_drawn_and_is_less_than_twice_as_long(
    numbers: list[float], steps: int
) -> None:
    axis = near(numbers, steps)
    long = axis.high - axis.low
    assert axis.low <= min(numbers) + 1e-6 * long
    assert axis.high >= max(numbers) - 1e-6 * long
    drawn = max(numbers) - min(numbers)
    if drawn > 1e-3:
        # Each end may be up to a step beyond what is drawn.
        assert long <= drawn + 2 * 2.5 * drawn / steps + 1e-6
    if min(numbers) >= 0 and max(numbers) <= 1:
        assert axis.low >= 0
        assert axis.high <= 1


@given(st.lists(NUMBERS, min_size=2, max_size=12), st.integers(2, 8))
def test_the_numbers_of_an_axis_are_round_and_have_the_same_places(
    numbers: list[float], steps: int
) -> None:
    said = [words.replace(",", "") for _, words in near(numbers, steps).ticks]
    assert len(said) >= 2
    if any("e" in each for each in said):
        return
    written = [Decimal(each) for each in said]
    step = (written[1] - written[0]).normalize()
    digits = int("".join(map(str, step.as_tuple().digits)))
    if step:
        assert digits in (1, 2, 5, 25)
    assert len({each.partition(".")[2].__len__() for each in said}) == 1
