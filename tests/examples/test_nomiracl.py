"""NoMIRACL: models that were told to say "I don't know" where the contexts hold no answer.

Its authors call an output a refusal where it holds these words; one line of ragstone.toml says the
same, and the numbers must be those of a direct count.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from context_files import DATA, jsonl
from context_files import ragstone as command

import ragstone

OUTPUTS = DATA / "nomiracl" / "outputs.jsonl"
MODELS = ("gpt-4-azure", "Mixtral-8x7B-Instruct-v0.1", "Orca-2-7b")
REFUSAL = '[answers]\nrefusal = ["re:i don.?t know"]\n'

pytestmark = pytest.mark.skipif(not OUTPUTS.is_file(), reason="the data is not here")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in OUTPUTS.read_text("utf-8").splitlines()]


def inputs(rows: list[dict[str, Any]], model: str) -> tuple[list[Any], list[Any]]:
    """Gold and traces; a question is answerable where its contexts hold the answer."""
    gold = [{"qid": row["query_id"], "answerable": row["subset"] == "relevant"} for row in rows]
    said = [
        {"qid": row["query_id"], "answer_json": {"claim": row["results"][model]}} for row in rows
    ]
    return gold, said


def counted(rows: list[dict[str, Any]], model: str) -> dict[str, float]:
    """Both rates as the authors define them, by hand."""

    def refused(row: dict[str, Any]) -> bool:
        return "i don't know" in row["results"][model].casefold().replace("’", "'")

    answerable = [refused(row) for row in rows if row["subset"] == "relevant"]
    others = [refused(row) for row in rows if row["subset"] != "relevant"]
    return {
        "over_refusal": sum(answerable) / len(answerable),
        "under_refusal": 1 - sum(others) / len(others),
    }


@pytest.mark.parametrize("model", MODELS)
def test_one_line_of_toml_gives_the_numbers_of_the_authors(
    rows: list[dict[str, Any]], model: str, tmp_path: Path
) -> None:
    gold, said = inputs(rows, model)
    jsonl(tmp_path / "gold.jsonl", gold)
    jsonl(tmp_path / "trace.jsonl", said)
    (tmp_path / "ragstone.toml").write_text(REFUSAL)
    files = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")
    words = ("score", *files, "--json", "--quiet")
    words += ("--gates", "precision=0", "chr=0", "under=1", "over=1", "missing=1")
    found = json.loads(command(*words, cwd=tmp_path))
    for name, wanted in counted(rows, model).items():
        assert found[name] == pytest.approx(wanted, abs=0.02), name


@pytest.mark.parametrize("model", MODELS)
def test_the_english_pack_comes_close_without_being_told_the_words(
    rows: list[dict[str, Any]], model: str
) -> None:
    report = ragstone.score(*inputs(rows, model), refusal="@en")
    for name, wanted in counted(rows, model).items():
        assert report[name].value == pytest.approx(wanted, abs=0.05), name


def test_without_a_word_about_it_the_line_is_proposed(rows: list[dict[str, Any]]) -> None:
    (said,) = [w for w in ragstone.score(*inputs(rows, MODELS[0])).warnings if "ragstone.toml" in w]
    assert "“refusal = [" in said
    assert '"@en"' in said
