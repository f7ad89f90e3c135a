"""Questions that may never break: how they are named, and what is decided about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import gold, trace
from two_runs import two_runs

from ragstone.comparison.protected import named_questions, protected_gate
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Judged, Status

ITEMS = [gold(f"A{n}") for n in range(4)]
RIGHT = [trace(item["qid"]) for item in ITEMS]
WRONG = [trace("A0", "something else"), *RIGHT[1:]]


def judged(folder: Path, protect: list[str], after: list[dict[str, object]]) -> Judged:
    with two_runs(folder, ITEMS, RIGHT, after, protect=protect) as kept:
        (gate,) = protected_gate(kept.told, kept.protect)
    return gate


def test_a_protected_question_that_broke_fails_the_gate(tmp_path: Path) -> None:
    gate = judged(tmp_path, ["A0", "A1"], WRONG)
    assert (gate.status, gate.value, gate.note) == (Status.FAIL, 1.0, "broke: A0")


def test_another_question_may_break(tmp_path: Path) -> None:
    assert judged(tmp_path, ["A1"], WRONG).status is Status.PASS


def test_without_protected_questions_there_is_no_gate(tmp_path: Path) -> None:
    with two_runs(tmp_path, ITEMS, RIGHT, WRONG) as kept:
        assert protected_gate(kept.told, kept.protect) == ()


def test_one_that_cannot_be_compared_is_no_pass(tmp_path: Path) -> None:
    changed = [gold("A0", gold_citations=["p9#9"]), *ITEMS[1:]]
    with two_runs(tmp_path, ITEMS, RIGHT, RIGHT, changed, protect=["A0", "A1"]) as kept:
        (gate,) = protected_gate(kept.told, kept.protect)
    assert gate.status is Status.UNMEASURABLE
    assert "A0" in gate.note
    assert gate.tested == 1


def test_an_unknown_question_is_an_error_with_what_was_meant(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match=r"'A00'; did you mean 'A0'.*nor 'zzz'; such as 'A0'"),
        two_runs(tmp_path, ITEMS, RIGHT, RIGHT, protect=["A00", "A1", "zzz"]),
    ):
        pass


def test_questions_are_named_by_commas_or_by_a_file(tmp_path: Path) -> None:
    file = tmp_path / "protected.txt"
    file.write_bytes(b"\xef\xbb\xbfA,1\r\n\n A2 \n")
    assert named_questions(["A1, A2", f"@{file}"]) == ("A1", "A2", "A,1")


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"\n\n"])
def test_a_file_that_names_no_question_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "protected.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises((ConfigError, InputError), match=r"protected\.txt"):
        named_questions([f"@{file}"])
