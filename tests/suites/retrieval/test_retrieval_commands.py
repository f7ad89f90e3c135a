"""The commands as processes: exit codes, formats, and the real text of SQuAD."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builders import write_jsonl
from suites.retrieval.retrieval_builders import OWN, chunk, full, item

PROJECT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("RAGSTONE_SHARED", PROJECT.parent / "shared"))
SQUAD = SHARED / "data" / "squad2" / "dev-v2.0.from-explorer-html.json"


def ragstone(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ragstone", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "gold.jsonl", [item("a"), item("b")])
    write_jsonl(tmp_path / "log.jsonl", full("a") + full("b"))
    worse = [{**line, "answer_citations": [{"id": "x"}]} for line in full("b")]
    write_jsonl(tmp_path / "worse.jsonl", full("a") + worse)
    write_jsonl(tmp_path / "manifest.jsonl", [chunk(text="null keys are rejected")])
    return tmp_path


GOLD_LOG = ("--gold", "gold.jsonl", "--log", "log.jsonl")


def test_a_good_index_exits_with_nought_and_a_bad_one_with_one(folder: Path) -> None:
    assert ragstone("retrieval", *GOLD_LOG, cwd=folder).returncode == 0
    bad = ragstone("retrieval", "--gold", "gold.jsonl", "--log", "worse.jsonl", cwd=folder)
    assert bad.returncode == 1
    assert "DO NOT SHIP" in bad.stdout


def test_compact_prints_the_eight_keys_of_the_spec(folder: Path) -> None:
    ran = ragstone("retrieval", *GOLD_LOG, "--compact", cwd=folder)
    made = json.loads(ran.stdout)
    assert list(made) == [
        "P@5", "R@5", "coverage", "citation_accuracy", "ΔS_med", "ΔS_p90", "bad_qids", "by_type"
    ]  # fmt: skip


def test_a_canary_writes_every_form_of_its_report(folder: Path) -> None:
    files = [f"report.{ending}" for ending in ("html", "md", "json", "xml", "sarif", "txt")]
    flags = [word for name in files for word in ("-o", name)]
    ran = ragstone(
        "canary", "--gold", "gold.jsonl", "--live", "log.jsonl", "--shadow", "worse.jsonl", *flags,
        cwd=folder,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "NOT ELIGIBLE" in ran.stdout
    assert all((folder / name).stat().st_size for name in files)
    page = (folder / "report.html").read_text(encoding="utf-8")
    for title in (
        "Live against shadow",
        "snippet (ΔS)",
        "Recall by k and type",
        "Section by section",
    ):
        assert title in page


def test_offenders_are_found_on_their_lines(folder: Path) -> None:
    worse = ["--gold", "gold.jsonl", "--log", "worse.jsonl"]
    sarif = json.loads(ragstone("retrieval", *worse, "-f", "sarif", cwd=folder).stdout)
    places = {
        location["physicalLocation"]["artifactLocation"]["uri"]: location["message"]["text"]
        for result in sarif["runs"][0]["results"]
        for location in (*result.get("locations", ()), *result.get("relatedLocations", ()))
    }
    assert places == {"gold.jsonl": "the gold line", "worse.jsonl": "the log line"}
    shadow = ["--gold", "gold.jsonl", "--live", "log.jsonl", "--shadow", "worse.jsonl"]
    said = ragstone("canary", *shadow, "-f", "github", cwd=folder).stdout
    assert "file=gold.jsonl,line=" in said


def test_the_gate_runs_the_suite_that_the_file_names(folder: Path) -> None:
    (folder / "ragstone.toml").write_text(
        '[retrieval]\ngold = "gold.jsonl"\nlog = ["log.jsonl"]\n'
        '[retrieval.gates]\n"R@5" = 0.9\n[[retrieval.slices]]\n'
        'where = { qid = "b" }\ngates = { coverage = 0.5 }\n',
        encoding="utf-8",
    )
    ran = ragstone("gate", "--json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    gates = json.loads(ran.stdout)["gates"]
    assert "retrieval.R@5" in gates and "retrieval.coverage[qid=b]" in gates


def test_calibrate_writes_the_line_that_is_then_in_force(folder: Path) -> None:
    bare = [{k: v for k, v in line.items() if k != "ΔS"} for line in full("a") + full("b")]
    write_jsonl(folder / "bare.jsonl", bare)
    write_jsonl(
        folder / "texts.jsonl",
        [chunk(text="X takes no null keys"), chunk("S.9.9.p.Bk999", text="Bananas are yellow")],
    )
    inputs = ("--gold", "gold.jsonl", "--manifest", "texts.jsonl", "--log", "bare.jsonl")
    ran = ragstone("retrieval", "calibrate", *inputs, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "delta_s_line_for" in (folder / "ragstone.toml").read_text(encoding="utf-8")
    again = ragstone("retrieval", *inputs, "--json", cwd=folder)
    assert json.loads(again.stdout)["delta_s"]["calibrated"] is True


def test_migrate_writes_a_new_file_and_never_over_an_old_one(folder: Path) -> None:
    write_jsonl(folder / "new.jsonl", [chunk("S.4.2.p.Bk777", text="null keys are rejected")])
    words = ("migrate", "manifest.jsonl", "new.jsonl", "--gold", "gold.jsonl")
    assert ragstone(*words, cwd=folder).returncode == 0
    first = json.loads((folder / "gold.migrated.jsonl").read_text().splitlines()[0])
    assert first["relevant"] == ["S.4.2.p.Bk777"]
    again = ragstone(*words, cwd=folder)
    assert again.returncode == 2
    assert "is not overwritten" in again.stderr


def test_migrate_carries_the_citations_of_answers_gold_over(folder: Path) -> None:
    write_jsonl(folder / "new.jsonl", [chunk("S.4.2.p.Bk777", text="null keys are rejected")])
    asked = {"qid": "a1", "question": "Null keys?", "answerable": True, "paraphrases": ["Null?"]}
    cited = {**asked, "gold_citations": [OWN], "relevant_offsets": {OWN: [100, 110]}}
    refused = {"qid": "a2", "question": "Who?", "answerable": False}
    lost = {**asked, "qid": "a3", "gold_citations": ["S.1.p.Bk1"]}
    write_jsonl(folder / "answers.jsonl", [cited, refused, lost])
    words = ("migrate", "manifest.jsonl", "new.jsonl", "--gold", "answers.jsonl", "--json")
    ran = ragstone(*words, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    lines = (folder / "answers.migrated.jsonl").read_text().splitlines()
    moved = {"gold_citations": ["S.4.2.p.Bk777"], "relevant_offsets": {"S.4.2.p.Bk777": [100, 110]}}
    # An unanswerable item has no evidence to carry; an id that went nowhere is kept and listed.
    assert [json.loads(line) for line in lines] == [{**asked, **moved}, refused, lost]
    report = json.loads(ran.stdout)
    assert report["changes"] == [{"qid": "a1", "before": [OWN], "after": ["S.4.2.p.Bk777"]}]
    why = "gold_citations: S.1.p.Bk1 is not in the old manifest"
    assert report["look"] == [{"qid": "a3", "why": [why]}]


def test_migrate_refuses_a_gold_set_of_neither_kind(folder: Path) -> None:
    write_jsonl(folder / "other.jsonl", [{"qid": "a1", "documents": ["x"]}])
    words = ("migrate", "manifest.jsonl", "manifest.jsonl", "--gold", "other.jsonl")
    ran = ragstone(*words, cwd=folder)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("other.jsonl:1: ")


def test_bad_input_exits_with_two_and_names_the_line(folder: Path) -> None:
    write_jsonl(folder / "bad.jsonl", [{"qid": "a", "topk": "none"}])
    ran = ragstone("retrieval", "--gold", "gold.jsonl", "--log", "bad.jsonl", cwd=folder)
    assert ran.returncode == 2
    assert ran.stderr.startswith("bad.jsonl:1: topk:")
    assert "Traceback" not in ran.stderr


@pytest.mark.data
@pytest.mark.skipif(not SQUAD.exists(), reason="the shared data is not here")
def test_two_honest_indexes_of_squad_differ_believably(tmp_path: Path) -> None:
    from ragstone.api import canary

    spec = importlib.util.spec_from_file_location("squad", PROJECT / "examples/squad_canary.py")
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.main(str(SQUAD), str(tmp_path), 500)
    files = [str(tmp_path / f"{name}.jsonl") for name in ("gold", "live", "shadow")]
    chunks = str(tmp_path / "manifest.jsonl")
    # The ΔS is computed, and no line was calibrated for it, so its gates cannot be measured.
    off = dict.fromkeys(
        ("lambda_convergence", "delta_s_median", "delta_s_p90", "delta_s_over"), "off"
    )
    one: Any = canary(*files, manifest=chunks, index_only=True, gates=off)
    two: Any = canary(files[0], files[2], files[1], manifest=chunks, index_only=True)
    recall = one.metrics["R@5"]
    assert recall.denominator == 500
    assert 0.85 < recall.value < 0.99
    assert one.data["verdict"] in ("ELIGIBLE", "NOT ELIGIBLE")
    for name, delta in one.data["deltas"].items():
        if delta is not None:
            assert delta["value"] == pytest.approx(-two.data["deltas"][name]["value"])
    flips, back = one.data["flips"]["found@5"], two.data["flips"]["found@5"]
    assert (flips["gained"], flips["lost"]) == (back["lost"], back["gained"])
    assert flips["gained"] and flips["lost"]
