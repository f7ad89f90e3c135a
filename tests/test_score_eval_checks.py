"""The stdlib-only scorer: each check of the spec, by example."""

from __future__ import annotations

import pytest
from builders import Record, gold, refusal, trace
from command import Scorer

pytestmark = pytest.mark.python


@pytest.mark.parametrize(
    "claim",
    [
        *("not in context", "NOT IN CONTEXT", " Not In Context\n"),
        *("\u00a0not in context\u3000", "\x1cnot in context\x85", "\u2028not in context\u205f"),
    ],
)
def test_the_refusal_token_is_stripped_and_folded(scorer: Scorer, claim: str) -> None:
    assert scorer([gold()], [trace(claim=claim)])["refused"] == 1


@pytest.mark.parametrize(
    "claim",
    [
        *("Not in context.", "It is not in context.", "not in  context", "not in\u00a0context"),
        *("\u200bnot in context", "not in context\u0301", "NOT İN CONTEXT", "not ın context"),
    ],
)
def test_a_near_refusal_is_shipped(scorer: Scorer, claim: str) -> None:
    result = scorer([gold(answerable=False)], [trace(claim=claim)])
    assert (result["answered"], result["under_refusal"]) == (1, 1.0)


@pytest.mark.parametrize(
    ("substring", "claim", "contained"),
    [
        ("rejects null keys", "X REJECTS Null Keys.", True),
        ("οδυσσευς", "ΟΔΥΣΣΕΥΣ", True),
        ("İstanbul", "i\u0307stanbul", True),
        ("İstanbul", "istanbul", False),
        ("istanbul", "ISTANBUL", True),
        ("straße", "STRASSE", True),
        ("caf\u00e9 au lait", "CAFE\u0301 AU LAIT", True),
        ("caf\u00e9 au lait", "cafe au lait", False),
        ("100\u00a0% sure", "100 % sure", False),
        (" keys ", "null keys", False),
        (" keys ", " keys ", True),
        ("abcd", "abcd", False),
        ("ﬃab", "ﬃab", False),  # four code points, though they fold to six letters
        ("abcde", "xabcdex", True),
        ("     ", "a     b", True),
    ],
)
def test_containment_ignores_case_and_normal_form_only(
    scorer: Scorer, substring: str, claim: str, contained: bool
) -> None:
    result = scorer([gold(gold_claim_substr=[substring])], [trace(claim=claim)])
    assert result["precision"] == (1.0 if contained else 0.0)


def test_any_one_substring_is_enough_and_none_is_needed(scorer: Scorer) -> None:
    items = [
        gold("A1", gold_claim_substr=["nothing of it", "NULL keys"]),
        gold("A2", gold_claim_substr=[]),
        gold("A3", gold_claim_substr=None),
        gold("A4", gold_claim_substr=["null"]),  # too short ever to match, yet not an empty list
    ]
    result = scorer(items, [trace(item["qid"]) for item in items])
    assert (result["precision"], result["chr"]) == (0.75, 1.0)


@pytest.mark.parametrize(
    ("wanted", "cites", "retrieved", "cited"),
    [
        (["p1#2"], ["p1#2"], ["p1#1", "p1#2"], True),
        (["p1#2", "p9#9"], ["p1#1", "p1#2"], ["p1#1", "p1#2"], True),
        (["p1#2"], ["p1#2", "p3#1"], ["p1#2"], False),  # cites what it did not retrieve
        (["p1#2"], ["p1#1"], ["p1#1", "p1#2"], False),
        (["p1#2"], [], ["p1#2"], False),
        ([], [], ["p1#2"], True),
        ([], ["p1#2"], ["p1#2"], False),
        (["P1#2"], ["p1#2"], ["p1#2"], False),  # ids are compared byte for byte
        (["\u00e9#1"], ["e\u0301#1"], ["e\u0301#1"], False),
    ],
)
def test_a_citation_hit_is_scoped_and_overlaps(
    scorer: Scorer, wanted: list[str], cites: list[str], retrieved: list[str], cited: bool
) -> None:
    result = scorer([gold(gold_citations=wanted)], [trace(cites=cites, retrieved=retrieved)])
    assert result["chr"] == (1.0 if cited else 0.0)


