"""What pairs keep of a live record, of a trace, and of what a target answered."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.embedders.embed import Ngram, delta_s
from ragstone.shadow.arm_records import arm_of_answer
from ragstone.shadow.computed_delta_s import with_delta_s
from ragstone.shadow.live_answer import Unread, arm_in, name_in, question_in
from ragstone.shadow.pairs import ArmRecord, Hit
from ragstone.targets.protocol import answer_of

LIVE: dict[str, Any] = {
    "qid": "Q1",
    "question": "How long are keys kept?",
    "retrieval": {
        "topk": [{"id": "d1", "text": "Keys are kept for 30 days."}, {"id": "d2"}],
        "index_hash": "i1",
        "ΔS_list": [0.2, 0.7],
        "λ_states": ["<>", "->"],
    },
    "answer": {"claim": "30 days.", "citations": ["d2"], "coverage": 1, "λ_final": "->"},
    "perf": {"t_retrieve_ms": 5, "t_reason_ms": 20},
}
TRACE: dict[str, Any] = {
    "q": "How long are keys kept?",
    "retrieved_ids": ["d1", "d2"],
    "retrieved_texts": ["Keys are kept for 30 days.", "Locks."],
    "answer_json": {"claim": "30 days.", "citations": ["d1"]},
    "index_hash": "i1",
    "stage_ms": {"retrieval": 5, "llm": 20},
    "latency_ms": 26.5,
}


def test_a_live_record_keeps_its_index_its_delta_s_and_its_states_up_to_the_final_one() -> None:
    arm = arm_in(LIVE)
    assert arm.retrieval.topk == (Hit("d1", "Keys are kept for 30 days."), Hit("d2"))
    assert arm.retrieval.index_hash == "i1"
    assert arm.retrieval.delta_s_list == (0.2, 0.7)
    assert (arm.retrieval.lambda_states, arm.answer.lambda_final) == (("<>", "→"), "→")
    assert arm.answer.citations == (Hit("d2"),)
    assert (arm.answer.coverage, arm.perf.t_reason_ms) == (1.0, 20.0)


def test_misread_and_plain_spellings_are_the_same_record() -> None:
    text = json.dumps(LIVE, ensure_ascii=False)
    for spelled in (
        text.replace("ΔS_list", "delta_s_list").replace("λ_", "lambda_"),
        text.replace("ΔS_list", "ŒîS_list").replace("λ_states", "Î»_states"),
    ):
        assert arm_in(json.loads(spelled)) == arm_in(LIVE)


def test_a_trace_keeps_texts_beside_its_ids() -> None:
    arm = arm_in(TRACE)
    assert arm.retrieval.topk == (Hit("d1", "Keys are kept for 30 days."), Hit("d2", "Locks."))
    assert (arm.perf.t_retrieve_ms, arm.perf.t_reason_ms, arm.perf.latency_ms) == (5, 20, 26.5)


def test_the_answer_of_a_target_is_read_as_a_trace_with_its_own_clock() -> None:
    reply = {key: value for key, value in TRACE.items() if key != "latency_ms"}
    arm = arm_of_answer(answer_of({**reply, "λ_state": "->", "ΔS": [0.1, 0.2]}), 12.3456)
    assert arm.perf.latency_ms == 12.346
    assert arm.answer.lambda_final == "→"
    assert arm.retrieval.delta_s_list == (0.1, 0.2)


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        ({"claim": "not in context"}, True),
        ({"claim": "Sorry.", "refused": True}, True),
        ({"claim": "Not in context", "refused": False}, False),
        ({"claim": "30 days."}, None),
    ],
)
def test_a_refusal_is_the_pipelines_own_word_or_the_token(answer: object, refused: object) -> None:
    assert arm_in({"answer_json": answer}).answer.refused is refused


def test_a_logged_delta_s_is_that_of_what_was_cited_first() -> None:
    arm = with_delta_s("How long?", arm_in(LIVE), Ngram())
    assert (arm.answer.delta_s, arm.answer.delta_s_by) == (0.7, "")


def test_a_delta_s_that_nobody_logged_is_computed_and_says_by_what() -> None:
    question = "How long are keys kept?"
    arm = with_delta_s(question, arm_in(TRACE), Ngram())
    asked, *texts = Ngram().embed([question, *TRACE["retrieved_texts"]])
    assert arm.retrieval.delta_s_list == pytest.approx([delta_s(asked, text) for text in texts])
    assert arm.answer.delta_s == arm.retrieval.delta_s_list[0]
    assert arm.answer.delta_s_by == "ngram/1"


def test_without_the_text_of_what_was_cited_there_is_no_delta_s() -> None:
    arm = arm_in({"answer_json": {"claim": "x", "citations": ["d9"]}, "retrieved_ids": ["d1"]})
    assert with_delta_s("Why?", arm, Ngram()) == arm


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "no JSON object"),
        ({"answer_json": {"claim": 7}}, "answer_json.claim"),
        ({"answer_json": {"claim": "secret words", "citations": "d1"}}, "answer_json.citations"),
        ({"detail": "not found"}, "neither answer_json nor retrieved_ids"),
        ({"perf": {"t_retrieve_ms": 1}}, "neither retrieval nor answer"),
        ({"retrieval": {"λ_states": ["?"]}}, "retrieval.λ_states"),
        ({"q": "x", "answer": "- x", "chunks": [{"id": "d1"}]}, "neither answer_json"),
    ],
)
def test_what_cannot_be_read_says_why_and_quotes_nobody(value: object, why: str) -> None:
    with pytest.raises(Unread, match=why) as raised:
        arm_in(value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("value", [None, [], {}, {"q": 7}, {"q": " "}, {"question": None}])
def test_a_request_without_a_question_says_so(value: object) -> None:
    with pytest.raises(Unread, match="there is no question"):
        question_in(value)


def test_a_name_is_a_text_or_a_number() -> None:
    assert [name_in({"qid": each}, "qid") for each in ("a", 7, True, None, "", [1])] == [
        *("a", "7", "", "", "", "")
    ]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from((*LIVE, *TRACE, "topk", "ΔS", "λ_state", "λ_states", "refused", "answer"))


@given(st.sampled_from((LIVE, TRACE)), FIELDS, JSON_VALUES)
def test_whatever_stands_in_a_field_an_arm_can_be_written_and_read(
    record: dict[str, Any], field: str, value: object
) -> None:
    try:
        arm = with_delta_s("How long?", arm_in({**record, field: value}), Ngram())
    except Unread:
        return
    assert msgspec.json.decode(msgspec.json.encode(arm), type=ArmRecord) == arm
