"""How many more questions would settle a gate: what the range promises, and its words."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragstone.measure.interval import clustered_wilson, wilson
from ragstone.measure.more_questions import more_for_number, more_for_share, more_questions


@pytest.mark.parametrize(
    ("fewest", "most", "words"),
    [
        (40, 120, "40 to 120 more questions would settle it"),
        (99, 101, "99 to 110 more questions would settle it"),
        (40, None, "at least 40 more questions would settle it"),
        (1, None, "at least 1 more question would settle it"),
        (1, 2, "1 to 2 more questions would settle it"),
        (146, 149, "about 150 more questions would settle it"),
        (1, 1, "about 1 more question would settle it"),
        (1_234_567, None, "at least 1,300,000 more questions would settle it"),
        (None, None, "how many more questions would settle it cannot be said yet"),
    ],
)
def test_a_range_has_one_wording(fewest: int | None, most: int | None, words: str) -> None:
    assert more_questions(fewest, most) == words


@given(st.integers(1, 60), st.data())
def test_the_range_is_what_trying_one_more_question_after_the_other_finds(
    n: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, n))
    limit = data.draw(st.integers(1, 99)) / 100
    low, high = ends = wilson(hits, n)
    assume(low < limit < high)
    rates = (hits / n, min(ends, key=lambda end: abs(end - limit)))
    fewest, most = more_for_share(hits / n, ends, limit, n)
    tried = sorted(_tried(hits, n, rate, limit) for rate in rates)
    for found, wanted in zip((fewest, most), tried, strict=True):
        assert wanted == MOST_TRIED if found is None or found >= MOST_TRIED else found == wanted


MOST_TRIED = 1_000


def _tried(hits: int, n: int, rate: float, limit: float) -> int:
    """The first number of more questions, answered right at a rate, that leaves the limit out."""
    for more in range(1, MOST_TRIED):
        low, high = wilson(hits + more * rate, n + more)
        if not low < limit < high:
            return more
    return MOST_TRIED


def test_repeats_of_the_same_questions_do_not_shrink_what_is_needed() -> None:
    """30 questions, 26 right, asked once, twice or five times with the same outcome."""
    found = {
        more_for_share(
            26 / 30, clustered_wilson([(times, times)] * 26 + [(0, times)] * 4), 0.8, questions=30
        )
        for times in (1, 2, 5)
    }
    assert found == {(109, 120)}


def test_a_part_of_the_questions_needs_as_many_more_of_all() -> None:
    alone = more_for_share(0.85, wilson(85, 100), 0.8, questions=100)
    assert alone[0] == 146
    assert more_for_share(0.85, wilson(85, 100), 0.8, questions=250)[0] == 365


@pytest.mark.parametrize(
    ("hits", "n", "limit", "fewest"),
    [
        (0, 10, 0.05, 63),  # no hit in 73: z² / (73 + z²) is just under 0.05
        (10, 10, 0.95, 63),
        (7, 10, 0.8, 52),  # the rate misses it: that many would prove the failure
        (85, 100, 0.8, 146),
    ],
)
def test_how_many_more_at_the_rate_seen(hits: int, n: int, limit: float, fewest: int) -> None:
    assert more_for_share(hits / n, wilson(hits, n), limit, n)[0] == fewest


def test_a_range_that_nobody_would_ask_is_open() -> None:
    assert more_for_share(0.800001, wilson(800_001, 1_000_000), 0.8, 1_000_000)[1] is None


def test_a_value_on_the_limit_has_no_upper_end() -> None:
    fewest, most = more_for_share(0.8, wilson(80, 100), 0.8, questions=100)
    assert fewest is not None and most is None


def test_an_interval_without_width_says_nothing() -> None:
    assert more_for_share(1.0, (1.0, 1.0), 0.8, questions=9) == (None, None)
    assert more_for_number(5.0, (5.0, 5.0), 5.0, questions=9) == (None, None)


def test_four_times_as_many_questions_halve_an_interval() -> None:
    assert more_for_number(110.0, (90.0, 130.0), 100.0, questions=25)[0] == 75
