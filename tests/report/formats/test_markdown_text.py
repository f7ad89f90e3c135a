import html
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report.report_builder import BLOCKS, NASTY, ROWS, bare, nasty, report

from ragstone.report.document.blocks import Offenders, Table
from ragstone.report.formats import markdown_text
from ragstone.report.formats.markdown_text import code, prose, tagged
from ragstone.report.text import shown

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OUR_TAGS = {"details", "summary", "code", "sub"}
MARKS = st.text(st.sampled_from("ab1 _*`~|<>[]()!#-+=.:@/\\&;$\n\t\u200b"), max_size=24)


def seen(text: str) -> str:
    """What a reader sees of rendered Markdown."""
    rendered = READER.render(text)
    return html.unescape(re.sub(r"<[^>]*>", "", rendered)).replace("\u200b", "").strip()


@given(MARKS)
def test_a_sentence_is_seen_as_it_was_written(text: str) -> None:
    expected = shown(text, 99).strip().replace("\u200b", "")
    assert seen(prose(text, 99)) == expected
    assert READER.render(prose(text, 99)).count("<") == (2 if expected else 0)


@given(MARKS)
def test_a_table_cell_holds_its_text_and_no_more(text: str) -> None:
    table = f"| head | next |\n| --- | --- |\n| {prose(text, 99)} | {code(text, 99)} |"
    rendered = READER.render(table)
    assert rendered.count("<td>") == 2
    cells = re.findall(r"<td>(.*?)</td>", rendered)
    expected = shown(text, 99).strip()
    assert [
        html.unescape(re.sub("</?code>", "", each)).replace("\u200b", "") for each in cells
    ] == [
        expected,
        expected,
    ]


@given(MARKS)
def test_the_summary_of_a_fold_is_read_as_html_and_stays_text(text: str) -> None:
    inner = tagged(text, 99).removeprefix("<code>").removesuffix("</code>")
    assert "<" not in inner
    assert html.unescape(inner).replace("\u200b", "") == shown(text, 99).strip()


@pytest.mark.parametrize("text", NASTY)
def test_only_our_own_tags_and_no_link_come_out(text: str) -> None:
    rendered = READER.render(markdown_text.render(nasty(text)))
    tags = set(re.findall(r"</?([a-z0-9]+)", rendered))
    known = {"h2", "h3", "p", "ul", "li", "strong", "em", "blockquote"}
    assert tags <= OUR_TAGS | known | {"table", "thead", "tbody", "tr", "th", "td"}


@pytest.mark.parametrize(
    "text",
    [
        "@octocat",
        "#12",
        "GH-7",
        "owner/repo#7",
        "https://evil.example",
        "www.evil.example",
        "mailto:a@b.example",
        "0123abcdef",
    ],
)
def test_github_finds_nothing_to_link(text: str) -> None:
    assert text not in html.unescape(prose(text, 99))
    assert html.unescape(prose(text, 99)).replace("\u200b", "") == text


def test_the_decision_is_the_heading() -> None:
    assert markdown_text.render(report()).startswith(
        "## ❌ DO NOT SHIP, 1 of 7 gates proven at 95 % · answers · FAIL\n"
    )


def test_gates_show_what_they_were_computed_over() -> None:
    assert "| `chr` | ✅ PASS | 0.8161 | ≥ 0.75 | 71/87 | 0.7220 to 0.8834 |" in (
        markdown_text.render(report())
    )


def test_every_offender_is_folded() -> None:
    text = markdown_text.render(report())
    assert text.count("<details>") == text.count("</details>") == len(ROWS) + 1
    assert "_37 more rows are not shown; --all -o FILE.json writes every one._" in text


def test_a_comment_never_outgrows_what_github_takes() -> None:
    many = tuple(replace(ROWS[0], qid=f"Q{n}", claim="x " * 400) for n in range(500))
    text = markdown_text.render(report(blocks=(*BLOCKS[:2], Offenders("Offenders", many, 500))))
    assert 50_000 < len(text) < 65_536
    assert text.count("<details>") == text.count("</details>")
    assert "does not fit into a comment" in text
    assert text.rstrip().endswith("</sub>")


def test_no_more_of_it_is_made_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(replace(ROWS[0], qid=f"Q{n}", claim="x " * 400) for n in range(5000))
    made: list[str] = []
    costs = markdown_text.words.costs
    monkeypatch.setattr(
        markdown_text.words,
        "costs",
        lambda report, block, names: made.append("") or costs(report, block, names),
    )
    markdown_text.render(report(blocks=(Offenders("Offenders", many, 5000),)))
    assert 0 < len(made) < 500


def test_a_long_table_is_cut_and_says_so() -> None:
    table = Table("By tags", ("tags", "n"), tuple((f"t{n}", n) for n in range(250)))
    assert "_150 more rows are not shown; --all" in markdown_text.render(report(blocks=(table,)))


def test_a_report_with_nothing_in_it_still_says_its_decision() -> None:
    assert markdown_text.render(bare()).startswith("## ➖ NO GATES · answers\n\nNo gate is set.\n")
