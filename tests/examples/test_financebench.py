"""The FinanceBench example: how well the gate agrees with people, and that it says so plainly."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "financebench.py"


@pytest.fixture(scope="module")
def script() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


@pytest.fixture(scope="module")
def folder(shared_data) -> Path:
    found = Path(shared_data, "financebench")
    if not found.is_dir():
        pytest.skip(f"{found} is not there")
    return found


@pytest.fixture(scope="module")
def found(script, folder, tmp_path_factory):
    return script.compare(folder, tmp_path_factory.mktemp("out"))


@pytest.mark.data
def test_numbers_are_accepted_as_people_accept_them(found):
    assert found.share("accepted_correct", "number") >= 0.87
    assert found.share("accepted_incorrect", "number") <= 0.06


@pytest.mark.data
def test_refusals_are_found(found):
    assert found.share("refusals_found") >= 0.80
    assert found.share("refusals_mistaken") <= 0.03


@pytest.mark.data
def test_gate_and_people_agree_and_rank_alike(found):
    assert found.share("percent_agreement") >= 0.68
    assert found.share("rank_correlation") >= 0.9


@pytest.mark.data
def test_every_label_is_compared(found, folder, script):
    lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    labels = Counter(script.LABELS[json.loads(line)["label"]] for line in lines)
    columns = {said: sum(row[said] for row in found.confusion.values()) for said in labels}
    assert columns == labels


def test_without_the_data_it_says_so(tmp_path):
    ran = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=True
    )
    assert "nothing to compare" in ran.stdout


def test_a_small_set_of_ones_own(script, tmp_path):
    """Two questions, two systems, every label: the figures can be counted by hand."""
    questions = [
        {"id": "a", "question": "What was it in USD millions?", "answer": "$1577.00"},
        {"id": "b", "question": "Is it so?", "answer": "Yes"},
    ]
    said = {
        ("a", "one"): ("It was $1.577 billion.", "Correct Answer"),
        ("a", "two"): ("It was $1,832 million.", "Incorrect Answer"),
        ("b", "one"): ("Yes, it is.", "Correct Answer"),
        ("b", "two"): ("I don't know.", "Refusal"),
    }
    answers = [
        {"id": qid, "system": system, "answer": answer, "label": label}
        for (qid, system), (answer, label) in said.items()
    ]
    script.write(tmp_path / "questions.jsonl", questions)
    script.write(tmp_path / "answers.jsonl", answers)
    found = script.compare(tmp_path, tmp_path)
    assert found.share("percent_agreement") == found.share("rank_correlation") == 1
    assert found.share("accepted_incorrect", "yes or no") is None
    table = script.table(found)
    assert "number" in table
    assert "rank_correlation    1.0000" in table
