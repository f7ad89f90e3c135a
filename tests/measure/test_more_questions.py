"""How many more questions would settle a gate: what the range promises, and its words."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import clustered_interval
from ragstone.measure.more_questions import more_for_number, more_for_share, more_questions


@pytest.mark.parametrize(
    ("fewest", "most", "words"),
    [
        (40, 120, "40 to 120 more questions would settle it"),
        (99, 101, "99 to 110 more questions would settle it"),
        (40, None, "at least 40 more questions would settle it"),
        (1, None, "at least 1 more question would settle it"),
        (1, 2, "1 to 2 more questions would settle it"),
        (146, 149, "146 to 150 more questions would settle it"),
        (146, 146, "about 150 more questions would settle it"),
        (1, 1, "about 1 more question would settle it"),
        (1_234_567, None, "at least 1,234,567 more questions would settle it"),
        (None, None, "how many more questions would settle it cannot be said yet"),
    ],
)
def test_a_range_has_one_wording(fewest: int | None, most: int | None, words: str) -> None:
    assert more_questions(fewest, most) == words


@given(st.integers(1, 60), st.data())
def test_both_ends_of_the_range_are_where_the_interval_comes_to_leave_the_limit_out(
    n: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, n))
    limit = data.draw(st.integers(1, 99)) / 100
    ends = exact_interval(hits, n)
    assume(ends[0] < limit < ends[1])
    rates = (hits / n, min(ends, key=lambda end: abs(end - limit)))
    range_of = more_for_share(hits / n, ends, limit, n, n)
    # Whole hits go up and down around a limit: any place where it comes to be settled will do.
    for more in range_of:
        assert (
            more is None
            or more > MOST_TRIED
            or any(_settles(hits, n, r, limit, more) for r in rates)
        )
    if None in range_of:
        assert any(not _settled(hits, n, rate, limit, MOST_TRIED) for rate in rates)


MOST_TRIED = 1_000


def _settles(hits: int, n: int, rate: float, limit: float, more: int) -> bool:
    return _settled(hits, n, rate, limit, more) and (
        more == 1 or not _settled(hits, n, rate, limit, more - 1)
    )


def _settled(hits: int, n: int, rate: float, limit: float, more: int) -> bool:
    """Whether so many more questions, answered right at a rate, leave the limit out."""
    right = round(hits + more * rate, 6)
    low, _ = exact_interval(math.floor(right), n + more)
    _, high = exact_interval(math.ceil(right), n + more)
    return not low < limit < high


def test_repeats_of_the_same_questions_do_not_shrink_what_is_needed() -> None:
    """30 questions, 26 right, asked once, twice or five times with the same outcome."""
    ranges = {
        more_for_share(
            26 / 30,
            clustered_interval({(times, times): 26, (0, times): 4}),
            0.8,
            rows=30 * times,
            questions=30,
        )
        for times in (1, 2, 5)
    }
    assert ranges == {(124, 125)}


def test_a_part_of_the_questions_needs_as_many_more_of_all() -> None:
    ends = exact_interval(85, 100)
    assert more_for_share(0.85, ends, 0.8, 100, questions=100)[0] == 177
    assert more_for_share(0.85, ends, 0.8, 100, questions=250)[0] == 443


@pytest.mark.parametrize(
    ("hits", "n", "limit", "fewest"),
    [
        (0, 10, 0.05, 62),  # no hit in 72: 0.95 to the power of 72 is just under 0.025
        (10, 10, 0.95, 62),
        (7, 10, 0.8, 59),  # the rate misses it: that many would prove the failure
        (85, 100, 0.8, 177),
    ],
)
def test_how_many_more_at_the_rate_seen(hits: int, n: int, limit: float, fewest: int) -> None:
    assert more_for_share(hits / n, exact_interval(hits, n), limit, n, n)[0] == fewest


def test_a_range_that_nobody_would_ask_is_open() -> None:
    n = 1_000_000
    assert more_for_share(0.800001, exact_interval(800_001, n), 0.8, n, n)[1] is None


def test_a_value_on_the_limit_has_no_upper_end() -> None:
    fewest, most = more_for_share(0.8, exact_interval(80, 100), 0.8, 100, questions=100)
    assert fewest is not None and most is None


def test_an_interval_without_width_says_nothing() -> None:
    assert more_for_number(5.0, (5.0, 5.0), 5.0, questions=9) == (None, None)


def test_four_times_as_many_questions_halve_an_interval() -> None:
    assert more_for_number(110.0, (90.0, 130.0), 100.0, questions=25)[0] == 75
