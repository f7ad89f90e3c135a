"""KILT's own test values: exact match 2/3, R-precision 1/3, recall@5 1/3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragstone

Line = dict[str, Any]


@pytest.fixture
def folder(shared_data) -> Path:
    found = Path(shared_data, "formats")
    if not (found / "kilt-gold.jsonl").is_file():
        pytest.skip(f"{found} holds no kilt-gold.jsonl")
    return found


def lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def pages(line: Line) -> list[str]:
    return [place["wikipedia_id"] for said in line["output"] for place in said["provenance"]]


@pytest.mark.data
def test_our_figures_are_those_of_kilt(folder):
    items = [
        {
            "qid": str(line["id"]),
            "question": line["input"],
            "answerable": True,
            "gold_answer": {"any": [said["answer"] for said in line["output"]]},
            "gold_citations": pages(line),
        }
        for line in lines(folder / "kilt-gold.jsonl")
    ]
    traces = [
        {
            "qid": str(line["id"]),
            "retrieved_ids": pages(line),
            "answer_json": {"claim": line["output"][0]["answer"], "citations": pages(line)},
        }
        for line in lines(folder / "kilt-guess.jsonl")
    ]
    report = ragstone.score(items, traces, k=5)
    assert report["containment"].value == pytest.approx(2 / 3)
    assert report["citation_precision"].value == pytest.approx(1 / 3)
    assert report["recall@k"].value == pytest.approx(1 / 3)
