"""What a report is to the Python code that holds it."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
from report.report_builder import GATES, bare, passing, report, unmeasurable


def test_a_report_is_true_only_where_every_gate_passes() -> None:
    assert passing()
    assert [bool(each) for each in (report(), unmeasurable(), bare())] == [False] * 3


def test_without_gates_nothing_is_decided_and_nothing_stops_the_build() -> None:
    assert (bare().decision, bare().passed, bare().exit_code) == (None, False, 0)
    assert (report().exit_code, unmeasurable().exit_code) == (1, 3)


def test_it_shows_itself_in_one_line_with_the_gates_that_did_not_pass() -> None:
    two = replace(report(), gates=(GATES[0], GATES[1], GATES[6]))
    assert repr(two) == (
        "<Report answers FAIL: precision 0.7241, wanted >= 0.8; "
        "precision[tags=billing] unmeasurable, wanted >= 0.9>"
    )
    assert repr(unmeasurable()) == (
        "<Report answers UNMEASURABLE: precision[tags=billing] unmeasurable, wanted >= 0.9>"
    )
    assert repr(passing()) == "<Report answers PASS: 2 gates, 1 proven>"
    assert repr(bare()) == "<Report answers: no gates>"


def test_the_line_is_short_enough_for_pytest_to_print_whole() -> None:
    many = tuple(replace(GATES[0], name=f"precision[tags={n:030}]") for n in range(9))
    line = repr(report(gates=many))
    assert line.endswith("and 6 more>")
    assert len(line) <= 240


TEST = """
import ragstone

GOLD = [{"qid": "Q1", "answerable": False}]
TRACE = [{"qid": "Q1", "answer_json": {"claim": "It is 12 euros."}}]

def test_gate():
    report = ragstone.score(GOLD, TRACE, gates={"under_refusal": "<= 0.05"})
    assert report
"""


def test_a_failing_assert_names_the_gates(tmp_path: Path) -> None:
    (tmp_path / "test_gate.py").write_text(TEST)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_gate.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "assert <Report answers FAIL: precision 0.0000, wanted" in ran.stdout
    assert "; under_refusal 1.0000, wanted <= 0.05" in ran.stdout


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        report().suite = "other"  # type: ignore[misc]
