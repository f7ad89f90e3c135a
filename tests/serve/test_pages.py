"""The pages: what they show of a ledger, and that they show nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from builders import gold, trace
from command import Command, Folder, Process
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serve.recorded_ledger import QUESTIONS, record

from ragstone.ledger.run_store import RunStore
from ragstone.report.private_texts import Texts
from ragstone.serve import drawn_pages
from ragstone.serve.asked import Asked
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.page_fields import as_data
from ragstone.serve.page_routes import PAGES, Board, PageKind, Pages
from ragstone.serve.printed_page import printed_page
from ragstone.suites.config_file import Config, read

HERE = "/question?qid="


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("ledger")
    return folder, record(folder)


@pytest.fixture(scope="module")
def board(ledger: tuple[Path, list[str]]) -> Board:
    return board_over(ledger[0])


def board_over(folder: Path, texts: Texts = "all") -> Board:
    return Board(KnownRuns(RunStore(str(folder / ".ragstone"))), Config(), texts)


def answered(board: Board, address: str) -> tuple[int, str]:
    status, body = printed_page(Pages(board).routes(), address)
    return status, body.decode()


def data(board: Board, address: str) -> dict[str, Any]:
    status, body = answered(board, address)
    assert status == 200, body
    found: dict[str, Any] = json.loads(body)
    return found


def addresses(digests: list[str]) -> dict[str, str]:
    """An address of every page."""
    return {
        "/runs": "/runs",
        "/runs/{run}": f"/runs/{digests[2]}",
        "/questions": f"/questions?run={digests[2]}",
        "/questions/{qid:path}": "/questions/billing-01",
        "/question": f"{HERE}billing-01",
        "/compare": f"/compare?a={digests[1]}&b={digests[2]}",
    }


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
    # What fails is seen first.
    status = [tile["status"] for tile in found["trends"]]
    assert status == sorted(status, key=lambda word: word == "PASS")


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


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/runs/0000000000", 404, "no such run"),
        ("/runs/..%2F..%2Fetc", 404, ""),
        ("/runs/last", 404, "no such run"),
        ("/runs?page=0", 400, "page: expected a number"),
        ("/runs?page=7", 404, "there are only 1 pages"),
        ("/runs?page=1e3", 400, "page: expected a number"),
        ("/runs?decision=GOOD", 400, "decision: expected one of"),
        (f"/runs?label={'x' * 501}", 400, "label: expected at most 500"),
        ("/questions/none", 404, "no recorded run has this question"),
        ("/questions?state=bad", 400, "state: expected one of"),
        ("/question", 404, "no recorded run has this question"),
        ("/compare?a=00000000&b=00000001", 404, "no such run"),
        ("/other", 404, "nothing at this address"),
    ],
)
def test_what_is_not_there_is_said(board: Board, address: str, status: int, said: str) -> None:
    path, _, query = address.partition("?")
    for form in (address, f"{path}.json?{query}"):
        found, body = answered(board, form)
        assert (found, said in body) == (status, True), form


def test_a_folder_of_a_run_is_never_opened_by_its_path(
    board: Board, ledger: tuple[Path, list[str]]
) -> None:
    folder, digests = ledger
    place = folder / ".ragstone" / "runs" / digests[0]
    assert (place / "files.json").is_file()
    for word in (str(place), f".ragstone/runs/{digests[0]}", f"{digests[0]}/../{digests[1]}"):
        assert answered(board, f"/compare?a={quote(word, safe='')}&b={digests[1]}")[0] == 404
        assert answered(board, f"/runs/{quote(word, safe='')}")[0] == 404


def test_an_empty_ledger_has_pages(tmp_path: Path) -> None:
    board = board_over(tmp_path)
    for address in ("/", "/runs", "/questions", "/compare"):
        status, body = answered(board, address)
        assert (status, "Traceback" in body) == (200, False)
    assert "No run is recorded yet" in answered(board, "/runs")[1]


def test_a_damaged_run_is_told_without_a_path_of_this_machine(tmp_path: Path) -> None:
    (digest,) = record(tmp_path, [{}])
    place = tmp_path / ".ragstone" / "runs" / digest
    (place / "state.json").write_text("{}")
    (place / "rows.parquet").write_bytes(b"PAR1")
    board = board_over(tmp_path)
    for address in (f"/runs/{digest}", f"/runs/{digest}.json", "/questions"):
        status, body = answered(board, address)
        assert (status, "damaged" in body, str(tmp_path) in body) == (503, True, False)
    (next((place / "seen").iterdir())).write_text("{")
    assert data(board_over(tmp_path), "/runs.json")["damaged"] == 1


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


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.loads: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a" and found.get("href"):
            self.links.add(str(found["href"]))
        self.ids |= {str(found["id"])} if "id" in found else set()
        if tag != "a":
            self.loads += [(tag, str(found[name])) for name in ("src", "href") if name in found]


def test_every_link_of_every_page_leads_somewhere(
    board: Board, ledger: tuple[Path, list[str]]
) -> None:
    for address in addresses(ledger[1]).values():
        read = _Links()
        read.feed(answered(board, address)[1])
        assert read.loads == [("link", "data:,")]
        for link in sorted(read.links):
            if link.startswith("#"):
                assert link[1:] in read.ids, (address, link)
            elif link.split("?")[0] != "/live":
                assert answered(board, link)[0] == 200, (address, link)


@settings(max_examples=25)
@given(qid=st.text(min_size=1, max_size=40).filter(lambda text: text.strip() == text))
def test_any_qid_has_an_address(qid: str) -> None:
    from starlette.datastructures import QueryParams

    query = drawn_pages.question_link(qid).partition("?")[2]
    assert QueryParams(query)["qid"] == qid


def test_qids_of_any_spelling_have_a_page(folder: Folder, command: Command) -> None:
    qids = ["..", "a/b", "x.json", "a b?c#d", "<b>&\"'", "ä%2e", "0"]
    folder.write("gold.jsonl", [gold(qid) for qid in qids])
    folder.write("trace.jsonl", [trace(qid) for qid in qids])
    assert command.score("--record").code in (0, 1)
    board = board_over(folder.work)
    for qid in qids:
        status, body = answered(board, drawn_pages.question_link(qid))
        assert (status, "<b>&" in body) == (200, False), qid
        assert data(board, drawn_pages.question_link(qid).replace("?", ".json?"))["qid"] == qid
    body = answered(board, "/questions")[1]
    read = _Links()
    read.feed(body)
    assert {drawn_pages.question_link(qid) for qid in qids} <= read.links


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


WORDS = st.text(max_size=30) | st.sampled_from(["", "..", "%", "\x00", "1" * 40, "last", "a.json"])
NAMES = st.sampled_from(sorted({name for kind in PAGES for name in kind.query} | {"other"}))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(PAGES),
    words=st.lists(WORDS, min_size=2, max_size=2),
    query=st.dictionaries(NAMES, WORDS, max_size=4),
    json_wanted=st.booleans(),
)
def test_no_address_is_a_fault(
    board: Board, kind: PageKind, words: list[str], query: dict[str, str], json_wanted: bool
) -> None:
    path = re.sub(r"{[^}]+}", lambda _: quote(words[0], safe=""), kind.path)
    encoded = "&".join(f"{name}={quote(word)}" for name, word in query.items())
    status, body = answered(board, f"{path}{'.json' if json_wanted else ''}?{encoded}")
    assert status in (200, 400, 404), body
    assert "Traceback" not in body
