"""`https://`: a certificate is checked, always."""

from __future__ import annotations

import gc
import json
import shutil
import ssl
import threading
import time
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from running import run, words

from ragstone.cli.main import main

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        data = json.dumps({"answer_json": {"claim": "X."}, "retrieved_ids": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""


@pytest.fixture
def url(certificate):
    key, made = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # a client that hangs up is what is tested
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://localhost:{server.server_port}/ask"
    server.shutdown()
    server.server_close()


def test_a_server_with_a_known_certificate_is_asked(
    url, certificate, questions, tmp_path, monkeypatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    found = run(questions(3), url, tmp_path / "t.jsonl", "--concurrency", "2")
    assert [line["answer_json"]["claim"] for line in found] == ["X."] * 3


def test_a_server_that_does_not_say_goodbye_leaves_no_connection_open(
    url, certificate, questions, tmp_path, monkeypatch
):
    answer = Handler.do_POST

    def linger(handler: Handler) -> None:
        answer(handler)
        time.sleep(1)

    monkeypatch.setattr(Handler, "do_POST", linger)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    gc.collect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(questions(1), url, tmp_path / "t.jsonl")
        gc.collect()
    assert [str(each.message) for each in caught if each.category is ResourceWarning] == []


def test_the_authorities_to_trust_can_be_given(url, certificate, questions, tmp_path, capsys):
    key, made = certificate
    found = run(questions(1), url, tmp_path / "t.jsonl", "--ca", str(made))
    assert found[0]["answer_json"]["claim"] == "X."
    assert main(words(questions(1), url, tmp_path / "u.jsonl", "--ca", str(key))) == 2
    assert f"--ca {key}: it has no certificate" in capsys.readouterr().err


def test_a_server_with_an_unknown_certificate_gets_no_question(url, questions, tmp_path):
    (line,) = run(questions(1), url, tmp_path / "t.jsonl")
    assert line["reason"] == "transport"
    assert line["error"].startswith("its certificate: ")
