"""`ragstone check`: contracts only."""

from __future__ import annotations

import gzip

import pytest
from builders import gold, trace
from command import ANSWERS, Command, Folder


@pytest.fixture(autouse=True)
def good(folder: Folder) -> None:
    folder.fill()


def test_good_files_are_named_with_what_they_are(command: Command, folder: Folder) -> None:
    folder.write("old.log", [{"q": "Why?", "chunks": [], "answer": "- so"}])
    ran = command("check", "gold.jsonl", "*.log", "trace.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.splitlines() == [
        "gold.jsonl: gold, 2 lines, ok",
        "old.log: trace, 1 line, ok",
        "trace.jsonl: trace, 2 lines, ok",
    ]
    assert command("check", "--quiet", "gold.jsonl").out == b""
    assert command("check", "gold.jsonl", "--json", "--no-config", "--threads", "1").json == {
        "format": 1,
        "files": [{"file": "gold.jsonl", "record": "gold", "lines": 2}],
        "warnings": [],
        "pass": True,
    }


def test_answers_gold_with_paraphrases_is_not_taken_for_retrieval_gold(
    command: Command, folder: Folder
) -> None:
    folder.write("worded.jsonl", [gold("A1", paraphrases=["Why then?"])])
    assert command("check", "worded.jsonl").text == "worded.jsonl: gold, 1 line, ok\n"


def test_bad_lines_of_all_files_are_listed(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold("A1"), gold("A1"), gold("A2", answerable=1)])
    folder.write("trace.jsonl", b'{"qid": 1}\n{"retrieved_ids": 2}\n')
    ran = command("check", "gold.jsonl", "trace.jsonl", "--json")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.splitlines() == [
        'gold.jsonl:2: qid: "A1" was already given on line 1',
        "gold.jsonl:3: answerable: expected true or false, found 1",
        "trace.jsonl:1: qid: expected a string, found 1",
        "trace.jsonl:2: retrieved_ids: expected a list of strings, found 2",
        "ragstone: 4 problems in the input; nothing was scored",
    ]
    folder.write("gold.jsonl", [gold("A1"), gold("A1")])
    assert command("check", "gold.jsonl").err.startswith(
        'gold.jsonl:2: qid: "A1" was already given on line 1\n'
    )


def test_standard_input_and_packed_files_are_checked(command: Command, folder: Folder) -> None:
    folder.write("x.gz", gzip.compress(b'{"qid": "A1", "answerable": "no"}'))
    assert command("check", "x.gz").err.startswith("x.gz:1: answerable: expected true or false")
    assert command("check", "-", stdin=b'{"q_id": "A1"}').text == "<stdin>: trace, 1 line, ok\n"


def test_what_cannot_be_told_is_asked_for(command: Command, folder: Folder) -> None:
    folder.write("data.jsonl", b'{"text": "?"}\n')
    ran = command("check", "data.jsonl")
    assert ran.code == 2
    assert ran.err.startswith(
        "ragstone: data.jsonl: cannot tell what this is; say it with --as gold or --as trace"
    )
    assert command("check", "--as", "trace", "data.jsonl").code == 0
    assert command("check", "--as", "gold", "data.jsonl").code == 2
    folder.write("gold.d/trace.jsonl", b"\n")
    assert command("check", "gold.d/trace.jsonl").text.endswith("trace, 0 lines, ok\n")


def test_mapped_fields_are_checked_where_they_are(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [{"id": "A1", "answerable": True}])
    assert command("check", "gold.jsonl", "--map", "gold.qid=id").code == 0
    folder.write("ragstone.toml", "[map]\nqid = 'id'\n")
    assert command("check", "gold.jsonl").code == 0
    assert command("check", "gold.jsonl", "--no-config").code == 2
    folder.write("trace.jsonl", [*ANSWERS, {**trace("A1"), "id": 5}])
    assert command("check", "trace.jsonl").err.startswith("trace.jsonl:3: id: expected a string")


def test_an_empty_gold_file_is_an_error(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", b"")
    assert command("check", "gold.jsonl").err.startswith(
        "gold.jsonl:1: qid: the gold file holds no item"
    )
