"""The pages: what they show of a ledger, and that they show nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from builders import gold, trace
from command import Command, Folder, Process
from serve.board_pages import HERE, addresses, answered, board_over, data
from serve.recorded_ledger import QUESTIONS, record

from ragstone.report.private_texts import Texts
from ragstone.serve import drawn_pages
from ragstone.serve.asked import Asked
from ragstone.serve.page_fields import as_data
from ragstone.serve.page_routes import PAGES, Board, PageKind
from ragstone.suites.config_file import Config, read


def test_runs_are_listed_newest_first_with_what_they_came_to(
    board: Board, ledger: tuple[Path, list[str]]
) -> None:
    found = data(board, "/runs.json")
    digests = ledger[1]
    assert [row["run"] for row in found["runs"]] == digests[::-1]
    assert [row["decision"] for row in found["runs"]] == ["FAIL", "FAIL", "PASS", "PASS"]
    assert found["runs"][0]["labels"]["model"] == "large-2"
    assert [row["before"] for row in found["runs"]] == [*digests[-2::-1], ""]
    assert "precision" in found["runs"][0]["failing"]
    assert found["total"] == 4
    precision = next(tile for tile in found["trends"] if tile["name"] == "precision")
    assert precision["values"] == [0.875, 1.0, 0.625, 0.75]
    assert precision["status"] == "FAIL"
    # What fails is seen first; what passes and what was not tested follow by name.
    failing = [tile["status"] == "FAIL" for tile in found["trends"]]
    assert any(failing)
    assert failing == sorted(failing, reverse=True)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("decision=PASS", 2),
        ("decision=FAIL", 2),
        ("label=model%3Dsmall-2", 1),
        ("suite=answers", 4),
        ("suite=latency", 0),
        ("branch=none", 0),
    ],
)
def test_runs_are_filtered(board: Board, query: str, count: int) -> None:
    assert data(board, f"/runs.json?{query}")["total"] == count
    status, body = answered(board, f"/runs?{query}")
    assert status == 200
    assert ("No recording fits" in body) == (count == 0)


def test_a_run_is_its_report_with_a_way_on(board: Board, ledger: tuple[Path, list[str]]) -> None:
    one, two, three, four = ledger[1]
    found = data(board, f"/runs/{three}.json")
    assert (found["before"], found["after"]) == (two, four)
    assert found["report"]["digest"] == three
    _, body = answered(board, f"/runs/{three[:8]}")
    assert f'href="/compare?a={two}&amp;b={three}"' in body
    for qid in ("billing-01", "keys-02", "setup-03"):
        assert f'href="{HERE}{qid}"' in body
    assert 'data-history="/question?qid="' in body
    assert data(board, f"/runs/{one}.json")["before"] == ""


def test_the_questions_of_a_run_are_listed_wrong_ones_first(
    board: Board, ledger: tuple[Path, list[str]]
) -> None:
    found = data(board, f"/questions.json?run={ledger[1][2]}")
    states = [row["state"] for row in found["questions"]]
    assert states == ["wrong"] * 3 + ["right"] * 5
    assert found["steps"]
    step = found["questions"][0]["failed"][0]
    some = data(board, f"/questions.json?run={ledger[1][2]}&failed={quote(step)}")
    assert 0 < some["total"] <= 3
    # By the words of the answer, in any case.
    said = data(board, f"/questions.json?run={ledger[1][2]}&text=COSTS%20%E2%82%AC29")
    assert [row["qid"] for row in said["questions"]] == ["billing-01"]
    # Without a run, those of the newest.
    assert data(board, "/questions.json")["run"] == ledger[1][3]


def test_a_question_shows_its_history(board: Board, ledger: tuple[Path, list[str]]) -> None:
    found = data(board, f"{HERE.replace('?', '.json?')}billing-01")
    history = found["history"]
    assert [each["run"] for each in history] == ledger[1][::-1]
    assert [each["state"] for each in history] == ["wrong", "wrong", "right", "right"]
    assert [each["as_before"] for each in history] == [True, False, True, False]
    assert history[0]["claim"] == "The Team plan costs €29 per month."
    assert history[0]["citations"] == ["billing#invoices"]
    assert found["wanted_ids"] == ["billing#plans"]
    assert found["turned"] == "wrong since 2026-10-19 09:30 UTC, right before"
    assert not found["gold_changed"]
    _, body = answered(board, "/questions/billing-01")
    assert "In the newest run" in body
    assert all(f'href="/runs/{digest}"' in body for digest in ledger[1])


def test_a_question_whose_gold_changed_says_so(tmp_path: Path) -> None:
    record(tmp_path, [{}])
    QUESTIONS["keys-01"], kept = ("How?", "every 30 days", "keys#rotation"), QUESTIONS["keys-01"]
    try:
        record(tmp_path, [{}])
    finally:
        QUESTIONS["keys-01"] = kept
    board = board_over(tmp_path)
    assert data(board, "/questions/keys-01.json")["gold_changed"]
    assert "The gold item changed" in answered(board, "/questions/keys-01")[1]
    assert not data(board, "/questions/keys-02.json")["gold_changed"]


def test_two_runs_are_compared(board: Board, ledger: tuple[Path, list[str]]) -> None:
    one, two = ledger[1][1:3]
    found = data(board, f"/compare.json?a={one}&b={two[:12]}")
    assert (found["a"], found["b"], found["refused"]) == (one, two, "")
    broke = [row["qid"] for row in found["report"]["broke"]]
    assert sorted(broke) == ["billing-01", "keys-02", "setup-03"]
    _, body = answered(board, f"/compare?a={one}&b={two}")
    assert "Right in A and wrong in B" in body
    assert f'href="{HERE}billing-01"' in body
    # Without two runs there is only the form.
    status, form = answered(board, "/compare")
    assert (status, "Compare two runs" in form) == (200, True)


def test_runs_of_two_suites_are_not_compared(folder: Folder, command: Command) -> None:
    folder.write("gold.jsonl", [gold("A1")])
    folder.write("trace.jsonl", [trace("A1")])
    assert command.score("--record").code == 0
    assert command("audit", "--trace", "trace.jsonl", "--record").code in (0, 1, 3)
    board = board_over(folder.work)
    runs = [row["run"] for row in data(board, "/runs.json")["runs"]]
    assert len(runs) == 2
    found = data(board, f"/compare.json?a={runs[0]}&b={runs[1]}")
    assert found["report"] is None
    assert "answers" in found["refused"]
    status, body = answered(board, f"/compare?a={runs[0]}&b={runs[1]}")
    assert (status, "These two are not compared" in body) == (200, True)


@pytest.mark.parametrize("texts", ["clip", "none"])
def test_texts_are_shown_as_the_settings_say(ledger: tuple[Path, list[str]], texts: Texts) -> None:
    board = board_over(ledger[0], texts)
    for address in addresses(ledger[1]).values():
        path, _, query = address.partition("?")
        for form in (address, f"{path}.json?{query}"):
            _, body = answered(board, form)
            assert ("What does the Team plan cost?" in body) <= (texts == "clip")
            assert ("costs €29" in body) <= (texts == "clip")
    # What is left out cannot be found out by looking for it, either.
    found = data(board, f"/questions.json?run={ledger[1][2]}&text=costs")
    assert texts == "clip" or found["total"] == len(QUESTIONS)


TEMPLATES = Path(drawn_pages.html_page.__file__).parent / "templates"
MENTIONED = {
    name
    for file in TEMPLATES.glob("board_*.j2")
    for name in re.findall(r"\bpage\.(\w+)", file.read_text(encoding="utf-8"))
}


class Watched:
    """A page that remembers which of its fields a template asked for."""

    def __init__(self, page: Any, seen: set[str]) -> None:
        self._page, self._seen = page, seen

    def __getattr__(self, name: str) -> Any:
        if name in {each.name for each in fields(self._page)}:
            self._seen.add(name)
        return getattr(self._page, name)


OF_RUNS = [kind for kind in PAGES if not kind.path.startswith("/live")]


@pytest.mark.parametrize("kind", OF_RUNS, ids=lambda kind: kind.path)
def test_a_page_and_its_data_say_the_same(
    board: Board, ledger: tuple[Path, list[str]], kind: PageKind
) -> None:
    path, _, query = addresses(ledger[1])[kind.path].partition("?")
    words = dict(pair.split("=") for pair in query.split("&") if pair)
    words |= {"run": ledger[1][2]} if "{run}" in kind.path else {}
    words |= {"qid": "billing-01"} if "qid" in kind.path else {}
    page, shown = kind.make(board, Asked(words))
    seen: set[str] = set()
    kind.draw(Watched(page, seen), shown)
    every = {each.name for each in fields(kind.page)}
    # Some are only asked for where there are several suites or pages.
    assert seen <= every <= seen | MENTIONED
    assert set(as_data(page)) == every
    assert set(data(board, f"{path}.json?{query}")) == every


@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.path)
def test_every_field_of_a_page_says_what_it_is(kind: PageKind) -> None:
    for each in _classes(kind.page):
        for field in fields(each):
            assert field.metadata["says"], (each, field.name)


def _classes(page: type) -> Iterator[type]:
    from typing import get_args, get_type_hints

    yield page
    for hint in get_type_hints(page).values():
        yield from (inside for inside in get_args(hint) if is_dataclass(inside))  # type: ignore[misc]


def test_get_prints_a_page_and_opens_no_port(
    ragstone: Process, ledger: tuple[Path, list[str]]
) -> None:
    place = ("--ledger", str(ledger[0] / ".ragstone"))
    ran = ragstone("serve", *place, "--get", "/runs.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["total"] == 4
    ran = ragstone("serve", *place, "--get", f"/runs/{ledger[1][0][:10]}")
    assert (ran.code, ran.out.startswith(b"<!doctype html>")) == (0, True)
    for address in ("/runs/none.json", "/nothing.json"):
        ran = ragstone("serve", *place, "--get", address)
        assert (ran.code, list(ran.json)) == (1, ["error"])


def test_the_texts_of_the_file_hold_for_pages(folder: Folder) -> None:
    from ragstone.serve.board import board_of

    path = folder.write("ragstone.toml", "[report]\ntexts = 'none'\n[ledger]\npath = 'kept'\n")
    found = board_of(read(path), None)
    assert (found.texts, Path(found.runs.store.place).name) == ("none", "kept")
    assert board_of(Config(), "elsewhere").runs.store.place == "elsewhere"
