"""Bad lines are shown when they are found, and however many there are, few are held."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from command import Command, Folder

from ragstone.contracts import json_fault
from ragstone.contracts.diagnose import good_lines
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import DESCRIBED, DISPLAY, ContractError, Diagnostic, Diagnostics, InputError

pytestmark = pytest.mark.python


class Lines:
    """Bad lines, and a display that notes how many were read when each problem was shown."""

    def __init__(self, *, every: bool = False) -> None:
        self.every = every
        self.read = 0
        self.shown: list[tuple[int, int]] = []

    def __iter__(self) -> Iterator[bytes]:
        for number in range(3 * DESCRIBED):
            self.read += 1
            yield b'{"qid": 7}' if number % 2 else b'{"qid": 7,}'

    def show(self, diagnostic: Diagnostic) -> None:
        self.shown.append((diagnostic.line, self.read))

    def error(self) -> ContractError:
        display = DISPLAY.set(self)
        try:
            bad = Diagnostics()
            assert not list(good_lines(TRACE, [("t", self)], {}, bad))
        finally:
            DISPLAY.reset(display)
        error = bad.error()
        assert isinstance(error, ContractError)
        return error


def test_a_problem_is_shown_before_the_next_line_is_read() -> None:
    lines = Lines()
    lines.error()
    assert lines.shown == [(number, number) for number in range(1, DESCRIBED + 1)]


@pytest.mark.parametrize("every", [False, True])
def test_so_many_problems_are_described_and_the_others_counted(
    every: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    explained = []
    refuse = json_fault.refuse

    def noted(text: str) -> None:
        explained.append(text)
        refuse(text)

    monkeypatch.setattr(json_fault, "refuse", noted)
    error = Lines(every=every).error()
    assert error.count == 3 * DESCRIBED
    assert len(error.diagnostics) == DESCRIBED
    assert error.diagnostics[0].reason == "a comma before the closing } (character 11)"
    # Every second line is not JSON.
    assert len(explained) == (3 if every else 1) * DESCRIBED // 2


def test_one_sentence_about_an_input_stays_as_it_is_if_nothing_else_is_wrong() -> None:
    bad = Diagnostics()
    assert bad.error() is None
    alone = InputError("gold file g does not exist")
    bad.take(alone)
    assert bad.error() is alone
    bad.take(ContractError([Diagnostic("t", 3, "qid", "expected a string, found 7")], 5))
    error = bad.error()
    assert isinstance(error, ContractError)
    assert error.count == 6
    assert error.render(2) == (
        "gold file g does not exist\n"
        "t:3: qid: expected a string, found 7\n"
        "... and 4 more (--all-errors lists them)"
    )


def test_all_of_many_problems_are_listed_where_they_are_asked_for(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    folder.write("trace.jsonl", b'{"qid": 7}\n' * (DESCRIBED + 5))
    few = command.score().err.splitlines()
    assert few[20:] == [
        "... and 985 more (--all-errors lists them)",
        "ragstone: 1,005 problems in the input; nothing was scored",
    ]
    every = command.score("--all-errors").err.splitlines()
    assert [line.split(":")[1] for line in every[:-1]] == [str(n + 1) for n in range(1005)]
    assert every[-1] == few[-1]
    (folder.work / "gold.jsonl").unlink()
    both = command.score().err.splitlines()
    assert both[:2] == ["gold file gold.jsonl does not exist", few[0]]
    assert both[20:] == [
        "... and 986 more (--all-errors lists them)",
        "ragstone: 1,006 problems in the input; nothing was scored",
    ]
