"""`ragstone gold type`: typed answers are shown, and only the accepted are written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import gold
from command import Command, Folder, Process, at_a_terminal

ITEMS = [
    gold("q1", question="What is it in USD millions?", gold_claim_substr=["1577.00"], level=3),
    gold("q2", gold_claim_substr=["It rejects all of the null keys."]),
    gold("q3", gold_claim_substr=["Yes"], notes={"é": [1.5, None]}),
    gold("q4", gold_claim_substr=["The board never decided on the matter at all."]),
]
TYPE = ("gold", "type", "gold.jsonl", "-o", "typed.jsonl")


@pytest.fixture(autouse=True)
def given(folder: Folder) -> None:
    folder.write("gold.jsonl", ITEMS)


def written(folder: Folder) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder.work / "typed.jsonl").read_text().splitlines()]


def test_every_proposal_is_accepted_by_a_script(command: Command, folder: Folder) -> None:
    ran = command(*TYPE, "--accept", "all")
    assert ran.code == 0
    assert "2 proposed, 2 accepted" in ran.text
    one, two, three, four = written(folder)
    assert (two, four) == (ITEMS[1], ITEMS[3])
    assert one["gold_answer"] == {"number": "1577.00", "unit": "USD million"}
    assert three["gold_answer"] == {"yesno": True}
    typed = ("gold_answer", "gold_claim_substr")
    for item, before in ((one, ITEMS[0]), (three, ITEMS[2])):
        rest = {name: value for name, value in before.items() if name not in typed}
        assert {name: value for name, value in item.items() if name not in typed} == rest


def test_what_was_in_the_file_is_kept(command: Command, folder: Folder) -> None:
    folder.write("typed.jsonl", [gold("mine")])
    mine = (folder.work / "typed.jsonl").read_text()
    ran = command(*TYPE, "--accept", "all")
    assert "kept what was in typed.jsonl as " in ran.text
    assert (folder.work / "typed.jsonl.before").read_text() == mine
    assert len(written(folder)) == len(ITEMS)


def test_each_proposal_is_shown_with_its_question(command: Command, folder: Folder) -> None:
    ran = command("gold", "type", "gold.jsonl")
    assert ran.code == 0
    assert "question  What is it in USD millions?" in ran.text
    assert '→         {"number": "1577.00", "unit": "USD million"}' in ran.text
    assert "write nuggets" in ran.text
    assert not (folder.work / "typed.jsonl").exists()
    found = command("gold", "type", "gold.jsonl", "--json").json
    assert (found["proposed"], found["accepted"]) == (2, 0)
    assert [each["qid"] for each in found["proposals"]] == ["q1", "q2", "q3", "q4"]


def test_some_are_accepted_by_name(command: Command, folder: Folder) -> None:
    assert command(*TYPE, "--accept", "q3").code == 0
    assert [("gold_answer" in item) for item in written(folder)] == [False, False, True, False]
    ran = command(*TYPE, "--accept", "q2")
    assert ran.code == 2
    assert "--accept q2: nothing was proposed for it" in ran.err


def test_without_a_terminal_nothing_is_written(command: Command, folder: Folder) -> None:
    ran = command(*TYPE)
    assert ran.code == 3
    assert "2 proposed" in ran.text
    assert "nothing was written" in ran.err
    assert not (folder.work / "typed.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("gold", "type", "gold.jsonl", "--accept", "all"), "where should the gold set go?"),
        (("gold", "type", "gold.jsonl", "-o", "gold.jsonl", "--accept", "all"), "replace an input"),
        (("gold", "type", "gold.jsonl", "-o", "no/typed.jsonl"), "the folder no does not exist"),
        (("gold", "type", "gold.jsonl", "-o", "."), "is a folder"),
        (("gold", "type", "none.jsonl"), "none.jsonl"),
    ],
)
def test_what_cannot_be_done_is_said(command: Command, words: tuple[str, ...], says: str) -> None:
    ran = command(*words)
    assert ran.code == 2
    assert says in ran.err


def answered(ragstone: Process, keys: bytes) -> tuple[str, int]:
    return at_a_terminal(ragstone, TYPE, keys)


@pytest.mark.parametrize(
    ("keys", "typed", "code"),
    [
        (b"y\nn\n", ["q1"], 0),
        (b"n\nx\ny\n", ["q3"], 0),
        (b"a\n", ["q1", "q3"], 0),
        (b"y\nq\n", ["q1"], 0),
        # The end of the input, and Ctrl-C: what was accepted is kept.
        (b"y\n\x04", ["q1"], 3),
        (b"n\nn\n", None, 0),
    ],
)
def test_a_person_accepts(
    ragstone: Process, folder: Folder, keys: bytes, typed: list[str] | None, code: int
) -> None:
    seen, ended = answered(ragstone, keys)
    assert ended == code, seen
    if typed is None:
        assert "nothing was written" in seen
        assert not (folder.work / "typed.jsonl").exists()
    else:
        assert [item["qid"] for item in written(folder) if "gold_answer" in item] == typed
