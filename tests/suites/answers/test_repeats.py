"""`pass_all`: the questions that are right in all of their repeats, under `--keep all` only."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from against.answers_oracle import Policy, joined, verdict
from builders import gold, refusal, trace
from command import Command, Folder
from hypothesis import HealthCheck, given, settings
from long_runs import examples
from strategies import Case, cases

import ragstone
from ragstone.measure.exact_interval import exact_interval

GOLD = [gold("A1"), gold("A2"), gold("A3"), gold("U1", answerable=False)]
TRACES = [
    *(trace("A1"), trace("A1"), trace("A1")),
    *(trace("A2"), trace("A2", "X accepts them."), trace("A2")),
    *(refusal("U1"), refusal("U1")),
]


def test_a_question_passes_only_if_every_repeat_is_right() -> None:
    report = ragstone.score(GOLD, TRACES, keep="all")
    found = report["pass_all"]
    # A1 three times, U1 refused twice; A2 is wrong once, and A3 was never answered.
    assert (found.value, found.numerator, found.denominator) == (0.5, 2, 4)
    assert found.interval == exact_interval(2, 4)


def test_a_repeat_more_makes_no_question_more_certain() -> None:
    once = ragstone.score(GOLD, TRACES, keep="all")["pass_all"]
    twice = ragstone.score(GOLD, TRACES + TRACES, keep="all")["pass_all"]
    assert (once.value, once.interval) == (twice.value, twice.interval)


@pytest.mark.parametrize("name", ["precision", "recall_frac@k", "over_refusal"])
def test_the_same_line_again_makes_no_number_more_certain(name: str) -> None:
    """Neither a ratio nor a mean: the lines of a question are one cluster."""
    lines = [trace("A1"), trace("A2", retrieved=["p9#9"]), refusal("A3"), refusal("U1")]
    once = ragstone.score(GOLD, lines, keep="all")[name]
    often = ragstone.score(GOLD, lines * 5, keep="all")[name]
    assert once.value == often.value and once.interval is not None
    assert often.interval == pytest.approx(once.interval, abs=1e-9)
    plain = ragstone.score(GOLD, lines)[name]
    assert once.interval == pytest.approx(plain.interval, abs=1e-9)


def test_an_answer_to_what_has_none_fails_its_question() -> None:
    report = ragstone.score(GOLD, [*TRACES, trace("U1")], keep="all")
    assert report["pass_all"].numerator == 1


def test_constraints_count_when_they_are_enforced() -> None:
    items = [gold("A1", constraints=["cite the source"])]
    lines = [trace("A1", echo=["cite the source"]), trace("A1")]
    assert ragstone.score(items, lines, keep="all")["pass_all"].value == 1.0
    assert ragstone.score(items, lines, keep="all", scu=True)["pass_all"].value == 0.0


@pytest.mark.parametrize("keep", ["last", "first"])
def test_it_is_there_only_where_all_repeats_are_kept(keep: Any) -> None:
    report = ragstone.score(GOLD, TRACES, keep=keep)
    assert "pass_all" not in report.metrics
    with pytest.raises(ragstone.ConfigError, match="pass_all needs --keep all"):
        ragstone.score(GOLD, TRACES, keep=keep, gates={"pass_all": 0.5})


def test_a_gate_charges_the_repeats_that_failed(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", GOLD)
    folder.write("trace.jsonl", TRACES)
    ran = command.score("--keep", "all", "--gates", "pass_all=0.9", "--json")
    assert ran.code == 1
    assert ran.json["gates"]["pass_all"]["status"] == "FAIL"
    charged = [row["qid"] for row in ran.json["offenders"] if "pass_all" in row["costs"]]
    assert sorted(charged) == ["A2", "A3"]


def test_systems_are_compared_question_by_question(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", GOLD)
    folder.write("a.jsonl", TRACES)
    folder.write("b.jsonl", TRACES[:4])
    systems = ("--system", "a=a.jsonl", "--system", "b=b.jsonl", "--keep", "all")
    found = command("score", "--gold", "gold.jsonl", *systems, "--gates", "pass_all=0.4", "--json")
    gates = found.json["gates"]
    assert gates["pass_all[system=a]"]["value"] == 0.5
    assert gates["pass_all[system=b]"]["value"] == 0.5
    compared = [each for each in found.json["comparisons"] if each["metric"] == "pass_all"]
    assert [(each["wins"], each["losses"]) for each in compared] == [(1, 1)]


@settings(
    max_examples=examples(10, long=300), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(cases(max_items=6))
def test_the_engine_agrees_with_the_oracle(case: Case) -> None:
    items, lines = case
    kept, _ = joined(items, lines, "all")
    if lines and not kept:
        return
    policy = Policy(5, "fail", ("not in context",), frozenset(), ".")
    passed = 0
    for item in items:
        rows = [verdict(item, line, policy) for line in kept.get(item["qid"], [None])]
        if item["answerable"]:
            passed += all(row.shipped and row.contained and row.cited for row in rows)
        else:
            passed += all(row.refused for row in rows)
    report = ragstone.score(items, lines, keep="all", gates={"pass_all": 0.5})
    assert report["pass_all"].value == float(Fraction(passed, len(items)))
