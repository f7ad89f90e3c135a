"""`--confidence` and `proven`: what a gate proves, and how many more questions would settle it."""

from __future__ import annotations

import pytest
from builders import gold, trace
from command import Command, Folder


def test_confidence_asks_that_the_whole_printed_interval_meets_the_gate(
    hundred: Folder, command: Command
) -> None:
    ran = command.score("--json", "--confidence", "0.95", "--gates", "precision=0.8")
    proven = ran.json["gates"]["precision"]
    assert (proven["status"], proven["proven"], proven["needed"]) == ("PASS", True, None)
    assert proven["judged_on"] == proven["interval"][0] < proven["value"] == 0.9
    assert 0.82 < proven["judged_on"] < 0.83


def test_a_value_that_passes_and_is_not_proven_is_unmeasurable(
    hundred: Folder, command: Command
) -> None:
    ran = command.score("--json", "--confidence", "0.95", "--gates", "precision=0.85", "chr=off")
    gate = ran.json["gates"]["precision"]
    assert (ran.code, ran.json["decision"]) == (3, "UNMEASURABLE")
    assert (gate["status"], gate["proven"], gate["value"]) == ("UNMEASURABLE", False, 0.9)
    assert gate["note"] == "not proven at 95 %: 117 to 1,300 more questions would settle it"
    assert gate["needed"] == [117, 1204]
    text = command.score("--confidence", "0.95", "--gates", "precision=0.85").text
    assert text.endswith("\nUNDECIDED: 1 of 4 gates is not proven at 95 %; 1 not tested\n")


def test_without_confidence_the_proof_is_told_and_decides_nothing(
    hundred: Folder, command: Command
) -> None:
    ran = command.score("--json", "--gates", "precision=0.85")
    gate = ran.json["gates"]["precision"]
    assert (ran.code, gate["status"], gate["proven"]) == (0, "PASS", False)
    assert gate["judged_on"] == gate["value"]
    assert gate["note"].startswith("not proven at 95 %: ")
    assert ran.json["proven"] == {"gates": 2, "of": 4, "level": 0.95}
    assert command.score("-v").text.startswith("SHIP, 3 of 4 gates proven at 95 %\n")
    said = "4 of 4 gates that could be tested pass; 1 not tested; 3 proven at 95 %"
    assert command.score().text.endswith(f"\nSHIP: {said}\n")


@pytest.mark.parametrize("words", [(), ("--confidence", "0.95")])
def test_a_gate_may_be_proven_to_fail(
    hundred: Folder, command: Command, words: tuple[str, ...]
) -> None:
    ran = command.score("--json", "--gates", "precision=0.99", *words)
    gate = ran.json["gates"]["precision"]
    assert (ran.code, gate["status"], gate["proven"]) == (1, "FAIL", False)
    assert gate["note"] == "proven to fail at 95 %"
    shown = command.score("--gates", "precision=0.99", *words).text
    assert shown.endswith(
        "\nDO NOT SHIP: 1 of 4 gates fails, 1 proven to fail at 95 %; 1 not tested\n"
    )


@pytest.mark.parametrize("words", [(), ("--confidence", "0.95")])
def test_a_value_that_fails_is_a_failure_also_where_it_is_not_proven(
    hundred: Folder, command: Command, words: tuple[str, ...]
) -> None:
    ran = command.score("--json", "--gates", "precision=0.92", *words)
    gate = ran.json["gates"]["precision"]
    assert (ran.code, gate["status"], gate["proven"]) == (1, "FAIL", False)
    assert gate["note"].startswith("not proven to fail at 95 %: ")
    assert gate["judged_on"] == gate["value"]


def test_as_many_more_questions_as_asked_for_settle_it(hundred: Folder, command: Command) -> None:
    words = ("--json", "--confidence", "0.9", "--gates", "precision=0.86")
    gate = command.score(*words).json["gates"]["precision"]
    assert gate["proven"] is False
    # The same share of right answers among as many more questions as it says at least.
    total = 100 + gate["needed"][0]
    right = round(0.9 * total)
    names = [f"B{n:05}" for n in range(total)]
    hundred.write("gold.jsonl", [gold(name) for name in names])
    hundred.write(
        "trace.jsonl",
        [trace(name, "X rejects null keys" if n < right else "no") for n, name in enumerate(names)],
    )
    assert command.score(*words).json["gates"]["precision"]["proven"] is True


@pytest.mark.parametrize("times", [2, 5])
def test_asking_the_same_questions_again_settles_nothing(
    hundred: Folder, command: Command, times: int
) -> None:
    """Every line again, with the same answer: there are no more questions than before."""
    words = ("--json", "--keep", "all", "--gates", "precision=0.85")
    once = command.score(*words).json["gates"]["precision"]["needed"]
    hundred.write("trace.jsonl", (hundred.work / "trace.jsonl").read_bytes() * times)
    assert command.score(*words).json["gates"]["precision"]["needed"] == once


def test_gates_at_zero_and_one_stay_on_the_point(hundred: Folder, command: Command) -> None:
    words = ("--json", "--confidence", "0.95", "--gates", "chr=1", "over=0")
    gates = command.score(*words).json["gates"]
    for name in ("chr", "over_refusal", "missing"):
        assert (gates[name]["status"], gates[name]["proven"]) == ("PASS", None)
        assert "no sample can prove it, so it is judged on the point" in gates[name]["note"]
        assert gates[name]["judged_on"] == gates[name]["value"]
