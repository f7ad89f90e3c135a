"""The page in a real browser: quiet, alone, readable on a phone, and by day and by night."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report.report_builder import compared, nasty, passing, report, unmeasurable

from ragstone.report.formats import html_page
from ragstone.report.model import Report

pytestmark = pytest.mark.browser
Shown = Callable[..., Any]
PAGES = {
    "fail": report,
    "pass": passing,
    "unmeasurable": unmeasurable,
    "nasty": nasty,
    "compared": compared,
}
VERDICT = {"PASS": "SHIP", "FAIL": "DO NOT SHIP", "UNMEASURABLE": "UNDECIDED"}


@pytest.fixture
def shown(opened_file: Shown, tmp_path: Path) -> Shown:
    """Opens a report from a file; `page.heard` keeps its complaints and its requests."""

    def opened(what: Report, **options: Any) -> Any:
        file = tmp_path / "report.html"
        file.write_text(html_page.render(what), encoding="utf-8")
        return opened_file(file, **options)

    return opened


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_the_page_fits_its_screen_and_asks_for_nothing(shown: Shown, name: str, width: int) -> None:
    page = shown(PAGES[name](), viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.heard == []


@pytest.mark.parametrize("name", PAGES)
def test_the_decision_is_seen_first_even_without_javascript(shown: Shown, name: str) -> None:
    what = PAGES[name]()
    page = shown(
        what,
        java_script_enabled=False,
        viewport={"width": 390, "height": 800},
    )
    heading = page.get_by_role("heading", level=1)
    assert heading.inner_text().strip() == VERDICT[what.decision]
    box = heading.bounding_box()
    assert box["y"] + box["height"] < 400
    assert box["x"] + box["width"] <= 390
    assert page.heard == []


def test_a_card_folds_open_without_javascript(shown: Shown) -> None:
    page = shown(report(), java_script_enabled=False)
    question = page.get_by_text("Who signs the release?")
    assert not question.is_visible()
    page.get_by_text("A0090").click()
    assert question.is_visible()


def test_day_and_night_have_their_own_colours(shown: Shown) -> None:
    def painted(scheme: str) -> tuple[str, str]:
        page = shown(report(), color_scheme=scheme)
        style = "getComputedStyle(document.body)"
        return page.evaluate(f"[{style}.backgroundColor, {style}.color]")

    day, night = painted("light"), painted("dark")
    assert day[0] != night[0]
    assert day[1] != night[1]


def test_paper_is_white_whatever_the_screen_was(shown: Shown) -> None:
    page = shown(report(), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_no_script_of_the_data_runs(shown: Shown) -> None:
    page = shown(nasty("<img src=x onerror=document.title='owned'>"))
    assert page.locator("img").count() == 0
    assert "owned" not in page.title()
