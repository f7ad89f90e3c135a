"""The SQuAD 2.0 example says of each system what the system's own predictions say."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from against.answers_oracle import contains

SCRIPT = Path(__file__).parents[2] / "examples" / "squad2.py"
SYSTEMS = ("bert_single", "bidaf_selfattn_elmo", "nlnet_single")


@pytest.fixture(scope="module")
def squad2() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


@pytest.fixture(scope="module")
def folder(shared_data) -> Path:
    found = Path(shared_data, "squad2")
    if not found.is_dir():
        pytest.skip(f"{found} is not there")
    return found


@pytest.fixture(scope="module")
def scored(squad2, folder):
    return {each.name: each for each in squad2.score_all(folder)}


@pytest.fixture(scope="module")
def questions(folder) -> dict[str, list[str]]:
    """Every question's expected answers, by id; none for one that has no answer."""
    (dev,) = folder.glob("dev-v2.0*.json")
    return {
        question["id"]: [answer["text"] for answer in question["answers"]]
        for article in json.loads(dev.read_text(encoding="utf-8"))["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }


def share(wanted: list[bool]) -> float:
    return sum(wanted) / len(wanted)


@pytest.mark.data
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_figures_are_those_of_the_prediction_file(name, folder, questions, scored):
    said = json.loads((folder / f"predictions.v2.0.{name}.json").read_text(encoding="utf-8"))
    answered = {qid: texts for qid, texts in questions.items() if texts and said[qid]}
    contained = {qid: contains(said[qid], texts) for qid, texts in answered.items()}
    checkable = {qid for qid, texts in answered.items() if max(map(len, texts)) >= 5}

    system = scored[name]
    assert system.under_refusal == share([said[q] != "" for q, t in questions.items() if not t])
    assert system.over_refusal == share([said[q] == "" for q, t in questions.items() if t])
    # Of the others, those count whose short phrases say what they mean: figures and capitals.
    short = [qid for qid in answered.keys() - checkable if means_something(answered[qid])]
    right = round(system.containment_of_all * len(answered))
    more = right - sum(contained.values())
    assert len(short) / 2 < more <= len(short)
    assert system.containment == right / (len(checkable) + len(short))


def means_something(texts: list[str]) -> bool:
    """Whether one of the texts, all under the floor, holds a digit or is in capitals."""
    return any(text.isupper() or any(map(str.isdecimal, text)) for text in texts)


@pytest.mark.data
def test_all_three_systems_are_scored(scored):
    assert sorted(scored) == sorted(SYSTEMS)


ARTICLES = [
    {
        "title": "Normans",
        "paragraphs": [
            {"qas": []},
            {
                "qas": [
                    {
                        "id": "a",
                        "question": "When?",
                        "is_impossible": False,
                        "answers": [{"text": "911"}, {"text": "in 911"}, {"text": "911"}],
                    },
                    {"id": "b", "question": "Why?", "is_impossible": True, "answers": []},
                ]
            },
        ],
    }
]


def test_a_small_folder_is_scored_from_end_to_end(tmp_path):
    (tmp_path / "dev-v2.0.json").write_text(json.dumps({"data": ARTICLES}), encoding="utf-8")
    (tmp_path / "predictions.v2.0.ours.json").write_text(
        '{"a": "In 911.", "b": ""}', encoding="utf-8"
    )
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "ours" in ran.stdout
    assert "PASS" in ran.stdout


def test_a_folder_without_the_dev_set_is_said_in_one_line(tmp_path):
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"{tmp_path} holds no dev-v2.0*.json")
