"""The pages in a real browser, from a real server: what people come for, with and without scripts.

`RAGSTONE_SCREENSHOTS=docs/images` makes the pictures of the documentation on the way.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serve.recorded_hour import records
from serve.running_server import Server, serving, until
from shadow.made_pairs import answered, kept, pair

pytestmark = pytest.mark.browser
Opened = Callable[..., Any]
TOKEN = "a-token-of-some-length"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# The rules of these that look at colours: all else is the same by day and by night.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
UNFOLD = "document.querySelectorAll('details').forEach(each => each.open = true)"
PHONE = {"width": 390, "height": 844}
PAGES = ("/runs", "/runs/{run}", "/questions", "/questions/billing-01", "/compare")
MORE = ("/compare?a={before}&b={run}", "/live", "/live/rows?id={alert}", "/runs/none", "/sign-in")
MORE = (*MORE, "/live/canary")


@pytest.fixture(scope="module")
def place(
    ledger: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[str]]:
    recorded, digests = ledger
    folder = shutil.copytree(recorded, tmp_path_factory.mktemp("board") / "place")
    lost = [
        pair(
            number,
            live=answered(number, coverage=1.0),
            shadow=answered(number, coverage=float(number % 4 > 0), index="i2"),
        )
        for number in range(120)
    ]
    kept(folder / ".ragstone" / "live", lost)
    # These pairs are of the year's first day, and a server removes what is older than that.
    (folder / "ragstone.toml").write_text('[serve]\nkeep = "99999d"\n', encoding="utf-8")
    return folder, digests


@pytest.fixture(scope="module")
def server(place: tuple[Path, list[str]]) -> Iterator[Server]:
    with serving(place[0], RAGSTONE_TOKEN=TOKEN) as running:
        bearer = f"Bearer {TOKEN}"
        for begin in range(0, 52, 13):
            sent = running.send(*records(range(begin, begin + 13)), Authorization=bearer)
            assert sent.status == 200

        def last() -> bool:
            state = running.get("/live.json", Authorization=bearer).json
            return bool(state["minute"].endswith("00:48Z"))

        until(last)
        yield running


def sign_in(page: Any) -> None:
    page.goto("/sign-in?next=/live")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/live")


@pytest.fixture(scope="module")
def signed_in(browser: Any, server: Server) -> Any:
    """The cookie of somebody who has signed in."""
    context = browser.new_context(base_url=server.url)
    sign_in(context.new_page())
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def opened(browser: Any, server: Server, signed_in: Any) -> Iterator[Opened]:
    """Opens a page as somebody who has signed in; `page.heard` keeps complaints and requests."""
    contexts = []

    def go(path: str, **options: Any) -> Any:
        scripts = options.get("java_script_enabled", True)
        held = {"storage_state": signed_in} if scripts else {}
        contexts.append(browser.new_context(base_url=server.url, **held, **options))
        page = contexts[-1].new_page()
        if not scripts:
            # That people can sign in without them is told on the way.
            sign_in(page)
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("request", lambda request: page.heard.append(request.url))
        page.goto(path)
        return page

    yield go
    for context in contexts:
        context.close()


def filled(path: str, server: Server, digests: list[str]) -> str:
    state = server.get("/live.json", Authorization=f"Bearer {TOKEN}").json
    alert = next(each["id"] for each in state["alerts"] if each["alert"] == "coverage")
    return path.format(run=digests[2], before=digests[1], alert=alert)


# A server in a thread has a folder and an environment of its own while it runs.
ASKED_FOR = os.environ.get("RAGSTONE_SCREENSHOTS")
PICTURES = Path(ASKED_FOR).resolve() if ASKED_FOR else None


def pictured(page: Any, name: str) -> None:
    """Takes a picture where that is asked for."""
    if PICTURES:
        page.screenshot(path=str(PICTURES / f"serve-{name}.png"))


@pytest.mark.parametrize("scripts", [True, False])
def test_a_failing_question_is_found(opened: Opened, scripts: bool) -> None:
    page = opened("/", java_script_enabled=scripts)
    pictured(page, "runs")
    page.get_by_role("navigation", name="Ragstone").get_by_role("link", name="Questions").click()
    page.get_by_label("State").select_option("wrong")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name="billing-01").click()
    assert page.get_by_role("heading", level=1).inner_text() == "What does the Team plan cost?"
    assert "wrong since 2026-10-19" in page.locator(".board-top").inner_text()
    assert page.locator(".strip li").count() == 4
    assert "€29 per month" in page.get_by_role("main").inner_text()
    pictured(page, "question")
    # And on to a run that had it right.
    page.locator("#at3 summary").click()
    page.locator("#at3").get_by_role("link").click()
    assert page.get_by_role("heading", level=1).inner_text().strip() == "SHIP"


@pytest.mark.parametrize("scripts", [True, False])
def test_two_runs_are_compared(
    opened: Opened, place: tuple[Path, list[str]], scripts: bool
) -> None:
    page = opened("/compare", java_script_enabled=scripts)
    page.get_by_label("A, what it was").select_option(place[1][1])
    page.get_by_label("B, what it is now").select_option(place[1][2])
    page.get_by_role("button", name="Compare").click()
    assert f"a={place[1][1]}" in page.url
    assert "3 broke" in page.locator("#decision").inner_text()
    pictured(page, "compare")
    page.get_by_role("link", name="History of billing-01").first.click()
    assert "Question billing-01" in page.locator(".eyebrow").inner_text()


def test_a_run_leads_to_its_questions_from_the_table_of_all(
    opened: Opened, place: tuple[Path, list[str]]
) -> None:
    page = opened(f"/runs/{place[1][2]}#filter=keys-02")
    pictured(page, "run")
    page.get_by_role("link", name="history of keys-02", exact=True).click()
    assert "Question keys-02" in page.locator(".eyebrow").inner_text()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_alert_is_followed_to_its_rows(opened: Opened, scripts: bool) -> None:
    page = opened("/live", java_script_enabled=scripts)
    assert "1 alert stands" in page.locator(".board-verdict").inner_text()
    pictured(page, "live")
    row = (
        page.get_by_role("row")
        .filter(has_text="Cites what it should (coverage)")
        .filter(has_text="raised")
    )
    row.get_by_role("link", name="Rows behind it").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Cites what it should (coverage)"
    assert page.locator(".card").count() == 100
    assert "coverage 0.0" in page.locator(".card").first.inner_text()
    pictured(page, "alert")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_shadow_that_is_worse_is_followed_to_the_questions_that_show_why(
    opened: Opened, scripts: bool
) -> None:
    page = opened("/live", java_script_enabled=scripts)
    assert "Shadow: ROLL BACK" in page.get_by_role("main").inner_text()
    page.get_by_role("link", name="The evidence of 120 questions").click()
    assert "change of coverage is" in page.locator(".board-verdict").inner_text()
    assert page.get_by_role("img", name="The evidence after 120 questions").count() == 1
    assert "What is number 0?" in page.locator(".card").first.inner_text()
    assert "good-0" in page.locator(".card").first.inner_text()
    pictured(page, "canary")


def kept_out(page: Any) -> list[Any]:
    """What axe finds on a page that keeps a person out, by day and by night."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    for scheme, kind, values in (("light", "tag", WCAG), ("dark", "rule", OF_COLOURS)):
        page.emulate_media(color_scheme=scheme)
        wanted = {"runOnly": {"type": kind, "values": values}, "resultTypes": ["violations"]}
        found += [
            (scheme, each["id"], each["help"], [node["target"] for node in each["nodes"][:3]])
            for each in axe.run(page, options=wanted).response["violations"]
        ]
    return found


