"""What a server says of the records that it took: windows, alerts, Prometheus, a webhook."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from serve.recorded_hour import records
from serve.running_server import process_serving, serving, until
from written_spans import openinference, tracer

SECRET = "a secret of some length"
CONFIG = """
[serve]
late = "1s"
rolling = "5m"
samples = 10
[serve.alerts]
coverage = "< 0.70"
"""


def recent(minutes: range, each: int = 20) -> list[dict[str, Any]]:
    """Records of the last minutes; those of even numbers are not covered."""
    made = list(records(range(len(minutes)), each=each))
    # In the middle of their minutes, whenever the test runs.
    now = time.time_ns() // 10**6 // 60_000 * 60_000 + 30_000
    for number, value in enumerate(made):
        minute, within = divmod(number, each)
        value["ts"] = now - (minutes.stop - minute) * 60_000 + within
        value["answer"]["coverage"] = float(number % 2)
    return made


@pytest.fixture
def configured(tmp_path: Path) -> Path:
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    return tmp_path


def test_alerts_are_raised_shown_and_kept(configured: Path) -> None:
    with serving(configured) as server:
        server.send(*recent(range(5)))
        state = until(lambda: server.get("/v1/windows").json)
        assert state["rolling"]["coverage"]["value"] == 0.5
        found = server.get("/v1/alerts").json
        assert [alert["alert"] for alert in found["standing"]] == ["coverage"]
        assert (found["alerts"][0]["rule"], found["alerts"][0]["value"]) == ("< 0.7", 0.5)
        text = server.get("/metrics").body.decode()
        assert 'ragstone_window_value{metric="coverage"} 0.5' in text
        assert 'ragstone_alert{alert="coverage"} 1' in text
        assert "ragstone_records_stored_total 100" in text
        server.stop()
    data = configured / ".ragstone" / "live"
    kept = [json.loads(line) for line in (data / "alerts.jsonl").read_text().splitlines()]
    assert kept == found["alerts"]
    with serving(configured) as again:
        assert again.get("/v1/alerts").json["standing"] == found["standing"]
        assert again.get("/v1/alerts").json["alerts"] == found["alerts"]


def test_a_killed_server_counts_what_was_open_again(configured: Path) -> None:
    with process_serving(configured) as server:
        server.send(*recent(range(3)))
        server.stop(9)
    with serving(configured) as again:
        state = until(lambda: again.get("/v1/windows").json)
        assert sum(minute["records"] for minute in state["minutes"]) in (20, 40, 60)
        assert len(again.get("/v1/alerts").json["alerts"]) == 1


def test_spans_of_several_batches_become_traces_of_a_window(configured: Path) -> None:
    with serving(configured) as server:
        with tracer(OTLPSpanExporter(f"{server.url}/v1/traces")) as spans:
            # Each span is a batch of its own.
            for number in range(12):
                openinference(spans, f"Q{number}", "Who?", "Ada.", {"d1": "Ada wrote it."})
        later = {"question": "later", "retrieval": {}, "ts": time.time() + 200}
        assert server.send(later).status == 200
        state = until(lambda: server.get("/v1/windows").json)
        assert sum(minute["records"] for minute in state["minutes"]) == 12
        assert state["spans_left_out"] == {}


class Listener(HTTPServer):
    """Takes what a webhook sends; the first request gets an error."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hook)
        self.got: list[tuple[dict[str, str], bytes]] = []


class Hook(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(500 if len(self.server.got) == 1 else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def test_a_webhook_gets_alerts_signed_and_again_where_it_failed(
    configured: Path, listener: Listener
) -> None:
    url = f"http://127.0.0.1:{listener.server_port}/hook"
    with serving(configured, "--webhook", url, RAGSTONE_WEBHOOK_SECRET=SECRET) as server:
        server.send(*recent(range(3)))
        until(lambda: len(listener.got) >= 2)
    (first, again) = listener.got[:2]
    assert first[1] == again[1]
    signature = hmac.new(SECRET.encode(), again[1], hashlib.sha256).hexdigest()
    assert again[0]["X-Ragstone-Signature"] == f"sha256={signature}"
    assert json.loads(again[1])["alert"] == "coverage"


@pytest.mark.parametrize(
    ("words", "config", "said"),
    [
        (["--webhook", "http://127.0.0.1:9/"], "", "secret of at least 16 characters"),
        (["--webhook", "file:///etc/passwd"], "", "expected an address such as https://"),
        ([], "[serve]\nwebhook = 'http://127.0.0.1:9/'", "nobody has named ragstone.toml"),
        ([], "[serve.alerts]\ncoverage = 'low'", 'serve.alerts.coverage: expected "off" or a rule'),
        ([], "[serve.alerts]\ncoverage = '< 0.7 for 90s'", "expected whole minutes"),
        ([], "[serve.alerts]\ncoverge = 'off'", "unknown key serve.alerts.coverge"),
        ([], "[serve]\nsamples = 0", "serve.samples: expected a whole number from 1"),
        ([], "[serve]\nrolling = '90s'", "serve.rolling: expected whole minutes"),
        ([], "[serve]\nlate = '2h'", "serve.late: expected at most an hour"),
        ([], "[serve.baseline]\nllm = -5", "serve.baseline.llm: expected milliseconds above 0"),
        (["--gold", "none.jsonl"], "", "gold file none.jsonl does not exist"),
    ],
)
def test_what_cannot_be_watched_is_said_at_the_start(
    command: Command, folder: Folder, words: list[str], config: str, said: str
) -> None:
    folder.write("ragstone.toml", config)
    ran = command("serve", "--port", "0", *words)
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_forgetting_reaches_the_windows_too(configured: Path) -> None:
    with serving(configured) as server:
        values = recent(range(1))
        server.send(*values)
        body = json.dumps({"ids": [value["trace_id"] for value in values[:5]]}).encode()
        answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
        assert answer.json["forgotten"] == 5


def test_a_server_without_records_says_so(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.get("/v1/windows").json == {}
        assert server.get("/v1/alerts").json == {"standing": [], "roll_back": False, "alerts": []}
