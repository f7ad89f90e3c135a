"""No thread of the server ends in silence: what goes wrong is shown, and the work goes on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from serve.running_server import ServerProcess, process_serving, serving, until
from serve.test_watched_server import CONFIG, SECRET, recent

# Breaks a function of the server for as long as a file `broken` is there.
BREAKS = """
import importlib, os
module = importlib.import_module({module!r})
owner = getattr(module, {owner!r})
real = getattr(owner, {name!r})
def broken(*words, **named):
    if os.path.exists("broken"):
        raise KeyError("a text of a record")
    return real(*words, **named)
setattr(owner, {name!r}, broken)
"""
WORKERS = [
    ("windows", "ragstone.serve.minute_windows", "MinuteWindows", "advance"),
    ("windows", "ragstone.serve.minute_windows", "MinuteWindows", "add"),
    ("windows", "ragstone.serve.minute_windows", "MinuteWindows", "_judged"),
    ("windows", "ragstone.serve.minute_windows", "MinuteWindows", "save"),
    ("group commit", "ragstone.serve.journal_file", "JournalFile", "append"),
    ("canary", "ragstone.serve.canary_board", "CanaryBoard", "_read_on"),
    ("keeper", "ragstone.serve.live_store", "LiveStore", "seal"),
]


@contextmanager
def breakable(
    folder: Path, module: str, owner: str, name: str, *words: str
) -> Iterator[ServerProcess]:
    (folder / "ragstone.toml").write_text(CONFIG)
    (folder / "sitecustomize.py").write_text(BREAKS.format(module=module, owner=owner, name=name))
    with process_serving(folder, *words, PYTHONPATH=str(folder)) as server:
        yield server


def degraded(server: ServerProcess) -> str:
    said = server.get("/readyz").body.decode()
    return said if said.startswith("degraded") else ""


@pytest.mark.parametrize(("worker", "module", "owner", "name"), WORKERS)
def test_a_fault_that_nobody_foresaw_is_shown_and_the_work_goes_on(
    tmp_path: Path, worker: str, module: str, owner: str, name: str
) -> None:
    with breakable(tmp_path, module, owner, name) as server:
        (tmp_path / "broken").touch()
        first = server.send(*recent(range(3)))
        assert first.status == (500 if worker == "group commit" else 200)
        words = until(lambda: degraded(server))
        assert f"{worker}: unforeseen KeyError" in words
        assert "a text of a record" not in words
        page = server.get("/live", Accept="text/html").body.decode()
        assert "The server has trouble." in page
        assert f'worker_faults_total{{worker="{worker}"}}' in server.get("/metrics").body.decode()
        alerts = server.get("/v1/alerts").json["alerts"]
        alarms = [each for each in alerts if each["alert"] == "worker_faults"]
        assert [each["state"] for each in alarms] == ["raised"]
        assert server.get("/live/rows?id=" + quote(alarms[0]["id"])).status == 200
        (tmp_path / "broken").unlink()
        assert server.send(*recent(range(4, 8))).status == 200
        until(lambda: server.get("/readyz").body == b"ok\n")
        state = until(lambda: server.get("/v1/windows").json)
        assert sum(minute["records"] for minute in state["minutes"]) >= 20
        assert server.stop() == 0
        assert worker.encode() in server.last_words


class OddServer(threading.Thread):
    """Answers requests with the bytes that it is told, then each as it should be."""

    def __init__(self, *odd: bytes) -> None:
        super().__init__(daemon=True)
        self._odd = [*odd]
        self.asked = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]

    def run(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            with connection:
                connection.recv(65536)
                self.asked += 1
                reply = self._odd.pop(0) if self._odd else b"HTTP/1.1 204 No Content\r\n\r\n"
                connection.sendall(reply)


def test_odd_replies_do_not_end_the_webhook(tmp_path: Path) -> None:
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    odd = [
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 " + b"9" * 70_000,
        b"HTTP/1.1 204 x\r\n" + b"a: b\r\n" * 300,
    ]
    hook = OddServer(*odd)
    hook.start()
    url = f"http://127.0.0.1:{hook.port}/"
    with serving(tmp_path, "--webhook", url, RAGSTONE_WEBHOOK_SECRET=SECRET) as server:
        server.send(*recent(range(3)))
        until(lambda: hook.asked == 4)
        metrics = server.get("/metrics").body.decode()
        assert "ragstone_webhook_failed_total 0" in metrics
