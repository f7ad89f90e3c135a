"""`calibrate-judge`: how far a judge agrees with people, and when a gate believes it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from command import INPUTS, Folder, Process, Ran, ragstone
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.errors import InputError
from ragstone.suites.judged_scores.calibration_file import (
    Calibration,
    read_calibration,
    why_not,
    written,
)
from ragstone.tools.judge_calibration import _agreement

PROMPT = b"Does the answer say only what the evidence says?"
FLAGS = ("--model", "m1", "--prompt", "prompt.md", "-o", "judges/a.json")
TABLE = """
[judge.a]
model = "m1"
prompt = "prompt.md"
calibration = "judges/a.json"
"""


def write(folder: Path, pairs: list[tuple[Any, bool]]) -> None:
    """An answer for each pair of what a judge said and what a person said."""
    names = [f"A{n:03}" for n, _ in enumerate(pairs)]
    write_jsonl(folder / "gold.jsonl", [gold(qid) for qid in names])
    said = [trace(qid, judge={"a": score}) for qid, (score, _) in zip(names, pairs, strict=True)]
    write_jsonl(folder / "trace.jsonl", said)
    labels = [{"qid": qid, "label": label} for qid, (_, label) in zip(names, pairs, strict=True)]
    write_jsonl(folder / "people.jsonl", labels)
    (folder / "prompt.md").write_bytes(PROMPT)


def agreeing(yes: int, no: int, apart: int = 0) -> list[tuple[Any, bool]]:
    """So many answers that both say yes or no to, and so many that they differ in."""
    both: list[tuple[Any, bool]] = [*[(0.5, True)] * yes, *[(0.49, False)] * no]
    return both + [(0.9, False) if n % 2 else (0.1, True) for n in range(apart)]


def calibrate(folder: Path, *words: str, flags: tuple[str, ...] = FLAGS) -> Ran:
    given = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--score", "a")
    return ragstone("calibrate-judge", *given, *flags, *words, cwd=folder)


def score(folder: Path, table: str = TABLE, gate: str = "judge.a=0.5") -> Ran:
    (folder / "ragstone.toml").write_text(table)
    return ragstone("score", *INPUTS, "--json", "--gates", gate, cwd=folder)


def note(ran: Ran) -> str:
    found: str = ran.json["gates"]["judge.a"]["note"]
    return found


def test_a_judge_that_agrees_with_people_may_be_gated(tmp_path: Path) -> None:
    """As processes, from nothing to a decision."""
    write(tmp_path, agreeing(40, 20, 2))
    (tmp_path / "own").mkdir()
    process = Process(Folder(tmp_path / "own"))
    given = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--score", "a")
    ran = process("calibrate-judge", *given, *FLAGS, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "CALIBRATED: a gate on judge.a may decide" in ran.text
    # What it prints for ragstone.toml is enough.
    (tmp_path / "ragstone.toml").write_text(ran.text.partition("ragstone.toml:\n")[2])
    passes = process("score", *INPUTS, "--json", "--gates", "judge.a=0.6", cwd=tmp_path)
    assert (passes.code, passes.json["gates"]["judge.a"]["status"]) == (0, "PASS")
    fails = process("score", *INPUTS, "--json", "--gates", "judge.a=0.9", cwd=tmp_path)
    assert (fails.code, fails.json["gates"]["judge.a"]["status"]) == (1, "FAIL")
    found = passes.json["metrics"]["judge.a"]
    # What is gated is what was calibrated: how often the judge says yes.
    assert (found["numerator"], found["denominator"]) == (41, 62)
    assert passes.json["metrics"]["judge.a:mean"]["value"] == pytest.approx(
        (40 * 0.5 + 20 * 0.49 + 0.9 + 0.1) / 62
    )
    gated = process("gate", "--json", cwd=tmp_path)
    assert gated.code == 2, "the file names no suite"


def test_the_file_says_what_was_measured(tmp_path: Path) -> None:
    write(tmp_path, agreeing(40, 20, 2))
    ran = calibrate(tmp_path, "--json")
    file = (tmp_path / "judges" / "a.json").read_bytes()
    whole = json.loads(file)
    assert {**whole, "calibrated": True, "why_not": None} == ran.json
    # By hand: 60 of 62 agree; the judge says yes 41 times and people 41 times.
    chance = (41 * 41 + 21 * 21) / 62**2
    assert whole["kappa"] == pytest.approx((60 / 62 - chance) / (1 - chance))
    assert whole["interval"][0] < whole["kappa"] < whole["interval"][1]
    assert (whole["labels"], whole["table"]) == (62, [[40, 1], [1, 20]])
    assert whole["prompt_sha256"] == hashlib.sha256(PROMPT).hexdigest()
    assert (whole["score"], whole["model"], whole["threshold"]) == ("a", "m1", 0.5)
    assert set(whole["inputs"]) == {"trace", "labels"}
    canonical = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert file == canonical.encode() + b"\n"
    assert calibrate(tmp_path).code == 0
    assert (tmp_path / "judges" / "a.json").read_bytes() == file


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ('model = "m2"', "not calibrated: a.json is of the model m1, and it is m2 now"),
        ("threshold = 0.7", "not calibrated: a.json is of the threshold 0.5, and it is 0.7 now"),
        ("kappa = 0.99", "not calibrated: kappa's lower bound is 0.75, under 0.99"),
        ('calibration = "none.json"', "not calibrated: none.json cannot be read: no such file"),
        ('calibration = "gold.jsonl"', "not calibrated: gold.jsonl is no calibration"),
        ('prompt = "none.md"', "not calibrated: the prompt none.md cannot be read"),
        ('prompt = "other.md"', "not calibrated: a.json is of the prompt "),
    ],
)
def test_another_judge_is_not_calibrated(tmp_path: Path, change: str, says: str) -> None:
    write(tmp_path, agreeing(40, 20, 2))
    (tmp_path / "other.md").write_text("another prompt")
    assert calibrate(tmp_path).code == 0
    key = change.partition(" ")[0]
    kept = [line for line in TABLE.splitlines() if not line.startswith(f"{key} ")]
    ran = score(tmp_path, "\n".join([*kept, change]))
    assert (ran.code, ran.json["gates"]["judge.a"]["status"]) == (3, "UNMEASURABLE")
    assert note(ran).startswith(says)
    assert str(tmp_path) not in note(ran)


def test_a_calibration_of_another_score_or_by_hand_is_none(tmp_path: Path) -> None:
    write(tmp_path, agreeing(40, 20, 2))
    calibrate(tmp_path)
    ran = score(tmp_path, TABLE.replace("[judge.a]", "[judge.b]"), "judge.b=0.5")
    assert ran.json["gates"]["judge.b"]["note"] == (
        "not calibrated: a.json is of the score a, and it is b now"
    )
    file = tmp_path / "judges" / "a.json"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"labels":62', b'"labels":620'))
    assert "a.json was changed by hand" in note(score(tmp_path))
    # Half of a character is no JSON, though Python's own reader takes it.
    file.write_bytes(whole.replace(b'"m1"', rb'"\ud800"'))
    assert "a.json is no calibration" in note(score(tmp_path))


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        (agreeing(29, 20), "it rests on 49 labels, and needs 50"),
        (agreeing(30, 20, 20), "kappa's lower bound is"),
        (agreeing(60, 0), "the judge says yes of every answer"),
        ([(0.9, n % 30 > 0) for n in range(60)], "the judge says yes of every answer"),
        ([(0.1, n % 30 == 0) for n in range(60)], "the judge says no of every answer"),
        ([(n % 2, True) for n in range(60)], "kappa is undefined: people say the same"),
    ],
)
def test_a_judge_that_shows_too_little_never_passes(
    tmp_path: Path, pairs: list[tuple[Any, bool]], says: str
) -> None:
    write(tmp_path, pairs)
    ran = calibrate(tmp_path)
    assert ran.code == 1
    assert f"NOT CALIBRATED: {says}" in ran.text
    judged = score(tmp_path)
    assert judged.code == 3
    assert note(judged).startswith(f"not calibrated: {says}")


def test_labels_are_calibrated_by_their_whole_name(tmp_path: Path) -> None:
    said = [("polite" if yes else "curt", yes) for yes in [True] * 40 + [False] * 20]
    write(tmp_path, said)
    given = ("--trace", "trace.jsonl", "--labels", "people.jsonl", "--score", "a:polite")
    assert ragstone("calibrate-judge", *given, *FLAGS, cwd=tmp_path).code == 0
    ran = score(tmp_path, TABLE.replace("[judge.a]", '[judge."a:polite"]'), "judge.a:polite=0.6")
    assert (ran.code, ran.json["gates"]["judge.a:polite"]["numerator"]) == (0, 40)


def test_the_table_of_the_judge_need_not_be_said_again(tmp_path: Path) -> None:
    write(tmp_path, agreeing(40, 20))
    (tmp_path / "ragstone.toml").write_text(f"{TABLE}threshold = 0.495\n")
    ran = calibrate(tmp_path, flags=())
    assert ran.code == 0, ran.err
    assert "ragstone.toml:" not in ran.text
    assert json.loads((tmp_path / "judges" / "a.json").read_bytes())["threshold"] == 0.495


def test_the_last_trace_of_a_question_counts_and_labels_without_an_answer_do_not(
    tmp_path: Path,
) -> None:
    write(tmp_path, agreeing(40, 20))
    with (tmp_path / "trace.jsonl").open("a") as file:
        file.write(json.dumps(trace("A000", judge={"a": 0.1})) + "\n")
    with (tmp_path / "people.jsonl").open("a") as file:
        file.write('{"qid": "Z1", "label": true}\n')
    write_jsonl(tmp_path / "none.jsonl", [])
    ran = calibrate(tmp_path, "--json")
    assert ran.json["table"] == [[39, 0], [1, 20]]
    assert "1 label is of an answer that no trace has; not counted" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--score", "b"), "no trace has the score b; known: a"),
        (("--prompt", "none.md"), "the prompt none.md cannot be read: no such file or directory"),
        (("-o", "people.jsonl"), "-o people.jsonl would replace an input"),
        (("-o", "prompt.md"), "-o prompt.md would replace an input"),
        (("-o", "no/such/file.json"), "the folder no/such cannot be made"),
        (("--labels", "gold.jsonl"), "gold.jsonl:1: label: expected true or false, found nothing"),
        (("--labels", "empty.jsonl"), "the labels file holds no item"),
        (("--labels", "other.jsonl"), "no answer has both a label and the score a"),
        (("--threshold", "high"), "--threshold: expected a number, found 'high'"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    write(tmp_path, agreeing(40, 20))
    (tmp_path / "empty.jsonl").write_text("")
    write_jsonl(tmp_path / "other.jsonl", [{"qid": "Z1", "label": True}])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    kept = ["--trace", "trace.jsonl", "--labels", "people.jsonl", "--score", "a", *FLAGS]
    for flag, value in zip(words[::2], words[1::2], strict=True):
        if flag in kept:
            kept[kept.index(flag) + 1] = value
        else:
            kept += [flag, value]
    ran = ragstone("calibrate-judge", *kept, "--no-config", cwd=tmp_path)
    assert ran.code == 2
    assert says in ran.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("[judge]\na = 1", "judge.a: expected a table"),
        ("[judge.a]\nmodel = 'm'", "judge.a: no prompt; it needs model, prompt, calibration"),
        (f"{TABLE}modle = 'x'", "unknown key judge.a.modle; did you mean 'model'?"),
        (f"{TABLE}kappa = 2", "judge.a.kappa: expected a number from 0 to 1, found 2"),
        (f"{TABLE}better = 'up'", 'judge.a.better: expected "higher" or "lower", found \'up\''),
    ],
)
def test_a_table_that_is_wrong_is_one_sentence(tmp_path: Path, table: str, says: str) -> None:
    write(tmp_path, agreeing(2, 2))
    ran = score(tmp_path, table)
    assert ran.code == 2
    assert says in ran.err


def test_a_score_that_should_be_low_is_gated_from_above(tmp_path: Path) -> None:
    write(tmp_path, agreeing(20, 40))
    calibrate(tmp_path)
    ran = score(tmp_path, f'{TABLE}better = "lower"\n', "judge.a=0.4")
    assert (ran.code, ran.json["gates"]["judge.a"]["op"]) == (0, "<=")


COUNTS = st.lists(st.integers(0, 80), min_size=4, max_size=4).filter(any)


@settings(max_examples=50)
@given(cells=COUNTS, least=st.floats(0, 1))
def test_what_passes_has_both_raters_undecided_and_enough_labels(
    cells: list[int], least: float
) -> None:
    made = Calibration(
        score="a",
        model="m",
        prompt_sha256="0",
        threshold=0.5,
        labels=sum(cells),
        level=0.95,
        inputs={},
        **_agreement(cells),
    )
    if not why_not(made, least):
        yes_yes, yes_no, no_yes, no_no = cells
        assert sum(cells) >= 50
        assert all((yes_yes + yes_no, no_yes + no_no, yes_yes + no_yes, yes_no + no_no))
        assert made.interval is not None
        assert made.interval[0] >= least


def test_a_file_with_anything_else_in_it_is_one_sentence(tmp_path: Path) -> None:
    made = Calibration(
        score="a",
        model="m",
        prompt_sha256="0",
        threshold=None,
        labels=4,
        level=0.95,
        inputs={},
        **_agreement([1, 1, 1, 1]),
    )
    path = tmp_path / "a.json"
    path.write_bytes(written(made))
    assert why_not(read_calibration(path, "a.json"), 0.6)
    for text in (b"", b"[]", b"{", b"[" * 10**5, b'{"digest": 1}', written(made)[:-20], b"\xff"):
        path.write_bytes(text)
        with pytest.raises(InputError, match=r"a\.json"):
            read_calibration(path, "a.json")
