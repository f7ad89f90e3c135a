"""How a person with a browser gives the token: a form, and a cookie that holds no token.

The cookie says until when it is good, and proves it with an HMAC under the token: a server needs to
remember nobody, and a new token ends every session. It only ever lets pages be read. Whoever asks
to edit the gold set gets a second one, which writes that and nothing else. What else writes needs
the token itself in a header, which no page of another site can set.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from ragstone.serve import drawn_pages
from ragstone.serve.access import COOKIE, EDIT_COOKIE, TOO_MANY, cookie_for
from ragstone.serve.page_routes import headers
from ragstone.serve.senders import WrongTokens, sender_of

_HOURS = 12
# The form has one short field.
_LONGEST = 4096
_FORM = "application/x-www-form-urlencoded"


class SignIn:
    """The form, what it is answered with, and the way out."""

    def __init__(self, token: str, wrong: WrongTokens, *, edits: bool = False) -> None:
        self._token, self._wrong, self._edits = token, wrong, edits

    def routes(self) -> list[Route]:
        return [
            Route("/sign-in", self.form),
            Route("/sign-in", self.enter, methods=["POST"]),
            Route("/sign-out", self.leave, methods=["POST"]),
        ]

    async def form(self, request: Request) -> Response:
        wants = request.query_params.get("edit") == "yes"
        return self._shown("", request.query_params.get("next", ""), wants=wants)

    async def enter(self, request: Request) -> Response:
        given = await _fields(request)
        if given is None:
            return self._shown("The form was not filled in as a browser does it.", "", 400)
        onward, wants = given.get("next", ""), given.get("edit") == "yes"
        if not hmac.compare_digest(_hashed(given.get("token", "")), _hashed(self._token)):
            if self._wrong.add(sender_of(request.client)):
                return self._shown(TOO_MANY, onward, 429, wants=wants)
            return self._shown("This is not the token.", onward, 401, wants=wants)
        answer = RedirectResponse(own_address(onward), 303, headers=headers())
        until = int(time.time()) + _HOURS * 3600
        for name in (COOKIE, *([EDIT_COOKIE] if wants and self._edits else [])):
            answer.set_cookie(
                name,
                cookie_for(self._token, until, name),
                max_age=_HOURS * 3600,
                httponly=True,
                samesite="strict",
                secure=request.url.scheme == "https",
            )
        return answer

    async def leave(self, request: Request) -> Response:
        answer = RedirectResponse("/sign-in", 303, headers=headers())
        for name in (COOKIE, *([EDIT_COOKIE] if self._edits else [])):
            answer.delete_cookie(name, httponly=True, samesite="strict")
        return answer

    def _shown(self, said: str, onward: str, status: int = 200, *, wants: bool = False) -> Response:
        page = drawn_pages.sign_in(said, own_address(onward), edits=self._edits, wants=wants)
        return HTMLResponse(page, status, headers=headers())


def _hashed(text: str) -> bytes:
    """Of the same length for every text, so that the comparison says nothing about it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


async def _fields(request: Request) -> dict[str, str] | None:
    """The fields of the form; None where it is too long, or no form."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        return None
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST:
            return None
    found = parse_qs(body.decode("utf-8", "replace"), max_num_fields=10)
    return {name: values[0] for name, values in found.items()}


def own_address(word: str) -> str:
    """Where to go on after the form: a page of this server, and of no other.

    >>> [own_address(each) for each in ("/runs?page=2", "//other.example", "https://other", "")]
    ['/runs?page=2', '/', '/', '/']
    """
    plain = word.startswith("/") and not word.startswith(("//", "/\\")) and word.isascii()
    return word if plain and word.isprintable() and len(word) <= 500 else "/"
