"""A live app behind a mirror, served by a real uvicorn on a free port of this machine."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from ragstone.shadow.mirror_app import App, Message, Receive, Send

JSON = (b"content-type", b"application/json")


def live_reply(q: str) -> dict[str, Any]:
    answer = {"claim": f"live: {q}", "citations": ["d1"]}
    texts = {"retrieved_ids": ["d1"], "retrieved_texts": [f"about {q}"], "index_hash": "now"}
    return {"answer_json": answer, **texts, "λ_states": ["<>", "→"], "λ_final": "→"}


async def read(receive: Receive) -> bytes:
    """The whole body of a request."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def respond(send: Send, *parts: bytes, status: int = 200, headers: Any = (JSON,)) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    for part in parts[:-1]:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": parts[-1]})


async def lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def plain_app(scope: Message, receive: Receive, send: Send) -> None:
    """Answers every question, in the shape of our own targets."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    body = await read(receive)
    asked = json.loads(body) if body else {}
    await respond(send, json.dumps(live_reply(asked.get("q", ""))).encode())


class Running:
    """One app that is served."""

    def __init__(self, app: App, **more: Any) -> None:
        config = uvicorn.Config(app, log_config=None, **{"lifespan": "on", **more})
        self._server = uvicorn.Server(config)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def ask(
        self, body: Any, path: str = "/ask", method: str = "POST", **headers: str
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            given = {"Content-Type": "application/json"}
            given |= {name.replace("_", "-"): value for name, value in headers.items()}
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, data, given)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask_in_parts(self, parts: Iterator[bytes]) -> tuple[int, bytes]:
        """One request whose body has no length: it comes in chunks."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            given = {"Content-Type": "application/json"}
            connection.request("POST", "/ask", parts, given, encode_chunked=True)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        self._socket.close()


@contextmanager
def running(app: App, **more: Any) -> Iterator[Running]:
    served = Running(app, **more)
    try:
        yield served
    finally:
        served.stop()


async def other_shape(scope: Message, receive: Receive, send: Send) -> None:
    """Answers in a shape of its own."""
    await read(receive)
    await respond(send, b'{"output": {"text": "30 days.", "sources": [{"id": "d7"}]}, "v": "i9"}')
