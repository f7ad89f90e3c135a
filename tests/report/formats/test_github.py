from dataclasses import replace

import pytest
from report.report_builder import GATES, NASTY, nasty, passing, report, unmeasurable

from ragstone.gates.gate import Status
from ragstone.report.formats import github


def test_gates_are_errors_and_offenders_are_warnings() -> None:
    levels = [line.split(" ")[0] for line in github.render(report()).splitlines()]
    assert levels == ["::notice"] + ["::error"] * 3 + ["::warning"] * 4


def test_an_offender_points_at_its_gold_line() -> None:
    (line,) = [each for each in github.render(report()).splitlines() if "A0042" in each]
    assert line.startswith("::warning file=eval/gold.jsonl,line=42,title=offender%3A A0042::")
    assert "%0Aclaim: Users may sign up" in line


def test_a_row_without_a_file_is_told_without_one() -> None:
    (line,) = [each for each in github.render(report()).splitlines() if "A0077" in each]
    assert line.startswith("::warning title=")


def test_an_unmeasurable_gate_is_an_error() -> None:
    assert "::error title=gate unmeasurable%3A" in github.render(unmeasurable())


def test_a_report_that_passes_is_one_notice() -> None:
    assert github.render(passing()) == (
        "::notice title=answers%3A SHIP%2C 1 of 2 gates proven at 95 %25::All 2 gates pass.\n"
    )


def test_a_gate_that_is_not_proven_is_an_error_of_its_own() -> None:
    open_ = replace(GATES[1], status=Status.UNMEASURABLE)
    lines = github.render(report(gates=(open_,))).splitlines()
    assert lines[0].endswith("::1 of 1 gate is not proven: cites the right evidence (chr).")
    plain = "cites the right evidence (chr)"
    assert lines[1].startswith(f"::error title=gate not proven%3A {plain}::{plain}: 0.8161 (71/87)")


@pytest.mark.parametrize("text", [*NASTY, "\r\n::error::injected", "100 %0A::warning::"])
def test_data_cannot_start_a_command_of_its_own(text: str) -> None:
    lines = github.render(nasty(text)).splitlines()
    # A warning of two lines is a remedy and the line to copy, so it is a notice, too.
    notices = 2 if "\n" in text else 1
    starts = (*["::notice title="] * notices, "::error title=", *["::warning file="] * 2)
    assert len(lines) == len(starts)
    assert all(map(str.startswith, lines, starts))
    assert not any("%0A::" in line for line in lines)


def test_the_signs_of_the_grammar_are_escaped() -> None:
    line = github.command("error", "50 %\r\n", file="a:b,c%.jsonl")
    assert line == "::error file=a%3Ab%2Cc%25.jsonl::50 %25\\r%0A"


def test_gold_that_is_not_as_it_was_frozen_is_an_error() -> None:
    (line,) = github.render(replace(passing(), unfrozen=True)).splitlines()
    assert line.startswith("::error title=answers%3A NOT FROZEN")
