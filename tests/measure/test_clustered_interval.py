"""The interval of a share whose rows come in clusters, against exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import clustered_interval, shares_interval, wilson

LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])

CLUSTER = st.integers(1, 8).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size)))
CLUSTERS = st.lists(CLUSTER, min_size=1, max_size=40)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=500), LEVELS)
def test_clusters_of_one_row_have_the_exact_interval(hits: list[int], level: float) -> None:
    clustered = clustered_interval(Counter((hit, 1) for hit in hits), level)
    assert clustered == exact_interval(sum(hits), len(hits), level)


@given(CLUSTERS)
def test_each_end_is_the_wider_of_clustered_rows_and_of_whole_questions(
    clusters: list[tuple[int, int]],
) -> None:
    hits, rows = (sum(column) for column in zip(*clusters, strict=True))
    share = Fraction(hits, rows)
    # In units of clusters of the mean size, as a row of such a cluster sees it.
    size = Fraction(sum(each**2 for _, each in clusters), rows)
    alone = rows * share * (1 - share)
    spread = max(sum((hit - share * each) ** 2 for hit, each in clusters), alone) / size**2
    # Two more clusters, all hits or none, half of the time: each varies by a quarter.
    count = rows / size
    effective = count * (share * (1 - share) * count + Fraction(1, 2)) / (spread + Fraction(1, 2))
    around = wilson(float(share * effective), float(effective))
    # As many whole questions as the shares add up to, rounded towards each end.
    whole = sum((Fraction(hit, each) for hit, each in clusters), Fraction(0))
    low, _ = exact_interval(math.floor(whole), len(clusters))
    _, high = exact_interval(math.ceil(whole), len(clusters))
    expected = min(around[0], low), max(around[1], high)
    if rows == len(clusters):
        expected = exact_interval(hits, rows)
    assert clustered_interval(Counter(clusters)) == pytest.approx(expected, abs=1e-12)


@given(CLUSTERS)
def test_clusters_in_another_order_give_the_same_bits(clusters: list[tuple[int, int]]) -> None:
    assert clustered_interval(Counter(sorted(clusters))) == clustered_interval(Counter(clusters))


@given(st.lists(st.booleans(), min_size=1, max_size=100), st.integers(1, 9))
def test_repeats_that_always_agree_count_once(hits: list[bool], repeats: int) -> None:
    clusters = Counter((repeats if hit else 0, repeats) for hit in hits)
    low, high = exact_interval(sum(hits), len(hits))
    found = clustered_interval(clusters)
    assert found[0] <= low and high <= found[1]
    # Where there are many rows in the middle, the normal approximation is the wider.
    assert found == pytest.approx((low, high), abs=0.001 if repeats > 1 else 0.0)


def test_thirds_add_up_to_whole_questions() -> None:
    """In doubles, three thirds are 1, six are 2, and many others are a little less."""
    for times in range(1, 200):
        found = clustered_interval({(1, 3): 3 * times})
        assert found[0] <= exact_interval(times, 3 * times)[0]
        assert found[1] >= exact_interval(times, 3 * times)[1]
        assert shares_interval([(1 / 3, 3 * times)])[0] == pytest.approx(found[0], abs=1e-12)


def test_two_texts_under_many_ids_are_two_questions() -> None:
    assert clustered_interval({(90, 90): 2}) == exact_interval(2, 2)
    assert clustered_interval({(100, 100): 1, (80, 80): 1})[0] == exact_interval(2, 2)[0]


def test_a_rare_hit_in_one_of_its_repeats_does_not_make_strangers_of_them() -> None:
    """One row of 500 hit: as strangers they would prove a rate of at most 0.0112."""
    assert exact_interval(1, 500)[1] < 0.0113
    assert clustered_interval({(1, 5): 1, (0, 5): 99})[1] > 0.03


def test_clusters_without_a_row_say_nothing() -> None:
    assert clustered_interval({(0, 0): 3, (1, 1): 1, (0, 1): 1}) == exact_interval(1, 2)
    with pytest.raises(ValueError, match="cluster"):
        clustered_interval({(0, 0): 1})
