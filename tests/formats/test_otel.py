"""Spans that the real SDK wrote, to traces, to an audit and to a score."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command import Command, Folder
from written_spans import files, genai, openinference, tracer

from ragstone.formats import translate

FOUND = {"d1": "Ada Lovelace wrote the notes in 1843.", "d2": "Bath is a city."}
MORE = {"d2": "Bath is a city.", "d3": "Babbage built engines."}
GOLD = [
    {"qid": "Q1", "question": "Who wrote the notes?", "answerable": True}
    | {"gold_claim_substr": ["Lovelace"], "gold_citations": ["d1"]},
    {"qid": "Q2", "question": "Who built it?", "answerable": True}
    | {"gold_claim_substr": ["Babbage"], "gold_citations": ["d3"]},
    {"qid": "Q3", "question": "Where is Bath?", "answerable": True}
    | {"gold_claim_substr": ["England"], "gold_citations": ["d2"]},
]


@pytest.fixture
def logged(folder: Folder) -> Folder:
    """Three traces, in the form of the collector and one span a line."""
    with tracer(*files(folder.work)) as spans:
        said = {"answer": "Ada Lovelace did.", "citations": ["d1"]}
        openinference(spans, "Q1", GOLD[0]["question"], said, FOUND, MORE)
        openinference(spans, "Q2", GOLD[1]["question"], "Babbage.", FOUND, MORE, rerank=True)
        genai(spans, GOLD[2]["question"], "It is in England.", ["d2", "d7"])
    folder.write("gold.jsonl", GOLD)
    return folder


def converted(command: Command, folder: Folder, *names: str) -> list[dict[str, Any]]:
    ran = command("convert", "--from", "otel", *names, "-o", "traces.jsonl")
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in (folder.work / "traces.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("name", ["otlp.jsonl", "flat.jsonl"])
def test_traces_of_the_sdk(command: Command, logged: Folder, name: str):
    # By their questions: traces that begin in the same millisecond stand in the order of their ids.
    by_question = {line["q"]: line for line in converted(command, logged, name)}
    assert len(by_question) == 3
    first, second, third = (by_question[item["question"]] for item in GOLD)
    assert (first["qid"], first["q"]) == ("Q1", "Who wrote the notes?")
    # Two retrievals are one list, and an id counts at its first place.
    assert first["retrieved_ids"] == ["d1", "d2", "d3"]
    assert first["retrieved_texts"] == [*FOUND.values(), MORE["d3"]]
    assert first["answer_json"] == {"claim": "Ada Lovelace did.", "citations": ["d1"]}
    assert first["tokens"] == {"in": 100, "out": 7}
    assert 0 < first["stage_ms"]["llm"] < first["latency_ms"]
    # What the reranker left is what was retrieved, in its order.
    assert second["retrieved_ids"] == ["d3", "d2"]
    assert second["answer_json"] == {"claim": "Babbage."}
    assert "qid" not in third
    assert (third["q"], third["retrieved_ids"]) == ("Where is Bath?", ["d2", "d7"])
    assert third["answer_json"]["claim"] == "It is in England."
    assert third["judge"] == {"relevance": 0.25}


def test_both_forms_come_to_the_same_lines(command: Command, logged: Folder):
    def lines(name: str) -> list[dict[str, Any]]:
        # The SDK's own JSON has microseconds, and the collector's nanoseconds.
        rest = ("latency_ms", "stage_ms")
        every = converted(command, logged, name)
        return [{key: each[key] for key in each if key not in rest} for each in every]

    assert lines("otlp.jsonl") == lines("flat.jsonl")


def test_a_score_is_what_it_is_by_hand(command: Command, logged: Folder):
    words = ("--gold", "gold.jsonl", "--trace", "otlp.jsonl", "--from", "otel", "--json")
    ran = command("score", *words)
    values = {name: each["value"] for name, each in ran.json["metrics"].items()}
    # All three claims hold what gold asks for; the first alone cites, and cites rightly.
    assert (values["containment"], values["recall@k"]) == (1, 1)
    assert (values["chr"], values["precision"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert ran.json["inputs"]["kept"] == 3
    warned = [each for each in ran.json["warnings"] if each.startswith("otel: ")]
    assert len(warned) == 1
    assert warned[0].startswith("otel: 1 trace: no_qid, the root's metadata has no qid")


def test_an_audit_reads_the_same_spans(command: Command, logged: Folder):
    ran = command("audit", "--trace", "otlp.jsonl", "--from", "otel", "--json")
    values = {name: each["value"] for name, each in ran.json["metrics"].items()}
    assert (values["empty"], values["unscoped"]) == (0, 0)
    assert ran.json["inputs"]["traces"] == 3


def test_a_trace_in_two_files_is_one_and_half_of_it_is_none(command: Command, logged: Folder):
    lines = (logged.work / "flat.jsonl").read_text().splitlines(keepends=True)
    # Spans end before their parents: the root of each trace is its last line.
    logged.write("a.jsonl", "".join(lines[:2]))
    logged.write("b.jsonl", "".join(lines[2:]))
    assert len(converted(command, logged, "a.jsonl", "b.jsonl")) == 3
    ran = command("convert", "--from", "otel", "a.jsonl", "-o", "half.jsonl")
    assert ran.code == 2
    assert "nothing came out of 2 spans: 2 spans left out: no_root" in ran.err
    assert not (logged.work / "half.jsonl").exists()


def test_the_lines_do_not_depend_on_threads_or_parts(
    command: Command, logged: Folder, monkeypatch: pytest.MonkeyPatch
):
    alone = converted(command, logged, "otlp.jsonl", "--threads", "1")
    assert converted(command, logged, "otlp.jsonl", "--threads", "2") == alone
    monkeypatch.setattr(translate, "_PART", 2_000)
    parted = converted(command, logged, "otlp.jsonl")
    assert sorted(map(json.dumps, parted)) == sorted(map(json.dumps, alone))


def test_a_long_line_and_a_cut_one(command: Command, logged: Folder):
    text = (logged.work / "otlp.jsonl").read_text()
    spans = [span for line in text.splitlines() for span in _spans(line)]
    spans[0]["attributes"].append({"key": "x", "value": {"stringValue": "long " * 1_000_000}})
    line = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    path = logged.write("long.jsonl", line)
    assert path.stat().st_size > 5_000_000
    assert converted(command, logged, "long.jsonl") == converted(command, logged, "otlp.jsonl")
    logged.write("cut.jsonl", line + "\n" + line[:-9])
    ran = command("convert", "--from", "otel", "cut.jsonl", "-o", "x.jsonl")
    assert ran.code == 2
    assert "cut.jsonl:2: json: " in ran.err


def _spans(line: str) -> list[dict[str, Any]]:
    resources = json.loads(line)["resourceSpans"]
    return [span for each in resources for scope in each["scopeSpans"] for span in scope["spans"]]


def test_spans_are_named_where_traces_are_expected(command: Command, logged: Folder):
    for name in ("otlp.jsonl", "flat.jsonl"):
        ran = command("score", "--gold", "gold.jsonl", "--trace", name)
        assert ran.code == 2
        assert "it looks like otel's: try --from otel" in ran.err


def test_the_files_of_a_glob_are_one_input(command: Command, logged: Folder):
    (logged.work / "logs").mkdir()
    for name in ("otlp.jsonl", "flat.jsonl"):
        (logged.work / name).rename(logged.work / "logs" / name)
    ran = command("convert", "--from", "otel", "logs/*.jsonl", "-o", "x.jsonl", "--json")
    # Each span is there twice, in two forms.
    assert ran.json["lost"] == {"repeated": ran.json["used"]}
    assert ran.json["came_out"] == 3
