"""What every suite gets from its declaration, for points of a load: slices, rows, offenders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from builders import Record, gold, trace, write_jsonl
from command import Ran, ragstone

from ragstone import ConfigError, api

ITEMS = [gold("A1", tags=["short"]), gold("A2", tags=["long"])]


def sample(qid: str, latency: float, config: str = "a", rps: float = 1, **more: Any) -> Record:
    point = {"config": config, "rps": rps, "latency_ms": latency}
    return {**trace(qid), **point, "cost_usd": 0.01, **more}


def score(folder: Path, lines: list[Record], *words: Any, toml: str = "") -> Ran:
    (folder / "ragstone.toml").write_text(toml)
    write_jsonl(folder / "gold.jsonl", ITEMS)
    write_jsonl(folder / "samples.jsonl", lines)
    inputs = ("--gold", "gold.jsonl", "--samples", "samples.jsonl")
    return ragstone("latency", "score", "--json", *inputs, *words, cwd=folder)


LINES = [
    sample(qid, latency * factor, config)
    for config, factor in (("fast", 1), ("slow", 3))
    for qid, latency in (("A1", 100), ("A1", 200), ("A2", 700), ("A2", 800))
]


def test_points_are_also_measured_by_a_field_of_gold(tmp_path: Path) -> None:
    by_tag = score(tmp_path, LINES, "--by", "tags").json["slices"]["tags"]
    medians = {
        arm: {tag: numbers["p50"]["value"] for tag, numbers in tags.items()}
        for arm, tags in by_tag.items()
    }
    assert medians == {
        "config=fast,rps=1": {"long": 750, "short": 150},
        "config=slow,rps=1": {"long": 2250, "short": 450},
    }
    # The one question of a slice is drawn in every resample, so nothing spreads.
    assert by_tag["config=fast,rps=1"]["long"]["p50"]["interval"] == [750, 750]


def test_a_slice_may_have_a_gate_of_its_own(tmp_path: Path) -> None:
    toml = '[[latency.slices]]\nwhere = { tags = "long" }\ngates = { p50 = 1000 }\n'
    gates = score(tmp_path, LINES, toml=toml).json["gates"]
    found = {name: gate["status"] for name, gate in gates.items() if "tags" in name}
    assert found == {
        "p50[config=fast,rps=1,tags=long]": "PASS",
        "p50[config=slow,rps=1,tags=long]": "FAIL",
    }


def test_a_gate_on_a_change_in_a_slice_is_refused(tmp_path: Path) -> None:
    toml = '[[latency.slices]]\nwhere = { tags = "long" }\ngates = { p50_ratio = 1.1 }\n'
    ran = score(tmp_path, LINES, toml=toml)
    assert (ran.code, ran.err) == (2, "ragstone: slices: p50_ratio is not measured by slice\n")


def test_fields_may_have_other_names_on_the_command_line(tmp_path: Path) -> None:
    lines = [{**line, "took": line.pop("latency_ms")} for line in map(dict, LINES)]
    ran = score(tmp_path, lines, "--map", "latency_ms=took", "--only", "fast")
    assert ran.json["p50"] == 450


def test_points_of_the_baseline_are_not_shown(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "last.jsonl", LINES)
    ran = score(tmp_path, LINES[:4], "--baseline", "last.jsonl", "--by", "tags", "--all")
    assert [point["config"] for point in ran.json["points"]] == ["fast"]
    assert ran.json["points"][0]["p95_ratio"] == 1
    # A lone point needs no name, though there are others to compare with.
    assert "p95" in ran.json["gates"]
    assert set(ran.json["slices"]["tags"]) == {"short", "long"}


def test_a_gate_against_a_baseline_that_is_not_there_is_unmeasurable(tmp_path: Path) -> None:
    ran = score(tmp_path, LINES[:4], "--gates", "p95_ratio=1.1")
    assert ran.code == 3
    assert ran.json["gates"]["p95_ratio"]["status"] == "UNMEASURABLE"
    assert "p50_ratio" not in ran.json


def test_a_drop_from_precision_that_tested_nothing_is_vacuous(tmp_path: Path) -> None:
    refused = [{**sample("A1", 100), **trace("A1", "not in context", cites=())}]
    write_jsonl(tmp_path / "last.jsonl", LINES[:2])
    words = ("--baseline", "last.jsonl", "--gates", "cost_ratio=off")
    ran = score(tmp_path, refused, *words)
    assert ran.json["gates"]["precision_drop"]["vacuous"]
    assert any(warning.startswith("precision_drop is vacuous") for warning in ran.json["warnings"])
    assert score(tmp_path, refused, *words, "--strict").code == 3


def test_requests_that_failed_are_listed(tmp_path: Path) -> None:
    ran = score(tmp_path, [*LINES[:4], sample("A2", 30_000, "fast", error="timeout")])
    (row,) = ran.json["offenders"]
    assert (row["qid"], row["costs"]) == ("A2", ["errors"])
    assert "failed" in row["failed_checks"]


def test_rows_have_their_point_and_their_time(tmp_path: Path) -> None:
    score(tmp_path, LINES, "-o", "rows.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    first = {name: rows[0][name] for name in ("arm", "qid", "p50", "errors", "failed")}
    assert first == {
        "arm": "config=fast,rps=1",
        "qid": "A1",
        "p50": 100,
        "errors": 0,
        "failed": False,
    }
    assert len(rows) == len(LINES)


def test_loads_that_differ_little_are_two_points(tmp_path: Path) -> None:
    ran = score(tmp_path, [sample("A1", 100, rps=1.0), sample("A1", 900, rps=1.0000001)])
    assert [point["p50"] for point in ran.json["points"]] == [100, 900]
    assert {"p95[config=a,rps=1]", "p95[config=a,rps=1.0000001]"} <= set(ran.json["gates"])


def test_a_question_that_gold_does_not_have_is_found_in_parquet_too(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", ITEMS)
    table = pyarrow.Table.from_pylist([sample("A1", 1), sample("Z9", 1)])
    pyarrow.parquet.write_table(table, tmp_path / "samples.parquet")
    words = ("latency", "score", "--no-config", "--gold", "gold.jsonl")
    ran = ragstone(*words, "--samples", "samples.parquet", cwd=tmp_path)
    assert ran.code == 2
    assert ran.err.startswith('samples.parquet:2: qid: "Z9" is not a question of the gold set\n')


def test_the_gates_of_answers_decide_what_a_pick_must_be(tmp_path: Path) -> None:
    wrong = [{**sample(q, 10, "quick"), **trace(q, "no idea")} for q in ("A1", "A2")]
    lines = [*wrong, *LINES]
    assert score(tmp_path, lines).json["picks"]["interactive"] == "fast"
    # A gate on a metric that latency does not have, at a k of the answers' own, is no concern here.
    toml = '[answers]\nk = 10\n[answers.gates]\nprecision = 0\nchr = false\n"recall@10" = 0.9\n'
    ran = score(tmp_path, lines, toml=toml)
    assert ran.json["picks"]["interactive"] == "quick"
    assert "precision" in ran.json["settings"]["accuracy_gates"]
    assert "chr" not in ran.json["settings"]["accuracy_gates"]


def test_the_call_in_python_says_the_same(tmp_path: Path) -> None:
    ran = score(tmp_path, LINES, "--gates", "p95=900")
    report = api.latency(ITEMS, LINES, gates={"p95": 900})
    assert json.loads(report.to_json()) == ran.json
    with pytest.raises(ConfigError, match="refusal: expected at least one token"):
        api.latency(ITEMS, LINES, refusal=[])
