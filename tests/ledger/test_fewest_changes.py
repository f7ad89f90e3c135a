"""The fewest questions behind the other verdict, held to trying every set of questions."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ragstone.comparison.row_sets import SavedMetric
from ragstone.gates.gate import Threshold
from ragstone.ledger.fewest_changes import fewest, fewest_of_worst

RATIO = SavedMetric("precision", "ratio", "precision", "higher", {})
COUNT = SavedMetric("wrong", "count", "wrong", "lower", {})
MEAN = SavedMetric("recall", "mean", "recall", "higher", {"bounds": [0.0, 1.0]})
TIME = SavedMetric("p90", "quantile", "p90", "lower", {"q": 0.9})
FREE = SavedMetric("cost", "mean", "cost", "lower", {"bounds": None})

questions = st.sampled_from("ABCDEF")
yes_no = st.lists(st.tuples(questions, st.sampled_from([0.0, 1.0])), min_size=1, max_size=9)
shares = st.lists(
    st.tuples(questions, st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=9
)
times = st.lists(st.tuples(questions, st.integers(1, 9).map(float)), min_size=1, max_size=9)
limits = st.builds(
    Threshold, st.sampled_from([">=", "<=", ">", "<"]), st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0])
)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def quantile_90(values: list[float]) -> float:
    ordered = sorted(values)
    place = 0.9 * (len(ordered) - 1)
    low, high = ordered[int(place)], ordered[min(int(place) + 1, len(ordered) - 1)]
    return low if low == high else low + (high - low) * (place - int(place))


def by_trying(rows, number, limit, ends) -> int | None:
    """Every set of questions, the smallest first, each moved to one end or the other."""
    names = sorted({qid for qid, _ in rows})
    now = limit.holds(number([value for _, value in rows]))
    for size in range(1, len(names) + 1):
        for chosen in combinations(names, size):
            for end in ends:
                moved = [end if qid in chosen else value for qid, value in rows]
                if limit.holds(number(moved)) != now:
                    return size
    return None


@given(yes_no, limits)
def test_of_a_ratio(rows, limit):
    assert fewest(rows, RATIO, limit) == by_trying(rows, mean, limit, (0.0, 1.0))


@given(yes_no, st.builds(Threshold, st.sampled_from([">=", "<="]), st.integers(0, 5).map(float)))
def test_of_a_count(rows, limit):
    assert fewest(rows, COUNT, limit) == by_trying(rows, sum, limit, (0.0, 1.0))


@given(shares, limits)
def test_of_a_mean_with_bounds(rows, limit):
    assert fewest(rows, MEAN, limit) == by_trying(rows, mean, limit, (0.0, 1.0))


time_limits = st.builds(Threshold, st.sampled_from([">=", "<="]), st.integers(1, 9).map(float))


@given(st.lists(st.integers(1, 9).map(float), min_size=1, max_size=7), time_limits)
def test_of_a_quantile_with_a_row_a_question(values, limit):
    rows = [(str(number), value) for number, value in enumerate(values)]
    assert fewest(rows, TIME, limit) == by_trying(rows, quantile_90, limit, (-1e12, 1e12))


@given(times, time_limits)
def test_of_a_quantile_with_repeats_it_is_never_said_to_be_easier_than_it_is(rows, limit):
    found, tried = fewest(rows, TIME, limit), by_trying(rows, quantile_90, limit, (-1e12, 1e12))
    assert (found is None) == (tried is None)
    assert found is None or tried is None or tried <= found <= tried + 1


def test_one_question_is_enough_where_nothing_bounds_it():
    assert fewest([("A", 1.0), ("B", 2.0)], FREE, Threshold("<=", 1.0)) == 1


def test_a_gate_on_zero_takes_every_question_that_counts():
    rows = [("A", 1.0), ("B", 0.0), ("C", 1.0), ("C", 0.0)]
    assert fewest(rows, RATIO, Threshold("=", 0.0)) == 2
    assert fewest([("A", 0.0)], RATIO, Threshold("=", 0.0)) == 1


def test_nothing_changes_an_empty_set():
    assert fewest([], RATIO, Threshold(">=", 0.5)) is None
    assert fewest_of_worst([], Threshold(">=", 0.5)) is None


def test_where_the_worst_question_decides_all_that_fail_must_change():
    rows = [("A", 1.0), ("B", 0.2), ("B", 0.9), ("C", 0.1)]
    assert fewest_of_worst(rows, Threshold(">=", 0.5)) == 2
    assert fewest_of_worst(rows, Threshold(">=", 0.05)) == 1
