"""An OpenAI-style chat endpoint for tests: `chat_server.py LOG`, which keeps what it was sent."""

from __future__ import annotations

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = {"path": self.path, "key": self.headers.get("Authorization"), "body": body}
        with Path(sys.argv[1]).open("a") as file:
            file.write(json.dumps(seen) + "\n")
        if body["model"] == "locked" and seen["key"] != "Bearer sesame-street":
            return self.say(401, {"error": "who are you?"})
        answer = {"message": {"role": "assistant", "content": self.words(body)}}
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        return self.say(200, {"choices": [answer], "usage": usage})

    def words(self, body: dict[str, object]) -> str:
        """Claims what the first evidence says; asked about secrets, cites what it never saw.

        The model `inventive` adds a figure of its own.
        """
        user = body["messages"][1]["content"]  # type: ignore[index]
        id, text = re.findall(r'evidence "([^"]+)">>>\n(.*)\n', user)[0]
        cited = ["stolen#1"] if "secret" in user else [id]
        text += " In 1999." if body["model"] == "inventive" else ""
        return json.dumps({"citations": cited, "claim": text, "constraints_echo": []})

    def say(self, status: int, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    print(server.server_port, flush=True)
    server.serve_forever()
