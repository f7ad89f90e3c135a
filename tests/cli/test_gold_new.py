"""`ragstone gold new`: proposals from documents, of which only the accepted are written."""

from __future__ import annotations

import json

import pytest
from command import Command, Folder, Process, at_a_terminal

PAGE = (
    "# Relay\n\n## Standby\n\nA standby is a member that waits.\n\n## Limits\n\nBodies are small.\n"
)
NEW = ("gold", "new", "--docs", "docs")


@pytest.fixture(autouse=True)
def docs(folder: Folder) -> None:
    folder.write("docs/relay.md", PAGE)


def listed(command: Command) -> list[dict]:
    return [json.loads(line) for line in command(*NEW, "--list").text.splitlines()]


def test_definitions_and_headings_are_proposed_with_their_evidence(command: Command) -> None:
    first, second = listed(command)
    assert first["question"] == "What is a standby?"
    assert first["gold_answer"] == {"words": "a member that waits"}
    (id,) = first["gold_citations"]
    begin, end = first["relevant_offsets"][id]
    assert end - begin == len("A standby is a member that waits.")
    assert second["question"] == "Relay: Limits?"
    assert listed(command) == [first, second]


def test_only_what_was_accepted_is_written(command: Command, folder: Folder) -> None:
    first, second = (item["qid"] for item in listed(command))
    assert command(*NEW, "-o", "g.jsonl", "--accept", second).code == 0
    lines = (folder.work / "g.jsonl").read_text().splitlines()
    assert [json.loads(line)["qid"] for line in lines] == [second]
    assert command("check", "g.jsonl").code == 0
    # What the gold set has is not proposed again, and what it holds stays.
    ran = command(*NEW, "-o", "g.jsonl", "--yes", "--json")
    assert [item["qid"] for item in ran.json["items"]] == [first]
    assert (folder.work / "g.jsonl").read_text().splitlines()[0] == lines[0]


def test_without_a_terminal_nothing_is_accepted(command: Command, folder: Folder) -> None:
    ran = command(*NEW, "-o", "g.jsonl")
    assert ran.code == 2 and "takes a terminal" in ran.err
    assert command(*NEW, "-o", "g.jsonl", "--accept", "nobody").code == 2
    assert command(*NEW).code == 2
    assert not (folder.work / "g.jsonl").exists()


def answered(ragstone: Process, keys: bytes) -> str:
    return at_a_terminal(ragstone, (*NEW, "-o", "g.jsonl"), keys)[0]


def test_a_person_edits_one_and_drops_the_other(ragstone: Process, folder: Folder) -> None:
    shown = answered(ragstone, b"e\nWhat waits?\nnot there\nmember that\nd\n")
    assert "that is not in the text of the evidence" in shown
    (line,) = (folder.work / "g.jsonl").read_text().splitlines()
    item = json.loads(line)
    assert (item["question"], item["gold_answer"]) == ("What waits?", {"text": "member that"})


@pytest.mark.parametrize(
    ("picked", "answer"),
    [
        (b"30", {"number": "30"}),
        (b"WAL", {"text": "WAL"}),
        (b"July 2023", {"date": "2023-07"}),
    ],
)
def test_what_no_phrase_can_say_is_written_as_a_typed_answer(
    picked: bytes, answer: dict, ragstone: Process, folder: Folder, command: Command
) -> None:
    folder.write(
        "docs/relay.md", "# Relay\n\n## Log\n\nA WAL is a log kept 30 days, since July 2023.\n"
    )
    shown = answered(ragstone, b"e\nWhat is kept?\n" + picked + b"\n")
    assert f"written as {json.dumps(answer)}" in shown
    (line,) = (folder.work / "g.jsonl").read_text().splitlines()
    item = json.loads(line)
    assert item["gold_answer"] == answer and "gold_claim_substr" not in item
    assert command("check", "g.jsonl").code == 0


def test_stopping_keeps_what_was_accepted_and_dropping_all_writes_nothing(
    ragstone: Process, folder: Folder
) -> None:
    assert "nothing was written" in answered(ragstone, b"d\nd\n")
    assert not (folder.work / "g.jsonl").exists()
    assert "1 accepted" in answered(ragstone, b"a\nq\n")
    assert len((folder.work / "g.jsonl").read_text().splitlines()) == 1
