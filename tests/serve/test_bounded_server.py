"""Strangers at the door: silent connections, halves of heads, and heads that are odd."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import trace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples
from serve.running_server import Server, process_serving, serving

from ragstone.serve.bounded_connection import HEAD_SECONDS, MOST

TOKEN = "a-token-of-some-length"
OTHER = "127.0.0.2"


@contextmanager
def silent(server: Server, count: int) -> Iterator[list[socket.socket]]:
    """Connections of which every second one sends half a head, and none any more."""
    with contextlib.ExitStack() as stack:
        made = []
        for number in range(count):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 30))
            if number % 2:
                one.sendall(b"GET /livez HTTP/1.1\r\nHost: 127")
            made.append(one)
        yield made


def ask(server: Server, method: str, path: str, body: bytes | None, sender: str) -> int:
    source = (sender, 0)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, 10, source_address=source)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return connection.getresponse().status
    finally:
        connection.close()


def has_ended(one: socket.socket) -> bool:
    """Whether the server has closed a connection, of which it has nothing to say."""
    one.settimeout(HEAD_SECONDS + 20)
    try:
        return one.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_silent_connections_shut_nobody_out_and_are_closed(tmp_path: Path) -> None:
    with process_serving(tmp_path) as server, silent(server, MOST + 60) as held:
        body = json.dumps(trace("A1")).encode()
        for sender in (OTHER, "127.0.0.1"):
            assert ask(server, "GET", "/livez", None, sender) == 200
            assert ask(server, "POST", "/v1/records", body, sender) == 200
            assert ask(server, "GET", "/live.json", None, sender) == 200
        assert all(has_ended(one) for one in held)


def test_a_head_that_drips_is_not_waited_for(tmp_path: Path) -> None:
    with serving(tmp_path) as server, silent(server, 2) as (one, two):
        # The second head on a connection must come soon, too.
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert one.recv(10_000).startswith(b"HTTP/1.1 200")
        one.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1")
        held, begun = [one, two], time.monotonic()
        while held:
            assert time.monotonic() < begun + HEAD_SECONDS + 20
            time.sleep(0.5)
            for each in [*held]:
                try:
                    each.sendall(b"\r\nX-A: b")
                except ConnectionError:
                    held.remove(each)


def test_where_every_connection_of_a_sender_is_at_work_others_pass(tmp_path: Path) -> None:
    # A body that does not come holds a place for 30 seconds.
    head = (
        b"POST /v1/records HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 10\r\n\r\n{"
    )
    with process_serving(tmp_path) as server, silent(server, 0), contextlib.ExitStack() as stack:
        for _ in range(MOST):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 30))
            one.sendall(head)
        assert ask(server, "GET", "/livez", None, OTHER) == 200
        assert ask(server, "GET", "/livez", None, "127.0.0.1") == 503


def answer_to(server: Server, head: bytes) -> bytes:
    """What comes back before the connection ends, or within a second."""
    with socket.create_connection(("127.0.0.1", server.port), 30) as one:
        one.sendall(head)
        one.shutdown(socket.SHUT_WR)
        found = b""
        with contextlib.suppress(ConnectionError):
            while part := one.recv(65536):
                found += part
        return found


@pytest.fixture(scope="module", params=["", TOKEN], ids=["open", "token"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    environment = {"RAGSTONE_TOKEN": TOKEN} if request.param else {}
    with process_serving(tmp_path_factory.mktemp("odd"), **environment) as running:
        yield running
        running.stop()
        assert running.last_words.decode() == ""


@pytest.mark.parametrize(
    ("header", "value"),
    [("Host", "["), ("Host", "[::1"), ("Host", "127.0.0.1:x"), ("Origin", "http://[")],
)
@pytest.mark.parametrize("path", ["/livez", "/live", "/sign-in"])
def test_a_malformed_host_or_origin_is_400(
    server: Server, path: str, header: str, value: str
) -> None:
    answer = server.get(path, **{header: value})
    assert (answer.status, f"header {header}" in answer.json["error"]) == (400, True)


WORDS = st.sampled_from(
    [
        *("[", "[::1", "[::1]", "[::1]:x", "127.0.0.1", "127.0.0.1:99999999", "x@127.0.0.1", "a:b"),
        *(
            "http://[",
            "http://127.0.0.1",
            "null",
            "//",
            "\xe9",
            "\u2100".encode().decode("latin-1"),
        ),
        *("100-continue", "websocket", "upgrade", "chunked", "gzip, chunked"),
        *("Bearer", "Bearer \xff", "ragstone=1.\xff", "application/json", "a=b; c", "close", ", ,"),
    ]
)
NAMES = st.sampled_from(
    [
        *("Host", "Origin", "Cookie", "Authorization", "Accept", "Content-Type", "Content-Length"),
        *("Transfer-Encoding", "Content-Encoding", "Expect", "Upgrade", "Connection", "X-Odd"),
        *("X-Forwarded-For", "X-Forwarded-Proto", "Sec-Fetch-Site", "Idempotency-Key", "Referer"),
    ]
)
TARGETS = st.sampled_from(
    [
        *("/", "/live", "/live.json", "/sign-in", "/v1/records", "/v1/forget", "/livez", "/%", "*"),
        *("//", "/..%2f", "/live?refresh=%ff", "http://[/", "http://[", "127.0.0.1:1", "/%00", "?"),
    ]
)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "OPTIONS", "CONNECT", "TRACE", "ODD"])
VALUES = WORDS | st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=20)


def test_a_body_that_breaks_off_into_nonsense_is_400(server: Server) -> None:
    head = b"POST /v1/records HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    bears = f"Authorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 30) as one:
        one.sendall(head + bears.encode())
        time.sleep(0.5)
        one.sendall(b"no length\r\n")
        assert one.recv(65536).startswith(b"HTTP/1.1 400")


@given(
    st.lists(
        st.tuples(METHODS, TARGETS, st.lists(st.tuples(NAMES, VALUES), max_size=5), st.booleans()),
        min_size=1,
        max_size=2,
    )
)
@settings(
    max_examples=examples(150, long=5000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_head_is_a_fault_of_the_server(
    server: Server, requests: list[tuple[str, str, list[tuple[str, str]], bool]]
) -> None:
    head = b""
    for method, target, headers, named in requests:
        lines = [f"{method} {target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines += ["Host: 127.0.0.1"] if named else []
        head += "\r\n".join((*lines, "", "")).encode("latin-1", "replace")
    found = answer_to(server, head)
    assert b"HTTP/1.1 5" not in found.replace(b"HTTP/1.1 501", b""), found
