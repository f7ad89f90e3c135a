"""Several people edit one gold set: only those of the same question meet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from builders import gold, write_jsonl
from serve.running_server import Server, serving
from serve.test_gold_pages import Editing

QIDS = [f"Q{number:02d}" for number in range(8)]
HALF = ".ragstone-0123456789ab.part"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    items = [gold(qid, question=f"What is {qid}?") for qid in QIDS]
    write_jsonl(tmp_path / "gold.jsonl", items)
    (tmp_path / HALF).write_text("half a gold set")
    with serving(tmp_path, "--edit-gold", "--gold", "gold.jsonl") as running:
        yield running


def editing(server: Server, qid: str, **fields: str) -> Editing:
    made = Editing(server, f"/gold/edit?qid={qid}")
    made.fields |= {"name": qid, "question": f"What is {qid}?", "citations": "p1#2", **fields}
    return made


def test_who_works_on_another_question_is_not_held_up(server: Server, tmp_path: Path) -> None:
    forms = [editing(server, qid, tags=f"tag-{qid}") for qid in QIDS]
    with ThreadPoolExecutor(len(forms)) as pool:
        answers = [*pool.map(lambda form: form.post().status, forms)]
    assert answers == [303] * len(QIDS)
    lines = (tmp_path / "gold.jsonl").read_text().splitlines()
    assert {(item["qid"], *item["tags"]) for item in map(json.loads, lines)} == {
        (qid, f"tag-{qid}") for qid in QIDS
    }


def test_of_several_on_one_question_one_saves_and_the_others_are_told(server: Server) -> None:
    forms = [editing(server, "Q00", tags=f"tag-{number}") for number in range(4)]
    other = editing(server, "Q01", tags="other")
    with ThreadPoolExecutor(len(forms)) as pool:
        answers = [*pool.map(lambda form: form.post().status, forms)]
    assert sorted(answers) == [303, 409, 409, 409]
    assert other.post().status == 303


def test_two_new_questions_of_one_name_meet(server: Server) -> None:
    forms = [editing(server, "Q00", name="Q99", base="") for _ in range(2)]
    answers = [form.post() for form in forms]
    assert [answer.status for answer in answers] == [303, 409]


def test_what_a_killed_save_left_is_gone_at_the_start(server: Server, tmp_path: Path) -> None:
    assert (tmp_path / "gold.jsonl").is_file()
    assert not (tmp_path / HALF).exists()
