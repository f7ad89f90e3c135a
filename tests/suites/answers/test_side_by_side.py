"""Several systems' answers side by side, each compared with the baseline."""

from __future__ import annotations

import json

import pytest
from builders import gold, trace
from context_files import jsonl, ragstone


@pytest.fixture
def files(tmp_path):
    items = [gold(f"q{n}") for n in range(6)]
    jsonl(tmp_path / "gold.jsonl", items)
    jsonl(tmp_path / "new.jsonl", [trace(item["qid"]) for item in items])
    jsonl(tmp_path / "old.jsonl", [trace(item["qid"]) for item in items[:4]])
    return tmp_path


WORDS = (
    *("score", "--gold", "gold.jsonl", "--gates", "missing=0.5"),
    *("--system", "new=new.jsonl", "--system", "old=old.jsonl", "--baseline", "old"),
)


def test_systems_and_comparisons_are_in_the_json(files):
    found = json.loads(ragstone(*WORDS, "--json", "--quiet", cwd=files))
    assert [system["system_name"] for system in found["systems"]] == ["new", "old"]
    assert (found["baseline"], found["settings"]["baseline"]) == ("old", "old")
    (missing,) = [each for each in found["comparisons"] if each["metric"] == "missing"]
    assert (missing["system"], missing["difference"]) == ("new", pytest.approx(-2 / 6))


def test_the_page_has_the_table_the_picture_and_the_tests(files):
    wrong = trace("q0", claim="It is otherwise.", cites=["p9#9"])
    jsonl(files / "old.jsonl", [wrong, *(trace(f"q{n}") for n in range(1, 4))])
    lenient = ("--gates", "precision=0.5", "chr=0.5")
    page = ragstone(*WORDS, *lenient, "-f", "html", cwd=files)
    for title in ("Systems", "Systems side by side", "Against old", "Questions that differ most"):
        assert f">{title}<" in page
    assert page.count("<circle") >= 10


def test_where_no_question_differs_none_is_listed(files):
    page = ragstone(*WORDS, "-f", "html", cwd=files)
    assert ">Against old<" in page
    assert "Questions that differ most" not in page
