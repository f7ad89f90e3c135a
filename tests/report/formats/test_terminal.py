import re
from dataclasses import replace

import pytest
from report.report_builder import NASTY, bare, nasty, report
from rich.cells import cell_len

from ragstone.report.document.blocks import Offenders, Picture, Table
from ragstone.report.formats import terminal

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def plain(width: int = 100) -> str:
    return terminal.render(report(), color=False, width=width)


def test_the_decision_is_the_first_line() -> None:
    assert plain().splitlines()[0] == "DO NOT SHIP, 1 of 7 gates proven at 95 %"


def test_without_colour_there_is_no_escape_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    assert "\x1b" not in plain()
    assert re.search(r"^  gate {30,}status", plain(), re.MULTILINE)


def test_with_colour_the_words_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    colored = terminal.render(report(), color=True, width=100)
    assert "\x1b[1;7;31mDO NOT SHIP" in colored
    bared = [line.rstrip() for line in ANSI.sub("", colored).splitlines()]
    assert bared == plain().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    for shown in (report(), nasty()):
        lines = terminal.render(shown, color=False, width=width).splitlines()
        assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_a_number_is_never_cut(width: int) -> None:
    text = plain(width)
    for number in ("0.7241", ">= 0.75", "<= 0.05", "71/87", "0.0157 to 0.0984", "UNMEASURABLE"):
        assert re.search(rf"(?<!\S){re.escape(number)}(?!\S)", text), number


def test_no_line_ends_in_blanks() -> None:
    assert not re.search(r"[ \t]+$", plain(), re.MULTILINE)


def test_the_funnel_is_drawn_with_bars() -> None:
    cited, says = [line for line in plain().splitlines() if line.startswith("  cited ")]
    assert says == "  cited        it cites the gold"
    assert cited.split()[1] == "█" * 21 + "░" * 5


def test_console_markup_in_the_data_is_shown_as_it_is() -> None:
    text = terminal.render(nasty("[bold]x[/bold] :smile:"), color=True, width=100)
    assert "[bold]x[/bold] :smile:" in text


def test_colour_codes_come_from_us_alone() -> None:
    colored = terminal.render(nasty(*NASTY), color=True, width=100)
    assert "\x1b" not in ANSI.sub("", colored)
    assert "\\x1b[31mred" in colored


def test_a_report_with_nothing_in_it_is_three_lines_and_the_verdict() -> None:
    lines = terminal.render(bare(), color=False, width=100).splitlines()
    assert lines[3:] == ["", "Summary", "NO GATES: no gate is set, so nothing is decided"]


def test_the_decision_is_the_last_line_too() -> None:
    last = "DO NOT SHIP: 2 of 7 gates fail, 1 could not be measured"
    assert plain().splitlines()[-1] == last


def test_a_picture_whose_words_would_be_cut_is_left_out() -> None:
    long = Picture("Live against shadow", "<svg/>", "R@1: live 0.5; " * 60)
    short = replace(long, title="Latency", alt="A bar.")
    text = terminal.render(replace(report(), blocks=(long, short)), color=False, width=80)
    assert "Live against shadow" not in text
    assert "Latency\n  A bar." in text


def test_lines_come_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand offenders: the first are on the screen before the last are drawn."""
    drawn = []
    facts = terminal._facts
    monkeypatch.setattr(terminal, "_facts", lambda row: drawn.append(row) or facts(row))
    (block,) = [each for each in report().blocks if isinstance(each, Offenders)]
    many = replace(report(), blocks=(replace(block, rows=block.rows[:1] * 100_000, total=100_000),))
    lines = terminal.streamed(many, color=False, width=100)
    first = next(line for line in lines if "costs" in line)
    assert block.rows[0].qid in first
    assert drawn == []
    assert "wrong" in next(lines)
    assert len(drawn) == 1


def test_a_table_of_very_many_rows_is_drawn_like_a_small_one() -> None:
    cells = (("Q1", "a word or two " * 5, 0.25), ("Q1000", "文" * 30, None))
    small = Table("Rows", ("qid", "says", "value"), cells)
    large = replace(small, rows=cells * 10_000)
    texts = [
        terminal.render(replace(report(), blocks=(table,)), color=False, width=80)
        for table in (small, large)
    ]
    once, often = (text[text.index("  qid") : text.index("Warnings")].split("\n") for text in texts)
    head, body = once[:1], once[1:-2]
    assert often[:-2] == head + body * 10_000
