"""A real server: the command as a process, on a free port of this machine."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# How long a request may take at most: where the machine is busy, a first page takes its time.
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """One `ragstone serve`, started, and its folder of data."""

    def __init__(
        self, folder: Path, *words: str, before: Sequence[str] = (), **environment: str
    ) -> None:
        self.folder = folder
        self.child = subprocess.Popen(
            [*before, sys.executable, "-m", "ragstone", "serve", "--port", "0", *words],
            cwd=folder,
            env={**_plain(os.environ), **environment},
            stderr=subprocess.PIPE,
        )
        assert self.child.stderr is not None
        self.said, found = "", None
        # What it says of its folder comes before the address, and all of it where there is none.
        while found is None and (line := self.child.stderr.readline().decode()):
            self.said += line
            found = re.search(r"listening on http://(.*):([0-9]+)", line)
        assert found, self.said
        self.port = int(found[2])
        self.last_words = b""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request on a connection of its own; `_` in the name of a header is `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def send(self, *records: Mapping[str, Any], **headers: str) -> Answer:
        """Records as one JSON object a line."""
        body = b"".join(json.dumps(each).encode() + b"\n" for each in records)
        headers.setdefault("Content_Type", "application/x-ndjson")
        return self.ask("POST", "/v1/records", body, **headers)

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.child.send_signal(number)
        assert self.child.stderr is not None
        with self.child.stderr:
            self.last_words = self.child.stderr.read()
        return self.child.wait(SECONDS)


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("RAGSTONE")}


@contextmanager
def serving(
    folder: Path, *words: str, before: Sequence[str] = (), **environment: str
) -> Iterator[Server]:
    """A server inside, which is gone afterwards; `before` are words before its command."""
    server = Server(folder, *words, before=before, **environment)
    try:
        yield server
    finally:
        if server.child.poll() is None:
            server.stop(signal.SIGKILL)
        elif server.child.stderr is not None:
            server.child.stderr.close()


def until(look: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What `look` finds, once it finds something."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)
    return found
