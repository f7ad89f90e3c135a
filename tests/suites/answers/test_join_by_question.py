"""A trace without a qid is joined by the exact text of its question, in every shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from builders import gold, write_jsonl
from command import ragstone as command

import ragstone
from ragstone.errors import InputError

Line = dict[str, Any]
CLAIM, IDS = "X rejects null keys.", ["p1"]
ITEM = gold(question="What is X?", gold_citations=IDS)
SHAPES: dict[str, Line] = {
    "today's": {"retrieved_ids": IDS, "answer_json": {"claim": CLAIM, "citations": IDS}},
    "in sentences": {
        "retrieved_ids": IDS,
        "answer_json": {"claims": [{"text": CLAIM, "citations": IDS}]},
    },
    "older": {"chunks": [{"id": "p1"}], "answer": f"- {CLAIM}\n- citations: [p1]"},
    "older ids, today's answer": {
        "chunks": [{"id": "p1"}],
        "answer_json": {"claim": CLAIM, "citations": IDS},
    },
    "both": {
        "retrieved_ids": IDS,
        "chunks": [{"id": "p9", "text": "so"}],
        "answer_json": {"claim": CLAIM, "citations": IDS},
        "answer": "no",
    },
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("more", [{}, {"memory": "500MB"}, {"keep": "all"}, {"keep": "error"}])
def test_every_shape_is_joined_by_its_question(shape: Line, more: Line) -> None:
    for unnamed in ({}, {"qid": None}, {"qid": "", "q_id": ""}):
        report = ragstone.score([ITEM], [{**unnamed, "q": "What is X?", **shape}], **more)
        assert (report["precision"].value, report["recall@k"].value) == (1, 1), shape


def test_a_qid_comes_first_and_then_older_fields_are_just_others() -> None:
    line = {"qid": ITEM["qid"], "q": "Who?", **SHAPES["older"]}
    assert ragstone.score([ITEM], [line])["missing"].value == 1


def test_a_mapped_question_is_one_in_every_kind_of_file(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [ITEM])
    line = {"query": "What is X?", "ids": IDS, "response": CLAIM}
    write_jsonl(tmp_path / "log.jsonl", [line])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([line]), tmp_path / "log.parquet")
    words = "--map q=query claim=response retrieved_ids=ids citations=ids --keep error --json"
    for file in ("log.jsonl", "log.parquet"):
        ran = command(
            "score", "--gold", "gold.jsonl", "--trace", file, *words.split(), cwd=tmp_path
        )
        assert (ran.code, ran.json["precision"]) == (0, 1), file
    write_jsonl(tmp_path / "log.jsonl", [line, line])
    ran = command(
        "score", "--gold", "gold.jsonl", "--trace", "log.jsonl", *words.split(), cwd=tmp_path
    )
    assert ran.code == 2
    assert 'log.jsonl:2: qid: "A1" already has a trace on line 1' in ran.err


LOG = {"q": "What is Y?", **SHAPES["today's"]}
ALIEN = {name: value for name, value in ITEM.items() if name != "question"}


@pytest.mark.parametrize(
    ("item", "line", "says"),
    [
        (ITEM, {"qid": "Z", **LOG}, "the traces have the qids “Z”, and gold has “A1”"),
        (ITEM, LOG, "the traces ask “What is Y?”, and gold asks “What is X?”"),
        (ALIEN, LOG, "the traces have no qid, only questions, and gold has no field question"),
        (ITEM, SHAPES["today's"], "no trace has a qid or a question (q); name the field"),
    ],
)
@pytest.mark.parametrize("more", [{}, {"memory": "500MB"}])
def test_where_nothing_is_shared_it_says_why_and_what_to_do(
    item: Line, line: Line, says: str, more: Line
) -> None:
    with pytest.raises(InputError, match=r"^gold and the traces share no question: ") as error:
        ragstone.score([item], [json.loads(json.dumps(line))], **more)
    assert says in str(error.value)


def test_three_ids_of_each_side_are_named() -> None:
    items = [gold(f"A{number}") for number in range(5)]
    lines = [{"qid": f"Z{number}", **SHAPES["today's"]} for number in range(5)]
    with pytest.raises(InputError, match="“Z0”, “Z1”, “Z2”, and gold has “A0”, “A1”, “A2”"):
        ragstone.score(items, lines)
