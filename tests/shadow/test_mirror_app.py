"""The middleware before real HTTP: live answers pass as they are, and pairs come of them."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from serve.running_server import until
from shadow import shadows
from shadow.mirrored_app import mirrored, only, unread
from shadow.running_app import (
    JSON,
    lifespan,
    live_reply,
    other_shape,
    plain_app,
    read,
    respond,
    running,
)

from ragstone.errors import ConfigError
from ragstone.shadow.mirror_app import Message, Receive, Send
from ragstone.shadow.pair_files import PairFiles


def test_both_answers_are_kept_and_the_live_one_is_the_same_bytes(tmp_path: Path) -> None:
    with running(plain_app) as bare:
        _, without = bare.ask({"q": "What is X?"})
    mirror = mirrored(plain_app, tmp_path)
    with running(mirror) as served:
        parent = f"00-{'ab' * 16}-{'cd' * 8}-01"
        status, body = served.ask({"q": "What is X?", "qid": "Q1"}, traceparent=parent)
        assert (status, body) == (200, without)
    pair = only(tmp_path)
    assert (pair.question, pair.qid, pair.trace_id) == ("What is X?", "Q1", "ab" * 16)
    assert (pair.live.answer.claim, pair.shadow.answer.claim) == (
        "live: What is X?",
        "shadow of What is X?",
    )
    assert (pair.live.retrieval.index_hash, pair.shadow.retrieval.index_hash) == ("now", "next")
    assert pair.live.retrieval.lambda_states == ("<>", "→")
    assert pair.live.answer.delta_s is not None
    assert pair.live.perf.latency_ms > 0
    # The shutdown of the app closed it.
    assert PairFiles(tmp_path).counts() == [mirror.counts()]
    assert (mirror.counts().seen, mirror.counts().answered) == (1, 1)


def test_the_shadow_is_not_asked_before_the_answer_is_sent(tmp_path: Path) -> None:
    go = asyncio.Event()

    async def slow(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
            return
        await read(receive)
        body = json.dumps(live_reply("x")).encode()
        await send({"type": "http.response.start", "status": 200, "headers": [JSON]})
        await send({"type": "http.response.body", "body": body[:-1], "more_body": True})
        loops.append(asyncio.get_running_loop())
        await go.wait()
        await send({"type": "http.response.body", "body": body[-1:]})

    loops: list[asyncio.AbstractEventLoop] = []
    mirror = mirrored(slow, tmp_path)
    with running(mirror) as served:
        thread = threading.Thread(target=served.ask, args=({"q": "x"},))
        thread.start()
        until(lambda: loops)
        assert mirror.counts().seen == 0
        assert shadows.asked == []
        loops[0].call_soon_threadsafe(go.set)
        thread.join()
        assert until(lambda: shadows.asked) == ["x"]


def test_a_live_answer_comes_while_the_shadow_stands_still(tmp_path: Path) -> None:
    mirror = mirrored(plain_app, tmp_path, target="py:shadow.shadows:held", closing=0.1)
    with running(mirror) as served:
        for number in range(20):
            assert served.ask({"q": f"question {number}"})[0] == 200
        assert mirror.counts().answered == 0
    counts = mirror.counts()
    assert (counts.seen, counts.dropped, counts.waiting) == (20, 20, 0)


def test_a_streamed_answer_in_chunks_is_passed_piece_by_piece(tmp_path: Path) -> None:
    passed: list[bytes] = []

    async def chunked(scope: Message, receive: Receive, send: Send) -> None:
        asked = json.loads(await read(receive))["q"]
        body = json.dumps(live_reply(asked)).encode()
        await respond(send, *(body[at : at + 7] for at in range(0, len(body), 7)), b"")

    mirror = mirrored(chunked, tmp_path)

    async def noting(scope: Message, receive: Receive, send: Send) -> None:
        async def noted(message: Message) -> None:
            passed.append(message.get("body", b""))
            await send(message)

        if scope["type"] == "lifespan":
            await lifespan(receive, send)
        else:
            await mirror(scope, receive, noted)

    with running(noting) as served:
        request = iter([b'{"q": ', b'"in ', b'parts"}'])
        status, body = served.ask_in_parts(request)
        assert status == 200
    assert len(passed) > 10
    assert b"".join(passed) == body
    mirror.close()
    assert only(tmp_path).live.answer.claim == "live: in parts"


async def _sse(scope: Message, receive: Receive, send: Send) -> None:
    await read(receive)
    stream = (b"content-type", b"text/event-stream")
    await respond(send, b"data: a\n\n", b"data: b\n\n", headers=[stream])


async def _failing(scope: Message, receive: Receive, send: Send) -> None:
    await read(receive)
    await respond(send, b'{"detail": "sorry"}', status=500)


async def _deaf(scope: Message, receive: Receive, send: Send) -> None:
    """Answers without reading what was asked."""
    await respond(send, json.dumps(live_reply("x")).encode())


async def _large(scope: Message, receive: Receive, send: Send) -> None:
    await read(receive)
    await respond(send, *[b"[" + b"1," * 40_000 + b"1]"] * 20)


@pytest.mark.parametrize(
    ("app", "body", "why"),
    [
        (_sse, {"q": "x"}, "the answer is not JSON, by its Content-Type"),
        (_failing, {"q": "x"}, "the answer has the status 500"),
        (_deaf, {"q": "x"}, "the request did not come to its end"),
        (other_shape, {"q": "x"}, "the answer has neither answer_json nor retrieved_ids"),
        (_large, {"q": "x"}, "the answer is too large"),
        (plain_app, {"q": "x" * 1_100_000}, "the request is too large"),
        (plain_app, {"text": "x"}, "there is no question"),
        (plain_app, b"{}", "there is no question"),
        (other_shape, b"not json", "the request is not JSON"),
        (other_shape, b'{"q": "a", "q": "b"}', "the request is not JSON"),
        (other_shape, b"\xff\xfe", "the request is not JSON"),
    ],
)
def test_what_cannot_be_read_is_counted_with_the_first_reason(
    tmp_path: Path, app: Any, body: Any, why: str
) -> None:
    mirror = mirrored(app, tmp_path)
    with running(app, lifespan="off") as bare, running(mirror, lifespan="off") as served:
        assert served.ask(body) == bare.ask(body)
    mirror.close()
    assert unread(mirror.counts()).startswith(why)
    assert shadows.asked == []


def test_headers_that_can_be_gone_through_only_once_reach_the_caller(tmp_path: Path) -> None:
    async def generous(scope: Message, receive: Receive, send: Send) -> None:
        asked = json.loads(await read(receive))["q"]
        headers = iter([JSON, (b"x-one", b"1")])
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(live_reply(asked)).encode()})

    mirror = mirrored(generous, tmp_path)
    with running(mirror, lifespan="off") as served:
        caller = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
        caller.request("POST", "/ask", b'{"q": "x"}', {"Content-Type": "application/json"})
        assert caller.getresponse().getheader("x-one") == "1"
        caller.close()
    assert mirror.close().answered == 1


def test_an_app_that_raises_raises_the_same(tmp_path: Path) -> None:
    wrong = KeyError("a mistake in the app")
    raised: list[BaseException] = []

    async def broken(scope: Message, receive: Receive, send: Send) -> None:
        await read(receive)
        if scope["path"] == "/late":
            await send({"type": "http.response.start", "status": 200, "headers": [JSON]})
        raise wrong

    mirror = mirrored(broken, tmp_path)

    async def outside(scope: Message, receive: Receive, send: Send) -> None:
        try:
            await mirror(scope, receive, send)
        except KeyError as error:
            raised.append(error)
            raise

    with running(outside, lifespan="off") as served:
        assert served.ask({"q": "x"})[0] == 500
        with pytest.raises((OSError, http.client.HTTPException)):
            served.ask({"q": "x"}, "/late")
    mirror.close()
    assert all(each is wrong for each in raised)
    assert len(raised) == mirror.counts().unread == mirror.counts().seen == 2
    assert mirror.counts().why["unread"] == "the app ended before its answer did"


def test_a_caller_who_hangs_up_is_counted(tmp_path: Path) -> None:
    async def waiting(scope: Message, receive: Receive, send: Send) -> None:
        await read(receive)
        await send({"type": "http.response.start", "status": 200, "headers": [JSON]})
        while (await receive())["type"] != "http.disconnect":
            pass

    mirror = mirrored(waiting, tmp_path)
    with running(mirror, lifespan="off") as served:
        with socket.create_connection(("127.0.0.1", served.port)) as caller:
            head = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            caller.sendall(f'{head}Content-Length: 10\r\n\r\n{{"q": "x"}}'.encode())
            assert caller.recv(12) == b"HTTP/1.1 200"
        until(lambda: mirror.counts().unread)
    assert unread(mirror.close()) == "the app ended before its answer did"


def test_a_caller_who_hangs_up_in_the_middle_of_the_question_is_counted(tmp_path: Path) -> None:
    mirror = mirrored(plain_app, tmp_path)
    with running(mirror, lifespan="off") as served:
        with socket.create_connection(("127.0.0.1", served.port)) as caller:
            head = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            caller.sendall(f'{head}Content-Length: 100\r\n\r\n{{"q": '.encode())
        until(lambda: mirror.counts().unread)
    assert mirror.close().seen == 1


def test_websockets_and_other_scopes_are_passed_on(tmp_path: Path) -> None:
    seen: list[tuple[Any, Any, Any]] = []

    async def inside(scope: Message, receive: Receive, send: Send) -> None:
        seen.append((scope, receive, send))

    async def nothing(*message: Any) -> Any:
        raise AssertionError("nobody speaks")

    scope: Message = {"type": "websocket", "path": "/ask"}
    asyncio.run(mirrored(inside, tmp_path)(scope, nothing, nothing))
    assert seen == [(scope, nothing, nothing)]


def test_an_app_without_lifespan_is_served_as_before(tmp_path: Path) -> None:
    async def strict(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(scope["type"])
        await plain_app(scope, receive, send)

    mirror = mirrored(strict, tmp_path)
    with running(mirror, lifespan="auto") as served:
        assert served.ask({"q": "x"})[0] == 200
        until(lambda: mirror.counts().answered)
    assert mirror.close().answered == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_server_although_the_shadow_is_stuck(tmp_path: Path, number: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PAIRS": str(tmp_path)}
    words = [sys.executable, "-m", "uvicorn", "shadow.served_app:app", "--port", "0"]
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        lines = iter(child.stderr.readline, "")
        port = next(found[1] for line in lines if (found := re.search(r":([0-9]+) \(", line)))
        for question in range(5):
            caller = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
            body = json.dumps({"q": f"question {question}"})
            caller.request("POST", "/ask", body, {"Content-Type": "application/json"})
            assert caller.getresponse().status == 200
            caller.close()
        child.send_signal(number)
        said = child.stderr.read()
        assert child.wait(60) in (0, -number), said
    assert "Traceback" not in said
    (counts,) = PairFiles(tmp_path).counts()
    assert (counts.seen, counts.dropped, counts.waiting) == (5, 5, 0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"question": "a..b"}, "question: expected a key"),
        ({"answer": {"clam": "x"}}, "no such field"),
        ({"answer": {"index_hash": "a..b"}}, "index_hash: expected a key"),
        ({"endpoint": {"header": ["Authorization"]}}, "--header"),
        ({"endpoint": {"header": ["X-A: 1"]}}, "only http:, https: and openai:"),
    ],
)
def test_a_mistake_in_the_set_up_is_said_when_the_app_is_made(
    tmp_path: Path, given: Any, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        mirrored(plain_app, tmp_path, **given)


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = """
import sys
import ragstone.shadow
assert not {"msgspec", "aiohttp", "duckdb", "starlette"} & set(sys.modules)
assert ragstone.shadow.Mirror.__name__ == "Mirror"
assert not {"starlette", "uvicorn", "aiohttp", "duckdb"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)
