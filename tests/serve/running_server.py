"""A real server on a free port of this machine: in a thread of this process, or as one of its own.

A process takes a second of processor time to start. Only what is about a process has one: signals,
a crash, what is on the disk by then, its start, its open files, and browsers that hold connections.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from socket import socket
from typing import Any

import pytest
import uvicorn

from ragstone.cli.main import main
from ragstone.serve import run_server

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
    """A `ragstone serve` that runs: what it is asked over HTTP, and the folder that it runs in."""

    folder: Path
    port: int

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


class ServerInThread(Server):
    """The same command in a thread of this process, until it is stopped."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self._code: int | None = None
        begun: Queue[tuple[uvicorn.Server, socket] | None] = Queue()

        def serve(server: uvicorn.Server, listening: socket) -> None:
            begun.put((server, listening))
            server.run(sockets=[listening])

        def run() -> None:
            try:
                self._code = main(["serve", "--port", "0", *words])
            finally:
                begun.put(None)

        # One that does not end fails its test, and holds nobody else up.
        self._thread = threading.Thread(target=run, daemon=True)
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stderr(io.StringIO()) as said,
        ):
            # What stays out are the handlers of signals, which only a main thread may have.
            patch.setattr(run_server, "_serve", serve)
            self._thread.start()
            started = begun.get(timeout=SECONDS)
        assert started, said.getvalue()
        self._server, self.port = started[0], started[1].getsockname()[1]

    def stop(self) -> int | None:
        """As a signal stops it; the exit code."""
        self._server.should_exit = True
        self._thread.join(SECONDS)
        assert not self._thread.is_alive(), "it does not end"
        return self._code


@contextmanager
def serving(folder: Path, *words: str, **environment: str) -> Iterator[ServerInThread]:
    """A server in a thread, with this folder and environment as those of the whole process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in os.environ.keys() - _plain(os.environ).keys():
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        server = ServerInThread(folder, *words)
        try:
            yield server
        finally:
            server.stop()


class ServerProcess(Server):
    """The same command as a process."""

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

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.child.send_signal(number)
        assert self.child.stderr is not None
        with self.child.stderr:
            self.last_words = self.child.stderr.read()
        return self.child.wait(SECONDS)


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("RAGSTONE")}


@contextmanager
def process_serving(
    folder: Path, *words: str, before: Sequence[str] = (), **environment: str
) -> Iterator[ServerProcess]:
    """A process that serves, which is gone afterwards; `before` are words before its command."""
    server = ServerProcess(folder, *words, before=before, **environment)
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
