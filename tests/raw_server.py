"""A server over bare sockets that breaks HTTP in a chosen way, for the tests of `http:` targets.

Every reply says which question it is for, so an answer under another question is seen.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Send = Callable[[bytes], None]


def answer(q: str, **more: object) -> bytes:
    claim = {"claim": f"You asked: {q}", "citations": []}
    return json.dumps({"answer_json": claim, "retrieved_ids": [], **more}).encode()


def replying(value: object) -> Callable[[Send, str, int], None]:
    """Replies to everything with this value as JSON."""
    body = json.dumps(value).encode()

    def behave(send: Send, q: str, number: int) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    return behave


def reply(q: str, *headers: str, status: str = "200 OK", version: str = "1.1") -> bytes:
    """A whole reply; `headers` stand before the length of its body."""
    body = answer(q)
    lines = [f"HTTP/{version} {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


class RawServer:
    """Calls `behave(send, q, number)` for each request; `number` counts those of a connection.

    A behaviour that returns True ends the connection. `greeting` is sent to whoever connects.
    """

    def __init__(
        self, behave: Callable[[Send, str, int], object], greeting: bytes = b"", most: int = 10**6
    ) -> None:
        self.behave, self.greeting, self.most = behave, greeting, most
        self.connections = 0
        self.heads: list[str] = []
        self.bodies: list[Any] = []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/ask"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection:
                connection.sendall(self.greeting)
                for number, (head, body) in enumerate(_requests(connection)):
                    self.heads.append(head)
                    asked = json.loads(body or "null")
                    self.bodies.append(asked)
                    q = asked.get("q", "") if isinstance(asked, dict) else ""
                    if self.behave(connection.sendall, q, number) or number + 1 == self.most:
                        return
        except OSError:
            # The client has hung up, as it should.
            return


def _requests(connection: socket.socket) -> Iterator[tuple[str, bytes]]:
    with connection.makefile("rb") as file:
        while first := file.readline():
            head = first
            length = 0
            while (line := file.readline()) not in (b"\r\n", b""):
                head += line
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            yield head.decode("latin-1"), file.read(length)


@contextmanager
def raw_server(
    behave: Callable[[Send, str, int], object], greeting: bytes = b"", most: int = 10**6
) -> Iterator[RawServer]:
    server = RawServer(behave, greeting, most)
    try:
        yield server
    finally:
        server.socket.close()


def pause(seconds: float = 0.02) -> None:
    """Long enough for what was sent before to be read by itself."""
    time.sleep(seconds)
