"""`ragstone regate` with waivers, slices and several suites; `test_every_run.py` has the rest."""

from __future__ import annotations

import pytest
from builders import gold, refusal, trace
from command import Command
from recorded_runs import TOML, score

WAIVED = '[[waive]]\nqid = "A3"\nuntil = "2027-01-31"\nwhy = "the page is being rewritten"\n'
GATES = ("precision=0.6", "containment=0.4")


@pytest.fixture
def three(user: Command) -> Command:
    """Three questions of which one is answered wrongly, and is waived."""
    items = [gold("A1", tags=["a"]), gold("A2", answerable=False), gold("A3", tags=["a", "b"])]
    user.folder.write("gold.jsonl", items)
    user.folder.write("trace.jsonl", [trace("A1"), refusal("A2"), trace("A3", "Nothing.")])
    return user


def test_waived_questions_stay_out_of_the_gates_and_are_listed(three: Command) -> None:
    three.folder.write("ragstone.toml", WAIVED)
    words = ("--as-of", "2026-12-24", "--json")
    assert three.score("--record", "--quiet", *words).code == 0
    regated = three("regate", "last", "--json", "--gates", *GATES).json
    scored = three.score(*words, "--gates", *GATES).json
    for name, gate in scored["gates"].items():
        assert {key: regated["gates"][name][key] for key in ("value", "status", "proven")} == {
            key: gate[key] for key in ("value", "status", "proven")
        }
    assert [each["qid"] for each in regated["waived"]] == ["A3"]
    (precision,) = [each for each in regated["flips"] if each["gate"] == "precision"]
    assert precision["fewest_questions"] == 1
    text = three("regate", "last", "-v").text
    assert "1 question is waived" in text
    assert "the page is being rewritten" in text


def test_the_waivers_of_a_gate_are_listed_too(three: Command) -> None:
    three.folder.write("ragstone.toml", TOML + WAIVED)
    runs = [{**trace("A1"), "seed": seed, "jitter": "none"} for seed in (0, 1)]
    three.folder.write("again.jsonl", runs)
    three("gate", "--record", "--quiet")
    ran = three("regate", "last", "--gates", "answers.precision=0.1", "-v")
    assert ran.code in (0, 1), ran.err
    assert ran.text.count("the page is being rewritten") == 2
    assert "answers.precision" in ran.text


def test_the_gate_of_a_slice_is_judged_by_its_own_name(three: Command) -> None:
    slices = '[[answers.slices]]\nwhere = { tags = "b" }\ngates = { precision = 0.5 }\n'
    three.folder.write("ragstone.toml", slices)
    three.score("--record", "--quiet")
    regated = three("regate", "last", "--json", "--gates", "precision[tags=b]=0").json
    assert regated["gates"]["precision[tags=b]"]["status"] == "PASS"
    assert regated["gates"]["precision"]["threshold"] == 0.8
    (flip,) = [each for each in regated["flips"] if each["gate"] == "precision[tags=b]"]
    assert (flip["fewest_questions"], flip["threshold"]) == (None, 0.0)


def test_a_gate_can_be_taken_away(three: Command) -> None:
    score(three)
    names = ("precision", "chr", "under_refusal", "over_refusal", "missing")
    ran = three("regate", "last", "--gates", *(f"{name}=off" for name in names))
    assert (ran.code, ran.text.splitlines()[-1].partition(":")[0]) == (0, "NO GATES")


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        ("precison=0.5", "the run has no such metric; did you mean 'precision'?"),
        ("precision", "expected NAME=NUMBER"),
        ("precision=high", "expected a number such as 0.80"),
        ("context.precision=0.5", "the run has no such metric"),
    ],
)
def test_a_gate_that_cannot_be_is_one_sentence(three: Command, gate: str, says: str) -> None:
    score(three)
    ran = three("regate", "last", "--gates", gate)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err


def test_a_gate_that_compares_two_runs_stays_as_it_was(three: Command) -> None:
    score(three)
    three("runs", "accept", "last", "--name", "main", "--anyway")
    words = ("--baseline", "main", "--max-regression", "precision=0.02")
    score(three, "--k", "1", *words)
    regated = three("regate", "last", "--json", "--gates", "precision=0.1").json
    assert "precision_delta" in regated["gates"]
    assert regated["gates"]["precision"]["threshold"] == 0.1


def test_nothing_is_written_where_rows_are_asked_for(three: Command) -> None:
    score(three)
    for command, says in (("regate", "nothing was scored"), ("render", "ragstone runs export")):
        ran = three(command, "last", "-o", "rows.parquet")
        assert (ran.code, says in ran.err) == (2, True)
