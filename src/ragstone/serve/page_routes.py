"""The pages of the server by their addresses: each as HTML, and the same data as JSON.

Every page is made by a GET and changes nothing. What an address names is looked up among what there
is; no path of it is ever opened. Two pages are made at a time, so that records keep coming in.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from ragstone.errors import InputError
from ragstone.report.formats.html_page import script_hash
from ragstone.report.private_texts import Texts
from ragstone.serve import drawn_pages
from ragstone.serve.alert_rows import AlertRowsPage, alert_rows_page
from ragstone.serve.asked import Asked
from ragstone.serve.canary_board import CanaryBoard
from ragstone.serve.canary_page import CanaryPage
from ragstone.serve.compare_page import ComparePage, compare_page
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.listed_questions import QuestionListPage, question_list_page
from ragstone.serve.live_board import LivePage, live_page
from ragstone.serve.live_source import LiveSource
from ragstone.serve.page_fields import Missing, as_data
from ragstone.serve.question_history import QuestionPage, question_page
from ragstone.serve.run_pages import RunListPage, RunPage, run_list_page, run_page
from ragstone.suites.config_file import Config

_AT_ONCE = 2
_WAIT = 20.0
DAMAGED = "what was recorded cannot be read, or is damaged: `ragstone runs show RUN` says more"


@dataclass(frozen=True, slots=True)
class Board:
    """What pages are made of: the ledger, the settings, and how much of texts they show."""

    runs: KnownRuns
    config: Config
    texts: Texts = "all"
    signs_out: bool = False
    live: LiveSource | None = None
    canary: CanaryBoard | None = None
    edits: bool = False


@dataclass(frozen=True, slots=True)
class PageKind:
    """A page: its address, its class, how its data is made, and how that is drawn."""

    path: str
    page: type
    says: str
    make: Callable[[Board, Asked], tuple[Any, Any]]
    draw: Callable[..., str]
    query: tuple[str, ...] = ()

    @property
    def json_path(self) -> str:
        return f"{self.path}.json"


def _runs(board: Board, asked: Asked) -> tuple[RunListPage, None]:
    return run_list_page(board.runs, asked), None


def _run(board: Board, asked: Asked) -> tuple[RunPage, Any]:
    return run_page(board.runs, asked, board.texts)


def _questions(board: Board, asked: Asked) -> tuple[QuestionListPage, None]:
    return question_list_page(board.runs, asked, board.texts), None


def _question(board: Board, asked: Asked) -> tuple[QuestionPage, Any]:
    return question_page(board.runs, asked, board.texts)


def _compare(board: Board, asked: Asked) -> tuple[ComparePage, Any]:
    return compare_page(board.runs, asked, board.config, board.texts)


def _live(board: Board, asked: Asked) -> tuple[LivePage, None]:
    brief = board.canary.brief() if board.canary is not None else None
    return live_page(board.live, asked, brief), None


def _canary(board: Board, asked: Asked) -> tuple[CanaryPage, None]:
    if board.canary is None:
        raise Missing(404, "no records are kept here: there is no shadow to watch")
    return board.canary.page(asked, board.texts), None


def _alert(board: Board, asked: Asked) -> tuple[AlertRowsPage, None]:
    return alert_rows_page(board.live, asked, board.texts), None


_LISTED = ("suite", "branch", "decision", "label", "page")
_ASKED = ("run", "suite", "state", "failed", "text", "page")
PAGES = (
    PageKind("/runs", RunListPage, "The runs of the ledger.", _runs, drawn_pages.run_list, _LISTED),
    PageKind("/runs/{run}", RunPage, "One run, with its report.", _run, drawn_pages.run),
    PageKind(
        "/questions",
        QuestionListPage,
        "The questions of a run.",
        _questions,
        drawn_pages.question_list,
        _ASKED,
    ),
    PageKind(
        "/questions/{qid:path}",
        QuestionPage,
        "One question, with its history over runs.",
        _question,
        drawn_pages.question,
        ("suite",),
    ),
    PageKind(
        "/question",
        QuestionPage,
        "The same, for any qid.",
        _question,
        drawn_pages.question,
        ("qid", "suite"),
    ),
    PageKind(
        "/compare",
        ComparePage,
        "Two runs side by side.",
        _compare,
        drawn_pages.compare,
        ("a", "b", "suite"),
    ),
    PageKind("/live", LivePage, "The live board.", _live, drawn_pages.live, ("refresh",)),
    PageKind(
        "/live/canary",
        CanaryPage,
        "The watched canary of a shadow: the decision and the evidence over time.",
        _canary,
        drawn_pages.canary,
        ("run",),
    ),
    PageKind(
        "/live/rows",
        AlertRowsPage,
        "The records behind an alert.",
        _alert,
        drawn_pages.alert_rows,
        ("id",),
    ),
)


class Pages:
    """Answers requests for pages."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._free = threading.BoundedSemaphore(_AT_ONCE)

    def routes(self) -> list[Route]:
        """The routes of all pages; those that end in `.json` come first, for they are longer."""
        return [
            *(Route(kind.json_path, partial(self._json, kind=kind)) for kind in PAGES),
            Route("/", partial(self._html, kind=PAGES[0])),
            *(Route(kind.path, partial(self._html, kind=kind)) for kind in PAGES),
        ]

    def _json(self, request: Request, kind: PageKind) -> Response:
        try:
            page, _ = self._made(request, kind)
        except Missing as missing:
            return JSONResponse({"error": str(missing)}, missing.status, headers=headers())
        return JSONResponse(as_data(page), headers=headers())

    def _html(self, request: Request, kind: PageKind) -> Response:
        more: dict[str, Any] = {"signs_out": self._board.signs_out, "edits": self._board.edits}
        try:
            page, shown = self._made(request, kind)
        except Missing as missing:
            said = drawn_pages.missing(missing, **more)
            return HTMLResponse(said, missing.status, headers=headers())
        query = urlencode([(name, text) for name, text in request.query_params.items()])
        address = request.url.path if request.url.path != "/" else "/runs"
        json = f"{address}.json" + (f"?{query}" if query else "")
        kept = [(name, text) for name, text in request.query_params.items() if name != "page"]
        more |= {"json": json, "query": urlencode(kept)}
        return HTMLResponse(kind.draw(page, shown, **more), headers=headers())

    def _made(self, request: Request, kind: PageKind) -> tuple[Any, Any]:
        asked = Asked({**dict(request.query_params.items()), **request.path_params})
        if not self._free.acquire(timeout=_WAIT):
            raise Missing(503, "too many pages are asked for at once; try again in a while")
        try:
            return kind.make(self._board, asked)
        except InputError:
            # Its words name files of this machine, which are nobody's business elsewhere.
            raise Missing(503, DAMAGED) from None
        finally:
            self._free.release()


async def nothing_here(request: Request, error: Exception) -> Response:
    """For an address that no page has."""
    found = Missing(404, "there is nothing at this address")
    if request.url.path.endswith(".json"):
        return JSONResponse({"error": str(found)}, found.status, headers=headers())
    return HTMLResponse(drawn_pages.missing(found), found.status, headers=headers())


def headers(script: str = "") -> dict[str, str]:
    """What every page tells the browser: to load nothing, to run one script, to keep nothing.

    A page with a `script` of its own, by its hash, may also ask this server.
    """
    asks = "connect-src 'self'; " if script else ""
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {asks}"
        f"script-src '{script or script_hash()}'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        # Also tells forms of ours that they come from here; other sites are told nothing.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
