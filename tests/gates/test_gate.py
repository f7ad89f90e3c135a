"""A gate at its line, and what several gates come to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragstone.gates.gate import Judged, Op, Status, Threshold, decide, worst


@pytest.mark.parametrize(
    ("op", "below", "on", "above"),
    [
        (">=", False, True, True),
        ("<=", True, True, False),
        ("=", False, True, False),
        (">", False, False, True),
        ("<", True, False, False),
    ],
)
def test_a_value_on_its_line(op: Op, below: bool, on: bool, above: bool) -> None:
    line = Threshold(op, 0.8)
    assert [line.holds(value) for value in (0.799, 0.8, 0.801)] == [below, on, above]
    # What binary fractions add to a value moves it to no side.
    assert line.holds(0.1 + 0.7) is line.holds(0.8 + 1e-12) is on


def test_the_worst_status_is_what_all_come_to() -> None:
    ranked = (Status.PASS, Status.UNMEASURABLE, Status.FAIL)
    assert [worst(ranked[: n + 1]) for n in range(3)] == list(ranked)
    assert worst([Status.NOT_TESTED]) is Status.UNMEASURABLE


@pytest.mark.parametrize(
    ("statuses", "required", "lacks", "decision"),
    [
        ((), False, "", None),
        ((Status.PASS, Status.NOT_TESTED), False, "", Status.PASS),
        ((Status.PASS, Status.NOT_TESTED), True, "", Status.UNMEASURABLE),
        ((Status.PASS, Status.PASS), True, "no gate tests an answer", Status.UNMEASURABLE),
        ((Status.FAIL, Status.NOT_TESTED), True, "no gate tests an answer", Status.FAIL),
    ],
)
def test_nothing_ships_that_was_not_tested(
    statuses: tuple[Status, ...], required: bool, lacks: str, decision: Status | None
) -> None:
    gate = Judged("p", "p", Threshold(">=", 0.8), 0.9, 0.9, None, Status.PASS, required=required)
    assert decide([replace(gate, status=status) for status in statuses], lacks) is decision
