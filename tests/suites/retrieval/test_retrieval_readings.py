"""Where ΔS comes from, what ids say about sections, and what the rows point to."""

from __future__ import annotations

from typing import Any

import pytest
from suites.retrieval.retrieval_builders import OWN, chunk, full, item, run

from ragstone.api import retrieval
from ragstone.engine.duck import Duck
from ragstone.gates.gate import Status
from ragstone.suites.retrieval.title_tree import natural
from ragstone.suites.statements import sql_of


def chunks() -> list[dict[str, Any]]:
    return [
        chunk(text="X rejects null keys in every map.", offsets=[0, 33]),
        chunk("S.4.3.p.Bk001", text="Bananas ripen in the sun.", offsets=[33, 58]),
    ]


def test_a_computed_delta_s_is_shown_and_gated_only_after_calibration() -> None:
    lines = [{k: v for k, v in line.items() if k != "ΔS"} for line in full()]
    shown: Any = retrieval([item()], lines, manifest=chunks())
    assert shown.data["delta_s"]["source"] == "computed"
    assert shown["delta_s_median"].value is not None
    (gate,) = [gate for gate in shown.gates if gate.name == "delta_s_over"]
    assert gate.status is Status.UNMEASURABLE
    assert "no calibrated line" in gate.note
    without: Any = retrieval([item()], lines, manifest=chunks(), gates={"delta_s_over": "off"})
    assert without.decision is Status.PASS
    gated: Any = retrieval(
        [item()], lines, manifest=chunks(), delta_s_line=0.9, delta_s_line_for="ngram/1"
    )
    assert gated.data["delta_s"]["line"] == 0.9
    assert [g.status for g in gated.gates if g.name == "delta_s_over"] == [Status.PASS]
    other: Any = retrieval(
        [item()], lines, manifest=chunks(), delta_s_line=0.9, delta_s_line_for="other/1"
    )
    assert not other.data["delta_s"]["calibrated"]


def test_a_logged_delta_s_keeps_the_lines_of_the_spec() -> None:
    report: Any = retrieval([item()], full(), delta_s_line=0.9, delta_s_line_for="ngram/1")
    assert report.data["delta_s"] == {**report.data["delta_s"], "source": "log", "line": 0.45}


def test_the_dialects_and_the_title_tree_of_the_spec() -> None:
    named = {
        "S.4.2.p.Bk011a": "S.4.2",
        "A.3.1.bk012": "A.3.1",
        "doc|r=2|s=2.4.1|p=3|b=1": "2.4.1",
        "docA#s03#p002": "s03",
        "p1#2": None,
        "anything": None,
    }
    apart = {("S.4.2", "S.4.3"): 2, ("S.4.2", "S.4"): 1, ("S.4", "S.4"): 0, ("S.1", "A.1"): 4}
    below = {("S.4.2", "S.4"): True, ("S.42", "S.4"): False, ("S.4", "S.4.2"): False}
    with Duck(1) as duck:
        duck.run(sql_of("ragstone.suites.retrieval", "sections.sql", own=""))
        sections = {name: duck.one("select section_of($id)", {"id": name})[0] for name in named}
        steps = {two: duck.one(f"select tree_distance{two}")[0] for two in apart}
        inside = {two: duck.one(f"select within{two}")[0] for two in below}
    assert (sections, steps, inside) == (named, apart, below)
    assert sorted(["1.10", "1.2", "1"], key=natural) == ["1", "1.2", "1.10"]


def test_readings_name_the_rows_that_triggered_them() -> None:
    gold = [item(f"q{n}") for n in range(4)]
    lines = [run(f"q{n}", ids=["S.9.9.p.Bk999", OWN], cites=[{"id": "S.9.9.p.Bk999"}])
             for n in range(4)]  # fmt: skip
    report: Any = retrieval(gold, lines)
    said = {found["pattern"]: found["qids"] for found in report.data["reading"]}
    assert said["ΔS stable, evidence not relevant"] == ["q0", "q1", "q2", "q3"]
    assert said["hard negatives stand above the evidence"] == ["q0", "q1", "q2", "q3"]
    assert any("not on top" in pattern for pattern in said)


def test_delta_s_by_rank_is_over_every_item_that_was_retrieved() -> None:
    ids = [OWN, *(f"x{n}" for n in range(11))]
    lines = [
        run(ids=ids, paraphrase=p, ΔS=[(p + 1) / 10 + rank / 100 for rank in range(12)])
        for p in range(3)
    ]
    report: Any = retrieval([item()], lines)
    found = report.data["delta_s_by_rank"]
    assert [each["rank"] for each in found] == list(range(1, 11))
    assert [each["items"] for each in found] == [3] * 10
    assert found[4] == {
        "rank": 5,
        "items": 3,
        "median": pytest.approx(0.24),
        "p90": pytest.approx(0.32),
    }


def test_delta_s_by_rank_is_computed_where_there_are_texts() -> None:
    lines = [{k: v for k, v in line.items() if k != "ΔS"} for line in full()]
    report: Any = retrieval([item()], lines, manifest=chunks())
    near, far = report.data["delta_s_by_rank"]
    assert (near["rank"], far["rank"], far["items"]) == (1, 2, 6)
    assert near["median"] < far["median"]
    bare: Any = retrieval([item()], lines)
    assert bare.data["delta_s_by_rank"] == []
