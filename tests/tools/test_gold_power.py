"""What a gold set can show: verdicts on samples, regressions, proofs and plans."""

from __future__ import annotations

import json
import random

import power_tables
import pytest
from builders import gold, refusal, trace

from ragstone.gates.gate import Status, Threshold
from ragstone.measure.metric import Mean, Ratio
from ragstone.tools.verdict_flips import Line, Patterns, flips

RIGHT = Ratio(name="right", of="true", hit="hit", says="")


def questions(count: int, wrong: int, unanswerable: int = 0, shipped: int = 0, name: str = "A"):
    """Gold and traces: `wrong` of the answerable are wrong, `shipped` of the others answered."""
    items, lines = [], []
    for number in range(count):
        qid = f"{name}{number:04}"
        items.append(gold(qid))
        lines.append(trace(qid, "Nobody knows." if number < wrong else "X rejects null keys."))
    for number in range(unanswerable):
        qid = f"U{number:04}"
        items.append(gold(qid, answerable=False, gold_claim_substr=[], gold_citations=[]))
        lines.append(trace(qid) if number < shipped else refusal(qid))
    return items, lines


@pytest.fixture
def power(command):
    """`ragstone power --json` over gold and traces, as an object."""

    def asked(items, lines, *words):
        command.folder.write("gold.jsonl", items)
        command.folder.write("trace.jsonl", lines)
        ran = command(
            *("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json"), *words
        )
        assert ran.code == 0, ran.err
        return ran.json

    return asked


def test_two_samples_disagree_as_often_as_drawing_question_by_question_says():
    # 100 questions of which 80 are right: the value is at the line.
    found = flips(
        Patterns((80, 20), (((1, 1),), ((0, 1),))), [Line("right", RIGHT, Threshold(">=", 0.8))], []
    )
    chance = random.Random(3)
    rows = [True] * 80 + [False] * 20
    passed = sum(sum(chance.choices(rows, k=100)) >= 80 for _ in range(2_000)) / 2_000
    assert found.passes == pytest.approx(passed, abs=0.035)
    assert found.flips == pytest.approx(2 * passed * (1 - passed), abs=0.02)
    assert found.gates == {"right": found.passes}


def test_a_verdict_that_no_sample_changes_never_flips():
    line = Line("right", RIGHT, Threshold(">=", 0.5))
    assert flips(Patterns((50,), (((1, 1),),)), [line], []).flips == 0.0
    fixed = flips(Patterns((5, 5), (((1, 1),), ((0, 1),))), [line], [Status.FAIL])
    assert (fixed.passes, fixed.flips) == (0.0, 0.0)


def test_under_strict_a_sample_without_the_set_is_unmeasurable():
    one = Patterns((1, 9), (((1, 1),), ((0, 0),)))
    line = Line("right", RIGHT, Threshold(">=", 0.5))
    strict = flips(one, [line], [], strict=True)
    # One question in ten is in the set: it is in no sample 0.9 ** 10 of the time.
    assert strict.passes == pytest.approx(1 - 0.9**10, abs=0.035)


def test_means_are_drawn_with_their_values():
    mean = Mean(name="share", value="x", says="")
    line = Line("share", mean, Threshold(">=", 0.5))
    found = flips(Patterns((10, 10), (((0.25, 1),), ((0.75, 1),))), [line], [])
    assert 0.5 < found.passes < 0.7


def test_a_large_gold_set_far_from_the_line_is_large_enough(power):
    found = power(*questions(400, 10, unanswerable=100))
    assert found["large_enough"] and found["flips"] == 0.0
    assert "large enough to settle all 4 gates" in found["says"]
    assert found["decision"] is None and found["pass"] is None


def test_a_small_one_says_which_questions_it_lacks(power):
    found = power(*questions(60, 0, unanswerable=20), "--plan")
    assert not found["large_enough"]
    said = "(under_refusal) takes 72 questions even if none fails, and there are 20"
    assert said in found["says"]
    assert found["plan"]["questions"] == {
        "answerable": {"now": 60, "needed": 60},
        "unanswerable": {"now": 20, "needed": 72},
    }
    assert found["plan"]["gates"]["under_refusal"] == {
        "of": "not answerable",
        "now": 20,
        "if_none_fails": 72,
        "at_this_rate": 72,
        "may_fail": 0,
    }


def test_the_questions_of_a_plan_prove_the_gates(power, command):
    found = power(*questions(40, 4, unanswerable=20), "--plan", "--gates", "chr=off")
    needed = {kind: each["needed"] for kind, each in found["plan"]["questions"].items()}
    wrong = needed["answerable"] // 10
    more = power(*questions(needed["answerable"], wrong, needed["unanswerable"]))
    assert more["large_enough"], more["says"]


def test_a_set_of_shipped_answers_is_planned_in_both_kinds(power):
    found = power(*questions(30, 3, unanswerable=10, shipped=2), "--plan", "--gates", "under=off")
    plan = found["plan"]["questions"]
    assert plan["answerable"]["needed"] > 30 and plan["unanswerable"]["needed"] > 10
    ratio = plan["answerable"]["needed"] / plan["unanswerable"]["needed"]
    assert ratio == pytest.approx(3.0, rel=0.02)


def test_near_the_line_a_hundred_questions_are_a_coin(power):
    found = power(*questions(75, 13, unanswerable=25, shipped=1))
    assert 0.25 < found["flips"] <= 0.51


