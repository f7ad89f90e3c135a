"""`compare` without a gate: a verdict in words, the exit code that goes with it, in every form."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import gold, trace, write_jsonl
from command import Ran, ragstone

import ragstone as api
from ragstone.report.saved import from_json, from_state, to_state

QIDS = [f"Q{number:03}" for number in range(400)]
# How many of how many questions are answered wrongly, in one order or from the other end.
RUNS = {"one": (1, 60), "bad": (20, 60), "again": (1, 60), "many": (4, 400), "same": (4, 400)}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verdict")
    for questions in {of for _, of in RUNS.values()}:
        write_jsonl(folder / f"gold{questions}.jsonl", [gold(qid) for qid in QIDS[:questions]])
    for name, (wrong, of) in RUNS.items():
        claims = ("no idea" if place < wrong else "X rejects null keys." for place in range(of))
        lines = [trace(qid, claim) for qid, claim in zip(QIDS, claims, strict=False)]
        write_jsonl(folder / f"{name}.jsonl", lines)
    return folder


def run(files: Path, a: str, b: str, *more: str) -> Ran:
    words = (f"{a}.jsonl", f"{b}.jsonl", "--gold", f"gold{RUNS[a][1]}.jsonl", "--no-config")
    return ragstone("compare", *words, "--quiet", *more, cwd=files)


@pytest.mark.parametrize(
    ("a", "b", "word", "code", "proven"),
    [
        ("one", "bad", "WORSE", 1, 1),
        ("bad", "one", "BETTER", 0, 0),
        ("many", "same", "NOT WORSE", 0, 0),
        ("one", "again", "CANNOT TELL", 0, 3),
    ],
)
def test_without_a_gate_the_tested_metrics_decide(
    a: str, b: str, word: str, code: int, proven: int, files: Path
) -> None:
    ran = run(files, a, b, "--json")
    assert (ran.code, ran.json["verdict"]) == (code, word)
    assert (ran.json["decision"], ran.json["pass"]) == (None, None)
    assert run(files, a, b, "--confidence", "0.95").code == proven
    shown = run(files, a, b)
    assert shown.code == code
    assert (
        shown.text.rstrip().splitlines()[-1].startswith(f"{word}: ") or f"\n{word}: " in shown.text
    )
    assert word in run(files, a, b, "-f", "markdown").text
    assert word in run(files, a, b, "-f", "html").text


def test_the_verdict_names_the_metrics_that_are_worse(files: Path) -> None:
    ran = run(files, "one", "bad", "--json")
    assert "precision" in ran.json["verdict_metrics"]
    assert "precision" in run(files, "one", "bad").text.partition("WORSE: ")[2]


def test_what_cannot_be_told_says_how_many_questions_would_tell(files: Path) -> None:
    fewest, most = run(files, "one", "again", "--json").json["verdict_needed"]
    # 60 questions of which none turned: 189 are needed if none turns, 280 if one does.
    assert fewest == 129
    assert fewest < most <= 2 * fewest
    assert "129 to 220 more questions would settle it" in run(files, "one", "again").text


def test_a_wider_margin_is_sooner_not_worse(files: Path) -> None:
    ran = run(files, "one", "again", "--margin", "0.1", "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "NOT WORSE")


def test_a_gate_decides_in_place_of_the_verdict(files: Path) -> None:
    ran = run(files, "one", "bad", "--json", "--max-regression", "precision=0.5")
    assert (ran.code, ran.json["decision"], ran.json["verdict"]) == (0, "PASS", None)
    assert run(files, "one", "bad", "--json", "--max-regression", "precision=0.02").code == 1


def test_beside_a_gate_stands_how_often_chance_alone_would_fail_it(files: Path) -> None:
    text = run(files, "one", "bad", "--max-regression", "precision=0.02").text
    # 19 of 60 turned: two runs without any change differ by more than one question as often.
    assert "a run without any change would fail it 37 times in 100" in " ".join(text.split())
    calm = run(files, "one", "again", "--max-regression", "precision=0.02").text
    assert "how often chance alone would fail it cannot be told" in " ".join(calm.split())


def test_a_report_that_was_kept_has_the_same_verdict(files: Path) -> None:
    items, before = (str(files / name) for name in ("gold60.jsonl", "one.jsonl"))
    report = api.compare(before, str(files / "bad.jsonl"), gold=items)
    assert (report.exit_code, report.passed) == (1, False)
    assert "WORSE" in repr(report)
    for again in (from_state(to_state(report)), from_json(report.to_json())):
        assert again.exit_code == 1
        assert "WORSE" in again.render("markdown")