def test_an_answer_to_what_cannot_be_answered_is_never_a_hit(scorer: Scorer) -> None:
    result = scorer([gold(answerable=False)], [trace()])
    assert (result["precision"], result["chr"], result["under_refusal"]) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("echo", "intact"),
    [
        (["a b", "c"], True),
        (["c", "a b"], True),
        (["\u00a0c ", "a b", "c"], True),
        (["A B", "c"], False),
        (["a b"], False),
        (["a b", "c", "d"], False),
        ([], False),
        (None, False),
    ],
)
def test_scu_compares_the_echo_as_a_set_of_stripped_strings(
    scorer: Scorer, echo: list[str] | None, intact: bool
) -> None:
    items = [gold(constraints=[" a b", "c"]), gold("A2"), gold("A3", constraints=[])]
    answers = [trace(echo=echo), trace("A2", echo=["x"]), trace("A3", echo=["x"])]
    assert scorer(items, answers)["precision"] == 1.0
    enforced = scorer(items, answers, "--scu-enforced")
    assert enforced["precision"] == (1.0 if intact else 0.6667)
    assert enforced["chr"] == 1.0


def test_a_refusal_owes_no_echo(scorer: Scorer) -> None:
    result = scorer([gold(constraints=["a"])], [refusal()], "--scu-enforced")
    assert (result["answered"], result["precision"]) == (0, 1.0)


# Missing answers, and which line counts


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{"qid": "A1"}],
        [{"qid": "A1", "answer_json": None, "retrieved_ids": None}],
        [trace(claim=None)],
        [{**trace(), "answer_json": {"claim": None, "citations": ["p1#2"]}}],
        [trace(claim="")],
        [trace(claim=" \u00a0\t")],
        [trace("a1"), trace("")],
    ],
)
def test_a_missing_answer_is_shipped_empty_and_cites_nothing(
    scorer: Scorer, lines: list[Record]
) -> None:
    for item, right in (
        (gold(), 0.0),
        (gold(gold_citations=[]), 0.0),
        (gold(gold_claim_substr=["     "]), 0.0),
        (gold(gold_claim_substr=[]), 0.0),
        ({"qid": "A1", "answerable": True}, 1.0),
        ({"qid": "A1", "answerable": False}, 0.0),
    ):
        result = scorer([item], lines)
        assert (result["answered"], result["refused"]) == (1, 0)
        assert result["precision"] == right


def test_what_a_missing_answer_retrieved_still_counts_for_recall(scorer: Scorer) -> None:
    result = scorer([gold()], [trace(claim="")])
    assert (result["recall@k"], result["chr"]) == (1.0, 0.0)


def test_the_last_line_of_a_qid_wins_under_either_name(scorer: Scorer) -> None:
    renamed = {**trace(), "qid": None, "q_id": "A1"}
    assert scorer([gold()], [refusal(), renamed])["answered"] == 1
    assert scorer([gold()], [renamed, refusal()])["refused"] == 1


def test_traces_that_gold_does_not_know_are_not_scored(scorer: Scorer) -> None:
    nameless = {name: value for name, value in refusal().items() if name != "qid"}
    strays = [refusal("A2"), refusal("a1"), refusal(""), refusal("A1 "), nameless]
    result = scorer([gold()], [*strays, trace(), *strays])
    assert (result["answered"], result["refused"], result["precision"]) == (1, 0, 1.0)


def test_empty_sets_have_the_values_of_the_spec(scorer: Scorer) -> None:
    only_unanswerable = scorer([gold(answerable=False)], [refusal()])
    assert (only_unanswerable["over_refusal"], only_unanswerable["recall@k"]) == (0.0, 0.0)
    assert (only_unanswerable["precision"], only_unanswerable["chr"]) == (1.0, 1.0)
    assert scorer([gold()], [trace()])["under_refusal"] == 0.0


def test_recall_wants_every_gold_citation_among_the_first_k(scorer: Scorer) -> None:
    items = [
        gold("A1", gold_citations=["a", "b", "a"]),
        gold("A2", gold_citations=["a", "c"]),
        gold("A3", gold_citations=[]),
        gold("A4", gold_citations=["a"], answerable=False),
    ]
    answers = [trace(item["qid"], retrieved=["b", "a", "c"]) for item in items]
    assert scorer(items, answers, "--k", "2")["recall@k"] == 0.6667
    assert scorer(items, answers, "--k", "3")["recall@k"] == 1.0
