"""Rankings are those of the formulas, and equal scores stand in the order of the ids."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from against.bm25_oracle import bm25, cosine, fused
from hypothesis import given
from hypothesis import strategies as st

from ragstone.embedders.embed import Ngram
from ragstone.index.chunks import Chunk
from ragstone.index.ranker import Ranker, words_of
from ragstone.index.texts import terms

WORDS = ["relay", "event", "queue", "signature", "retry", "limits", "cluster", "the", "of"]
texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=1, max_size=8
)


def chunk(id: str, text: str) -> Chunk:
    return Chunk(id, "d.md", "d_md", (), (0, len(text)), "prose", "", text)


def ranker(chunks: list[Chunk]) -> Ranker:
    return Ranker(chunks, [words_of(each) for each in chunks])


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join))
def test_bm25_and_vectors_score_as_their_formulas(bodies, query):
    chunks = [chunk(f"c{n}", text) for n, text in enumerate(bodies)]
    index = ranker(chunks)
    expected = bm25(terms(query), [terms(text) for text in bodies])
    found = {hit.chunk.id: hit.score for hit in index.search(query, 10, "bm25")}
    assert found == pytest.approx({f"c{n}": s for n, s in enumerate(expected) if s > 0})
    vectors = [Counter(v) for v in Ngram().embed([query, *bodies])]
    near = {f"c{n}": cosine(vectors[0], v) for n, v in enumerate(vectors[1:])}
    found = {hit.chunk.id: hit.score for hit in index.search(query, 10, "vector")}
    assert found == pytest.approx({id: s for id, s in near.items() if s > 0})


@given(texts, st.sampled_from(WORDS))
def test_hybrid_is_the_fusion_of_the_two_rankings(bodies, query):
    index = ranker([chunk(f"c{n}", text) for n, text in enumerate(bodies)])
    lists = [[h.chunk.id for h in index.search(query, 100, mode)] for mode in ("bm25", "vector")]
    found = {hit.chunk.id: hit.score for hit in index.search(query, 100)}
    assert found == pytest.approx(fused(lists))


@given(texts, st.randoms())
def test_the_order_of_the_chunks_changes_no_ranking(bodies, chance: random.Random):
    chunks = [chunk(f"c{n}", text) for n, text in enumerate(bodies)]
    shuffled = chance.sample(chunks, len(chunks))
    for mode in ("hybrid", "bm25", "vector"):
        assert ranker(chunks).search("relay queue", 5, mode) == ranker(shuffled).search(
            "relay queue", 5, mode
        )


def test_equal_scores_stand_in_the_order_of_the_ids():
    chunks = [chunk(id, "the same words") for id in ("c", "a", "b")]
    assert [hit.chunk.id for hit in ranker(chunks).search("same words", 3)] == ["a", "b", "c"]


def test_what_shares_no_word_is_not_found():
    assert ranker([chunk("a", "queue")]).search("zebra", 3) == ()
    assert ranker([chunk("a", "queue")]).search("", 3) == ()
