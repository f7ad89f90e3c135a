"""How many more questions would settle a difference: found with the interval that decides it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.comparison import says
from ragstone.comparison.says import Deciding, by_chance, change, sentence
from ragstone.gates.margin import Margin
from ragstone.measure.more_questions import Needed
from ragstone.measure.outlook import more_to_clear, non_inferiority, questions_to_settle
from ragstone.measure.paired import (
    Difference,
    difference_of_means,
    difference_of_quantiles,
    pairs_interval,
)
from ragstone.measure.permutation import mcnemar

MARGIN = 0.02


def seen(gained: int, lost: int, same: int) -> Difference:
    found = difference_of_means([(0.0, 1.0, gained), (1.0, 0.0, lost), (1.0, 1.0, same)])
    assert found is not None
    return found


def deciding(difference: Difference, test: says.Test | None = None) -> Deciding:
    return Deciding(difference, 0.95, True, MARGIN, test, True)


def needed(of: Deciding) -> Needed:
    return questions_to_settle(of.settled, moved=of.seen.moved)


@pytest.mark.parametrize(
    ("questions", "fewest"), [(1, 188), (12, 177), (48, 141), (100, 89), (126, 63), (188, 1)]
)
def test_a_run_beside_itself_needs_189_questions_in_all(questions: int, fewest: int) -> None:
    low, high = needed(deciding(seen(0, 0, questions)))
    assert low == fewest
    assert high is not None
    # One question that turns among the next ones makes it this many, or more than twice as many.
    unlucky = next(n for n in range(189, 400) if pairs_interval(0, 1, n)[0] >= -MARGIN)
    assert high == unlucky - questions or 1.8 * fewest <= high <= 2 * fewest < unlucky - questions


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.05])
def test_the_range_of_a_run_beside_itself_is_at_most_twofold_and_holds_the_truth(
    margin: float,
) -> None:
    enough = next(n for n in range(1, 1_000) if pairs_interval(0, 0, n)[0] >= -margin)
    for n in range(12, 1_000 if margin == MARGIN else 60):
        said = sentence(
            Deciding(seen(0, 0, n), 0.95, True, margin, None, True), Margin(margin)
        ).replace(",", "")
        if n >= enough:
            assert said == f"same within {margin:g}"
            continue
        numbers = [int(word) for word in said.split() if word.isdigit()]
        assert numbers[0] <= enough - n <= numbers[-1] <= 2 * numbers[0], (n, said)


def test_the_range_of_times_beside_themselves_is_at_most_twofold() -> None:
    same = difference_of_quantiles([(float(n), float(n), 1) for n in range(1, 101)], 0.5)
    moved = difference_of_quantiles([(float(n), float(n + n % 2), 1) for n in range(1, 101)], 0.5)
    assert same is not None and moved is not None
    low, high = more_to_clear(same, -2.0, 0.95)
    assert low is not None and high is not None
    assert high <= 2 * low
    assert moved.moved and not same.moved


SETS = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 400))


@given(SETS)
def test_the_smaller_number_is_enough_if_the_next_ones_behave_like_these(
    counts: tuple[int, int, int],
) -> None:
    gained, lost, same = counts
    difference = seen(*counts)
    if change(deciding(difference)) != "no change shown":
        return
    fewest, _ = needed(deciding(difference))
    if fewest is None:
        return
    asked = gained + lost + same
    for more, settles in ((fewest, True), (fewest - 1, False)):
        grown = (asked + more) / asked
        low, high = pairs_interval(gained * grown, lost * grown, asked * grown)
        inside = low >= -MARGIN - 1e-9 and high <= MARGIN + 1e-9
        if more:
            assert (inside or low > 1e-9 or high < -1e-9) is settles


@given(SETS, st.integers(2, 6), st.integers(1, 6))
def test_what_a_set_repeated_shows_is_promised_no_later(
    counts: tuple[int, int, int], times: int, family: int
) -> None:
    """Real pairs: the same questions again and again, with the test of the largest correction."""
    gained, lost, _ = counts
    p = min(1.0, family * mcnemar(gained, lost))
    first = deciding(seen(*counts), says.Test(p, 0.95, family))
    if change(first) != "no change shown":
        return
    fewest, _ = needed(first)
    many = [number * times for number in counts]
    p = min(1.0, family * mcnemar(many[0], many[1]))
    settled = change(deciding(seen(*many), says.Test(p, 0.95, family))) != "no change shown"
    more = (times - 1) * sum(counts)
    if fewest is not None and more == fewest:
        assert settled
    if settled:
        assert fewest is not None and fewest <= more


def test_times_are_settled_by_their_own_interval() -> None:
    pairs = [(100.0 + number % 7, 101.0 + number % 5, 1) for number in range(40)]
    found = difference_of_means(pairs, bounds=None)
    assert found is not None and found.interval is not None
    fewest, most = more_to_clear(found, 0.0, 0.95)
    assert fewest is not None and most is not None
    assert 0 < fewest < most


def proof(gained: int, lost: int, same: int) -> str:
    return non_inferiority(seen(gained, lost, same), MARGIN).proof


def test_losing_a_question_never_proves_anything_good() -> None:
    for n in (100, 150, 180, 200, 400):
        order = [proof(0, lost, n - lost) for lost in range(40)]
        ranked = [("proven small", "undecided", "proven large").index(each) for each in order]
        assert ranked == sorted(ranked)
    assert proof(0, 0, 150) == "undecided"
    assert proof(0, 0, 189) == "proven small"


@given(st.integers(0, 5), st.integers(0, 5), st.integers(20, 400))
def test_that_many_more_to_settle_settle_it_and_one_fewer_do_not(
    gained: int, lost: int, rest: int
) -> None:
    verdict = non_inferiority(seen(gained, lost, rest), MARGIN)
    if verdict.proof != "undecided" or verdict.needed is None:
        return
    n = gained + lost + rest
    for more, settled in ((verdict.needed, True), (verdict.needed - 1, False)):
        grown = (n + more) / n
        low, high = pairs_interval(gained * grown, lost * grown, n * grown)
        if more:
            assert (low >= -MARGIN - 1e-9 or high < -MARGIN - 1e-9) is settled


def enumerated(asked: int, turned: float, size: float) -> float:
    """How often a run without any change is worse by more than `size`, counted in full."""
    from math import comb

    total = 0.0
    for moved in range(asked + 1):
        likely = comb(asked, moved) * turned**moved * (1 - turned) ** (asked - moved)
        worse = sum(
            comb(moved, lost) for lost in range(moved + 1) if 2 * lost - moved > size * asked + 1e-9
        )
        total += likely * worse / 2**moved
    return total


@pytest.mark.parametrize(("asked", "turned"), [(50, 4), (100, 10), (100, 5), (200, 30)])
def test_how_often_chance_fails_a_gate_is_what_counting_finds(asked: int, turned: int) -> None:
    up = turned // 2
    said = by_chance(seen(up, turned - up, asked - turned), MARGIN)
    wanted = round(100 * enumerated(asked, turned / asked, MARGIN))
    shown = int(said.removeprefix("a run without any change would fail it ").split()[0])
    assert abs(shown - wanted) <= 1


def test_what_is_said_has_four_forms() -> None:
    assert sentence(deciding(seen(0, 0, 189)), Margin(MARGIN)) == "same, within 0.02"
    assert sentence(deciding(seen(12, 0, 88)), Margin(MARGIN)) == "better"
    assert sentence(deciding(seen(0, 12, 88)), Margin(MARGIN)) == "worse"
    assert sentence(deciding(seen(0, 0, 48)), Margin(MARGIN)) == (
        "no change shown; 141 to 240 more questions would settle it"
    )
