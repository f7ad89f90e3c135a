"""Which questions are mirrored: the same ones everywhere, and about as many as was said."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.errors import ConfigError
from ragstone.shadow.sampling import checked_share, is_chosen

SHARES = st.floats(0, 1)


@given(st.text(), SHARES, SHARES)
def test_a_larger_share_holds_every_question_of_a_smaller_one(
    question: str, one: float, other: float
) -> None:
    small, large = sorted((one, other))
    assert is_chosen(question, large) or not is_chosen(question, small)


@given(st.text())
def test_no_question_is_in_the_share_0_and_every_one_in_the_share_1(question: str) -> None:
    assert not is_chosen(question, 0)
    assert is_chosen(question, 1)


@given(
    st.lists(st.text(min_size=1), min_size=1), st.sampled_from((" ", "\n", "\t ", "\u00a0")), SHARES
)
def test_blanks_and_forms_of_characters_change_nothing(
    words: list[str], blank: str, share: float
) -> None:
    question = " ".join(words)
    other = f" {unicodedata.normalize('NFD', blank.join(words))} "
    assert is_chosen(question, share) == is_chosen(other, share)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9])
def test_about_the_share_is_chosen(share: float) -> None:
    questions = [f"How do I set option {number}?" for number in range(20_000)]
    chosen = sum(is_chosen(question, share) for question in questions)
    # Four standard deviations of a fair draw; the questions are fixed, so it never flickers.
    assert abs(chosen - 20_000 * share) < 4 * (20_000 * share * (1 - share)) ** 0.5


def test_the_choice_is_that_of_sha_256_so_it_holds_in_every_version() -> None:
    first = int.from_bytes(hashlib.sha256(b"Is X free?").digest()[:8], "big") / 2**64
    assert is_chosen("Is  X free? ", first + 1e-9)
    assert not is_chosen("Is X free?", first - 1e-9)


def test_another_process_chooses_the_same_whatever_its_hash_seed() -> None:
    program = (
        "from ragstone.shadow.sampling import is_chosen\n"
        "print([n for n in range(200) if is_chosen(f'question {n}', 0.2)])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    here = [number for number in range(200) if is_chosen(f"question {number}", 0.2)]
    assert said == {f"{here}\n".encode()}


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "0.1", True, None])
def test_a_share_that_is_none_is_refused(share: object) -> None:
    with pytest.raises(ConfigError, match="a number from 0 to 1"):
        checked_share(share)
