"""The ΔS line that is learned, and the file it is written to."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.cli.retrieval import with_keys
from ragstone.tools.calibration import Scores, learn


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 9).map(lambda n: n / 10), min_size=1, max_size=4),
            st.lists(st.integers(0, 9).map(lambda n: n / 10), min_size=1, max_size=4),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_the_area_is_the_share_of_pairs_in_the_right_order(scores: Any) -> None:
    found = learn("x", [Scores(tuple(a), tuple(b)) for a, b in scores])
    pairs = [(x, y) for a, _ in scores for x in a for _, b in scores for y in b]
    won = sum((x < y) + (x == y) / 2 for x, y in pairs)
    assert found.auc == pytest.approx(won / len(pairs))
    low, high = found.interval
    assert 0.0 <= low <= found.auc + 1e-12 and found.auc <= high + 1e-12 <= 1.0 + 1e-9
    best = found.sensitivity + found.specificity
    for line in (0.05, 0.25, 0.55, 0.95):
        right = [x for a, _ in scores for x in a]
        other = [y for _, b in scores for y in b]
        here = sum(x <= line for x in right) / len(right) + sum(y > line for y in other) / len(
            other
        )
        assert best >= here - 1e-12


def test_the_line_is_written_and_every_other_line_kept() -> None:
    before = '# mine\n[answers]\nk = 3\n\n[retrieval]\ndelta_s_line = 0.1\nunit = "bytes"\n[map]\n'
    after = with_keys(before, {"delta_s_line": "0.7", "embedder": '"ngram"'})
    table = tomllib.loads(after)
    assert table["retrieval"] == {"delta_s_line": 0.7, "embedder": "ngram", "unit": "bytes"}
    assert table["answers"] == {"k": 3} and "# mine" in after and "map" in table
    assert tomllib.loads(with_keys("", {"delta_s_line": "0.7"}))["retrieval"]
