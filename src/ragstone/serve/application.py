"""The server as one application: what comes in, what is known, and whether it is well.

Pages are added with `pages`: routes that stand beside these, behind the same check of access.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from ragstone.serve.access import Access, Guarded
from ragstone.serve.ingest_routes import HANDLERS, Ingest
from ragstone.serve.openapi import description
from ragstone.serve.page_routes import nothing_here
from ragstone.serve.senders import WrongTokens


def application(
    ingest: Ingest,
    access: Access,
    *,
    ready: Callable[[], str],
    wrong: WrongTokens,
    troubles: Callable[[], str] = lambda: "",
    pages: Sequence[BaseRoute] = (),
    edits: bool = False,
    stop: Callable[[], None] = lambda: None,
) -> Guarded:
    """The application; `ready` says why the server takes nothing, `troubles` what else goes wrong,
    and `stop` is called last."""

    async def livez(request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(request: Request) -> Response:
        why = ready()
        if why:
            return PlainTextResponse(f"{why}\n", 503)
        degraded = troubles()
        # Records are taken all the same: another server would not do better.
        return PlainTextResponse(f"degraded: {degraded}\n" if degraded else "ok\n")

    async def openapi(request: Request) -> Response:
        return JSONResponse(description(edits=edits))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        stop()

    routes: list[BaseRoute] = [
        *ingest.routes(),
        Route("/livez", livez),
        Route("/readyz", readyz),
        Route("/openapi.json", openapi),
        *pages,
    ]
    handlers = {**HANDLERS, HTTPException: _plainly}
    inside = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    # A redirect would repeat the Host of the request, which is a stranger's word.
    inside.router.redirect_slashes = False
    return Guarded(inside, access, wrong)


async def _plainly(request: Request, error: Exception) -> Response:
    """Paths and methods that there are not, told as everything else is."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404 and "text/html" in request.headers.get("accept", ""):
        return await nothing_here(request, error)
    headers = error.headers if isinstance(error, HTTPException) else None
    reason = {404: "there is nothing at this path", 405: "this path takes another method"}
    return JSONResponse({"error": reason.get(status, "refused")}, status, headers=headers)
