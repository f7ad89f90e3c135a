"""The page of a trend in a real browser: alone, whole on a phone, and every point leads on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from command import ragstone
from recorded_history import gate, keep, metric, recording

pytestmark = pytest.mark.browser
Shown = Callable[..., Any]
LONG = "p95_relaxed[config=deep-and-wide-and-rather-long,rps=5,region=north-by-northwest]"


@pytest.fixture
def shown(opened_file: Shown, tmp_path: Path) -> Shown:
    """Opens the trend of a few recordings; `page.heard` keeps its complaints and its requests."""

    def opened(count: int, **options: Any) -> Any:
        limits = [">= 0.8" if number < count / 2 else ">= 0.85" for number in range(count)]
        values = [None if number == 1 else 0.78 + number / 200 for number in range(count)]
        keep(
            [
                recording(
                    number,
                    {"precision": gate(value, limit), LONG: gate(1840.5, "<= 2000")},
                    {"precision": metric(value), "p95_relaxed": metric(1840.5, unit="ms")},
                    branch="feature/" + "long" * 10,
                )
                for number, (value, limit) in enumerate(zip(values, limits, strict=True))
            ],
            tmp_path / ".ragstone",
        )
        assert ragstone("trend", "-o", "trend.html", cwd=tmp_path).code == 0
        return opened_file(tmp_path / "trend.html", **options)

    return opened


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("count", [1, 2, 40, 100])
def test_the_page_fits_its_screen_and_asks_for_nothing(
    shown: Shown, count: int, width: int
) -> None:
    page = shown(count, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.heard == []
    # Of the drawings, too, nothing is beyond the edge; a table may be scrolled.
    outside = page.evaluate(
        """() => [...document.querySelectorAll('.chart text, .chart .mark a')]
            .filter(each => each.getClientRects().length)
            .map(each => each.getBoundingClientRect())
            .filter(box => box.left < 0 || box.right > window.innerWidth).length"""
    )
    assert outside == 0


def test_a_point_leads_to_the_report_of_its_run(shown: Shown) -> None:
    page = shown(12, java_script_enabled=False)
    links = page.locator(".chart .mark a")
    # Every recording has a point of both lines; what was not measured stands on the ground.
    assert links.count() == 24
    links.first.click()
    assert page.title() == unquote(urlsplit(page.url).path).split("/")[-2]


def test_every_link_target_exists(shown: Shown) -> None:
    page = shown(12)
    found = page.evaluate(
        """[...document.querySelectorAll('a')]
            .map(each => new URL(each.getAttribute('href'), document.baseURI).href)"""
    )
    assert len(found) == 36
    assert [each for each in found if not Path(unquote(urlsplit(each).path)).is_file()] == []


def test_a_failing_point_has_another_shape(shown: Shown) -> None:
    page = shown(12)
    assert page.locator(".mark .fails").count() == 9
    assert page.locator(".mark .open").count() == 1
    title = page.locator(".mark title").nth(1).text_content()
    assert title.splitlines()[2:] == [
        *(
            "right and rightly cited (precision): –",
            "gate >= 0.8: UNMEASURABLE",
            "decision: UNMEASURABLE",
        )
    ]


def test_day_and_night_have_their_own_colours(shown: Shown) -> None:
    def painted(scheme: str) -> str:
        page = shown(2, color_scheme=scheme)
        return page.evaluate("getComputedStyle(document.querySelector('.chart .dot')).fill")

    assert painted("light") != painted("dark")


def test_paper_is_white_whatever_the_screen_was(shown: Shown) -> None:
    page = shown(2, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
