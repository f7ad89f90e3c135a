"""A level judges what needs a yes or a no, and drops no question without a word."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from context_files import ragstone

import ragstone as package

# One question with a document of grade 2, one whose best is 1, one without a relevant document.
QRELS = {"1": {"a": 2, "b": 1}, "2": {"c": 1, "d": 0}, "3": {"e": 0}}
RUN = {"1": {"b": 3.0, "a": 2.0}, "2": {"d": 2.0, "c": 1.0}, "3": {"e": 1.0}}
NAMES = ("map", "mrr", "P@5", "R@10", "success@5", "bpref", "rprec", "ndcg@10", "ndcg")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    judged = [f"{q} 0 {doc} {grade}\n" for q, docs in QRELS.items() for doc, grade in docs.items()]
    ranked = [
        f"{q} Q0 {doc} 1 {score} t\n" for q, docs in RUN.items() for doc, score in docs.items()
    ]
    (tmp_path / "qrels").write_text("".join(judged))
    (tmp_path / "run").write_text("".join(ranked))
    return tmp_path


def scored(files: Path, *words: str) -> dict[str, Any]:
    told = ragstone("trec", "qrels", "run", *words, "--json", cwd=files)
    found: dict[str, Any] = json.loads(told)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_level_counts_the_questions_below_it_as_0_and_never_judges_ndcg(
    name: str, files: Path
) -> None:
    plain, level = scored(files, "-m", name), scored(files, "-m", name, "-l", "2")
    assert plain["questions"] == level["questions"] == 2
    assert (level["below_level"], level["no_gold"]) == (1, 1)
    assert "below_level" not in plain
    only = scored(files, "-m", name, "-l", "2", "--only-judged")[f"{name}_only_judged"]
    if name.startswith("ndcg"):
        assert level[name] == plain[name]
    else:
        # The first question is all there is of this level, and the other counts as 0.
        assert level[name] == pytest.approx(only / 2)
    memory = package.ranking(QRELS, RUN, [name], level=2)
    assert (memory[name], memory.questions, memory.below_level, memory.no_gold) == (
        pytest.approx(level[name]), 2, 1, 1,
    )  # fmt: skip


def test_it_is_said_how_many_questions_are_below_the_level(files: Path) -> None:
    says = "1 question has no document of grade 2 or above: "
    assert scored(files, "-l", "2")["warnings"] == [
        f"{says}it counts as 0, as in trec_eval, but in nDCG, where no level decides "
        "(--only-judged leaves them out)"
    ]
    left_out = f"{says}left out of every number, and each number's name says so"
    assert scored(files, "-l", "2", "--only-judged")["warnings"] == [left_out]
    assert scored(files)["warnings"] == []


def test_every_number_over_some_of_the_questions_has_that_in_its_name(files: Path) -> None:
    words = ("-l", "2", "--only-judged", "-m", "map", "ndcg@10", "--gates", "map=0.1")
    found = scored(files, *words)
    assert "map" not in found and "ndcg@10" not in found
    assert list(found["metrics"]) == ["map_only_judged", "ndcg@10_only_judged"]
    assert list(found["gates"]) == ["map_only_judged"]
    assert found["settings"]["only_judged"] is True
    lines = ragstone("trec", "qrels", "run", *words[:-2], "--trec", cwd=files).splitlines()
    assert [line.split()[0] for line in lines if line] == [
        "map_only_judged",
        "ndcg_cut_10_only_judged",
    ]
    told = ragstone("trec", "qrels", "run", "--only-judged", code=2, cwd=files)
    assert "only_judged needs a level" in told


def test_trec_evals_own_averages_know_the_level_too(files: Path) -> None:
    (line,) = ragstone("trec", "qrels", "run", "-l", "2", "--trec", "-m", "map", cwd=files).split(
        "\n"
    )[:1]
    # Three questions are in both files: 0.5, 0 and 0.
    assert float(line.split()[2]) == round(0.5 / 3, 4)


def test_the_context_suite_averages_over_the_same_questions(files: Path) -> None:
    words = ("context", "--results", "run", "--reference", "qrels", "--json")
    plain = json.loads(ragstone(*words, cwd=files))
    level = json.loads(ragstone(*words, "-l", "2", cwd=files))
    assert plain["questions"] == level["questions"] == 2
    assert (plain["pct_records_with_all_refs"], level["pct_records_with_all_refs"]) == (100.0, 50.0)
    assert math.isclose(level["avg_context_recall"], plain["avg_context_recall"] / 2)
    for name in ("ndcg_10", "ndcg_10_retrieved"):
        assert level[name] == plain[name]
    (warned,) = [each for each in level["warnings"] if "grade 2" in each]
    assert warned.startswith("1 question has no document of grade 2 or above: it counts as 0")


@pytest.mark.parametrize("command", ["trec", "context"])
def test_runs_of_other_depths_are_named_with_them(command: str, files: Path) -> None:
    long = "".join(f"1 Q0 x{n} 1 {-n} t\n" for n in range(5))
    (files / "deep").write_text((files / "run").read_text() + long)
    (files / "close").write_text((files / "run").read_text() + long.splitlines(True)[0])
    words = {
        "trec": ("trec", "qrels", "run", "close"),
        "context": ("context", "--reference", "qrels", "--results", "run", "close"),
    }[command]
    told = "at most: run 2, close 3, deep 7; measures that look further than 2 favour the longer"
    assert told in " ".join(ragstone(*words, "deep", cwd=files).split())
    assert "at most" not in ragstone(*words, cwd=files)
