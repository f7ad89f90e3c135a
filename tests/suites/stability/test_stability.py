"""Stability: the vector of the spec, what fails, and what a report says of it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from builders import gold, refusal, trace, write_jsonl
from command import Ran, ragstone

pytest.importorskip("rapidfuzz")

VECTOR = (
    ("X rejects null keys.", ["p1#2"]),
    ("X rejects null keys", ["p1#2", "p1#1"]),
    ("x  rejects null keys!", ["p1#2"]),
    ("The X map rejects null keys.", ["p1#2"]),
)


def runs(qid: str, claims: list[str], **fields: Any) -> list[dict[str, Any]]:
    return [
        trace(qid, claim, seed=seed, jitter="none", **fields) for seed, claim in enumerate(claims)
    ]


def score(folder: Any, items: list[Any], lines: list[Any], *words: str) -> Ran:
    return ragstone(
        "stability", "score", "--no-config", "--json", *words,
        "--gold", write_jsonl(folder / "gold.jsonl", items),
        "--runs", write_jsonl(folder / "runs.jsonl", lines),
    )  # fmt: skip


def test_the_vector_of_the_spec(tmp_path):
    lines = [
        trace("A1", claim, cites, seed=seed, jitter="none")
        for seed, (claim, cites) in enumerate(VECTOR)
    ]
    ran = score(tmp_path, [gold("A1")], lines)
    assert ran.code == 1
    found = ran.json["questions"]["A1"]
    numbers = {name: round(found[name], 4) for name in ("acr", "cghc", "css", "ned50", "rcr")}
    assert numbers == {"acr": 1, "cghc": 1, "css": 0.5, "ned50": 0.1481, "rcr": 1}
    assert found["failed"] == ["css"]
    assert {name: round(ran.json[name], 4) for name in numbers} == numbers
    assert ran.json["gates"]["css"]["status"] == "FAIL"
    assert ran.json["gates"]["ned50"]["status"] == "PASS"


def test_steady_answers_and_steady_refusals_pass(tmp_path):
    lines = runs("A1", ["X rejects null keys."] * 3)
    lines += [refusal("U1", seed=seed, jitter="ws") for seed in range(3)]
    ran = score(tmp_path, [gold("A1"), gold("U1", answerable=False)], lines)
    assert ran.code == 0, ran.err
    assert ran.json["runs"] == 6


def test_always_hallucinating_is_consistent_and_fails(tmp_path):
    lines = runs("U1", ["X is made by Acme."] * 5)
    ran = score(tmp_path, [gold("U1", answerable=False)], lines)
    assert ran.code == 1
    assert ran.json["questions"]["U1"]["rcr"] == 1
    assert ran.json["gates"]["rcr"]["status"] == "FAIL"
    assert ran.json["gates"]["rcr"]["value"] == 0


def test_an_empty_run_file_fails(tmp_path):
    ran = score(tmp_path, [gold("A1")], [])
    assert ran.code == 1
    assert ran.json["gates"]["no_runs"]["status"] == "FAIL"


def test_gold_without_runs_fails(tmp_path):
    ran = score(tmp_path, [gold("A1"), gold("A2")], runs("A1", ["X rejects null keys."] * 2))
    assert ran.code == 1
    assert ran.json["questions"]["A2"]["failed"] == ["no_runs"]


def test_runs_of_unknown_questions_are_an_error(tmp_path):
    lines = runs("A1", ["x"]) + runs("Z9", ["x"]) + [refusal("", seed=1, jitter="none")]
    ran = score(tmp_path, [gold("A1")], lines)
    assert ran.code == 2
    assert 'runs.jsonl:2: qid: "Z9" is not a question of the gold set' in ran.err
    assert "runs.jsonl:3: qid: the run names none" in ran.err


def test_a_repeated_run_id_replaces_the_earlier_run(tmp_path):
    first = trace("A1", "wrong", cites=[], run_id="A1#seed=0;j=none")
    second = trace("A1", seed=0, jitter="none")
    ran = score(tmp_path, [gold("A1")], [first, second])
    assert ran.json["metrics"]["acr"]["value"] == 1
    assert ran.json["runs"] == 1
    assert ran.json["inputs"]["superseded"] == 1


def test_a_run_says_which_it_is(tmp_path):
    lines = [trace("A1"), trace("A1", seed="2", run_id="r"), trace("A1", seed=1)]
    ran = score(tmp_path, [gold("A1")], lines)
    assert ran.code == 2
    said = [line.split("runs.jsonl:")[1] for line in ran.err.splitlines()[:4]]
    assert said == [
        "1: seed: expected a whole number, found nothing",
        "1: jitter: expected a string, found nothing",
        '2: seed: expected a whole number, found "2"',
        "3: jitter: expected a string, found nothing",
    ]


def test_constraints_must_be_echoed_by_every_run(tmp_path):
    locked = ["X rejects null keys."]
    lines = [trace(echo=locked if seed else None, seed=seed, jitter="none") for seed in range(3)]
    ran = score(tmp_path, [gold(constraints=locked)], lines)
    assert ran.code == 1
    assert ran.json["questions"]["A1"]["scu_cons"] == 0
    assert ran.json["questions"]["A1"]["failed"] == ["scu_cons"]


def test_refusals_do_not_count_as_other_words(tmp_path):
    lines = [*runs("A1", ["X rejects null keys."] * 3), refusal("A1", seed=9, jitter="ws")]
    found = score(tmp_path, [gold("A1")], lines).json["questions"]["A1"]
    assert found["ned50"] == 0
    assert found["iaa"] == 0.5
    assert found["acr"] == 0.75
    assert found["css"] == 0


def test_questions_are_the_clusters_of_the_interval(tmp_path):
    """Ten runs of one question say less than ten questions."""
    items = [gold(f"q{n}") for n in range(4)]
    lines = []
    for n in range(4):
        claim = "X rejects null keys." if n else "no idea"
        lines += runs(f"q{n}", [claim] * 10)
    low, high = score(tmp_path, items, lines).json["metrics"]["acr"]["interval"]
    from ragstone.measure.exact_interval import exact_interval

    assert (round(low, 9), round(high, 9)) == tuple(round(x, 9) for x in exact_interval(3, 4))


def test_what_breaks_what_is_said_and_drawn(tmp_path):
    lines = [trace("A1", seed=s, jitter=j) for s in range(2) for j in ("none", "ws")]
    lines += [trace("A1", "no idea", seed=s, jitter="syn") for s in range(2)]
    ran = score(tmp_path, [gold("A1")], lines, "-o", str(tmp_path / "r.html"))
    page = (tmp_path / "r.html").read_text()
    assert "right as asked, wrong under jitter syn: 1 row" in page
    assert "A1, seed 1, jitter syn: broken: contained" in page
    assert {row["jitter"] for row in ran.json["broken"]} == {"syn"}


def test_the_order_of_lines_and_the_threads_change_no_byte(tmp_path):
    items = [gold(f"q{n}") for n in range(5)]
    lines = [
        trace(item["qid"], f"X rejects null keys {n % 3}.", seed=n, jitter="ws")
        for item in items
        for n in range(4)
    ]
    first = score(tmp_path, items, lines, "--threads", "1")
    random.Random(1).shuffle(lines)
    assert score(tmp_path, items, lines, "--threads", "2") == first


def test_gate_runs_the_suite_that_the_file_names(tmp_path):
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1")])
    write_jsonl(tmp_path / "runs.jsonl", runs("A1", ["X rejects null keys."] * 2))
    (tmp_path / "ragstone.toml").write_text(
        '[paths]\ngold = "gold.jsonl"\n'
        '[stability]\nruns = "runs.jsonl"\n[stability.gates]\niaa = 0.5\n'
    )
    ran = ragstone("gate", "--json", "-o", "r.xml", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.json["gates"]["stability.iaa"]["status"] == "PASS"
    assert 'name="stability.css"' in (tmp_path / "r.xml").read_text()


def test_without_its_package_the_line_that_installs_it_is_said(tmp_path, monkeypatch):
    import sys

    from ragstone.errors import InputError
    from ragstone.suites.stability.claims import levenshtein

    monkeypatch.setitem(sys.modules, "rapidfuzz.distance.Levenshtein", None)
    with pytest.raises(InputError, match=r"pip install 'rapidfuzz>=3\.9'"):
        levenshtein()


def test_a_rule_about_constraints_changes_the_digest(tmp_path):
    locked = ["X rejects null keys."]
    write_jsonl(tmp_path / "gold.jsonl", [gold(constraints=locked)])
    lines = runs("A1", ["X rejects null keys, mostly."] * 2, echo=locked)
    write_jsonl(tmp_path / "runs.jsonl", lines)
    rule = '[[scu.rules]]\nlocked = "rejects"\ncontradicts = "mostly"\n'
    found = []
    for rules in ("", rule):
        (tmp_path / "ragstone.toml").write_text(
            f'[paths]\ngold = "gold.jsonl"\n[stability]\nruns = "runs.jsonl"\n{rules}'
        )
        found.append(ragstone("stability", "score", "--json", cwd=tmp_path).json)
    assert [each["decision"] for each in found] == ["PASS", "FAIL"]
    assert found[0]["digest"] != found[1]["digest"]


def test_single_runs_leave_nothing_to_compare_and_ship_nothing(tmp_path):
    ran = score(tmp_path, [gold("A1")], runs("A1", ["X rejects null keys."]))
    assert ran.code == 3
    assert ran.json["lacks"]["stability"].endswith("answered alike: give some question two runs")
    for name in ("css", "ned50"):
        assert ran.json["metrics"][name]["tested"] == 0
        assert ran.json["gates"][name]["vacuous"] is True
    assert any("no question has two runs that could differ" in w for w in ran.json["warnings"])
    refused = [trace("A2", "not in context", cites=(), seed=n, jitter="none") for n in range(2)]
    both = [*runs("A1", ["X rejects null keys."]), *refused]
    alike = score(tmp_path, [gold("A1"), gold("A2", answerable=False)], both, "--gates", "rcr=off")
    # Two runs of another kind of question say nothing of the gates that are left.
    assert alike.code == 3


def test_gold_without_phrases_or_evidence_tests_neither(tmp_path):
    item = {"qid": "A1", "answerable": True}
    ran = score(tmp_path, [item], runs("A1", ["anything"] * 2), "--strict")
    assert ran.code == 3
    assert [ran.json["gates"][name]["status"] for name in ("acr", "cghc")] == ["NOT TESTED"] * 2


def test_a_slice_is_judged_by_its_own_worst_question(tmp_path):
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1", tags=["x"]), gold("A2", tags=["y"])])
    lines = runs("A1", ["no idea"] * 2) + runs("A2", ["X rejects null keys."] * 2)
    write_jsonl(tmp_path / "runs.jsonl", lines)
    (tmp_path / "ragstone.toml").write_text(
        '[paths]\ngold = "gold.jsonl"\n[stability]\nruns = "runs.jsonl"\n[stability.gates]\n'
        "acr = false\n"
        '[[stability.slices]]\nwhere = { tags = "x" }\ngates = { acr = 0.5 }\n'
        '[[stability.slices]]\nwhere = { tags = "y" }\ngates = { acr = 0.5 }\n'
    )
    gates = ragstone("stability", "score", "--json", cwd=tmp_path).json["gates"]
    assert (gates["acr[tags=x]"]["status"], gates["acr[tags=x]"]["value"]) == ("FAIL", 0.0)
    assert (gates["acr[tags=y]"]["status"], gates["acr[tags=y]"]["value"]) == ("PASS", 1.0)
    assert "1 of 1 questions fail it (A1)" in gates["acr[tags=x]"]["note"]


def test_two_systems_stand_side_by_side(tmp_path):
    write_jsonl(tmp_path / "gold.jsonl", [gold("A1")])
    for name, claim in (("old", "no idea"), ("new", "X rejects null keys.")):
        write_jsonl(tmp_path / f"{name}.jsonl", runs("A1", [claim] * 3))
    ran = ragstone(
        "stability", "score", "--gold", "gold.jsonl", "--json", "--no-config",
        "--system", "old=old.jsonl", "--system", "new=new.jsonl", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 1
    assert [each["acr"] for each in ran.json["systems"]] == [0.0, 1.0]
    assert ran.json["gates"]["acr[system=old]"]["status"] == "FAIL"
    assert ran.json["gates"]["acr[system=new]"]["status"] == "PASS"


def test_a_reading_is_about_gates_in_force(tmp_path):
    lines = [trace("A1", seed=s, jitter="none") for s in range(2)]
    lines += [trace("A1", "no idea", seed=s, jitter="syn") for s in range(2)]
    (found,) = score(tmp_path, [gold("A1")], lines).json["reading"]
    assert (found["pattern"], found["qids"]) == ("right as asked, wrong under jitter syn", ["A1"])
    assert score(tmp_path, [gold("A1")], lines, "--gates", "acr=off").json["reading"] == []
