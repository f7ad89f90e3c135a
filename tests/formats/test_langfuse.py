"""Observations in the shape of Langfuse's export: a file made by hand from its published fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder

from ragstone.engine.duck import Duck, quoted

HANDMADE = Path(__file__).with_name("handmade_langfuse_observations.jsonl")
GOLD = [
    {"qid": "Q1", "question": "Who wrote the notes?", "answerable": True}
    | {"gold_claim_substr": ["Lovelace"], "gold_citations": ["d1"]},
    {"qid": "Q2", "question": "Who built it?", "answerable": True}
    | {"gold_claim_substr": ["Babbage"], "gold_citations": ["d3"]},
]


@pytest.fixture
def exported(folder: Folder) -> Folder:
    """The same rows as JSON Lines, as one JSON array, and as Parquet with types of its own."""
    rows = [json.loads(line) for line in HANDMADE.read_text().splitlines()]
    folder.write("observations.jsonl", rows)
    folder.write("observations.json", json.dumps(rows, indent=1))
    folder.write("gold.jsonl", GOLD)
    with Duck() as duck:
        typed = (
            "start_time::timestamp as start_time, end_time::timestamp as end_time, "
            "usage_details::map(varchar, bigint) as usage_details, "
            "total_cost::decimal(18, 9) as total_cost, metadata::map(varchar, varchar) as metadata"
        )
        duck.run(
            f"copy (select * replace ({typed}) from read_json({quoted(str(HANDMADE))})) "
            f"to {quoted(str(folder.work / 'observations.parquet'))} (format parquet)"
        )
    return folder


def converted(command: Command, folder: Folder, name: str) -> list[dict[str, Any]]:
    ran = command("convert", "--from", "langfuse", name, "-o", "traces.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.text == "traces.jsonl: 6 observations in, 2 traces out\n"
    return [json.loads(line) for line in (folder.work / "traces.jsonl").read_text().splitlines()]


def test_every_carrier_comes_to_the_same_lines(command: Command, exported: Folder):
    lines = converted(command, exported, "observations.jsonl")
    assert lines[0]["answer_json"] == {"claim": "Ada Lovelace did.", "citations": ["d1"]}
    assert (lines[0]["qid"], lines[0]["retrieved_ids"]) == ("Q1", ["d1", "d2"])
    assert (lines[0]["latency_ms"], lines[0]["cost_usd"]) == (800, 0.001)
    assert (lines[0]["tokens"], lines[0]["stage_ms"]["llm"]) == ({"in": 100, "out": 9}, 680)
    for name in ("observations.json", "observations.parquet"):
        assert converted(command, exported, name) == lines


@pytest.mark.usefixtures("exported")
def test_a_score_is_what_it_is_by_hand(command: Command):
    words = ("--gold", "gold.jsonl", "--trace", "observations.parquet", "--from", "langfuse")
    values = {
        name: each["value"]
        for name, each in command("score", *words, "--json").json["metrics"].items()
    }
    # The second answer names nobody, and cites another text than that which was found.
    assert (values["precision"], values["containment"]) == (0.5, 0.5)
    assert (values["chr"], values["recall@k"]) == (0.5, 1)


@pytest.mark.usefixtures("exported")
def test_observations_are_named_where_traces_are_expected(command: Command):
    for name in ("observations.jsonl", "observations.json", "observations.parquet"):
        ran = command("audit", "--trace", name)
        assert ran.code == 2
        assert "it looks like langfuse's: try --from langfuse" in ran.err
