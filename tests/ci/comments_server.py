"""What GitHub's API offers for comments, on this machine: list, create, update; and who am I."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BOT = {"login": "github-actions[bot]", "type": "Bot"}
PLACE = "/repos/owner/name/issues"


class Comments:
    """The comments under pull requests, and every request that came, as (method, path)."""

    def __init__(self) -> None:
        self.held: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.tokens: set[str] = set()
        # Another status than 200 for whoever writes, or for every request.
        self.writing = self.everything = 200
        # Whose token it is; None is a workflow's, which may not ask.
        self.person: str | None = None
        self.url = ""

    def add(self, body: str, login: str = "somebody", kind: str = "User") -> dict[str, Any]:
        return self._new(body, {"login": login, "type": kind})

    def _new(self, body: str, user: dict[str, str]) -> dict[str, Any]:
        number = len(self.held) + 1
        made = {"id": number, "body": body, "user": user, "html_url": f"{self.url}/{number}"}
        self.held.append(made)
        return made

    def reply(self, method: str, path: str, sent: Any) -> tuple[int, Any]:
        self.requests.append((method, path))
        address = urlsplit(path)
        if self.everything != 200:
            return self.everything, {"message": "no"}
        if method != "GET" and self.writing != 200:
            return self.writing, {"message": "Resource not accessible by integration"}
        if (method, address.path) == ("GET", "/user"):
            return (200, {"login": self.person}) if self.person else (403, {"message": "no"})
        if (method, address.path) == ("GET", f"{PLACE}/1/comments"):
            asked = parse_qs(address.query)
            page, size = int(asked["page"][0]), int(asked["per_page"][0])
            return 200, self.held[(page - 1) * size : page * size]
        if (method, address.path) == ("POST", f"{PLACE}/1/comments"):
            user = {"login": self.person, "type": "User"} if self.person else BOT
            return 201, self._new(sent["body"], user)
        if method == "PATCH" and address.path.startswith(f"{PLACE}/comments/"):
            found = self.held[int(address.path.rpartition("/")[2]) - 1]
            found["body"] = sent["body"]
            return 200, found
        return 404, {"message": "Not Found"}


@contextmanager
def serving() -> Iterator[Comments]:
    """The server, while the block runs."""
    comments = Comments()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            sent = json.loads(self.rfile.read(length)) if length else None
            comments.tokens.add(self.headers.get("Authorization", ""))
            status, told = comments.reply(self.command, self.path, sent)
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = handle_any

        def log_message(self, *_: Any) -> None:
            """Requests are kept in `requests`, not printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    comments.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield comments
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
