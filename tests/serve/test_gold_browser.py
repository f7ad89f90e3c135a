"""A failing question becomes gold in a real browser, and the next run scores it.

`RAGSTONE_SCREENSHOTS=docs/images` makes the pictures of the documentation on the way.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import write_jsonl
from command import ragstone
from serve.recorded_ledger import QUESTIONS, trace_lines
from serve.running_server import Server, serving
from serve.test_board_browser import PHONE, TOKEN, kept_out, pictured

pytestmark = pytest.mark.browser
Opened = Callable[..., Any]
TEXTS = {
    cited: f"As of this year it is {phrase}. Whoever has an older contract asks the owner."
    for _, phrase, cited in QUESTIONS.values()
}
TEXTS["keys#storage"] = "The keys of an account rest in a sealed drawer.\nNobody reads them there."
GIVEN = ("--edit-gold", "--gold", "gold.jsonl", "--texts", "texts.jsonl")
# A live record that cites what was not retrieved, with the texts of its chunks.
LIVE = {
    "q": "How do I move a relay?",
    "trace_id": "live-1",
    "retrieved_ids": ["relay#move", "relay#stop"],
    "retrieved_texts": ["Stop the relay, then copy its folder.", "A relay stops within a second."],
    "answer_json": {"claim": "Stop it, then copy its folder.", "citations": ["nowhere#1"]},
    "ts": 1_767_225_600_000,
}


@pytest.fixture
def place(ledger: tuple[Path, list[str]], tmp_path: Path) -> Path:
    """A ledger and a gold set of its own for each test, for they are changed."""
    folder = shutil.copytree(ledger[0], tmp_path / "place")
    write_jsonl(folder / "texts.jsonl", ({"id": i, "text": t} for i, t in TEXTS.items()))
    return folder


@pytest.fixture
def server(place: Path) -> Iterator[Server]:
    with serving(place, *GIVEN) as running:
        yield running


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Opened]:
    """A page in a browser of its own: each has its own cookies."""
    contexts = []

    def go(path: str, **options: Any) -> Any:
        contexts.append(browser.new_context(base_url=server.url, **options))
        page = contexts[-1].new_page()
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.goto(path)
        return page

    yield go
    for context in contexts:
        context.close()


def held(place: Path) -> dict[str, dict[str, Any]]:
    lines = (place / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    return {item["qid"]: item for item in map(json.loads, lines)}


def review(page: Any) -> None:
    page.get_by_role("button", name="Review the change").click()
    page.get_by_role("heading", name="Review the change", level=1).wait_for()


def sign(page: Any, name: str = "Ann Lee") -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Save", exact=True).click()


def lint(page: Any) -> str:
    return str(page.locator("#lint-said").inner_text())


def test_a_failing_question_becomes_gold_and_the_next_run_scores_it(
    opened: Opened, place: Path
) -> None:
    before = (place / "gold.jsonl").read_bytes().splitlines()
    frozen = ("gold", "freeze", "gold.jsonl", "--who", "Ben", "--why", "new")
    assert ragstone(*frozen, cwd=place).code == 0
    page = opened("/questions/keys-02", viewport={"width": 1100, "height": 900})
    page.get_by_role("link", name="Take into gold").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Edit the gold item"
    assert "Keys are stored on disk" in page.locator(".claim").inner_text()
    # Marks words with the mouse, and they become proof.
    text = page.get_by_label("Text of keys#storage")
    text.evaluate("area => { area.focus(); area.setSelectionRange(28, 46) }")
    row = page.locator(".chunks > li").filter(has=text)
    row.get_by_role("button", name="Use the marked words as proof").click()
    assert page.get_by_label("Words that prove").input_value() == "in the vault\nin a sealed drawer"
    page.get_by_label("Paraphrases").fill("Where do the keys rest?")
    # One of the phrases is in the text now, and lint has seen it.
    page.get_by_text("nothing to mend").wait_for()
    page.evaluate("scrollTo(0, document.getElementById('evidence').offsetTop - 20)")
    pictured(page, "gold-edit")
    review(page)
    assert "in a sealed drawer" in page.locator(".change").inner_text()
    pictured(page, "gold-review")
    sign(page)
    page.get_by_role("heading", name="Saved", level=1).wait_for()
    assert "Frozen by Ann Lee" in page.get_by_role("main").inner_text()
    assert page.heard == []
    # One line changed, and no other.
    after = (place / "gold.jsonl").read_bytes().splitlines()
    assert [old for old, new in zip(before, after, strict=True) if old != new] == [before[-1]]
    item = held(place)["keys-02"]
    assert item["gold_claim_substr"] == ["in the vault", "in a sealed drawer"]
    assert item["paraphrases"] == ["Where do the keys rest?"]
    assert item["accepted"]["by"] == "Ann Lee"
    assert item["accepted"]["from"].startswith("run ")
    assert ragstone("gold", "verify", "gold.jsonl", cwd=place).code == 0
    # What is right by the new words alone passes now.
    said = trace_lines({"keys-02": ("They rest in a sealed drawer.", "keys#storage")})
    write_jsonl(place / "trace.jsonl", said)
    ran = ragstone("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json", cwd=place)
    assert (ran.code, ran.json["offenders"]) == (0, [])


@pytest.mark.parametrize("scripts", [True, False])
def test_a_live_question_becomes_a_new_item(
    opened: Opened, server: Server, place: Path, scripts: bool
) -> None:
    assert server.send(LIVE).json["stored"] == 1
    from ragstone.serve.seen_questions import stored_lines

    ((line,), _) = stored_lines(place / ".ragstone/live")
    page = opened(f"/gold/edit?record={line.id}&at={line.moment}", java_script_enabled=scripts)
    assert page.get_by_role("heading", level=1).inner_text() == "Take into gold"
    # What is proposed stands in a text that was retrieved, and in the answer.
    assert page.get_by_label("Kind").input_value() == "words"
    assert page.get_by_label("Value").input_value() == "copy its folder"
    # A phrase may take its place.
    page.get_by_label("Kind").select_option("")
    assert page.get_by_label("Words that prove").input_value() == ""
    assert page.get_by_label("Name (qid)").input_value() == "how-do-i-move-a-relay"
    page.get_by_label("Words that prove").fill("its")
    if scripts:
        page.get_by_text("short_substring").wait_for()
    else:
        page.get_by_role("button", name="Check", exact=True).click()
        assert "short_substring" in lint(page)
    page.get_by_label("Words that prove").fill("copy its folder")
    review(page)
    sign(page, "")
    assert "Who saves this?" in page.get_by_role("alert").inner_text()
    page.get_by_label("Freeze the gold set").check()
    sign(page, "Zoë Ö.")
    page.get_by_role("heading", name="Saved", level=1).wait_for()
    item = held(place)["how-do-i-move-a-relay"]
    assert (item["question"], item["gold_citations"]) == (LIVE["q"], ["relay#move"])
    assert "gold_answer" not in item
    assert item["gold_claim_substr"] == ["copy its folder"]
    assert item["accepted"]["by"] == "Zoë Ö."
    told = ragstone("gold", "verify", "gold.jsonl", "--json", cwd=place).json
    assert (told["frozen"], told["items"], told["last"]["who"]) == (True, 9, "Zoë Ö.")
    # The next run has it as a question of its own.
    write_jsonl(place / "trace.jsonl", trace_lines({}))
    ran = ragstone("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl", "--json", cwd=place)
    assert [row["qid"] for row in ran.json["offenders"]] == ["how-do-i-move-a-relay"]


def test_of_two_people_the_second_is_told_and_nothing_is_lost(opened: Opened, place: Path) -> None:
    one, two = opened("/gold/edit?qid=keys-02"), opened("/gold/edit?qid=keys-02")
    third = opened("/gold/edit?qid=keys-01")
    one.get_by_label("Tags").fill("keys, vault")
    two.get_by_label("Paraphrases").fill("Where do keys lie?")
    third.get_by_label("Paraphrases").fill("How often are keys changed?")
    review(one)
    sign(one, "Ann")
    one.get_by_role("heading", name="Saved", level=1).wait_for()
    # The second is told, sees what changed, and what was typed is still there.
    two.get_by_role("button", name="Review the change").click()
    assert "has changed since you began" in two.get_by_role("alert").inner_text()
    theirs = two.locator("#theirs + .scroll").inner_text()
    assert '["keys", "vault"]' in theirs
    mine = two.locator("section", has=two.locator("#yours"))
    assert "Where do keys lie?" in mine.inner_text()
    assert "tags" not in mine.locator(".change").inner_text()
    pictured(two, "gold-second")
    sign(two, "Ben")
    two.get_by_role("heading", name="Saved", level=1).wait_for()
    # And so is one who works on another item.
    review(third)
    sign(third, "Cem")
    third.get_by_role("heading", name="Saved", level=1).wait_for()
    items = held(place)
    assert items["keys-02"]["tags"] == ["keys", "vault"]
    assert items["keys-02"]["paraphrases"] == ["Where do keys lie?"]
    assert items["keys-01"]["paraphrases"] == ["How often are keys changed?"]
    assert len(items) == 8


def test_two_who_change_the_same_words_are_told_so(opened: Opened, place: Path) -> None:
    one, two = opened("/gold/edit?qid=keys-02"), opened("/gold/edit?qid=keys-02")
    for page, words in ((one, "a vault of steel"), (two, "a vault of stone")):
        page.get_by_label("Words that prove").fill(words)
        review(page)
    sign(one, "Ann")
    one.get_by_role("heading", name="Saved", level=1).wait_for()
    sign(two, "Ben")
    assert "Both of you changed phrases" in two.get_by_role("main").inner_text()
    two.get_by_role("button", name="Back to editing").click()
    words = two.get_by_label("Words that prove")
    assert words.input_value() == "a vault of stone"
    words.fill("a vault of stone\na vault of steel")
    review(two)
    sign(two, "Ben")
    two.get_by_role("heading", name="Saved", level=1).wait_for()
    assert held(place)["keys-02"]["gold_claim_substr"] == ["a vault of stone", "a vault of steel"]


def test_words_are_marked_by_keyboard_alone(opened: Opened) -> None:
    page = opened("/gold/edit?qid=keys-02")
    text = page.get_by_label("Text of keys#storage")
    text.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("No change.")
    for _ in range(8):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "use needs-script"
    page.keyboard.press("Enter")
    assert page.get_by_label("Words that prove").input_value().endswith("\nThe keys")


def test_a_typed_answer_is_linted_as_one_types(opened: Opened) -> None:
    page = opened("/gold/edit?qid=billing-03")
    page.get_by_label("Kind").select_option("number")
    page.get_by_label("Value").fill("fourteen")
    page.get_by_text("gold_answer").first.wait_for()
    page.get_by_role("button", name="Review the change").click()
    assert "cannot be saved yet" in page.get_by_role("alert").inner_text()
    page.get_by_label("Value").fill("14")
    page.get_by_label("Unit of a number").fill("days")
    review(page)
    assert '"gold_answer": {"number": 14, "unit": "days"}' in page.locator(".line").inner_text()


def test_axe_finds_nothing_in_the_editor(opened: Opened) -> None:
    page = opened("/gold/edit?qid=keys-02", bypass_csp=True)
    found = kept_out(page)
    page.get_by_label("Words that prove").fill("vault")
    review(page)
    found += kept_out(page)
    sign(page)
    page.get_by_role("heading", name="Saved", level=1).wait_for()
    found += kept_out(page)
    assert found == []


def test_the_editor_fits_a_phone(opened: Opened) -> None:
    page = opened("/gold/edit?qid=keys-02", viewport=PHONE)
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= PHONE["width"]
    page.get_by_label("Words that prove").fill("vault " * 40)
    review(page)
    assert page.evaluate(wide) <= PHONE["width"]
    assert page.heard == []


def test_a_page_of_another_site_writes_nothing(opened: Opened, server: Server, place: Path) -> None:
    """Not with a form that it posts in the browser of somebody who edits."""
    before = (place / "gold.jsonl").read_bytes()
    page = opened("/gold/edit?qid=keys-02")
    fields = page.evaluate("Object.fromEntries(new FormData(document.getElementById('gold-form')))")
    fields |= {"do": "save", "by": "Mallory", "question": "Hacked?"}
    other = page.context.new_page()
    # Another host of this machine is another site, whose page knows every field of the form.
    other.route("http://localhost:1/", lambda route: route.fulfill(
        content_type="text/html", body="<form method=post></form>"
    ))  # fmt: skip
    other.goto("http://localhost:1/")
    with other.expect_navigation() as navigated:
        other.evaluate(
            """([address, fields]) => {
                const form = document.forms[0];
                form.action = address;
                for (const [name, value] of Object.entries(fields)) {
                    const input = document.createElement("input");
                    input.name = name; input.value = value; form.append(input);
                }
                form.submit();
            }""",
            [f"{server.url}/gold/edit", fields],
        )
    assert navigated.value.status == 403
    assert (place / "gold.jsonl").read_bytes() == before


def test_with_a_token_only_who_asks_for_it_edits(browser: Any, place: Path) -> None:
    with serving(place, *GIVEN, RAGSTONE_TOKEN=TOKEN) as server:
        context = browser.new_context(base_url=server.url)
        page = context.new_page()

        def enter() -> None:
            page.get_by_label("Token").fill(TOKEN)
            page.get_by_role("button", name="Sign in").click()

        page.goto("/questions/keys-02")
        enter()
        page.get_by_role("link", name="Take into gold").click()
        # It is asked for again, with the wish to edit.
        assert page.get_by_label("I want to edit the gold set").is_checked()
        page.get_by_label("I want to edit the gold set").uncheck()
        enter()
        assert "/sign-in" in page.url
        page.get_by_label("I want to edit the gold set").check()
        enter()
        assert page.get_by_role("heading", level=1).inner_text() == "Edit the gold item"
        page.get_by_label("Tags").fill("keys, vault")
        review(page)
        sign(page)
        page.get_by_role("heading", name="Saved", level=1).wait_for()
        page.get_by_role("button", name="Sign out").click()
        page.goto("/gold/edit?qid=keys-02")
        assert "/sign-in" in page.url
        context.close()
    assert held(place)["keys-02"]["tags"] == ["keys", "vault"]
