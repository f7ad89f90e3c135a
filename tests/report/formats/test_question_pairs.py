"""How every format shows the questions that two runs do not agree about."""

from __future__ import annotations

import json
import re

import pytest
from report.report_builder import BROKE, RUNS, compared, nasty

from ragstone.report.document.blocks import QuestionPairs
from ragstone.report.formats import FORMATS, render
from ragstone.report.formats import terminal as screen


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "json"])
def test_every_format_names_what_broke(name: str) -> None:
    text = render(compared(), name)
    for row in BROKE:
        assert row.qid in text


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "sarif", "github"])
def test_both_claims_and_the_step_where_it_was_lost_are_told(name: str) -> None:
    text = re.sub(r"<mark>|</mark>", "", render(compared(), name))
    assert "Users may sign up only from example.com." in text
    assert "Users may sign up from any domain." in text
    assert "lost at cited" in text


@pytest.mark.parametrize(("name", "gates"), [("terminal", "Gates"), ("html", ">Gates<")])
def test_what_changed_comes_before_the_gates(name: str, gates: str) -> None:
    text = render(compared(), name)
    assert text.index("Broke") < text.index("Mended") < text.index("By tags") < text.index(gates)
    other = render(compared(blocks_first=False), name)
    assert other.index(gates) < other.index("Broke")


def test_a_comment_puts_the_gates_last_and_begins_with_its_marker() -> None:
    text = compared().to_markdown()
    assert text.startswith("<!-- ragstone compare: answers -->\n")
    assert text.index("### Broke") < text.index("### By tags") < text.index("| gate |")
    assert "<!--" not in compared(marker="").to_markdown()


def test_no_name_can_end_the_marker() -> None:
    text = nasty("--> <b>").to_markdown()
    assert text.startswith("<!-- ragstone ___ _b_ -->\n")


def test_a_list_that_goes_on_says_how_many_more_there_are() -> None:
    assert "10 more rows are not shown" in compared().to_markdown()
    assert "10 more rows are not shown" in compared().to_html()
    assert "Broke, 2 of 12" in str(compared())


def test_a_ranking_has_no_claim_to_miss() -> None:
    text = str(compared())
    part = text[text.index("Only in B") :]
    assert "wrong" in part
    assert "B retrieved  d1, d2" in part
    assert "said" not in part
    assert "(no claim)" in text[: text.index("Only in B")]


def test_repeats_say_in_how_many_the_question_is_right() -> None:
    assert "2 of 2 rows of A; 0 of 2 rows of B" in str(compared())
    assert "right in 0 of 2" in compared().to_html()


def test_only_what_broke_is_a_warning_and_a_protected_question_an_error() -> None:
    results = json.loads(compared().to_sarif())["runs"][0]["results"]
    broke = {each["properties"]["qid"]: each for each in results if each["ruleId"] == "broke"}
    assert {qid: each["level"] for qid, each in broke.items()} == {
        "A0042": "error",
        "A0017": "warning",
    }
    (rule,) = json.loads(compared().to_sarif())["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "broke"
    assert render(compared(), "github").count("title=broke") == 2


def test_a_question_points_at_its_gold_line() -> None:
    assert "::warning file=eval/gold.jsonl,line=42,title=broke%3A A0042::" in render(
        compared(), "github"
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    text = screen.render(compared(), color=False, width=width)
    assert max(map(len, text.splitlines())) <= width


def test_the_runs_are_named_beside_what_they_said() -> None:
    text = compared().to_html()
    for name in RUNS:
        assert f"<bdi>{name}</bdi>" in text


def test_an_empty_list_renders_in_every_format() -> None:
    empty = compared(blocks=(QuestionPairs("Broke", (), 0, RUNS, regressions=True),))
    for name in FORMATS:
        assert "lost at" not in render(empty, name)
