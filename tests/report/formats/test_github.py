import pytest
from report.report_builder import NASTY, nasty, passing, report, unmeasurable

from ragstone.report.formats import github


def test_gates_are_errors_and_offenders_are_warnings() -> None:
    levels = [line.split(" ")[0] for line in github.render(report()).splitlines()]
    assert levels == ["::error"] * 3 + ["::warning"] * 4


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
    assert github.render(passing()) == ("::notice title=answers%3A SHIP::All 2 gates pass.\n")


@pytest.mark.parametrize("text", [*NASTY, "\r\n::error::injected", "100 %0A::warning::"])
def test_data_cannot_start_a_command_of_its_own(text: str) -> None:
    lines = github.render(nasty(text)).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(("::error title=", "::warning file=")) for line in lines)
    assert not any("%0A::" in line for line in lines)


def test_the_signs_of_the_grammar_are_escaped() -> None:
    line = github.command("error", "50 %\r\n", file="a:b,c%.jsonl")
    assert line == "::error file=a%3Ab%2Cc%25.jsonl::50 %25\\r%0A"
