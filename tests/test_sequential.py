"""The simulation of watched canaries: it computes what the command does, and the level holds."""

from __future__ import annotations

import numpy as np
import pytest
from drifting import STEPS, step, worded
from sequential import (
    BEGIN,
    END,
    NEVER,
    Truth,
    at_the_margin,
    by_name,
    drawn,
    first,
    level_table,
    log_wealth,
    one_look,
    watched,
    with_tables,
)

from ragstone.measure.betting import Wealth
from ragstone.measure.interval import wilson
from ragstone.measure.paired import tango
from ragstone.serve.canary_conditions import chosen
from ragstone.serve.canary_evidence import Plan, Verdict, Watched


@pytest.mark.parametrize("name", ["coverage", "citation_accuracy"])
def test_the_simulated_wealth_is_that_of_the_command(name: str) -> None:
    condition = by_name(name)
    values = drawn(condition, Truth(""), np.random.default_rng(3).random((2, 80)))
    low, high = condition.metric.bounds or (0.0, 1.0)
    numbers = (values - low) / (high - low)
    found = log_wealth(numbers, condition.scaled_line)
    for row in range(2):
        wealth = Wealth(condition.scaled_line)
        for place, number in enumerate(numbers[row]):
            wealth.add(float(number))
            assert found[row, place] / np.log(10) == pytest.approx(wealth.log10(), abs=1e-8)


def test_a_simulated_canary_ends_where_the_command_ends() -> None:
    truth = Truth("", coverage=-0.2, churn=0.3)
    ended = watched(truth, 20, 150, seed=5)
    draw = np.random.default_rng(5)
    values = {
        each.name: drawn(each, truth, draw.random((20, 150))) for each in Plan(chosen()).conditions
    }
    for row in range(20):
        test = Watched(Plan(chosen()))
        for place in range(150):
            test.add({name: float(found[row, place]) for name, found in values.items()})
        decision = test.decision
        if ended.rolls_back[row]:
            assert decision.verdict is Verdict.ROLL_BACK
            assert decision.question == ended.rolled_back[row]
        else:
            assert decision.verdict is Verdict.HOLD


def test_one_look_is_what_the_intervals_say() -> None:
    condition = by_name("coverage")
    values = drawn(condition, Truth("", coverage=-0.1), np.random.default_rng(2).random((3, 300)))
    proven, refuted = one_look(condition, values)
    for row in range(3):
        for n in (20, 100, 300):
            part = values[row, :n]
            low, high = tango(int((part > 0).sum()), int((part < 0).sum()), n)
            assert proven[row, n - 1] == (low >= -0.02)
            assert refuted[row, n - 1] == (high < -0.02)
    shares = by_name("citation_accuracy")
    values = drawn(shares, Truth(""), np.random.default_rng(2).random((3, 300)))
    proven, _ = one_look(shares, values)
    for row in range(3):
        assert proven[row, -1] == (wilson(int(values[row].sum()), 300)[0] >= 0.95)


def test_on_the_line_false_promotions_stay_within_the_level() -> None:
    """Ville's bound is exact: at most 1 in 20 in the long run; 200 canaries allow for chance."""
    lines, wrong = level_table(200, 600, seed=11)
    assert wrong == 0
    assert len(lines) == 2 + len(at_the_margin())
    everything = watched(at_the_margin()[-1], 200, 600, seed=11)
    assert everything.promotes.sum() == 0


def test_looking_often_breaks_the_test_of_one_look_and_not_this_one() -> None:
    condition = by_name("citation_accuracy")
    truth = Truth("", citation_accuracy=0.95)
    values = drawn(condition, truth, np.random.default_rng(4).random((300, 1_000)))
    rich = (log_wealth(values, 0.95) >= np.log(20)).any(axis=1).mean()
    proven, _ = one_look(condition, values)
    assert proven[:, -1].mean() <= 0.05
    assert proven[:, 29:].any(axis=1).mean() > 0.10
    assert rich <= 0.05


def test_a_real_drop_is_found_and_never_promoted() -> None:
    ended = watched(Truth("", coverage=-0.2, churn=0.25), 100, 400, seed=7)
    assert ended.rolls_back.mean() > 0.95
    assert not ended.promotes.any()


def test_rows_that_are_never_true_never_end() -> None:
    assert first(np.array([[False, True], [False, False]])).tolist() == [2, NEVER]


def test_the_tables_go_between_the_marks_of_the_page() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = with_tables(page, "| new |")
    assert "old" not in once and "| new |" in once
    assert with_tables(once, "| new |") == once


@pytest.mark.parametrize(("before", "after", "at"), STEPS)
def test_after_a_fall_hardly_any_canary_is_promoted(before: float, after: float, at: int) -> None:
    truth = Truth("", coverage=step(before, after, at, 2_000), elsewhere=0)
    ended = watched(truth, 200, 2_000, seed=3)
    assert (ended.promotes & (ended.promoted > at)).mean() <= 0.05
    assert (ended.promotes | ended.rolls_back).mean() > 0.9


def test_wordings_under_one_qid_are_one_question() -> None:
    truth = Truth("", coverage=-0.02, elsewhere=0)
    false = {
        known: watched(
            *(truth, 200, 1_500, 3), worded(10, 200, 1_500, 3, known=known)
        ).promotes.mean()
        for known in (True, False)
    }
    assert false[True] <= 0.05 < false[False]
    # What counts no more leaves every evidence as it is: 150 facts are all that there is.
    repeats = worded(10, 2, 1_500, 3, known=True)
    assert repeats.counts.sum(axis=1).tolist() == [150, 150]


def test_no_canary_is_promoted_before_it_has_as_many_questions_as_it_must() -> None:
    truth = Truth("", churn=0)
    assert {*watched(truth, 5, 600, 1).promoted} == {241}
    assert {*watched(truth, 5, 600, 1, at_least=500).promoted} == {500}
    assert not watched(truth, 5, 600, 1, at_least=601).promotes.any()
