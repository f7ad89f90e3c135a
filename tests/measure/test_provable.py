"""How many questions prove a limit: against the exact interval itself, and by drawing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import TOLERANCE
from ragstone.measure.provable import fewest_questions, to_prove


def proves(failures: int, questions: int, limit: float, level: float = 0.95) -> bool:
    return exact_interval(failures, questions, level)[1] <= limit + TOLERANCE


def test_72_questions_without_a_failure_prove_a_limit_of_one_in_twenty():
    assert fewest_questions(0.05) == 72
    assert proves(0, 72, 0.05) and not proves(0, 71, 0.05)


@given(
    st.sampled_from([0.25, 0.2, 0.1, 0.05, 0.02, 0.01, 0.5, 0.9]),
    st.integers(0, 60),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_the_fewest_questions_prove_and_one_less_does_not(limit, failures, level):
    questions = fewest_questions(limit, failures, level)
    assert proves(failures, questions, limit, level)
    assert questions == max(failures, 1) or not proves(failures, questions - 1, limit, level)


@pytest.mark.parametrize(("limit", "rate"), [(0.2, 0.1), (0.1, 0.02), (0.05, 0.03)])
def test_a_plan_is_kept_four_times_in_five(limit, rate):
    plan = to_prove(limit, rate)
    assert plan is not None and proves(plan.failures, plan.questions, limit)
    assert not proves(plan.failures + 1, plan.questions, limit)
    chance = random.Random(1)
    kept = sum(
        sum(chance.random() < rate for _ in range(plan.questions)) <= plan.failures
        for _ in range(2_000)
    )
    assert 0.77 <= kept / 2_000 <= 0.90


def test_no_plan_for_what_does_not_hold():
    assert to_prove(0.05, 0.05) is None
    assert to_prove(0.05, 0.2) is None
    # A rate that close to the limit takes more questions than anybody could ask.
    assert to_prove(0.05, 0.05 - 1e-7) is None
    assert to_prove(0.05, 0.0499) is not None
