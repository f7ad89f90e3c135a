"""Refusing what has no answer, as precision, recall and F1."""

from __future__ import annotations

import pytest
from builders import gold, refusal, trace

import ragstone
from ragstone.measure.exact_interval import exact_interval

HEDGED = "The context does not say so directly, but X rejects null keys."


def scored(**options: object) -> ragstone.Report:
    """Refused: 3 of 4 without an answer, and 1 of 5 with one; one of those is hedged."""
    items = [gold(f"U{n}", answerable=False, gold_claim_substr=None) for n in range(4)]
    items += [gold(f"A{n}") for n in range(5)]
    said = [refusal(f"U{n}") for n in range(3)] + [trace("U3")]
    said += [refusal("A0"), trace("A1", HEDGED), *(trace(f"A{n}") for n in (2, 3))]
    return ragstone.score(items, said, **options)


def test_the_numbers_of_a_small_set() -> None:
    report = scored(refusal=["not in context", "@en"])
    found = {
        name: report[name].value
        for name in ("refusal_precision", "refusal_recall", "refusal_f1", "answer_rate", "hedged")
    }
    assert found == {
        "refusal_precision": 3 / 4,
        "refusal_recall": 3 / 4,
        "refusal_f1": 0.75,
        "answer_rate": 4 / 9,
        "hedged": 1 / 4,
    }


def test_the_interval_of_f1_holds_it_and_comes_from_the_share_of_both() -> None:
    found = scored()["refusal_f1"]
    low, high = exact_interval(3, 5)
    assert found.interval == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    assert found.interval[0] < found.value < found.interval[1]


def test_repeats_of_a_question_are_no_further_proof() -> None:
    items = [gold("U1", answerable=False), gold("U2", answerable=False)]
    once = [refusal("U1"), trace("U2")]
    plain = ragstone.score(items, once, keep="all")["refusal_f1"]
    repeated = ragstone.score(items, once * 20, keep="all")["refusal_f1"]
    assert repeated.interval == pytest.approx(plain.interval)


def test_without_a_pack_nothing_can_be_seen_to_hedge() -> None:
    assert "hedged" not in scored().to_dict()["metrics"]
    gated = scored(gates={"hedged": 0.1})
    assert "(hedged) has nothing to test" in "\n".join(gated.warnings)


def test_nothing_refused_and_nothing_to_refuse() -> None:
    report = ragstone.score([gold("A1")], [trace("A1")], gates={"refusal_f1": 0.5})
    assert report["refusal_f1"].value is None
    assert report["answer_rate"].value == 1.0
