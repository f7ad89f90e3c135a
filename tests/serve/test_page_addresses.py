"""The addresses of the pages: every link has a page, and every other address an answer."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from builders import gold, trace
from command import Command, Folder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serve.board_pages import addresses, answered, board_over, data
from serve.recorded_ledger import record

from ragstone.serve import drawn_pages
from ragstone.serve.page_routes import PAGES, Board, PageKind


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
