"""FinanceBench: do people and the English pack call the same answers refusals?"""

from __future__ import annotations

import json

import pytest
from context_files import DATA

import ragstone

ANSWERS = DATA / "financebench" / "answers.jsonl"


@pytest.mark.skipif(not ANSWERS.is_file(), reason="the data is not here")
def test_the_english_pack_finds_what_people_call_a_refusal_and_little_else() -> None:
    """Without gold, so that no hedged answer is spared: this is the pack alone."""
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    qids = [f"{row['id']} {row['system']}" for row in rows]
    gold = [{"qid": qid, "answerable": True} for qid in qids]
    said = [
        {"qid": qid, "answer_json": {"claim": row["answer"]}}
        for qid, row in zip(qids, rows, strict=True)
    ]
    report = ragstone.score(gold, said, refusal="@en")
    refused = {row["qid"] for row in report.rows().to_pylist() if row["refused"]}
    labels = {qid: row["label"] == "Refusal" for qid, row in zip(qids, rows, strict=True)}
    found = [qid in refused for qid, label in labels.items() if label]
    alarms = [qid in refused for qid, label in labels.items() if not label]
    assert sum(found) / len(found) >= 0.80
    assert sum(alarms) / len(alarms) <= 0.03
