"""The pages on which a question is taken over into gold: an editor, a review of the change, a save.

They are there only where whoever started the server asked for it. What writes must come from our
own page, in a form that was made for this browser; with a token, from somebody who asked to edit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ragstone.errors import InputError
from ragstone.report.formats.html_page import script_hash
from ragstone.serve import drawn_pages
from ragstone.serve.access import Access, cookies_in
from ragstone.serve.drawn_pages import GOLD_SCRIPT, question_link
from ragstone.serve.form_tokens import COOKIE, FormTokens, from_our_page
from ragstone.serve.gold_desk import GoldDesk, Looked, Turned
from ragstone.serve.gold_form import KINDS, MOST_BYTES, PLACE, Filled, filled, typed_fields
from ragstone.serve.page_fields import Missing
from ragstone.serve.page_routes import headers
from ragstone.tools.gold_draft import ACCEPTED
from ragstone.tools.gold_proposals import Seen
from ragstone.tools.gold_save import GoldChanged, not_signed_off
from ragstone.tools.gold_text import line_of

_SECONDS = 30.0
_FORM = "application/x-www-form-urlencoded"
# So much of a chunk is shown, and so many of them.
_TEXT, _CHUNKS = 8_000, 50
TOO_OLD = "This form is too old or of another browser: look it over, and press the button again."


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk in the editor."""

    id: str
    text: str
    cut: bool
    cited: bool
    chosen: bool

    @property
    def rows(self) -> int:
        """How many lines of it are seen at once."""
        return min(8, 2 + len(self.text) // 100 + self.text.count("\n"))


@dataclass(frozen=True, slots=True)
class Said:
    """What stands above the form: why nothing was saved, and what others have changed."""

    alert: str = ""
    turned: Turned | None = None
    status: int = 200


NOTHING = Said()


class GoldPages:
    """Answers requests of those who edit."""

    def __init__(self, desk: GoldDesk, access: Access) -> None:
        self._desk, self._access = desk, access
        self._tokens = FormTokens()

    def routes(self) -> list[Route]:
        return [
            Route("/gold/edit", self.begin),
            Route("/gold/edit", self.work, methods=["POST"]),
            Route("/gold/lint", self.lint, methods=["POST"]),
            Route("/gold/saved", self.saved),
        ]

    def begin(self, request: Request) -> Response:
        """The editor, for a question or a record."""
        given = {name: request.query_params.get(name, "")[:500] for name in PLACE}
        place = tuple((name, text) for name, text in given.items() if text)
        return self._told(request, lambda: self._editor(request, self._begun(place)))

    def _begun(self, place: tuple[tuple[str, str], ...]) -> Filled:
        return self._desk.begun(self._desk.seen(dict(place)), place)

    async def work(self, request: Request) -> Response:
        """What a button of the form asks for: check, review, go back, or save."""
        taken = await self._taken(request)
        if isinstance(taken, Response):
            return taken
        return await run_in_threadpool(self._told, request, lambda: self._worked(request, *taken))

    async def lint(self, request: Request) -> Response:
        """What is to be said of a draft, for the script of the editor."""
        taken = await self._taken(request)
        if isinstance(taken, Response):
            return taken
        form, fields = taken
        if not self._is_ours(request, fields):
            return JSONResponse({"error": TOO_OLD}, 403, headers=headers())
        try:
            looked = await run_in_threadpool(self._looked, form)
        except InputError as error:
            return JSONResponse({"error": self._without_paths(error)}, 503, headers=headers())
        weak = [{"rule": each.rule, "says": each.says} for each in looked.weak]
        return JSONResponse({"wrong": list(looked.wrong), "weak": weak}, headers=headers())

    def saved(self, request: Request) -> Response:
        """What a gold set has after a save."""
        return self._told(request, lambda: self._shown_saved(request))

    def _shown_saved(self, request: Request) -> Response:
        gold, qid = self._desk.gold(), request.query_params.get("qid", "")[:500]
        if qid not in gold.items:
            raise Missing(404, "the gold set has no such item")
        values = {
            "qid": qid,
            "item": gold.items[qid],
            "line": line_of(gold.items[qid], gold.text.record).decode(),
            "accepted": gold.items[qid].get(ACCEPTED),
            "freeze": gold.lock.freezes[-1] if gold.lock else None,
            "count": len(gold.items),
            "file": self._file,
        }
        return HTMLResponse(drawn_pages.gold_saved(**values, **self._more()), headers=headers())

    # --- what a request may do ---

    async def _taken(self, request: Request) -> tuple[Filled, dict[str, str]] | Response:
        """The form of a request, or why it is not taken."""
        if not from_our_page(request.headers):
            said = "the gold set is edited from pages of this server only"
            return JSONResponse({"error": said}, 403, headers=headers())
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            return JSONResponse({"error": "expected a form"}, 415, headers=headers())
        body = b""
        try:
            async with asyncio.timeout(_SECONDS):
                async for part in request.stream():
                    body += part
                    if len(body) > MOST_BYTES:
                        said = f"expected at most {MOST_BYTES:,} bytes"
                        return JSONResponse({"error": said}, 413, headers=headers())
            return filled(body)
        except TimeoutError:
            return JSONResponse({"error": "the form did not arrive"}, 408, headers=headers())
        except ValueError:
            return JSONResponse({"error": "too many fields"}, 400, headers=headers())

    def _is_ours(self, request: Request, fields: dict[str, str]) -> bool:
        given = cookies_in(request.headers.get("cookie", ""))
        return self._tokens.holds(given, self._person(request), fields.get("token", ""))

    def _person(self, request: Request) -> str:
        """Who a trusted proxy has signed in; "" where nobody has."""
        name = self._access.proxy_header
        return " ".join(request.headers.get(name, "").split())[:200] if name else ""

    def _told(self, request: Request, make: Callable[[], Response]) -> Response:
        """A page, or why there is none; no path of this machine is in it."""
        try:
            return make()
        except Missing as missing:
            page = drawn_pages.missing(missing, **self._more())
            return HTMLResponse(page, missing.status, headers=headers())
        except InputError as error:
            page = drawn_pages.missing(Missing(503, self._without_paths(error)), **self._more())
            return HTMLResponse(page, 503, headers=headers())

    @property
    def _file(self) -> str:
        return Path(self._desk.name).name

    def _without_paths(self, error: InputError) -> str:
        said = str(error).replace(self._desk.name, self._file)
        folder = str(Path(self._desk.name).resolve().parent)
        return said.replace(f"{folder}/", "")

    def _more(self) -> dict[str, Any]:
        return {"signs_out": bool(self._access.token), "edits": True}

    # --- what is shown ---

    def _worked(self, request: Request, form: Filled, fields: dict[str, str]) -> Response:
        person = self._person(request)
        form = replace(form, by=person or form.by)
        wanted = fields.get("do", "check")
        if not self._is_ours(request, fields):
            return self._editor(request, form, Said(TOO_OLD, status=403))
        form = self._desk.current(form)
        if form.since != self._desk.gold().digest:
            turned = self._desk.turned(form)
            alert = "This question has changed since you began. Nothing was saved, and what you "
            said = Said(f"{alert}wrote is still here.", turned, 409)
            return self._review(request, turned.filled, said)
        if wanted not in ("review", "save"):
            return self._editor(request, form)
        looked = self._looked(form)
        if looked.wrong:
            return self._editor(request, form, Said("This cannot be saved yet.", status=422))
        if wanted == "review":
            return self._review(request, form)
        return self._save(request, form)

    def _save(self, request: Request, form: Filled) -> Response:
        if not form.by:
            return self._review(request, form, Said("Who saves this? Write your name.", status=422))
        seen = self._seen(form)
        try:
            saved = self._desk.save(form, seen.id if seen else "the server")
        except GoldChanged:
            turned = self._desk.turned(form)
            alert = "Somebody saved at the same moment. What you wrote is still here."
            return self._review(request, turned.filled, Said(alert, turned, 409))
        except InputError as error:
            alert = f"Nothing was saved: {self._without_paths(error)}"
            return self._review(request, form, Said(alert, status=503))
        (qid,) = (*saved.changed.found.added, *saved.changed.found.changed)[:1] or (form.draft.qid,)
        onward = question_link(qid).replace("/question?", "/gold/saved?", 1)
        return RedirectResponse(onward, 303, headers=headers())

    def _seen(self, form: Filled) -> Seen | None:
        """What the editor was opened from; None where that is gone, and the draft stays."""
        try:
            return self._desk.seen(dict(form.place))
        except (Missing, InputError):
            return None

    def _looked(self, form: Filled) -> Looked:
        seen = self._seen(form)
        return self._desk.looked(form, seen.texts if seen else None)

    def _editor(self, request: Request, form: Filled, said: Said = NOTHING) -> Response:
        seen = self._seen(form)
        gold = self._desk.gold()
        kind, value, unit = typed_fields(form.draft.answer)
        page = drawn_pages.gold_edit(
            **self._shared(form, said),
            seen=seen,
            chunks=self._chunks(seen, form),
            kinds=KINDS,
            typed={"kind": kind, "value": value, "unit": unit},
            held=not_signed_off(replace(gold, name=self._file)),
            retrieval=gold.retrieval,
            token=self._token(request),
        )
        return self._with_mark(request, page, said.status, script_hash(GOLD_SCRIPT))

    def _chunks(self, seen: Seen | None, form: Filled) -> list[ShownChunk]:
        """What is chosen, and then what was cited and retrieved."""
        chosen = form.draft.citations
        cited = seen.citations if seen else ()
        found = (*cited, *(seen.retrieved if seen else ()))
        every = [*dict.fromkeys((*chosen, *found))][: _CHUNKS + len(chosen)]
        texts = {**self._desk.texts_of(every), **(seen.texts if seen else {})}
        return [
            ShownChunk(
                id,
                texts.get(id, "")[:_TEXT],
                cut=len(texts.get(id, "")) > _TEXT,
                cited=id in cited,
                chosen=id in chosen,
            )
            for id in every
        ]

    def _review(self, request: Request, form: Filled, said: Said = NOTHING) -> Response:
        gold, shared = self._desk.gold(), self._shared(form, said)
        item = shared["looked"].item
        page = drawn_pages.gold_review(
            **shared,
            change=self._desk.change(form, item),
            fields=form.fields(),
            person=self._person(request),
            frozen=gold.lock is not None,
            token=self._token(request),
        )
        return self._with_mark(request, page, said.status)

    def _shared(self, form: Filled, said: Said) -> dict[str, Any]:
        return {
            "form": form,
            "said": said,
            "looked": self._looked(form),
            "file": self._file,
            "new": not form.base,
            **self._more(),
        }

    def _token(self, request: Request) -> str:
        mark = self._mark(request)
        return self._tokens.token(mark, self._person(request))

    def _mark(self, request: Request) -> str:
        """The mark of this browser; one request has one, also where it is new."""
        if not hasattr(request.state, "mark"):
            given = cookies_in(request.headers.get("cookie", ""))
            request.state.mark = self._tokens.mark_of(given)
        return str(request.state.mark)

    def _with_mark(self, request: Request, page: str, status: int, script: str = "") -> Response:
        answer = HTMLResponse(page, status, headers=headers(script))
        answer.set_cookie(
            COOKIE,
            self._mark(request),
            path="/gold/",
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer
