"""`ragstone stability run` as a user runs it: every seed under every jitter, then the score."""

from __future__ import annotations

import json

import pytest
from builders import gold, write_jsonl

pytest.importorskip("rapidfuzz")

PIPELINE = """
def answer(q, seed, jitter):
    if q.startswith("Describe"):
        claim = "no idea"
    else:
        claim = "X rejects null keys."
    return {"answer_json": {"claim": claim, "citations": ["p1#2"]}, "retrieved_ids": ["p1#2"]}
"""


def test_every_question_is_asked_under_each_seed_and_jitter(ragstone, tmp_path):
    (tmp_path / "pipeline.py").write_text(PIPELINE)
    items = [gold("A1", question="Explain null keys"), gold("A2", question="Are null keys taken?")]
    write_jsonl(tmp_path / "gold.jsonl", items)
    ran = ragstone(
        "stability", "run", "--target", "py:pipeline:answer", "--gold", "gold.jsonl",
        "--seeds", "0-1", "--jitters", "none,punct,syn", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    lines = [
        json.loads(line) for line in (tmp_path / "runs/stability.jsonl").read_text().splitlines()
    ]
    assert len(lines) == 2 * 2 * 3
    assert lines[1]["run_id"] == "A1#seed=0;j=punct"
    assert {line["q"] for line in lines if line["jitter"] == "punct"} == {
        "Explain null keys.", "Are null keys taken ?",
    }  # fmt: skip
    scored = ragstone(
        "stability", "score", "--gold", "gold.jsonl", "--runs", "runs/stability.jsonl", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert scored.code == 1
    assert scored.json["questions"]["A1"]["failed"] == ["acr", "ned50"]
    assert scored.json["questions"]["A2"]["pass"] is True
    assert {row["jitter"] for row in scored.json["broken"]} == {"syn"}


def test_a_wording_of_its_own_is_a_run_of_its_own(ragstone, tmp_path):
    from builders import trace

    lines = [trace(seed=0, jitter="none", paraphrase=n) for n in range(3)]
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1")])
    write_jsonl(tmp_path / "runs.jsonl", lines)
    ran = ragstone(
        "stability", "score", "--gold", "gold.jsonl", "--runs", "runs.jsonl", "--json", cwd=tmp_path
    )
    assert ran.code == 0, ran.err
    assert ran.json["runs"] == 3
