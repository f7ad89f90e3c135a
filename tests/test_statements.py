"""The script that holds 32 sentences of Ragstone against the truth: its cases and its formulas."""

from __future__ import annotations

import pytest
from saying.asking import CASES, GATE, Said, proofs
from saying.truths import pair_ends, provable, to_settle
from statements import main


def test_there_are_32_cases() -> None:
    assert sorted(CASES) == [*range(1, 33)]


def test_one_of_one_refutes_nothing_and_35_of_35_prove_a_share() -> None:
    assert provable(0, 1, ">=", 0.8) is None
    assert provable(1, 3, "<=", 0.05) is None
    assert provable(35, 35, ">=", 0.8) is True
    assert provable(10, 20, ">=", 0.8) is False
    assert provable(180, 180, ">=", 0.8, clusters=2) is None


def test_189_questions_without_a_change_are_within_the_margin() -> None:
    assert [to_settle(n) for n in (1, 48, 126, 188)] == [188, 141, 63, 1]
    low, high = pair_ends(189, 0, 0)
    assert -0.02 <= low < 0 < high <= 0.02


def test_a_proof_that_is_none_is_found_in_the_words_of_a_report() -> None:
    text = "right (precision) 0.0000 (0/1), 0 to 0.79 at 95 %, needs >= 0.8, proven to fail"
    assert GATE.search(text)
    (said,) = proofs(text)
    assert said == Said("precision 0/1 >= 0.8: proven to fail", False, "open")
    (open_gate,) = proofs(text.replace("proven to fail", "not proven to fail"))
    assert open_gate.is_true


@pytest.mark.long
def test_every_sentence_is_true() -> None:
    assert main([]) == 0


def test_a_case_is_run_and_its_sentences_are_true(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--case", "8", "25"]) == 0
    assert "every sentence is true" in capsys.readouterr().out
