"""The default embedder, and how embedders are found by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.embedders.embed import Ngram, delta_s, find
from ragstone.errors import ConfigError

texts = st.text(max_size=60)


@given(texts, texts)
def test_delta_s_is_symmetric_and_lies_between_nought_and_one(one: str, other: str) -> None:
    left, right = Ngram().embed([one, other])
    assert 0.0 <= delta_s(left, right) <= 1.0
    assert delta_s(left, right) == delta_s(right, left)
    assert delta_s(left, left) in (0.0, 1.0) or delta_s(left, left) < 1e-12


@given(st.lists(texts, max_size=8))
def test_the_default_embedder_gives_the_same_in_any_batch(batch: list[str]) -> None:
    alone = [Ngram().embed([text])[0] for text in batch]
    assert alone == list(Ngram().embed(batch))


def test_a_text_without_words_is_as_far_as_can_be() -> None:
    empty, full_one = Ngram().embed(["?!", "null keys"])
    assert delta_s(empty, full_one) == delta_s(empty, empty) == 1.0


def test_an_unknown_embedder_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="did you mean 'ngram'"):
        find("ngrams")
