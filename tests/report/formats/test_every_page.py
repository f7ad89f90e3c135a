"""The pages of every suite in a real browser: accessible, readable on a phone, whole on paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from long_runs import each_once
from report.suite_pages import PAGES

pytestmark = pytest.mark.browser
Shown = Callable[..., Any]

UNFOLD = "document.querySelectorAll('details').forEach(each => each.open = true)"
# Words that are cut have their box cut too; words without a box are folded away.
BOXES = """
() => [...document.querySelectorAll('svg text')].map(each => {
  const box = each.getBoundingClientRect(), around = each.ownerSVGElement;
  const place = around.getScreenCTM(), ends = place ? place.e + around.width.baseVal.value : 0;
  const cut = around.getAttribute('overflow') === 'hidden' ? ends : box.right;
  const scale = each.getScreenCTM()?.a ?? 1;
  let root = around;
  while (root.ownerSVGElement) root = root.ownerSVGElement;
  return {
    words: each.textContent, size: parseFloat(getComputedStyle(each).fontSize) * scale,
    drawing: [...document.querySelectorAll('svg')].indexOf(root),
    left: box.left, right: Math.min(box.right, cut), top: box.top, bottom: box.bottom,
  };
}).filter(each => each.right > each.left)
"""
SMALL = """
() => [...document.querySelectorAll('main *, footer *')].filter(each =>
  [...each.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())
  && each.getClientRects().length && parseFloat(getComputedStyle(each).fontSize) < 11
).map(each => each.textContent.trim().slice(0, 60))
"""
NAMELESS = """
() => [...document.querySelectorAll('svg')].filter(each => {
  const named = each.closest('[aria-label], [aria-labelledby]');
  return !each.closest('[aria-hidden=true]') && !named && !each.parentElement.closest('svg');
}).map(each => each.outerHTML.slice(0, 200))
"""


@pytest.fixture
def shown(page_of: Callable[[str], Path], opened_file: Shown) -> Shown:
    def opened(name: str, **options: Any) -> Any:
        page = opened_file(page_of(name), **options)
        page.evaluate(UNFOLD)
        return page

    return opened


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *each_once(PAGES, ["light", "dark"]),
        pytest.param("context-100", "light", marks=pytest.mark.long),
    ],
)
def test_axe_finds_nothing_that_keeps_a_person_out(shown: Shown, name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = shown(name, color_scheme=scheme, bypass_csp=True)
    wanted = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    found = axe.run(page, options={"runOnly": wanted, "resultTypes": ["violations"]})
    violations = found.response["violations"]
    assert [
        (each["id"], each["help"], [node["target"] for node in each["nodes"][:3]])
        for each in violations
    ] == []
    assert page.evaluate(NAMELESS) == [], "a drawing without a name"


@pytest.mark.parametrize("name", [*PAGES, pytest.param("context-100", marks=pytest.mark.long)])
def test_words_in_drawings_are_readable_and_do_not_cover_one_another(
    shown: Shown, name: str
) -> None:
    page = shown(name, viewport={"width": 320, "height": 800})
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        boxes = page.evaluate(BOXES)
        assert [each for each in boxes if each["size"] < 10.99] == [], width
        assert page.evaluate(SMALL) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        drawings: dict[int, list[dict[str, Any]]] = {}
        for each in boxes:
            drawings.setdefault(each["drawing"], []).append(each)
        covered = [
            (one["words"], two["words"])
            for some in drawings.values()
            for place, one in enumerate(some)
            for two in filter(partial(_meet, one), some[place + 1 :])
        ]
        assert covered == [], width


def _meet(one: dict[str, Any], two: dict[str, Any]) -> bool:
    # The box of a text is as high as its font's tallest letters, which few words have.
    across = min(one["right"], two["right"]) - max(one["left"], two["left"])
    down = min(one["bottom"], two["bottom"]) - max(one["top"], two["top"])
    return across > 1 and down > 4


def test_a_hundred_systems_fit_on_a_page(shown: Shown) -> None:
    page = shown("context-100", viewport={"width": 1280, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = false)")
    assert page.evaluate("document.documentElement.scrollHeight") < 6000
    assert page.locator("figure.picture").count() == 1
    assert page.locator(".warnings li").count() <= 3
