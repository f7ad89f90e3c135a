"""Scores of other tools' judges: shown, sliced, compared and exported; no gate decides on one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import Record, gold, trace, write_jsonl
from command import INPUTS, Ran, ragstone

from ragstone.engine.duck import Duck, quoted

TITLE = "What other tools' judges say"


def write(folder: Path, judges: list[Any], name: str = "trace.jsonl") -> None:
    """A question and a right answer for each entry, with what a judge said of it."""
    write_jsonl(
        folder / "gold.jsonl", [gold(f"A{n}", tags=["ab"[n % 2]]) for n, _ in enumerate(judges)]
    )
    said = [
        trace(f"A{n}", **({} if each is None else {"judge": each})) for n, each in enumerate(judges)
    ]
    write_jsonl(folder / name, said)


def score(folder: Path, *words: str) -> Ran:
    return ragstone("score", *INPUTS, "--json", "--no-config", "--quiet", *words, cwd=folder)


def number(ran: Ran, name: str) -> tuple[float, int]:
    found = ran.json["metrics"][f"judge.{name}"]
    return found["value"], found["denominator"]


JUDGES = [
    {"faithfulness": 1.0, "tone": "polite", "ok": True},
    {"faithfulness": 0.25, "tone": "curt", "ok": False},
    {"faithfulness": 0.5, "tone": "polite", "ok": None},
    {"tone": 3},
    {},
    None,
]


@pytest.mark.parametrize("command", ["score", "audit"])
def test_numbers_are_means_and_labels_are_shares(tmp_path: Path, command: str) -> None:
    write(tmp_path, JUDGES)
    inputs = INPUTS if command == "score" else INPUTS[2:]
    ran = ragstone(command, *inputs, "--json", "--no-config", "--quiet", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert number(ran, "faithfulness") == (pytest.approx(1.75 / 3), 3)
    assert number(ran, "ok") == (0.5, 2)
    # A name may stand for numbers here and for labels there.
    assert number(ran, "tone") == (3.0, 1)
    assert number(ran, "tone:polite") == (pytest.approx(2 / 3), 3)
    assert number(ran, "tone:curt") == (pytest.approx(1 / 3), 3)
    shown = ragstone(command, *inputs, "--no-config", "-v", cwd=tmp_path).text
    assert f"\n{TITLE}\nOpinions of another tool" in shown


def test_a_report_without_scores_does_not_speak_of_them(tmp_path: Path) -> None:
    write(tmp_path, [None, {}, {"x": None}])
    ran = score(tmp_path)
    assert not [name for name in ran.json["metrics"] if name.startswith("judge.")]
    assert "judges" not in ran.json["settings"]
    plain = [trace(f"A{n}") for n in range(3)]
    write_jsonl(tmp_path / "trace.jsonl", plain)
    assert score(tmp_path).json["digest"] == ran.json["digest"]


def test_scores_are_part_of_the_digest(tmp_path: Path) -> None:
    write(tmp_path, [{"a": 1}, {"a": 0}])
    one = score(tmp_path)
    write(tmp_path, [{"a": 0}, {"a": 1}])
    two = score(tmp_path)
    assert one.json["metrics"]["judge.a"] == two.json["metrics"]["judge.a"]
    assert one.json["digest"] != two.json["digest"]


def test_scores_are_sliced(tmp_path: Path) -> None:
    write(tmp_path, [{"a": 1}, {"a": 0}, {"a": 1}, {"a": 0.5}])
    ran = score(tmp_path, "--by", "tags")
    slices = ran.json["slices"]["tags"]
    assert [slices[tag]["judge.a"]["value"] for tag in "ab"] == [1.0, 0.25]


def side(folder: Path, rows: list[Record]) -> None:
    write_jsonl(folder / "side.jsonl", rows)


def test_a_side_file_says_the_same_as_traces_do(tmp_path: Path) -> None:
    write(tmp_path, [{"b": 1, "a": 0.5}, {"b": 0, "tone": "curt"}, None])
    within = score(tmp_path)
    write(tmp_path, [{"b": 1}, None, None])
    side(
        tmp_path,
        [
            {"qid": "A0", "name": "a", "score": 0.5, "label": "half"},
            {"qid": "A1", "name": "b", "score": 0},
            {"qid": "A1", "name": "tone", "label": "curt"},
            {"qid": "A9", "name": "b", "score": 1},
        ],
    )
    ran = score(tmp_path, "--judged", "side.jsonl")
    assert ran.json["metrics"] == within.json["metrics"]
    assert (
        ran.json["warnings"][-1]
        == "1 score of --judged is of an answer that no trace has; not shown"
    )
    assert ran.json["inputs"]["judged_hash"]
    audited = ragstone(
        *("audit", "--trace", "trace.jsonl", "--judged", "side.jsonl", "--json", "--no-config"),
        cwd=tmp_path,
    )
    assert number(audited, "b") == (0.5, 2)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [{"qid": "A0", "name": "b", "score": 1}],
            "A0 has the score b in its trace and in --judged",
        ),
        ([{"qid": "A1", "name": "b", "score": 1}] * 2, "--judged gives A1 the score b twice"),
        ([{"qid": "A1", "name": "B", "score": 1}], "'judge.B' and 'judge.b' cannot be told apart"),
        ([{"qid": "A1", "name": "b"}], "side.jsonl:1: score: expected a number, found nothing"),
        (
            [{"qid": "A1", "name": "", "score": 1}],
            "side.jsonl:1: name: expected a text of 1 to 100",
        ),
        ([{"qid": "A1", "name": f"n{n}", "score": 1} for n in range(101)], "102 different judge"),
    ],
)
def test_a_score_that_is_no_score_is_one_sentence(
    tmp_path: Path, rows: list[Record], says: str
) -> None:
    write(tmp_path, [{"b": 1}, None])
    side(tmp_path, rows)
    ran = score(tmp_path, "--judged", "side.jsonl")
    assert ran.code == 2
    assert says in ran.err


def test_texts_that_differ_from_answer_to_answer_are_no_labels(tmp_path: Path) -> None:
    write(tmp_path, [{"reason": f"because {n}", "a": 1} for n in range(30)])
    ran = score(tmp_path)
    assert [name for name in ran.json["metrics"] if name.startswith("judge.")] == ["judge.a"]
    assert "judge.reason has 30 different texts" in ran.json["warnings"][-1]


@pytest.mark.parametrize(
    "judge",
    ['{"a": 1, "a": 1}', '{"a": [1]}', '{"a": NaN}', '{"": 1}', '{"a": ""}', "[]", '{"a": 1e16}'],
)
def test_a_bad_object_among_many_good_ones_is_named(tmp_path: Path, judge: str) -> None:
    """So many lines are checked in SQL, where all of this would pass unseen."""
    count = 2000
    write(tmp_path, [{"a": 0.5, "b": "x"}] * count)
    with (tmp_path / "trace.jsonl").open("a") as file:
        file.write(json.dumps(trace("A0"))[:-1] + f', "judge": {judge}}}\n')
    ran = score(tmp_path)
    assert ran.code == 2
    assert f"trace.jsonl:{count + 1}: " in ran.err


def test_a_score_that_only_one_line_of_many_has_is_found(tmp_path: Path) -> None:
    count = 3000
    write(tmp_path, [*[None] * (count - 1), {"a": 0.5}])
    assert number(score(tmp_path), "a") == (0.5, 1)


def test_systems_are_compared_in_scores_as_a_family_of_their_own(tmp_path: Path) -> None:
    many = range(60)
    write(tmp_path, [{"a": n % 3 / 2, "tone": "x"} for n in many], "one.jsonl")
    write(tmp_path, [{"a": n % 4 / 3, "tone": "xy"[n % 2]} for n in many], "two.jsonl")
    systems = [
        "score",
        "--gold",
        "gold.jsonl",
        "--system",
        "one=one.jsonl",
        "--system",
        "two=two.jsonl",
    ]
    ran = ragstone(*systems, "--json", "--no-config", cwd=tmp_path)
    assert ran.code == 0, ran.err
    found = {each["metric"]: each for each in ran.json["judge_comparisons"]}
    difference = sum(n % 4 / 3 - n % 3 / 2 for n in many) / 60
    assert found["judge.a"]["difference"] == pytest.approx(difference)
    assert set(found) == {"judge.a", "judge.tone:x", "judge.tone:y"}
    write(tmp_path, [None] * 60, "one.jsonl")
    write(tmp_path, [None] * 60, "two.jsonl")
    without = ragstone(*systems, "--json", "--no-config", cwd=tmp_path)
    assert without.json["comparisons"] == ran.json["comparisons"]
    assert "judge_comparisons" not in without.json


def test_several_systems_need_a_name_on_every_side_score(tmp_path: Path) -> None:
    write(tmp_path, [None, None])
    systems = [
        "score",
        "--gold",
        "gold.jsonl",
        "--system",
        "a=trace.jsonl",
        "--system",
        "b=trace.jsonl",
    ]
    side(tmp_path, [{"qid": "A0", "name": "x", "score": 1}])
    ran = ragstone(*systems, "--judged", "side.jsonl", cwd=tmp_path)
    assert (ran.code, "give each line the system whose answer it is of (a, b)" in ran.err) == (
        2,
        True,
    )
    side(
        tmp_path, [{"qid": "A0", "name": "x", "score": n, "system": s} for n, s in enumerate("ab")]
    )
    ran = ragstone(*systems, "--judged", "side.jsonl", "--json", "--no-config", cwd=tmp_path)
    values = [each["metrics"]["judge.x"]["value"] for each in ran.json["systems"]]
    assert values == [0.0, 1.0]


def test_scores_are_columns_of_the_rows_and_compared_from_there(tmp_path: Path) -> None:
    write(tmp_path, [{"a": n % 2, "tone": "x"} for n in range(20)])
    assert score(tmp_path, "-o", "before.parquet").code == 0
    with Duck(1) as duck:
        rows = duck.dicts(
            f"select * from read_parquet({quoted(str(tmp_path / 'before.parquet'))}) order by qid"
        )
    assert (rows[0]["judge.a"], rows[0]["judge.tone"], rows[0]["judge.tone:x"]) == (0.0, "x", 1.0)
    write(tmp_path, [{"a": 1, "tone": "x"} for n in range(20)])
    assert score(tmp_path, "-o", "after.parquet").code == 0
    words = ("compare", "before.parquet", "after.parquet", "--json", "--no-config")
    ran = ragstone(*words, cwd=tmp_path)
    assert ran.json["difference"]["judge.a"]["value"] == 0.5
    gated = ragstone(*words, "--max-regression", "judge.a=0.1", cwd=tmp_path)
    assert gated.code == 3
    assert "decides nothing until it is calibrated" in gated.json["gates"]["judge.a_delta"]["note"]


@pytest.mark.parametrize("gate", ["judge.a=0.5", "judge.a=0", "judge.tone:x=0.1", "judge.none=0.5"])
def test_a_gate_on_a_score_that_is_not_calibrated_decides_nothing(
    tmp_path: Path, gate: str
) -> None:
    write(tmp_path, [{"a": 1, "tone": "x"}] * 3)
    ran = score(tmp_path, "--gates", gate)
    assert (ran.code, ran.json["decision"]) == (3, "UNMEASURABLE")
    name = gate.partition("=")[0]
    key = name.removeprefix("judge.")
    key = json.dumps(key) if ":" in key else key
    note = ran.json["gates"][name]["note"]
    assert note == (
        "another tool's opinion decides nothing until it is calibrated: ragstone.toml has no "
        f"[judge.{key}]"
    )


def test_a_score_is_explained_though_only_traces_know_it() -> None:
    ran = ragstone("explain", "audit.judge.tone:polite")
    assert ran.code == 0, ran.err
    assert "how many it calls polite" in ran.text


def test_a_recorded_run_cannot_be_gated_on_a_score_afterwards(tmp_path: Path) -> None:
    write(tmp_path, [{"a": 1}] * 3)
    assert score(tmp_path, "--record").code == 0
    ran = ragstone("regate", "last", "--gates", "judge.a=0.5", "--json", cwd=tmp_path)
    assert ran.code == 3
    assert "until it is calibrated" in ran.json["gates"]["judge.a"]["note"]
    assert ragstone("verify", "last", cwd=tmp_path).code == 0
