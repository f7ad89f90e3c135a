"""What people come to a page for, in a real browser: why a question failed, what fails together, a
link to send; with and without JavaScript, by day, by night and on a phone.

`RAGSTONE_IMAGES=docs/images` writes the pictures of the docs, from the same pages.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from command import INPUTS, ragstone
from once_a_session import once, ran_once
from report.report_builder import NASTY, nasty, report

from ragstone.report.document.question_list import QuestionList
from ragstone.report.formats import html_page
from ragstone.report.model import Report

pytestmark = pytest.mark.browser
Shown = Callable[..., Any]
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 800}},
}


@pytest.fixture
def demo() -> Path:
    """The page of the careless demonstration, with texts, slices and a baseline."""
    return once("demo", demonstrate)[1] / "made" / "page.html"


def demonstrate(folder: Path) -> None:
    for words in ((), ("--bad",)):
        # A process of its own: it runs a loop of events, and the browser's is in this one.
        command = [sys.executable, "-m", "ragstone", "demo", *words, "-o", "made"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    made = folder / "made"
    ragstone("score", "--no-config", "--gold", "gold.jsonl", "--trace", "good.jsonl",
             "-o", "good.parquet", cwd=made)  # fmt: skip
    ran = ragstone("score", "--no-config", "--gold", "gold.jsonl", "--trace", "bad.jsonl",
                   "--texts", "docs.index/manifest.jsonl", "--by", "tags",
                   "--baseline", "good.parquet", "-o", "page.html", cwd=made)  # fmt: skip
    assert ran.code == 1, ran.err


@pytest.fixture
def six() -> Path:
    """The page of six suites."""
    ran, folder = ran_once("gate", "--config", "everything.toml", "-o", "gate.html")
    assert ran.code == 1, ran.err
    return folder / "gate.html"


@pytest.fixture
def visited(browser: Any) -> Iterator[Shown]:
    """Opens a file at a fragment; `page.heard` keeps what it complains of and asks for."""
    contexts = []

    def opened(file: Path, fragment: str = "", **options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("request", lambda request: page.heard.append(request.url))
        page.goto(f"{file.as_uri()}{fragment}")
        page.heard[:] = [each for each in page.heard if not each.startswith(file.as_uri())]
        return page

    yield opened
    for context in contexts:
        context.close()


def picture(page: Any, name: str) -> None:
    """Writes a picture for the docs where somebody asks for them."""
    folder = os.environ.get("RAGSTONE_IMAGES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


def written(tmp_path: Path, made: Report) -> Path:
    file = tmp_path / "page.html"
    file.write_text(html_page.render(made), encoding="utf-8")
    return file


def address(page: Any) -> str:
    """Where the page is now; `page.url` may still lag behind."""
    return str(page.evaluate("location.href"))


def rows(page: Any) -> list[str]:
    return page.locator("#questions tbody td[data-column=qid] a").all_inner_texts()


def test_the_first_screen_has_the_verdict_and_a_gate_that_fails(visited: Shown, demo: Path) -> None:
    page = visited(demo, **LOOKS["light"])
    first = page.locator("#gates ~ ol > li").first
    assert first.locator(".status").inner_text() == "FAIL"
    assert first.bounding_box()["y"] < 700
    assert page.locator(".contents a").count() > 5
    picture(page, "report")


@pytest.mark.parametrize("look", LOOKS)
def test_a_link_to_a_question_opens_its_card(visited: Shown, demo: Path, look: str) -> None:
    page = visited(demo, "#q=D055", **LOOKS[look])
    card = page.locator('[id="q=D055"]')
    assert card.get_attribute("open") is not None
    assert card.get_by_text("answered, but the question has no answer").is_visible()
    assert card.locator(".claim").first.is_visible()
    box = card.bounding_box()
    assert 0 <= box["y"] < 800
    assert page.evaluate("document.documentElement.scrollWidth") <= LOOKS[look]["viewport"]["width"]
    assert page.heard == []
    if look == "light":
        picture(page, "page-offender")


@pytest.mark.parametrize("look", LOOKS)
def test_without_scripts_a_link_goes_to_the_card_and_the_card_says_why(
    visited: Shown, demo: Path, look: str
) -> None:
    page = visited(demo, "#q=D055", java_script_enabled=False, **LOOKS[look])
    card = page.locator('[id="q=D055"]')
    assert 0 <= card.bounding_box()["y"] < 800
    if card.get_attribute("open") is None:
        card.locator("summary").first.click()
    assert card.locator(".claim").first.is_visible()
    assert page.heard == []


def test_a_card_has_the_texts_of_its_chunks_and_what_the_baseline_said(
    visited: Shown, demo: Path
) -> None:
    page = visited(demo, "#q=D055")
    card = page.locator('[id="q=D055"]')
    assert card.locator(".chunks > li").count() > 1
    cited = card.locator(".chunks > li").filter(has_text="cited").first
    assert len(cited.locator("blockquote").inner_text()) > 40
    assert "not in context" in card.locator(".before").inner_text()


@pytest.mark.parametrize("look", LOOKS)
def test_billing_failures_are_found_by_a_filter(visited: Shown, demo: Path, look: str) -> None:
    page = visited(demo, "#questions", **LOOKS[look])
    before = page.locator("#count").inner_text()
    page.keyboard.press("/")
    page.keyboard.type("failed:shipped tag:billing")
    found = rows(page)
    assert 0 < len(found) < int(before.split()[-1])
    assert page.locator("#count").inner_text() == f"{len(found)} of {before.split()[-1]}"
    for row in page.locator("#questions tbody tr").all():
        assert "shipped" in row.locator("[data-column=failed]").inner_text()
        assert "billing" in row.locator("[data-column=tags]").inner_text()
    assert "filter=failed%3Ashipped%20tag%3Abilling" in address(page)
    assert page.heard == []
    if look == "light":
        picture(page, "page-filter")


def test_a_link_with_a_filter_shows_the_same_rows(visited: Shown, demo: Path) -> None:
    one = visited(demo, "#questions")
    one.fill("#filter", 'tag:limits "published"')
    two = visited(demo, address(one).removeprefix(demo.as_uri()))
    assert rows(two) == rows(one) != []
    assert two.input_value("#filter") == 'tag:limits "published"'


def test_a_question_without_a_card_is_found_in_the_table(visited: Shown, demo: Path) -> None:
    page = visited(demo, "#q=D001")
    chosen = page.locator("#questions tr.at")
    assert chosen.count() == 1
    assert chosen.locator("a").first.inner_text() == "D001"
    assert 0 <= chosen.bounding_box()["y"] < 800


def test_words_columns_and_a_minus_can_be_asked_for(visited: Shown, demo: Path) -> None:
    page = visited(demo, "#questions")
    every = int(page.locator("#count").inner_text().split()[-1])
    counts = {}
    for words in ("failed:*", "-failed:*", "turned:broke", "qid:D001", "costs:precision", "x:y"):
        page.fill("#filter", words)
        counts[words] = int(page.locator("#count").inner_text().split()[0].replace(",", ""))
        if words == "x:y":
            assert "nothing is called x" in page.locator("#said").inner_text()
    assert counts["failed:*"] + counts["-failed:*"] == every
    assert counts["qid:D001"] == 1
    assert 0 < counts["turned:broke"] <= counts["failed:*"]


def test_columns_sort_both_ways(visited: Shown, demo: Path) -> None:
    page = visited(demo, "#sort=qid")
    up = rows(page)
    assert up == sorted(up)
    page.get_by_role("button", name="qid", exact=True).click()
    assert rows(page)[0] > up[0]
    assert page.locator("th[data-column=qid]").get_attribute("aria-sort") == "descending"


def test_every_key_has_a_line_in_the_help_and_does_something(visited: Shown, demo: Path) -> None:
    page = visited(demo)
    keys = page.locator("[data-key]").evaluate_all("all => all.map(each => each.dataset.key)")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    assert sorted(page.locator("#help kbd").all_inner_texts()) == sorted(keys)
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("tr.at a").first.inner_text() == rows(page)[1]
    page.keyboard.press("k")
    assert page.locator("tr.at a").first.inner_text() == rows(page)[0]
    folded = "document.querySelectorAll('main details:not([open])').length"
    page.keyboard.press("o")
    assert page.evaluate(folded) == 0
    page.keyboard.press("o")
    assert page.evaluate(folded) > 3
    page.keyboard.press("/")
    page.keyboard.type("j?")
    assert page.input_value("#filter") == "j?"
    assert page.heard == []


def test_a_link_is_copied_with_one_click(visited: Shown, demo: Path) -> None:
    page = visited(demo, permissions=["clipboard-read", "clipboard-write"])
    page.locator('[data-copy^="gate="] .copy').first.click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{demo.as_uri()}#gate=")
    assert page.locator("#said").inner_text() == "link copied"
    other = visited(demo, link.removeprefix(demo.as_uri()))
    assert other.locator(".here").count() == 1


def test_back_goes_to_what_was_looked_at_before(visited: Shown, demo: Path) -> None:
    page = visited(demo)
    page.locator(".behind a", has_text="D055").first.click()
    page.locator(".contents a", has_text="Gates").click()
    assert address(page).endswith("#gates")
    page.go_back()
    assert address(page).endswith("#q=D055")
    assert page.locator(".here").get_attribute("id") == "q=D055"


@pytest.mark.parametrize("name", ["demo", "six"])
def test_every_fragment_has_its_target(
    visited: Shown, name: str, request: pytest.FixtureRequest
) -> None:
    page = visited(request.getfixturevalue(name), java_script_enabled=False)
    text = page.content()
    ids = re.findall(r'\bid="([^"]*)"', text)
    links = set(re.findall(r'href="#([^"]*)"', text))
    assert len(ids) == len(set(ids))
    assert links <= set(ids)
    assert len(links) > 5


@pytest.mark.parametrize("name", ["demo", "six"])
def test_scripts_change_no_word_of_what_is_there_without_them(
    visited: Shown, name: str, request: pytest.FixtureRequest
) -> None:
    file = request.getfixturevalue(name)
    says = []
    for scripts in (True, False):
        page = visited(file, java_script_enabled=scripts)
        if scripts:
            # What a link is copied with is the script's own.
            page.evaluate("document.querySelectorAll('.copy').forEach(each => each.remove())")
        told = page.locator("main > section:not(#questions), main > header").all_text_contents()
        says.append([re.sub(r"\s+", " ", each) for each in told])
    assert says[0] == says[1]
    assert "This table needs JavaScript" in page.content()


def test_six_suites_fit_on_three_screens_until_something_is_unfolded(
    visited: Shown, six: Path
) -> None:
    page = visited(six, **LOOKS["light"])
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 800
    statuses = page.locator(".suite > h2 .status").all_inner_texts()
    assert statuses == sorted(statuses)
    picture(page, "page-gate")
    page.locator(".contents a", has_text="stability").click()
    assert 0 <= page.locator('[id="stability"]').bounding_box()["y"] < 800
    page.keyboard.press("/")
    assert page.locator("#filter").is_visible()


def test_paper_has_the_folded_parts_and_none_of_the_tools(visited: Shown, demo: Path) -> None:
    page = visited(demo)
    page.emulate_media(media="print")
    assert not page.locator(".contents").is_visible()
    assert not page.locator("#filter").is_visible()
    assert page.locator("#decision").is_visible()
    assert len(page.pdf(format="A4")) > 10_000


def made_list(count: int, text: str = "") -> QuestionList:
    """Many questions, of which every third fails, with texts as long as they may be."""
    words = "What does the manual say about the retention of exported files in folder {}? "
    asked = tuple(text or (words.format(n) * 3)[:160] for n in range(count))
    return QuestionList(
        suite="answers",
        checks=("cited", "contained"),
        problems=("does not cite the right evidence", "does not say it"),
        metrics=("precision", "chr"),
        titles=("", "cites the right evidence"),
        fields=("tags",),
        total=count,
        qids=tuple(f"Q{n:05}{text}" for n in range(count)),
        failed=tuple((0,) if n % 3 == 0 else () for n in range(count)),
        costs=tuple((0, 1) if n % 3 == 0 else () for n in range(count)),
        values=tuple((("billing" if n % 2 else "limits",),) for n in range(count)),
        asked=asked,
        said=tuple(f"Files stay for {n % 97} days." for n in range(count)),
    )


def test_ten_thousand_questions_are_under_3_mb_and_a_filter_looks_at_each_once(
    visited: Shown, tmp_path: Path
) -> None:
    file = written(tmp_path, report(questions=(made_list(10_000),)))
    assert file.stat().st_size < 3_000_000
    page = visited(file, "#questions")
    page.fill("#filter", "failed:cited tag:billing")
    assert page.locator("#count").inner_text() == "1,667 of 10,000"
    assert page.locator("#count").get_attribute("data-looked") == "10000"
    assert page.locator("#questions tbody tr").count() <= 50
    assert page.heard == []


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_hostile_questions_neither_break_the_page_nor_the_script(
    visited: Shown, tmp_path: Path, text: str
) -> None:
    hostile = f"\"'</script><!--<script>&amp;\u2028{text}"
    made = replace(nasty(hostile), questions=(made_list(3, hostile[:161]),))
    page = visited(written(tmp_path, made), "#questions")
    assert page.locator("#count").inner_text() == "3 of 3"
    page.keyboard.press("j")
    assert page.locator("tr.at").count() == 1
    again = visited(
        Path(address(page).removeprefix("file://").split("#")[0]), f"#{address(page).split('#')[1]}"
    )
    assert again.locator("tr.at").count() == 1
    assert page.heard == again.heard == []


def test_the_page_works_inside_of_a_notebook(visited: Shown, tmp_path: Path) -> None:
    file = tmp_path / "notebook.html"
    frame = report(questions=(made_list(5),))._repr_html_()
    file.write_text(f"<!doctype html><title>n</title>{frame}", encoding="utf-8")
    page = visited(file)
    inside = page.frame_locator("iframe")
    inside.locator(".contents a", has_text="Gates").click()
    assert inside.locator("#gates").is_visible()
    inside.locator("#filter").fill("failed:cited")
    assert inside.locator("#count").inner_text() == "2 of 5"
    assert page.heard == []


def test_a_label_stands_at_the_foot_and_nowhere_else(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold("A")])
    write_jsonl(tmp_path / "trace.jsonl", [trace("A")])
    words = ("score", *INPUTS, "--no-config", "-o", "page.html", "-o", "report.md", "--json")
    plain = ragstone(*words, cwd=tmp_path)
    before = (tmp_path / "page.html").read_text(), (tmp_path / "report.md").read_text()
    labelled = ragstone(*words, "--label", "commit=1a2b3c4", "model=<v2>", cwd=tmp_path)
    assert labelled.out == plain.out
    after = (tmp_path / "page.html").read_text(), (tmp_path / "report.md").read_text()
    assert after[1] == before[1]
    foot = "  <span>commit <b><bdi>1a2b3c4</bdi></b></span>\n"
    assert foot in after[0]
    assert "<v2>" not in after[0]
    added = [line for line in after[0].splitlines() if line not in before[0].splitlines()]
    assert len(added) == 2
    assert json.loads(plain.out)["digest"] in after[0]


def test_the_script_is_small() -> None:
    source = html_page._script()["script"]
    assert len(source.splitlines()) <= 200
    assert not re.search(r"innerHTML|localStorage|sessionStorage|eval\(|fetch\(|cookie", source)
