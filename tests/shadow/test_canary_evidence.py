"""The decision of a watched canary: what decides, when, and that it stays."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.errors import ConfigError
from ragstone.serve.canary_conditions import CONDITIONS, chosen
from ragstone.serve.canary_evidence import Plan, State, Stop, Verdict, Watched
from ragstone.serve.canary_outlook import outlook

NAMES = [each.name for each in CONDITIONS]
GOOD = {
    "coverage": 0.0,
    "citation_accuracy": 1.0,
    "delta_s_median": 1.0,
    "recall": 0.0,
    "flips": 0.0,
}
BAD = {
    "coverage": -1.0,
    "citation_accuracy": 0.0,
    "delta_s_median": 0.0,
    "recall": -1.0,
    "flips": 1.0,
}


def watched(*changes: tuple[str, str], **plan: float) -> Watched:
    return Watched(Plan(chosen(changes), **plan))  # type: ignore[arg-type]


def asked(test: Watched, values: dict[str, float | None], times: int) -> Watched:
    for _ in range(times):
        test.add(values)
    return test


def test_it_promotes_when_the_last_condition_is_proven() -> None:
    test = asked(watched(), GOOD, 240)
    assert test.decision.verdict is Verdict.HOLD
    test.add(GOOD)
    assert (test.decision.verdict, test.decision.question) == (Verdict.PROMOTE, 241)


@pytest.mark.parametrize("name", NAMES)
def test_one_refuted_condition_rolls_back(name: str) -> None:
    test = asked(watched(), {**GOOD, name: BAD[name]}, 60)
    assert test.decision.verdict is Verdict.ROLL_BACK
    assert [each.condition.name for each in test.in_state(State.REFUTED)] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_measured_never_passes(name: str) -> None:
    test = asked(watched(), {**GOOD, name: None}, 2_000)
    assert test.decision.verdict is Verdict.HOLD
    assert test.evidence[name].state is State.UNMEASURED
    off = asked(watched((name, "off")), {**GOOD, name: None}, 2_000)
    assert off.decision.verdict is Verdict.PROMOTE


def test_a_decision_stays_whatever_comes_later() -> None:
    test = asked(asked(watched(), GOOD, 241), BAD, 3_000)
    assert test.decision.verdict is Verdict.PROMOTE
    found = test.evidence["coverage"]
    assert found.state is State.PROVEN
    assert found.later_refuted_at > 241


def test_another_index_rolls_back_before_any_proof() -> None:
    test = asked(watched(), GOOD, 240)
    test.add(GOOD, Stop("index", "the index changed"))
    assert (test.decision.verdict, test.decision.by) == (Verdict.ROLL_BACK, "index")


def test_the_planned_end_holds_and_counts_no_more() -> None:
    test = asked(watched(most=200), GOOD, 200)
    assert (test.decision.verdict, test.decision.question) == (Verdict.HOLD, 200)
    assert "planned end" in test.decision.why
    asked(test, GOOD, 500)
    assert test.decision.verdict is Verdict.HOLD
    assert test.evidence["coverage"].later_proven_at == 241


def test_a_refutation_needs_as_much_more_evidence_as_there_are_conditions() -> None:
    every, one = Plan(chosen()), Plan(chosen([(name, "off") for name in NAMES[1:]]))
    assert (round(every.to_prove), round(every.to_refute)) == (20, 100)
    assert (round(one.to_prove), round(one.to_refute)) == (20, 20)


def test_before_any_question_the_plan_says_what_is_provable_at_best() -> None:
    found = {each.name: each for each in outlook(watched(most=500))}
    assert found["coverage"].at_best == 241
    assert found["citation_accuracy"].at_best == 95
    assert found["coverage"].provable == pytest.approx(-0.0097, abs=1e-3)
    assert found["citation_accuracy"].provable == pytest.approx(0.9903, abs=1e-3)


def test_a_plan_that_is_too_short_is_known_before_it_begins() -> None:
    found = {each.name: each for each in outlook(watched(most=100))}
    assert found["coverage"].at_best is not None
    assert found["coverage"].at_best > 100


def test_what_is_expected_at_this_rate_comes_true_at_this_rate() -> None:
    values = [{**GOOD, "coverage": value} for value in (-1.0, 1.0, *[0.0] * 18)]
    test = watched()
    for place in range(200):
        test.add(values[place % 20])
    ahead = next(each for each in outlook(test) if each.name == "coverage")
    assert ahead.becomes is State.PROVEN
    while not test.evidence["coverage"].proven_at:
        test.add(values[test.questions % 20])
    assert test.evidence["coverage"].proven_at == pytest.approx(ahead.settled_at, rel=0.1)


def test_questions_that_are_measured_in_part_take_as_many_more() -> None:
    test = watched()
    for place in range(100):
        test.add({**GOOD, "recall": 0.0 if place % 2 else None})
    ahead = {each.name: each.settled_at for each in outlook(test)}
    assert ahead["recall"] == 2 * (ahead["coverage"] or 0)


values = st.fixed_dictionaries(
    {
        "coverage": st.sampled_from([-1.0, -0.5, 0.0, 1.0, None]),
        "citation_accuracy": st.sampled_from([0.0, 1.0, None]),
        "delta_s_median": st.sampled_from([0.0, 1.0, None]),
        "recall": st.sampled_from([-1.0, 0.0, 0.5, None]),
        "flips": st.sampled_from([-1.0, 0.0, 1.0, None]),
    }
)


@given(st.lists(values, max_size=60))
def test_every_interval_holds_the_mean_that_was_seen(given: list[dict[str, float | None]]) -> None:
    test = watched()
    for each in given:
        test.add(each)
    for found in test.evidence.values():
        if found.questions:
            assert found.interval is not None
            assert found.value is not None
            low, high = found.interval
            assert low - 1e-6 <= found.value <= high + 1e-6


@given(st.lists(values, max_size=60), st.integers(0, 59))
def test_no_question_that_came_later_changes_what_was_decided(
    given: list[dict[str, float | None]], cut: int
) -> None:
    whole, part = watched(level=0.6), watched(level=0.6)
    for place, each in enumerate(given):
        whole.add(each)
        if place < cut:
            part.add(each)
    if part.decided:
        assert part.decision == whole.decision


def test_a_path_stays_bounded_and_in_order() -> None:
    test = asked(watched(), GOOD, 3_000)
    points = test.evidence["flips"].path.points
    assert 100 < len(points) <= 256
    assert all(one.question < other.question for one, other in pairwise(points))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        (("coverage", "> 0"), "expected >= and a number"),
        (("coverage", "1"), "between -1 and 1"),
        (("citation_accuracy", "1"), "between 0 and 1"),
        (("delta_s_median", ">= 0.4"), "expected <= and a number"),
        (("flips", "-1"), "between -1 and 1"),
        (("recal", "off"), "did you mean 'recall'"),
    ],
)
def test_a_line_that_nothing_can_reach_is_refused(word: tuple[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        chosen([word])


def test_names_of_the_other_canary_mean_the_same_here() -> None:
    off = chosen([("R@5_delta", "off"), ("divergence", "off")])
    assert [each.name for each in off] == NAMES[:3]
