"""The audit of traces without gold: names, ends, citations, repeats, constraints, time and cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import Record, refusal, trace, write_jsonl
from command import Ran, ragstone

import ragstone as ragstone_api

TEXTS = (
    {"id": "p1#1", "text": "Net revenue was 1,577 million USD in 2018, up 8.7%."},
    {"id": "p1#2", "text": "The board said: we reject null keys."},
)


def audited(folder: Path, traces: list[Record], *more: str) -> Ran:
    write_jsonl(folder / "log.jsonl", traces)
    write_jsonl(folder / "texts.jsonl", TEXTS)
    return ragstone("audit", "--trace", "log.jsonl", "--json", "--no-config", *more, cwd=folder)


def metrics(folder: Path, traces: list[Record], *more: str) -> dict[str, Any]:
    ran = audited(folder, traces, *more)
    assert ran.code in (0, 1, 3), ran.err
    found: dict[str, Any] = ran.json["metrics"]
    return found


def share(found: dict[str, Any], name: str) -> tuple[int, int]:
    return found[name]["numerator"], found[name]["denominator"]


def test_every_trace_is_a_row_whatever_names_it(tmp_path: Path) -> None:
    rows = [
        trace("A1", "", trace_id="t1"),
        trace("A1", ""),
        {"q": "Who?", "answer_json": {"claim": ""}},
        {"trace_id": 7, "answer_json": {"claim": ""}},
        {"trace_id": [], "q_id": "A9"},
    ]
    lines = [json.dumps(row) for row in rows]
    (tmp_path / "one.jsonl").write_text("\n".join(lines[:2]))
    (tmp_path / "two.jsonl").write_text("\n\n".join(lines[2:]) + "\n")
    ran = ragstone(
        *("audit", "--trace", "one.jsonl", "two.jsonl", "--json", "--no-config"), cwd=tmp_path
    )
    assert [row["qid"] for row in ran.json["offenders"]] == [
        "7",
        "A1",
        "A9",
        "t1",
        "trace 2, line 1",
    ]
    assert share(ran.json["metrics"], "empty") == (5, 5)


def test_blank_lines_are_counted_in_the_name(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('\n{"q": "a"}\n\n{"q": "b"}\n')
    ran = ragstone("audit", "--trace", "log.jsonl", "--json", "--no-config", cwd=tmp_path)
    assert [row["qid"] for row in ran.json["offenders"]] == ["trace 1, line 2", "trace 1, line 4"]


def test_a_trace_ends_in_an_answer_a_refusal_or_nothing(tmp_path: Path) -> None:
    found = metrics(
        tmp_path,
        [
            trace("A1"),
            refusal("A2"),
            trace("A3", " Not in Context\u00a0"),
            trace("A4", "Sorry, I do not know."),
            trace("A5", None),
            trace("A6", " \u200b\u3164"),
            trace("A7", "Leider finde ich dazu nichts."),
        ],
    )
    assert share(found, "empty") == (2, 7)
    # No gold set promised a token, so every language pack is in force.
    assert share(found, "refused") == (4, 7)
    assert share(found, "near_refused") == (0, 7)
    assert share(found, "answer_rate") == (1, 7)


@pytest.mark.parametrize(
    ("words", "refused", "near"), [("not in context", 0, 4), ("@en", 2, 2), ("@de", 1, 3)]
)
def test_near_refused_is_what_a_pack_would_call_a_refusal_and_the_rules_do_not(
    words: str, refused: int, near: int, tmp_path: Path
) -> None:
    rows = [
        trace("A1", "Sorry, I do not know."),
        trace("A2", "Leider finde ich dazu nichts."),
        trace("A3", "我不知道。"),
        trace("A4", "The answer is not in context."),
        trace("A5", "It is 5."),
    ]
    found = metrics(tmp_path, rows, "--refusal", words)
    assert share(found, "refused") == (refused, 5)
    assert share(found, "near_refused") == (near, 5)


def test_refusals_are_those_of_the_answers_suite(tmp_path: Path) -> None:
    rows = [
        trace("A1", "I cannot say.", refused=True),
        trace("A2", None, refused=True),
        trace("A3", "not in context", refused=False),
        trace("A4", "Sorry, I don't know."),
        trace("A5", "No idea whatsoever."),
    ]
    token = ("--refusal", "not in context")
    assert share(metrics(tmp_path, rows, *token), "refused") == (2, 5)
    assert share(metrics(tmp_path, rows), "refused") == (3, 5)
    assert share(metrics(tmp_path, rows), "empty") == (0, 5)
    more = ("--refusal", "re:^no idea", "@en")
    assert share(metrics(tmp_path, rows, *more), "refused") == (4, 5)


def test_the_older_shape_and_lines_of_both_are_read(tmp_path: Path) -> None:
    chunks = [{"id": "p1", "text": "It is 5."}]
    found = metrics(
        tmp_path,
        [
            {"q": "a", "chunks": chunks, "answer": "- It is 5.\n- citations: [p1]"},
            {"q": "b", "chunks": chunks, "answer_json": {"claim": "It is 6.", "citations": ["p1"]}},
        ],
    )
    assert share(found, "answer_rate") == (2, 2)
    assert share(found, "unscoped") == (0, 2)
    assert share(found, "support") == (1, 2)


def test_citations_are_judged_on_shipped_answers(tmp_path: Path) -> None:
    spoken = [{"text": "One."}, {"text": "Two.", "citations": ["p1#1"]}]
    found = metrics(
        tmp_path,
        [
            trace("A1"),
            trace("A2", cites=["p9"]),
            trace("A3", cites=[]),
            refusal("A4"),
            {"qid": "A5", "retrieved_ids": ["p1#1"], "answer_json": {"claims": spoken}},
        ],
    )
    assert share(found, "unscoped") == (1, 3)
    assert found["uncited"]["value"] == pytest.approx(1.5 / 4)
    assert metrics(tmp_path, [trace("A2", cites=["p9"])], "--no-scope")["unscoped"]["value"] is None


def test_a_question_that_is_asked_again_must_get_the_same_answer(tmp_path: Path) -> None:
    def asked(question: str, claim: str | None) -> Record:
        return {"q": question, "answer_json": {"claim": claim}}

    found = audited(
        tmp_path,
        [
            asked("Cost of A?", "It is $5."),
            asked("cost of a? ", "5 dollars."),
            asked("Cost of B?", "It is 5."),
            asked("Cost of B?", "It is 6."),
            asked("Who?", "Me."),
            asked("WHO?", "not in context"),
            asked("Why?", "So."),
            asked("Why?", None),
            asked("Once?", "7."),
        ],
    ).json
    assert share(found["metrics"], "inconsistent") == (2, 4)
    assert [(each["question"], each["differs"]) for each in found["inconsistent_questions"]] == [
        ("Cost of B?", "numbers"),
        ("Who?", "refusal"),
    ]


def test_constraints_are_echoed_and_kept(tmp_path: Path) -> None:
    locked = ["X rejects null keys."]
    found = metrics(
        tmp_path,
        [
            trace("A1", echo=[" X rejects null keys. "], constraints=locked),
            trace("A2", constraints=locked),
            trace("A3", "X accepts null keys.", echo=locked, constraints=locked),
            trace("A4", constraints=[]),
            trace("A5"),
        ],
    )
    assert share(found, "no_echo") == (2, 3)


def test_time_and_cost_are_those_of_traces_that_say_them(tmp_path: Path) -> None:
    found = metrics(
        tmp_path, [trace("A1", latency_ms=n, cost_usd=n / 100) for n in (100, 200, 400)] + [trace()]
    )
    assert (found["p50"]["value"], found["p50"]["denominator"]) == (200, 3)
    assert found["p95"]["value"] == pytest.approx(380)
    assert found["cost"]["value"] == pytest.approx(7 / 3)
    none = metrics(tmp_path, [trace()])
    assert none["p99"]["value"] is none["cost"]["value"] is None


def test_support_is_judged_sentence_by_sentence(tmp_path: Path) -> None:
    claim = (
        "Revenue was $1.577 billion. It grew by 8.7 % to 9 markets. "
        'They "reject null keys". It is so.'
    )
    found = audited(
        tmp_path, [trace("A1", claim, cites=["p1#1"]), refusal("A2")], "--texts", "texts.jsonl"
    ).json
    numbers = found["metrics"]
    assert share(numbers, "support") == (1, 3)
    assert share(numbers, "number_support") == (1, 2)
    assert share(numbers, "quote_support") == (0, 1)
    assert share(numbers, "checkable") == (3, 4)
    assert [(each["text"], each["looked_in"]) for each in found["not_in_texts"]] == [
        ("9", ["p1#1"]),
        ("reject null keys", ["p1#1"]),
    ]
    (offender,) = found["offenders"]
    assert [claim[begin:end] for begin, end in offender["unsupported_at"]] == [
        "9",
        "reject null keys",
    ]


def test_a_sentence_that_cites_nothing_is_looked_up_in_what_was_retrieved(tmp_path: Path) -> None:
    spoken = [{"text": "It is 8.7 %.", "citations": ["p1#2"]}, {"text": "It is 8.7 %."}]
    row = {"qid": "A1", "retrieved_ids": ["p1#1", "p1#2"], "answer_json": {"claims": spoken}}
    assert share(metrics(tmp_path, [row], "--texts", "texts.jsonl"), "support") == (1, 2)


def test_texts_of_the_trace_come_before_those_of_the_file(tmp_path: Path) -> None:
    row = trace("A1", "It is 5.", ["p1#1"], ["p1#1"], retrieved_texts=["5 it is"])
    assert share(metrics(tmp_path, [row]), "support") == (1, 1)
    assert share(metrics(tmp_path, [row], "--texts", "texts.jsonl"), "support") == (1, 1)


def test_a_text_that_is_not_at_hand_is_counted_and_said(tmp_path: Path) -> None:
    ran = audited(tmp_path, [trace("A1", "It is 5.", cites=["p9"])], "--texts", "texts.jsonl")
    assert ran.json["metrics"]["support"]["denominator"] == 0
    assert ran.json["ids_without_text"] == 1
    assert ran.json["counts"]["texts_not_at_hand"] == {"logged": 1, "scaled": 1}
    assert "without a text at hand: 1" in ran.err


def test_without_texts_support_cannot_be_measured(tmp_path: Path) -> None:
    ran = audited(tmp_path, [trace("A1", "It is 5.")], "--gates", "support=0.9")
    assert (ran.code, ran.json["decision"]) == (3, "UNMEASURABLE")


def test_a_sample_rate_scales_counts_and_no_share(tmp_path: Path) -> None:
    rows = [trace("A1", cost_usd=0.5), refusal("A2")]
    found = audited(tmp_path, rows, "--sample-rate", "0.1").json
    assert (found["traces"], found["shipped"], found["sample_rate"]) == (20, 10, 0.1)
    assert found["refused"] == 0.5
    assert found["counts"]["refused"] == {"logged": 1, "scaled": 10}
    assert found["cost_usd"] == {"logged": 0.5, "scaled": 5.0}
    for rate in ("0", "1.5", "-1"):
        ran = audited(tmp_path, rows, "--sample-rate", rate)
        assert ran.code == 2
        assert "sample_rate: expected a number above 0, up to 1" in ran.err


def test_a_manifest_and_an_index_bring_texts(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nIt waits 30 seconds.\n")
    assert ragstone("index", "build", "docs", "-o", "docs.index", cwd=tmp_path).code == 0
    manifest = tmp_path / "docs.index" / "manifest.jsonl"
    chunk = json.loads(manifest.read_text().splitlines()[0])["id"]
    rows = [trace("A1", f"It waits {n} seconds.", [chunk], [chunk]) for n in (30, 31)]
    assert share(metrics(tmp_path, rows, "--manifest", str(manifest)), "support") == (1, 2)


def test_gate_runs_it_last_where_the_file_names_it(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "log.jsonl", [trace("A1"), trace("A2", None)])
    write_jsonl(tmp_path / "gold.jsonl", [{"qid": "A1", "answerable": True}])
    (tmp_path / "ragstone.toml").write_text(
        '[paths]\ngold = "gold.jsonl"\ntrace = "log.jsonl"\n[answers]\nk = 5\n'
        "[audit.gates]\nempty = 0\nlatency_p95 = 100\n"
    )
    found = ragstone("gate", "--json", cwd=tmp_path).json
    assert list(found["suites"]) == ["answers", "audit"]
    assert found["gates"]["audit.empty"]["status"] == "FAIL"
    assert found["gates"]["audit.p95"]["status"] == "UNMEASURABLE"


def test_it_is_sliced_by_any_field_of_a_trace(tmp_path: Path) -> None:
    rows = [
        trace("A1", "It is 5.", ["p1#1"], model="big", team=["x", "y"]),
        trace("A1", None, model="small", team=["x"]),
        trace("A1", "It is 1,577.", ["p1#1"], model="small"),
    ]
    found = audited(tmp_path, rows, "--texts", "texts.jsonl", "--by", "model", "team").json[
        "slices"
    ]
    assert {name: share(each, "empty") for name, each in found["model"].items()} == {
        "big": (0, 1),
        "small": (1, 2),
    }
    assert {name: share(each, "support") for name, each in found["model"].items()} == {
        "big": (0, 1),
        "small": (1, 1),
    }
    assert {name: share(each, "empty") for name, each in found["team"].items()} == {
        "(none)": (0, 1),
        "x": (1, 2),
        "y": (0, 1),
    }
    toml = """[audit]
