"""`index:PATH` as a pipeline, and as evidence for a model behind the guard."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ragstone.index.documents import found_in
from ragstone.index.store import built, write_index
from ragstone.targets.chat import evidence_of
from ragstone.targets.protocol import Ask, Opening, open_target


@pytest.fixture
def address(tmp_path: Path) -> str:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "relay.md").write_text("# Relay\n\nEvents are kept for 30 days.\n")
    write_index(tmp_path / "i", *built(found_in(tmp_path / "docs")))
    return f"index:{tmp_path / 'i'}"


def ask(address: str, opening: Opening, question: Ask):
    return asyncio.run(open_target(address, opening).ask(question))


def test_as_a_pipeline_it_answers_without_carrying_the_texts(address):
    answer = ask(address, Opening(), Ask("A1", "How long are events kept?"))
    assert answer.answer_json["claim"] == "Events are kept for 30 days."
    assert "text" not in answer.extra["topk"][0]
    assert set(answer.stage_ms) == {"retrieval", "llm"}


def test_as_evidence_it_carries_them(address):
    answer = ask(address, Opening(texts=True), Ask("A1", "How long are events kept?"))
    (found,) = evidence_of(answer, None)
    assert (found.id, found.text) == (answer.retrieved_ids[0], "Events are kept for 30 days.")


def test_locked_constraints_are_echoed_as_they_are(address):
    asked = Ask("A1", "How long are events kept?", constraints=("Only domain example.com.",))
    answer = ask(address, Opening(), asked)
    assert answer.answer_json["constraints_echo"] == ["Only domain example.com."]


def test_knobs_choose_how_it_is_asked(address):
    low = Ask("A1", "Which zebra is kept?", knobs={"threshold": 0.0, "mode": "bm25", "k": 1})
    assert ask(address, Opening(), low).answer_json["claim"] == "Events are kept for 30 days."
    high = Ask("A1", "How long are events kept?", knobs={"threshold": 2})
    assert ask(address, Opening(), high).answer_json == {
        "claim": "not in context",
        "citations": [],
    }
