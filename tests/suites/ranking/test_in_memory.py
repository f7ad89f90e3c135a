"""`ragstone.ranking` and numbers that no ranking can hold."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from command import ragstone as command

import ragstone
from ragstone.errors import ConfigError, InputError

GOOD = {"q": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    "score",
    [10**400, 10**5000, None, "x", [1], Decimal("1.5"), float("nan")],
    ids=lambda s: type(s),
)
@pytest.mark.parametrize("alone", [True, False])
def test_a_score_that_no_float_holds_is_named(score: Any, alone: bool) -> None:
    run: Any = {"q": {"a": score, **({} if alone else {"b": 0.5})}}
    with pytest.raises(InputError, match="qid 'q': the score of 'a' is "):
        ragstone.ranking(GOOD, run)


@pytest.mark.parametrize("grade", [10**400, 2**31, 1.5, 1e300, None, "1", float("inf")])
def test_a_grade_that_is_no_whole_number_of_32_bits_is_named(grade: Any) -> None:
    with pytest.raises(InputError, match=r"the grade of 'a' is .*, no whole number of 32 bits"):
        ragstone.ranking({"q": {"a": grade}}, {"q": {"a": 1}})


def test_what_can_be_held_is_ranked() -> None:
    assert ragstone.ranking(GOOD, {"q": {"a": 1e308, "b": -1e308}}, ["mrr"])["mrr"] == 1.0
    assert ragstone.ranking({"q": {"a": 2**31 - 1}}, {"q": {"a": 1}}, ["ndcg@10"])["ndcg@10"] == 1.0
    assert ragstone.ranking({"q": {"a": 1000}}, {"q": {"a": 1}}, ["ndcg_exp"])["ndcg_exp"] == 1.0


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match="qrels: expected three columns of one length"):
        ragstone.ranking((["q", "q"], ["a", "b"], [1]), GOOD)


@pytest.mark.parametrize("name", ["P@0", "ndcg@1000001", f"P@{'9' * 5000}"], ids=len)
def test_a_cut_has_a_range(name: str) -> None:
    with pytest.raises(ConfigError, match="expected a cut from 1 to 1,000,000, found "):
        ragstone.ranking(GOOD, GOOD, [name])


def test_an_exponential_gain_has_a_largest_grade(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected grades of at most 1,000"):
        ragstone.ranking({"q": {"a": 2000}}, {"q": {"a": 1}}, ["ndcg@10_exp"])
    (tmp_path / "qrels").write_text("q 0 a 2000\nq 0 b 3\n")
    (tmp_path / "run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    ran = command("trec", "qrels", "run", "-m", "ndcg@10_exp", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("ragstone: ndcg@10_exp: expected grades of at most 1,000, because ")
    words = ["--reference", "qrels", "--results", "run", "--gates", "ndcg@10_exp=0.5"]
    assert "expected grades of at most 1,000" in command("context", *words, cwd=tmp_path).err
    assert command("trec", "qrels", "run", "-m", "ndcg@10", cwd=tmp_path).code == 0
