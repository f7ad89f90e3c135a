"""`ragstone latency sweep` as a user runs it: a grid, loads, samples that `score` reads."""

from __future__ import annotations

import json

from builders import gold, write_jsonl

PIPELINE = """
def answer(q, knobs):
    if q == "boom":
        raise ValueError("no")
    claim = "X rejects null keys." if knobs["k"] > 5 else "no idea"
    return {
        "answer_json": {"claim": claim, "citations": ["p1#2"]},
        "retrieved_ids": ["p1#2"],
        "stage_ms": {"llm": 3},
        "cost_usd": 0.01,
    }
"""


def test_every_configuration_is_measured_under_every_load(ragstone, tmp_path):
    (tmp_path / "pipeline.py").write_text(PIPELINE)
    (tmp_path / "grid.toml").write_text("k = [5, 10]\nrerank = false\n")
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1"), gold("A2")])
    ran = ragstone(
        "latency", "sweep", "--target", "py:pipeline:answer", "--gold", "gold.jsonl",
        "--grid", "grid.toml", "--rps", "20", "10", "--duration", "0.3", "--warmup", "0",
        "-o", "s.jsonl", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.json["samples"] == 2 * (6 + 3)
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [(line["config"], line["rps"]) for line in lines[::3]] == [
        ("k=5", 10.0), ("k=5", 20.0), ("k=5", 20.0), ("k=10", 10.0), ("k=10", 20.0), ("k=10", 20.0),
    ]  # fmt: skip
    assert lines[0]["knobs"] == {"k": 5, "rerank": False}
    assert lines[1]["planned"] == 0.1
    assert lines[0]["stage_ms"] == {"llm": 3}
    scored = ragstone(
        "latency", "score", "--gold", "gold.jsonl", "--samples", "s.jsonl", "--json", cwd=tmp_path
    )
    assert scored.code == 0, scored.err
    assert scored.json["picks"]["interactive"] == "k=10"
    answers = ragstone(
        "score", "--gold", "gold.jsonl", "--trace", "s.traces.jsonl", "--json", cwd=tmp_path
    )
    assert answers.json["precision"] == 1


def test_a_request_without_an_answer_says_why(ragstone, tmp_path):
    (tmp_path / "pipeline.py").write_text(PIPELINE.replace('knobs["k"] > 5', "True"))
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1", question="boom"), gold("A2")])
    ran = ragstone(
        "latency", "sweep", "--target", "py:pipeline:answer", "--gold", "gold.jsonl",
        "--rps", "20", "--duration", "0.1", "--warmup", "0", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "latency score --samples runs/samples.jsonl" in ran.text
    line, _ = map(json.loads, (tmp_path / "runs/samples.jsonl").read_text().splitlines())
    assert line["error"] == "exception: ValueError: no"
    assert "answer_json" not in line


def test_a_wrong_load_is_a_wrong_command_line(ragstone, tmp_path):
    for words in (["--rps", "0"], ["--duration", "x"], ["--grid", "nowhere.toml"]):
        ran = ragstone(
            "latency", "sweep", "--target", "py:json:loads", "--gold", "g.jsonl", *words,
            cwd=tmp_path,
        )  # fmt: skip
        assert ran.code == 2
        assert "Traceback" not in ran.err
