"""`openai:`: a chat endpoint on loopback, evidence from a function, the guard in between."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from builders import gold, write_jsonl
from running import lines, run, words, written_in

from ragstone.cli.main import main

RETRIEVER = """
def retrieve(q, knobs):
    if "nothing" in q:
        return {"topk": []}
    return {"topk": [{"id": "p1#2", "text": "X rejects null keys."}, {"id": "p2", "text": "C."}]}
"""
KEY = "sesame-street"


@pytest.fixture
def endpoint(tmp_path, monkeypatch):
    (tmp_path / "retriever_of_test.py").write_text(RETRIEVER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    script = Path(__file__).parent / "chat_server.py"
    running = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "seen.jsonl")],
        stdout=subprocess.PIPE,
        text=True,
    )
    yield f"openai:http://127.0.0.1:{int(running.stdout.readline())}/v1"
    running.kill()
    running.communicate()
    sys.modules.pop("retriever_of_test", None)


EVIDENCE = ("--evidence", "py:retriever_of_test:retrieve", "--retries", "0")


@pytest.fixture
def three(tmp_path):
    asked = {"Q1": "Does X take null keys?", "Q2": "What is the secret?", "Q3": "nothing"}
    return write_jsonl(tmp_path / "g.jsonl", [gold(id, question=q) for id, q in asked.items()])


def test_what_the_guard_passes_is_the_answer_and_what_it_stops_is_the_refusal(
    endpoint, three, tmp_path
):
    good, stolen, empty = run(three, f"{endpoint}#small", tmp_path / "t.jsonl", *EVIDENCE)
    assert good["answer_json"]["claim"] == "X rejects null keys."
    assert good["answer_json"]["citations"] == ["p1#2"]
    assert good["retrieved_ids"] == ["p1#2", "p2"]
    assert good["tokens"] == {"in": 100, "out": 20}
    assert good["stage_ms"].keys() == {"retrieval", "llm", "guard"}
    assert good["ok"] is True
    assert (stolen["ok"], stolen["reason"]) == (False, "citation_out_of_scope")
    assert stolen["answer_json"]["claim"] == "not in context"
    assert "stolen#1" in stolen["rejected"]["output"]
    assert (empty["ok"], empty["reason"]) == (False, "no_evidence")
    # The endpoint is not asked where there is nothing to answer from.
    assert len(lines(tmp_path / "seen.jsonl")) == 2


def test_knobs_reach_the_endpoint_and_prices_make_a_cost(endpoint, three, tmp_path):
    (tmp_path / "grid.toml").write_text(
        'k = 1\ntemperature = 0.5\nresponse_format = "json_object"\n'
        "usd_per_million_in = 2.0\nusd_per_million_out = 10.0\n"
    )
    more = (*EVIDENCE, "--knobs", "grid.toml", "--seeds", "7")
    good, *_ = run(three, f"{endpoint}#small", tmp_path / "t.jsonl", *more)
    body = lines(tmp_path / "seen.jsonl")[0]["body"]
    assert (body["model"], body["temperature"], body["seed"]) == ("small", 0.5, 7)
    assert body["response_format"] == {"type": "json_object"}
    assert good["retrieved_ids"] == ["p1#2"]
    assert good["cost_usd"] == pytest.approx(0.0004)


def test_the_key_comes_from_the_environment_and_is_written_nowhere(
    endpoint, three, tmp_path, monkeypatch, capfd
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    found = run(three, f"{endpoint}#locked", tmp_path / "t.jsonl", *EVIDENCE)
    assert found[0]["answer_json"]["claim"] == "X rejects null keys."
    monkeypatch.setenv("OPENAI_API_KEY", KEY + "x")
    denied = run(three, f"{endpoint}#locked", tmp_path / "u.jsonl", *EVIDENCE)
    assert denied[0]["error"] == "HTTP status 401"
    monkeypatch.setenv("OPENAI_API_KEY", KEY + "é")
    assert main(words(three, f"{endpoint}#locked", tmp_path / "v.jsonl", *EVIDENCE)) == 2
    printed = capfd.readouterr()
    written = written_in(tmp_path, besides="seen.jsonl")
    assert KEY not in written + printed.out + printed.err


def test_the_guard_looks_figures_up_only_when_it_is_told_to(endpoint, three, tmp_path, capsys):
    target, more = f"{endpoint}#inventive", (*EVIDENCE, "--limit", "1")
    (passed,) = run(three, target, tmp_path / "t.jsonl", *more)
    assert passed["answer_json"]["claim"] == "X rejects null keys. In 1999."
    (stopped,) = run(three, target, tmp_path / "u.jsonl", *more, "--guard-support")
    assert (stopped["ok"], stopped["reason"]) == (False, "unsupported")
    assert stopped["answer_json"]["claim"] == "not in context"
    # Answers that another guard passed are not carried over.
    assert main(words(three, target, tmp_path / "t.jsonl", *more, "--guard-support")) == 2
    assert (
        main(words(three, "py:retriever_of_test:retrieve", tmp_path / "v", "--guard-support")) == 2
    )
    assert "only openai: targets answer behind the guard" in capsys.readouterr().err


def test_without_evidence_it_is_refused_at_the_door(endpoint, three, tmp_path, capsys):
    assert main(words(three, f"{endpoint}#small", tmp_path / "t.jsonl")) == 2
    assert "--evidence TARGET" in capsys.readouterr().err
