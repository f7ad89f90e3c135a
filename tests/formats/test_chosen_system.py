"""Files that hold the answers of several systems: one is chosen, or nothing is read."""

from __future__ import annotations

import json

import pytest
from command import Command, Folder


def answer(run: str | None, topic: int, said: str) -> dict[str, object]:
    sentences = [{"text": said, "citations": [0]}]
    return {"run_id": run, "topic_id": topic, "references": ["d1", "d2"], "answer": sentences}


@pytest.fixture
def two_runs(folder: Folder) -> Folder:
    folder.write("one.jsonl", [answer("one", 1, "Rome"), answer("one", 2, "Bath")])
    folder.write("two.jsonl", [answer("two", 1, "Paris")])
    folder.write("gold.jsonl", [{"qid": "1", "answerable": True, "gold_claim_substr": ["Paris"]}])
    return folder


@pytest.mark.usefixtures("two_runs")
def test_one_is_chosen_and_the_others_are_counted(command: Command):
    inputs = ("--gold", "gold.jsonl", "--trace", "one.jsonl", "two.jsonl")
    for run, value in (("one", 0.0), ("two", 1.0)):
        told = command("score", *inputs, "--from", f"trec-rag:{run}", "--json").json
        assert told["metrics"]["containment"]["value"] == value
        others = "1 line" if run == "one" else "2 lines"
        said = f"trec-rag: {others} left out: other_system, the answer of another system"
        assert [warning for warning in told["warnings"] if warning.startswith(said)]


@pytest.mark.usefixtures("two_runs")
def test_systems_in_files_of_their_own_need_no_choice(command: Command):
    systems = ("--system", "a=one.jsonl", "--system", "b=two.jsonl")
    ran = command("score", "--gold", "gold.jsonl", *systems, "--from", "trec-rag", "--json")
    assert ran.code in (0, 1)
    assert "other_system" not in json.dumps(ran.json)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--from", "trec-rag"), "one.jsonl and 1 more: 2 systems answered, one, two; choose one"),
        (("--from", "trec-rag:three"), "no system is called 'three'; there are one, two"),
        (("--from", "kilt:one"), "kilt does not say whose answers are whose: leave out :one"),
        (("--from", "trec-rug:one"), "there is no format 'trec-rug' of traces; did you mean"),
    ],
)
@pytest.mark.usefixtures("two_runs")
def test_what_is_not_clear_is_refused(command: Command, words: tuple[str, ...], says: str):
    ran = command("convert", *words, "one.jsonl", "two.jsonl", "-o", "t.jsonl")
    assert ran.code == 2
    assert says in ran.err
    assert not (command.folder.work / "t.jsonl").exists()


def test_answers_of_nobody_are_not_those_of_somebody(command: Command, folder: Folder):
    folder.write("run.jsonl", [answer("one", 1, "Rome"), answer(None, 2, "Bath")])
    ran = command("convert", "--from", "trec-rag", "run.jsonl", "-o", "t.jsonl")
    assert ran.code == 2
    assert "2 systems answered, (no name), one; choose one, as in --from trec-rag:one" in ran.err
