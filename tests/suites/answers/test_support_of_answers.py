"""Support in the answers suite: shown where a file of texts is given, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from builders import gold, refusal, trace, write_jsonl
from command import Ran, ragstone

TEXTS = [{"id": "p1#2", "text": "X rejects null keys since 2018."}, {"id": "p1#1", "text": "5"}]
RIGHT, WRONG = "X rejects null keys since 2018.", "X rejects null keys since 2017. It does."


def scored(folder: Path, *more: str) -> Ran:
    write_jsonl(folder / "gold.jsonl", [gold(f"A{n}") for n in (1, 2, 3)])
    answers = [trace("A1", RIGHT), trace("A2", WRONG), refusal("A3")]
    write_jsonl(folder / "trace.jsonl", answers)
    write_jsonl(folder / "other.jsonl", [trace("A1", WRONG), trace("A2", None)])
    write_jsonl(folder / "texts.jsonl", TEXTS)
    words = ("--gold", "gold.jsonl", "--json", "--no-config")
    if "--system" not in more:
        words += ("--trace", "trace.jsonl")
    return ragstone("score", *words, *more, cwd=folder)


def share(found: dict[str, Any], name: str) -> tuple[int, int]:
    return found["metrics"][name]["numerator"], found["metrics"][name]["denominator"]


def test_it_is_shown_where_texts_are_at_hand(tmp_path: Path) -> None:
    without = scored(tmp_path).json
    assert "support" not in without["metrics"]
    assert "not_in_texts" not in without
    found = scored(tmp_path, "--texts", "texts.jsonl").json
    assert share(found, "support") == share(found, "number_support") == (1, 2)
    assert share(found, "checkable") == (2, 3)
    assert [each["text"] for each in found["not_in_texts"]] == ["2017"]
    assert found["precision"] == without["precision"]


def test_a_gate_on_it_charges_the_answers_and_fails(tmp_path: Path) -> None:
    found = scored(tmp_path, "--texts", "texts.jsonl", "--gates", "support=0.9").json
    assert found["gates"]["support"]["status"] == "FAIL"
    charged = [row for row in found["offenders"] if "support" in row["costs"]]
    assert [(row["qid"], row["unsupported_at"]) for row in charged] == [("A2", [[26, 30]])]


def test_without_texts_a_gate_on_it_cannot_be_measured(tmp_path: Path) -> None:
    ran = scored(tmp_path, "--gates", "support=0.9", "over_refusal=off")
    assert ran.json["gates"]["support"]["status"] == "UNMEASURABLE"


def test_systems_have_their_own(tmp_path: Path) -> None:
    systems = ("--system", "one=trace.jsonl", "--system", "two=other.jsonl")
    found = scored(tmp_path, *systems, "--texts", "texts.jsonl", "--missing", "answered").json
    numbers = [each["metrics"]["support"]["value"] for each in found["systems"]]
    assert numbers == [0.5, 0.0]
    assert "support" not in {each["metric"] for each in found["comparisons"]}


def test_slices_have_their_own(tmp_path: Path) -> None:
    found = scored(tmp_path, "--texts", "texts.jsonl", "--by", "qid").json
    assert found["slices"]["qid"]["A1"]["support"]["value"] == 1.0
    assert found["slices"]["qid"]["A2"]["support"]["value"] == 0.0