@pytest.mark.parametrize("path", PAGES + MORE)
def test_axe_finds_nothing_that_keeps_a_person_out(
    opened: Opened, server: Server, place: tuple[Path, list[str]], path: str
) -> None:
    page = opened(filled(path, server, place[1]), bypass_csp=True)
    page.evaluate(UNFOLD)
    assert kept_out(page) == []


def test_axe_finds_colours_that_cannot_be_told_apart_by_night(opened: Opened) -> None:
    page = opened("/runs", bypass_csp=True)
    night = "@media (prefers-color-scheme: dark) { h1 { color: #222 !important; } }"
    page.add_style_tag(content=night)
    assert [(scheme, rule) for scheme, rule, *_ in kept_out(page)] == [("dark", "color-contrast")]


@pytest.mark.parametrize("path", PAGES + MORE)
def test_a_page_fits_a_phone_and_asks_for_itself_alone(
    opened: Opened, server: Server, place: tuple[Path, list[str]], path: str
) -> None:
    address = filled(path, server, place[1])
    page = opened(address, viewport=PHONE)
    page.evaluate(UNFOLD)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    missing = "Failed to load resource: the server responded with a status of 404 (Not Found)"
    heard = [each for each in page.heard if each != missing]
    assert [each.removeprefix(server.url) for each in heard] == [address]


def test_a_person_signs_in_and_out(browser: Any, server: Server) -> None:
    context = browser.new_context(base_url=server.url)
    page = context.new_page()
    page.goto("/questions?state=wrong")
    assert "/sign-in?next=" in page.url
    page.get_by_label("Token").fill("a wrong one")
    page.get_by_role("button", name="Sign in").click()
    assert page.get_by_role("alert").inner_text() == "This is not the token."
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    assert page.url == f"{server.url}/questions?state=wrong"
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert TOKEN not in cookie["value"]
    page.get_by_role("button", name="Sign out").click()
    page.goto("/runs")
    assert "/sign-in" in page.url
    context.close()


def test_the_first_key_leads_past_the_bar(opened: Opened) -> None:
    page = opened("/runs")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
