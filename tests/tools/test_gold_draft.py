"""What a person writes of a gold item, and what is wrong with it."""

from __future__ import annotations

import pytest

from ragstone.tools.gold_draft import Draft, draft_of, item_of, proposed_qid, wrong_with


def test_retrieval_gold_has_wordings_and_relevant_ids() -> None:
    item = {
        "qid": "A",
        "paraphrases": ["Why?", "How come?"],
        "relevant": ["p1", "p2"],
        "relevant_offsets": {"p1": [0, 9], "p2": [3, 4]},
    }
    draft = draft_of(item, retrieval=True)
    assert (draft.question, draft.paraphrases) == ("Why?", ("How come?",))
    assert item_of(draft, item, retrieval=True) == item
    edited = Draft("A", "Why?", citations=("p1",), paraphrases=("How come?", "What for?"))
    made = item_of(edited, item, retrieval=True)
    assert made["paraphrases"] == ["Why?", "How come?", "What for?"]
    assert (made["relevant"], made["relevant_offsets"]) == (["p1"], {"p1": [0, 9]})
    empty = Draft("B", "Why?")
    wrong = wrong_with(empty, item_of(empty, retrieval=True), (), retrieval=True)
    assert wrong == ["relevant: choose a chunk that answers the question"]


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        (Draft("", "Why?"), "qid: expected a string that is not empty"),
        (Draft("A", ""), "question: write what is asked"),
        (Draft("taken", "Why?"), "another item is called taken"),
        (Draft("A", "Why?", answer="30 days"), "gold_answer: expected JSON"),
        (Draft("A", "Why?", answer='{"number": "x"}'), "gold_answer"),
        (Draft("A", "Why \ud800?"), "half of a character"),
        (Draft("A" * 201, "Why?"), "at most 200 characters"),
    ],
)
def test_what_is_wrong_with_a_draft_is_said(draft: Draft, said: str) -> None:
    assert any(said in each for each in wrong_with(draft, item_of(draft), {"taken"}))


def test_a_typed_answer_may_be_a_plain_text() -> None:
    draft = Draft("A", "Which?", answer='"v2.1"')
    assert item_of(draft)["gold_answer"] == "v2.1"
    assert wrong_with(draft, item_of(draft), ()) == []


def test_a_proposed_name_is_nobody_elses() -> None:
    assert proposed_qid("???", ()) == "section"
    assert proposed_qid("", {"question"}) == "question-2"
    assert proposed_qid("Why?", {"why", "why-2"}) == "why-3"
