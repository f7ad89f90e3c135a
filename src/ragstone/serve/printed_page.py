"""One page on standard output, without a port: the server's own routes, asked in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from ragstone.serve.page_routes import nothing_here


def printed_page(routes: Sequence[BaseRoute], address: str) -> tuple[int, bytes]:
    """The status and the body that a GET of this address is answered with."""
    app = Starlette(routes=routes, exception_handlers={404: nothing_here})
    app.router.redirect_slashes = False
    return asyncio.run(_asked(app, address))


async def _asked(app: Starlette, address: str) -> tuple[int, bytes]:
    parts = urlsplit(address)
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("utf-8", "surrogateescape"),
        "query_string": parts.query.encode("utf-8", "surrogateescape"),
        "root_path": "",
        "headers": [],
        "server": ("127.0.0.1", 0),
        "client": ("127.0.0.1", 0),
    }
    status, body = 500, b""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status, body
        status = message.get("status", status)
        body += message.get("body", b"")

    await app(scope, receive, send)
    return status, body
