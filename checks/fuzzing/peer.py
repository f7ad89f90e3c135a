"""A server on this machine that answers every request with the same bytes, HTTP or not."""

from __future__ import annotations

import contextlib
import re
import socket
import socketserver
import threading
from collections.abc import Iterator

_HEAD_END = b"\r\n\r\n"
_SECONDS = 3


@contextlib.contextmanager
def serving(reply: bytes) -> Iterator[int]:
    """The port of a server that replies so, while the block runs."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            peer: socket.socket = self.request
            peer.settimeout(_SECONDS)
            with contextlib.suppress(OSError):
                while _request(peer):
                    peer.sendall(reply)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


def _request(peer: socket.socket) -> bool:
    """Reads one request with its body; False when the other side has gone."""
    held = b""
    while _HEAD_END not in held:
        more = peer.recv(65536)
        if not more:
            return False
        held += more
    head, _, body = held.partition(_HEAD_END)
    length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
    left = (int(length.group(1)) if length else 0) - len(body)
    while left > 0:
        left -= len(peer.recv(65536)) or left
    return True
