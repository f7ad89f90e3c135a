"""A pipeline that says it refuses is taken at its word, in traces, logs and samples."""

from __future__ import annotations

import pytest

from ragstone.targets.journal import log_line, record_of
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Reply, answer_of
from ragstone.targets.reply_fields import reader


def reply(answer: Answer) -> Reply:
    return Reply(Ask("A1", "Who?"), answer, None, 0.0, 5.0)


@pytest.mark.parametrize(
    "said", [{"refused": True}, {"answer_json": {"refused": True, "citations": ["p1"]}}]
)
def test_a_refusal_without_a_claim_is_an_answer_and_reaches_the_trace(said):
    record = record_of(reply(answer_of(said)))
    assert {name: record[name] for name in said} == said
    assert "answer_citations" not in log_line(record, {})


def test_what_is_no_flag_is_no_answer():
    with pytest.raises(NoAnswer, match=r"refused: expected true or false, found \"yes\""):
        answer_of({"answer_json": {"claim": "X."}, "refused": "yes"})


def test_the_place_of_the_flag_in_a_reply_can_be_named():
    read = reader({"claim": "text", "refused": "state.declined"})
    assert read({"text": "X.", "state": {"declined": True}}) == {
        "answer_json": {"claim": "X."},
        "refused": True,
    }
