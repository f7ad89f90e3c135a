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
from ragstone.measure.exact_interval import exact_interval
from ragstone.measure.interval import quantile_interval

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
    # One question, asked twice, says nothing of how far others are from it.
    assert by_tag["config=fast,rps=1"]["long"]["p50"]["interval"] == [None, None]


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
    assert any(
        "(precision_drop) has nothing to test" in warning for warning in ran.json["warnings"]
    )
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


def load(folder: Path, questions: int, *words: Any, slower: float = 1.0) -> Ran:
    """A point with a request for each of many questions, of which every tenth answer is wrong."""
    lines = []
    for number in range(questions):
        claim = "no idea" if number % 10 == 9 else "X rejects null keys."
        line = {**sample(f"Q{number}", 100 + number * slower), **trace(f"Q{number}", claim)}
        lines.append({**line, "cost_usd": 0.01 + number % 3 * 0.001})
    write_jsonl(folder / "gold.jsonl", [gold(f"Q{number}") for number in range(questions)])
    write_jsonl(folder / "samples.jsonl", lines)
    inputs = ("--gold", "gold.jsonl", "--samples", "samples.jsonl")
    return ragstone("latency", "score", "--no-config", "--json", *inputs, *words, cwd=folder)


def test_an_end_that_so_few_requests_cannot_reach_is_open(tmp_path: Path) -> None:
    found = load(tmp_path, 40).json["metrics"]
    times = [(100.0 + number, 1) for number in range(40)]
    assert found["p50"]["interval"] == list(quantile_interval(times, 0.5))
    assert found["p90"]["interval"][1] is not None
    assert (found["p95"]["interval"][1], found["p95"]["needs_samples"]) == (None, 72)
    assert (found["p99"]["interval"][1], found["p99"]["needs_samples"]) == (None, 368)
    assert (found["tail"]["interval"][1], found["tail"]["needs_samples"]) == (None, 368)
    assert found["tail"]["interval"][0] < found["tail"]["value"]


def test_shares_of_a_load_have_the_interval_of_shares(tmp_path: Path) -> None:
    found = load(tmp_path, 40).json["metrics"]
    assert found["precision"]["interval"] == list(exact_interval(36, 40))
    assert found["chr"]["interval"] == list(exact_interval(40, 40))


def test_a_right_answer_costs_at_most_the_dearest_over_the_fewest(tmp_path: Path) -> None:
    found = load(tmp_path, 40).json["metrics"]["cost_per_correct"]
    low, high = found["interval"]
    assert low < found["value"] < high
    assert high == pytest.approx(0.0113 / exact_interval(36, 40)[0], rel=0.02)
    assert load(tmp_path, 4).json["metrics"]["cost_per_correct"]["interval"] is None


def test_changes_against_a_baseline_have_intervals(tmp_path: Path) -> None:
    load(tmp_path, 100)
    (tmp_path / "samples.jsonl").rename(tmp_path / "last.jsonl")
    found = load(tmp_path, 100, "--baseline", "last.jsonl", slower=1.1).json["metrics"]
    for name in ("p50_ratio", "p90_ratio", "p95_ratio", "cost_ratio", "precision_drop"):
        low, high = found[name]["interval"]
        assert low < found[name]["value"] < high, name


def test_a_change_of_an_open_end_is_open(tmp_path: Path) -> None:
    load(tmp_path, 40)
    (tmp_path / "samples.jsonl").rename(tmp_path / "last.jsonl")
    found = load(tmp_path, 40, "--baseline", "last.jsonl").json["metrics"]["p95_ratio"]
    assert (found["interval"][1], found["needs_samples"]) == (None, 72)
