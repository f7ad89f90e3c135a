"""The stability suite against the plain oracle, on generated runs."""

from __future__ import annotations

import math
from typing import Any

import pytest
from against import stability_oracle as oracle
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples

pytest.importorskip("rapidfuzz")

from ragstone.api import stability
from ragstone.suites.stability.claims import levenshtein

CLAIMS = (
    "X rejects null keys.", "x  rejects null keys!", "The X map rejects null keys.",
    "not in context", " Not In Context ", "", "  ", "X takes them", "X takes - them?", "...",
    "rejects null keys, a_b",
)  # fmt: skip
run = st.fixed_dictionaries(
    {
        "answer_json": st.fixed_dictionaries(
            {
                "claim": st.sampled_from(CLAIMS),
                "citations": st.lists(st.sampled_from(["p1#2", "p1#1", "p9"]), max_size=3),
            }
        )
        | st.none(),
        "retrieved_ids": st.sampled_from([["p1#1", "p1#2"], ["p1#2", "p9", "p1#1"], []]),
    }
)
item = st.fixed_dictionaries(
    {"answerable": st.booleans()},
    optional={
        "gold_claim_substr": st.sampled_from([[], ["rejects null keys"], ["keys", "takes them"]]),
        "gold_citations": st.sampled_from([[], ["p1#2"], ["p9", "p1#2"]]),
    },
)


@settings(
    max_examples=examples(12, long=400), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.lists(st.tuples(item, st.lists(run, min_size=1, max_size=6)), min_size=1, max_size=8))
def test_every_question_has_the_oracles_numbers(drawn: list[tuple[Any, list[Any]]]) -> None:
    gold = [{"qid": f"q{n}", **one} for n, (one, _) in enumerate(drawn)]
    lines = [
        {"qid": f"q{n}", "seed": seed, "jitter": "none", **each}
        for n, (_, runs) in enumerate(drawn)
        for seed, each in enumerate(runs)
    ]
    questions = stability(gold, lines).data["questions"]
    assert list(questions) == [item["qid"] for item in gold]
    for number, found in enumerate(questions.values()):
        for name, value in oracle.question(*drawn[number]).items():
            assert math.isclose(found[name], value, abs_tol=1e-12), (name, found)


@given(st.text(max_size=12), st.text(max_size=12))
def test_edit_distance_counts_code_points(one: str, two: str) -> None:
    assert levenshtein()(one, two) == oracle.levenshtein(one, two)
