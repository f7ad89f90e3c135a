"""A real HTTP pipeline for tests: `pipeline_server.py PORT ASKED`, where ASKED logs what was asked.

The path says how it behaves; a question is answered with itself, so every answer can be checked.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SLOW = 0.004


class Pipeline(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: dict[str, int] = {}  # noqa: RUF012 (one server, one process)
    in_flight = most_in_flight = 0
    lock = threading.Lock()
    asked = Path()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            kind = type(self)
            times = kind.seen[body["q"]] = kind.seen.get(body["q"], 0) + 1
            with self.asked.open("a") as file:
                file.write(json.dumps(self.seen_as(body)) + "\n")
        self.behave(self.path.partition("?")[0].strip("/"), body, times)

    def most_while_waiting(self) -> int:
        kind = type(self)
        with self.lock:
            kind.in_flight += 1
            kind.most_in_flight = max(kind.most_in_flight, kind.in_flight)
        time.sleep(SLOW)
        # Before the reply is sent: the client may ask again as soon as it has read it.
        with self.lock:
            kind.in_flight -= 1
            return kind.most_in_flight

    def seen_as(self, body: dict[str, Any]) -> dict[str, Any]:
        return {
            "body": body,
            "path": self.path,
            "at": time.monotonic(),
            "from": self.client_address[1],
            "authorization": self.headers.get("Authorization"),
        }

    def behave(self, path: str, body: dict[str, Any], times: int) -> None:
        answer = {
            "answer_json": {"claim": f"You asked: {body['q']}", "citations": ["p1#1"]},
            "retrieved_ids": ["p1#1", "p1#2"],
            "stage_ms": {"retrieval": 1.5},
        }
        if path == "busy" and times == 1:
            return self.say(429, b"{}", {"Retry-After": "1"})
        if path == "broken" and times <= 2:
            return self.say(503, b"{}")
        if path == "refused":
            return self.say(400, b"{}")
        if path == "moved":
            return self.say(302, b"", {"Location": "/ask"})
        if path == "cut":
            self.close_connection = True
            return None
        if path == "nonsense":
            return self.say(200, b"not json")
        if path == "stuck":
            time.sleep(30)
        if path == "most":
            answer["most"] = self.most_while_waiting()
        if path == "slow":
            time.sleep(SLOW)
        data = json.dumps(answer).encode()
        if path == "chunked":
            return self.say_in_chunks(data)
        if path == "old":
            self.close_connection = True
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + data[:9])
            self.wfile.flush()
            time.sleep(SLOW)
            self.wfile.write(data[9:])
            return None
        if path == "closing":
            return self.say(200, data, {"Connection": "close"})
        return self.say(200, data)

    def say(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def say_in_chunks(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        half = len(body) // 2
        for part in (body[:half], body[half:], b""):
            self.wfile.write(f"{len(part):x};note=1\r\n".encode() + part + b"\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    Pipeline.asked = Path(sys.argv[2])
    server = Server(("127.0.0.1", int(sys.argv[1])), Pipeline)
    print(server.server_port, flush=True)
    server.serve_forever()
