"""A comparison of real systems: no false alarms, promises kept, people followed.

The whole of it is `python checks/compare_alarms.py`; this is a smaller series with the same seed.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import compare_alarms
import pytest
from comparing import Both, both, differences, most_by_chance, swapped

from ragstone.comparison.compare_rows import Comparing, compared
from ragstone.comparison.row_sets import SavedMetric, read_row_set
from ragstone.engine.duck import Duck

RIGHT = SavedMetric("right", "ratio", "right", "higher", {})


@pytest.fixture(scope="module")
def data(shared_data) -> Path:
    for name in ("squad2", "liverag", "financebench"):
        if not (shared_data / name).is_dir():
            pytest.skip(f"{shared_data / name} is not there")
    return Path(shared_data)


@pytest.fixture(scope="module")
def squad(data, tmp_path_factory) -> dict[str, Path]:
    return compare_alarms.squad_rows(data / "squad2", tmp_path_factory.mktemp("squad"))


@pytest.mark.data
def test_real_differences_are_seen_and_swapped_ones_are_not(squad):
    pairs = dict(compare_alarms.squad_pairs(squad))
    assert len(pairs) == 3
    for name, found in pairs.items():
        assert found.questions == 11_857
        assert any(
            each.says == "worse" or each.says == "better" for each in differences(found).values()
        )
        assert compare_alarms.alarms_of(name, found, 20).holds


@pytest.mark.data
def test_patterns_give_what_a_comparison_of_the_files_gives(squad):
    one, two = squad["bert_single"], squad["nlnet_single"]
    with Duck() as duck:
        sides = read_row_set(duck, one, "A", "a"), read_row_set(duck, two, "B", "b")
        whole = compared(duck, *sides, Comparing()).difference
    assert differences(both(one, two)) == {name: whole[name] for name in compare_alarms.GATED}


@pytest.mark.data
def test_swapped_scores_of_two_configurations_are_no_difference(data):
    scores = data / "liverag" / "system_scores.csv"
    for name, found in compare_alarms.score_pairs(scores, count=3):
        assert compare_alarms.alarms_of(name, found, 40).holds


@pytest.mark.data
@pytest.mark.parametrize("metric", ["over_refusal", "precision"])
def test_a_planted_regression_is_found_as_often_as_promised(squad, metric):
    system = both(squad["bert_single"], squad["bert_single"])
    found = compare_alarms.planted(system, metric, 2_000, 0.05, plantings=60)
    # Sixty plantings are within three standard errors of the truth, and that within 0.05.
    error = (found.promised * (1 - found.promised) / found.plantings) ** 0.5
    assert abs(found.found - found.promised) <= 0.05 + 3 * error


@pytest.mark.data
def test_what_people_call_better_is_never_called_worse(data, tmp_path):
    found = compare_alarms.followed(data / "financebench", tmp_path)
    assert [each.metric for each in found] == ["precision", "over_refusal"]
    assert all(each.holds and each.pairs >= 50 for each in found)


def test_swapping_keeps_every_answer():
    patterns = {((1.0, 0.0),): 40, ((1.0, 1.0),): 60, ((None, 1.0),): 5}
    made = swapped(Both({"right": RIGHT}, patterns), Random(0))
    assert made.questions == 105
    one_sided = made.patterns[((None, 1.0),)] + made.patterns[((1.0, None),)]
    assert one_sided == 5 and made.patterns[((1.0, 1.0),)] == 60


def test_a_planted_regression_is_two_points_of_the_set():
    """Of 20,000 questions 2 % more get worse than get better, and no question changes its kind."""
    patterns = {
        ((1.0, 1.0), (1.0, 1.0), (None, None), (0.0, 0.0), (0.0, 0.0)): 70,
        ((0.0, 0.0), (1.0, 1.0), (None, None), (0.0, 0.0), (0.0, 0.0)): 10,
        ((None, None), (None, None), (None, None), (1.0, 1.0), (0.0, 0.0)): 10,
        ((None, None), (None, None), (0.0, 0.0), (None, None), (0.0, 0.0)): 10,
    }
    better = {"under_refusal": "lower", "over_refusal": "lower", "missing": "lower"}
    metrics = {
        name: SavedMetric(name, "ratio", name, better.get(name, "higher"), {})
        for name in compare_alarms.GATED
    }
    made = compare_alarms._worsened(
        Both(metrics, patterns), "over_refusal", 20_000, 0.045, 0.025, Random(4)
    )
    lost = sum(n for p, n in made.items() if p[3] == (0.0, 1.0))
    gained = sum(n for p, n in made.items() if p[3] == (1.0, 0.0))
    assert lost / 20_000 == pytest.approx(0.045, abs=0.005)
    assert gained / 20_000 == pytest.approx(0.025, abs=0.004)
    assert all((a is None) == (b is None) for p in made for a, b in [p[3]])


def test_how_many_alarms_chance_allows():
    assert most_by_chance(1_000) == 67
    assert most_by_chance(20) == 4