def test_churn_is_assumed_given_or_seen(power, command):
    items, lines = questions(100, 10)
    assumed = power(items, lines)
    assert assumed["churn_is"] == "assumed"
    assert assumed["gated"]["precision"]["churn"] == 0.05
    given = power(items, lines, "--churn", "0.1")
    assert (given["churn_is"], given["gated"]["precision"]["churn"]) == ("given", 0.1)
    command.folder.write("other.jsonl", questions(100, 14)[1])
    words = ("power", "--gold", "gold.jsonl", "--system", "a=trace.jsonl")
    seen = command(*words, "--system", "b=other.jsonl", "--json").json
    assert seen["churn_is"] == "seen"
    assert seen["gated"]["precision[system=a]"]["churn"] == pytest.approx(0.04)
    sizes = [
        found["gated"][name]["smallest_regression"]
        for found, name in (
            (seen, "precision[system=a]"),
            (assumed, "precision"),
            (given, "precision"),
        )
    ]
    assert sizes == sorted(sizes) and len(set(sizes)) == 3
    three = command(*words, "--system", "b=other.jsonl", "--system", "c=other.jsonl")
    assert three.code == 2 and "one system, or at two" in three.err


def test_gates_of_slices_and_numbers_that_are_no_sums_are_there(power, command):
    items, lines = questions(30, 3, unanswerable=10)
    for number, item in enumerate(items):
        item["tags"] = ["billing"] if number % 2 else ["other"]
    command.folder.write(
        "ragstone.toml",
        '[[answers.slices]]\nwhere = { tags = "billing" }\ngates = { precision = 0.9 }\n',
    )
    found = power(items, lines, "--gates", "refusal_f1=0.5")["gated"]
    assert found["precision[tags=billing]"]["questions"] == 15
    assert 0.3 < found["precision[tags=billing]"]["passes"] < 0.9
    assert found["refusal_f1"]["passes"] is None and found["refusal_f1"]["status"] == "PASS"


def test_repeats_of_a_question_are_drawn_as_one(power):
    items, lines = questions(20, 4)
    once = power(items, lines)
    again = power(items, lines * 5, "--keep", "all", "--gates", "pass_all=off")
    assert again["gated"]["precision"]["questions"] == 20
    assert again["gated"]["precision"]["passes"] == once["gated"]["precision"]["passes"]


def test_the_order_of_lines_changes_nothing(power):
    items, lines = questions(40, 6, unanswerable=10, shipped=1)
    one = power(items, lines, "--plan")
    assert power(items[::-1], lines[::-1], "--plan", "--threads", "1") == one


@pytest.mark.parametrize(
    ("items", "words", "says"),
    [
        ([], (), "holds no item"),
        ([gold()], ("--gates", "precision=off,chr=off,under=off,over=off,missing=off"),
         "no gate is set"),
        ([gold()], ("--churn", "2"), "expected a number from 0 to 1, found '2'"),
        ([gold()], ("--plam",), "did you mean '--plan'?"),
        ([gold()], ("--gates", "precison=0.5"), "did you mean 'precision'?"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_said_in_a_sentence(command, items, words, says):
    command.folder.write("gold.jsonl", items)
    command.folder.write("trace.jsonl", [trace()])
    ran = command("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl", *words)
    assert ran.code == 2 and says in ran.err and not ran.out


def test_one_question_is_enough_to_run(power):
    found = power([gold()], [trace()], "--plan")
    assert found["flips"] is None and not found["large_enough"]
    assert found["gated"]["precision"]["smallest_regression"] is None


@pytest.mark.parametrize("format", ["terminal", "markdown", "html", "json", "junit", "github"])
def test_every_format_says_the_sentence(command, format):
    items, lines = questions(10, 1)
    command.folder.write("gold.jsonl", items)
    command.folder.write("trace.jsonl", lines)
    ran = command(
        *("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--plan", "-f", format)
    )
    assert ran.code == 0
    assert "The gold set is too small for" in " ".join(ran.text.split())
    assert "No gate is set" not in ran.text


def test_a_hundred_thousand_questions_are_a_handful_of_patterns(power, command):
    made = [f'{{"qid": "Q{n:06}", "answerable": true}}\n' for n in range(20_000)]
    lines = [
        json.dumps(
            {"qid": f"Q{n:06}", "answer_json": {"claim": "not in context" if n % 9 else "x"}}
        )
        for n in range(20_000)
    ]
    command.folder.write("gold.jsonl", "".join(made))
    command.folder.write("trace.jsonl", "\n".join(lines))
    ran = command("power", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json")
    assert ran.json["questions"] == 20_000 and ran.json["samples"] == 2_000


def test_the_tables_of_the_page_are_what_the_functions_say(capsys, monkeypatch, tmp_path):
    assert power_tables.main(["--check"]) == 0
    text = power_tables.PAGE.read_text(encoding="utf-8")
    assert "| 0.05 | 72 |" in text
    monkeypatch.setattr(power_tables, "PAGE", tmp_path / "power.md")
    power_tables.PAGE.write_text(text.replace("| 72 |", "| 73 |"), encoding="utf-8")
    assert power_tables.main(["--check"]) == 1
    assert "run scripts/power_tables.py" in capsys.readouterr().err
    assert power_tables.main([]) == 0 and power_tables.main(["--check"]) == 0
