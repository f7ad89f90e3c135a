"""The next index beside the live one, end to end: real traffic, a real mirror, and the decision."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragstone.shadow.pair_files import PairFiles

SCRIPT = Path(__file__).parents[2] / "examples" / "shadow.py"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    asked = [sys.executable, str(SCRIPT), str(folder), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def badly_cut(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("shadow") / "made"
    ran = run(folder)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return folder, ran.stdout


def test_an_index_that_is_cut_blindly_is_rolled_back_with_the_questions_that_show_why(
    badly_cut: tuple[Path, str],
) -> None:
    folder, said = badly_cut
    assert said.splitlines()[-1].startswith("ROLL BACK: ")
    shown = said.partition("Questions that show why\n")[2].splitlines()
    qid, _, question = shown[0].strip().partition("  ")
    gold = (json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines())
    assert {item["qid"]: item["question"] for item in gold}[qid] == question
    assert "live cites" in shown[1]
    assert question in (folder / "canary.html").read_text(encoding="utf-8")


def test_both_answers_to_every_question_are_kept_with_their_indexes(
    badly_cut: tuple[Path, str],
) -> None:
    folder, _ = badly_cut
    asked = [
        json.loads(line)["question"]
        for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    pairs = [*PairFiles(folder / "data").pairs()]
    assert [pair.question for pair in pairs] == asked
    live, shadow = (
        {arm.retrieval.index_hash for arm in arms}
        for arms in ([pair.live for pair in pairs], [pair.shadow for pair in pairs if pair.shadow])
    )
    assert len(live) == len(shadow) == 1
    assert live != shadow
    assert all(pair.shadow for pair in pairs)


def test_smaller_chunks_that_are_cut_at_sentences_are_not_rolled_back(tmp_path: Path) -> None:
    ran = run(tmp_path / "made", "--sound")
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "HOLD: " in ran.stdout
    assert "refuted at" not in ran.stdout.partition("\nmirror")[0]


def test_without_the_gold_of_the_shadow_its_other_ids_would_all_be_wrong(
    badly_cut: tuple[Path, str],
) -> None:
    folder, _ = badly_cut
    values = []
    for more in ((), ("--shadow-gold", "gold.next.jsonl")):
        words = ("--live-dir", "data", "--gold", "gold.jsonl", *more, "--json")
        asked = [sys.executable, "-m", "ragstone", "canary", *words]
        ran = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=True)
        found = json.loads(ran.stdout)["canary"]["conditions"]
        values.append(next(each["value"] for each in found if each["name"] == "recall"))
    assert values[0] == -1.0
    assert -0.5 < values[1] < -0.1


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    ran = run(tmp_path)
    assert ran.returncode == 2
    assert "exists; give a folder that does not" in ran.stderr
    assert not [*tmp_path.iterdir()]
