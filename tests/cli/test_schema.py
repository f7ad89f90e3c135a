"""`ragstone schema`: a JSON Schema that agrees with the contract."""

from __future__ import annotations

import pytest
from command import Command


def test_gold_needs_a_qid_and_answerable(command: Command) -> None:
    found = command("schema", "gold").json
    assert found["required"] == ["qid", "answerable"]
    assert found["properties"]["answerable"]["type"] == "boolean"
    assert found["properties"]["qid"] | {"description": ""} == {
        "description": "", "type": "string", "minLength": 1,
    }  # fmt: skip
    assert found["properties"]["tags"]["type"] == ["array", "null"]


def test_a_trace_needs_nothing_and_knows_both_shapes(command: Command) -> None:
    found = command("schema", "trace", "--json").json
    assert found["required"] == []
    inside = found["properties"]["answer_json"]["properties"]
    assert set(inside) == {"claim", "citations", "claims", "constraints_echo", "refused"}
    assert {"q_id", "chunks", "answer", "stage_ms", "tokens"} <= set(found["properties"])


@pytest.mark.parametrize("words", [["golden"], []])
def test_an_unknown_record_is_a_wrong_command_line(words: list[str], command: Command) -> None:
    ran = command("schema", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.count("\n") == 1