trace = "log.jsonl"
[[audit.slices]]
where = { model = "small" }
gates = { empty = 0.4 }
[[audit.slices]]
where = { model = "big" }
gates = { empty = 0 }
"""
    (tmp_path / "ragstone.toml").write_text(toml)
    gates = ragstone("gate", "--json", cwd=tmp_path).json["gates"]
    assert [gate["status"] for gate in gates.values()] == ["FAIL", "PASS"]


def test_the_call_in_python_is_the_command(tmp_path: Path) -> None:
    ran = audited(tmp_path, [trace("A1"), trace("A2", None)], "--gates", "empty=0")
    report = ragstone_api.audit(str(tmp_path / "log.jsonl"), gates={"empty": 0})
    assert report.to_json().encode() == ran.out
    assert [row.qid for row in report["empty"].offenders()] == ["A2"]


def test_without_gates_it_decides_nothing_and_an_empty_log_is_valid(tmp_path: Path) -> None:
    ran = audited(tmp_path, [])
    assert (ran.code, ran.json["decision"]) == (0, None)
    assert "the trace file is empty" in ran.err


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            {"retrieved_ids": ["a"], "retrieved_texts": []},
            "one string per entry of retrieved_ids (1)",
        ),
        ({"retrieved_texts": "x"}, "expected a list of strings"),
        ({"constraints": "x"}, "expected a list of strings"),
        ({"chunks": [{"id": "a", "text": 5}]}, "expected a list of objects"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, row: Record, says: str) -> None:
    ran = audited(tmp_path, [trace("A1"), row])
    assert ran.code == 2
    assert "log.jsonl:2:" in ran.err
    assert says in ran.err


def test_no_text_is_shown_where_none_may_be(tmp_path: Path) -> None:
    rows = [trace("A1", 'A secret is 4711, "they all said so".', ["p1#1"], q="Hidden?")] * 2
    rows[1] = {**rows[1], "answer_json": {"claim": "Another."}}
    outputs = ("-o", "r.html", "-o", "r.md", "-o", "r.xml", "-o", "r.sarif", "-o", "r.json")
    more = ("--texts", "texts.jsonl", "--report-texts", "none", *outputs)
    audited(tmp_path, rows, *more)
    for name in outputs[1::2]:
        shown = (tmp_path / name).read_text()
        assert not any(word in shown for word in ("secret", "4711", "they all said", "Hidden"))
