"""The decision of a watched canary: what decides, when, and that it stays."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.errors import ConfigError
from ragstone.measure.more_questions import Needed
from ragstone.serve.canary_conditions import CONDITIONS, chosen
from ragstone.serve.canary_evidence import Plan, Standing, State, Stop, Verdict, Watched
from ragstone.serve.canary_outlook import Outlook, more_needed, outlook

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
    assert found.now.state is State.REFUTED
    assert found.now.since > 241


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
    assert test.evidence["coverage"].state is State.OPEN
    assert test.evidence["coverage"].now == Standing(State.PROVEN, 241)


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


@pytest.mark.parametrize("seen", [30, 48, 120])
@pytest.mark.parametrize("wrong", [0, 1, 4])
def test_the_range_holds_the_number_if_it_goes_on_like_this(seen: int, wrong: int) -> None:
    """Also where the arms answer alike: then one number alone would be said as if it were sure."""
    round_of = [
        {**GOOD, "coverage": (-1.0, 1.0, *[0.0] * 8)[n] if n < wrong else 0.0} for n in range(10)
    ]
    test = watched()
    for place in range(seen):
        test.add(round_of[place % 10])
    assert not test.decided
    fewest, most = more_needed(outlook(test))
    assert fewest is not None
    while not test.decided and test.questions < 30_000:
        test.add(round_of[test.questions % 10])
    more = test.questions - seen
    assert fewest <= more + 10
    assert most is None or more <= most + 10


def test_one_refuted_condition_settles_it_and_all_must_be_proven() -> None:
    def of(proven: Needed, refuted: Needed) -> Outlook:
        return Outlook("", None, proven, refuted)

    good, bad, unclear = (
        of((10, 40), (90, None)),
        of((70, None), (20, 50)),
        of((30, None), (60, None)),
    )
    assert more_needed([good, of((5, 20), (80, None))]) == (10, 40)
    assert more_needed([good, bad]) == (20, 50)
    assert more_needed([good, unclear]) == (30, None)
    assert more_needed([of((0, 0), (None, None)), good]) == (10, 40)
    assert more_needed([of((None, None), (None, None))]) == (None, None)


def test_questions_that_are_measured_in_part_take_as_many_more() -> None:
    test = watched()
    for place in range(100):
        test.add({**GOOD, "recall": 0.0 if place % 2 else None})
    half = asked(watched(), GOOD, 50)
    some = {each.name: each.proven for each in outlook(test)}
    every = {each.name: each.proven for each in outlook(half)}
    assert some["recall"] == tuple(each and 2 * each for each in every["recall"])


values = st.fixed_dictionaries(
    {
        "coverage": st.sampled_from([-1.0, -0.5, 0.0, 1.0, None]),
        "citation_accuracy": st.sampled_from([0.0, 1.0, None]),
        "delta_s_median": st.sampled_from([0.0, 1.0, None]),
        "recall": st.sampled_from([-1.0, 0.0, 0.5, None]),
        "flips": st.sampled_from([-1.0, 0.0, 1.0, None]),
    }
)


def test_what_is_worse_is_nearer_to_0() -> None:
    for condition in chosen():
        better = {"flips": -1.0, "delta_s_median": 1.0}.get(condition.name, 1.0)
        worse = {"flips": 1.0, "delta_s_median": 0.0}.get(condition.name, 0.0)
        assert condition.scaled(worse) < condition.scaled(better) == 1
        assert [condition.unscaled(condition.scaled(each)) for each in (worse, better)] == [
            *(worse, better)
        ]


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


@pytest.mark.parametrize("seed", range(60))
def test_a_verdict_says_what_every_interval_says_at_that_look(seed: int) -> None:
    """Also where the shadow becomes better or worse: PROMOTE has each interval beyond its line,
    ROLL BACK one of them on the wrong side."""
    draw = random.Random(seed)
    test = watched(("coverage", "-0.3"), ("recall", "-0.3"), ("flips", "0.3"), level=0.8)
    while not test.decided:
        bad = {name: draw.choice((0.0, 0.0, 0.3, 0.7)) for name in NAMES}
        for _ in range(draw.randrange(5, 40)):
            test.add({name: (BAD if draw.random() < bad[name] else GOOD)[name] for name in NAMES})
            if test.decided:
                break
    clear = {
        name: _side(found.condition.line.op, found.condition.line.value, found.interval)
        for name, found in test.evidence.items()
    }
    if test.decision.verdict is Verdict.PROMOTE:
        assert set(clear.values()) == {1}, clear
    else:
        assert -1 in clear.values()


def _side(op: str, line: float, interval: tuple[float, float] | None) -> int:
    """1 where the whole interval keeps the line, -1 where all of it breaks it, else 0."""
    if interval is None:
        return 0
    low, high = (edge - line if op == ">=" else line - edge for edge in interval)
    nearest, farthest = min(low, high), max(low, high)
    return (nearest >= -1e-8) - (farthest <= 1e-8)


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
