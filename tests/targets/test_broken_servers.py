"""Servers that break HTTP: an answer is under its own question, or it is not there at all."""

from __future__ import annotations

import asyncio
import gzip
import socket

import pytest
from aiohttp import TCPConnector
from hypothesis import example, given
from hypothesis import strategies as st
from raw_server import answer, pause, raw_server, reply
from running import run

from ragstone.targets import one_reply
from ragstone.targets.http import _retry_after
from ragstone.targets.one_reply import OneReply, OneReplyConnector

FAST = ("--retries", "0", "--timeout", "20")
# A connection is used again for some questions: each waits a moment for a reply too many.
CONCURRENCIES = pytest.mark.parametrize(("concurrency", "count"), [("1", 6), ("8", 24)])


def two_at_once(send, q, number):
    send(reply(q) + reply(q))


def two_apart(send, q, number):
    send(reply(q))
    pause()
    send(reply(q))


def one_and_a_half(send, q, number):
    second = reply(q)
    send(reply(q) + second[:40])
    pause()
    send(second[40:])


def one_and_a_byte(send, q, number):
    send(reply(q) + b"H")
    pause()
    send(reply(q)[1:])


def in_single_bytes(send, q, number):
    for byte in reply(q) + reply(q)[:30]:
        send(bytes([byte]))


def two_chunked(send, q, number):
    body = answer(q)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = head + b"%x\r\n%s\r\n0\r\nTrailer: 1\r\n\r\n" % (len(body), body)
    send(whole + whole)
    pause()
    send(whole)


def split_by_a_header(send, q, number):
    """Response splitting: a second reply stands behind a body that is shorter than it looks."""
    body = answer(q)
    hidden = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    send(b"HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: %d\r\n\r\n%s%s" % (len(body), body, hidden))


def late_by_one(send, q, number):
    """Sends, once it is idle, what nobody has asked for."""
    send(reply(q))
    pause(0.05)
    send(reply("something else"))


def with_blank_lines(send, q, number):
    send(reply(q) + b"\r\n\r\n")


@CONCURRENCIES
@pytest.mark.parametrize(
    "behave",
    [
        two_at_once,
        two_apart,
        one_and_a_half,
        one_and_a_byte,
        in_single_bytes,
        two_chunked,
        split_by_a_header,
        late_by_one,
        with_blank_lines,
    ],
)
def test_a_reply_too_many_is_never_the_answer_to_another_question(
    behave, concurrency, count, questions, tmp_path
):
    with raw_server(behave) as server:
        more = ("--concurrency", concurrency, *FAST)
        found = run(questions(count), server.url, tmp_path / "t.jsonl", *more)
    assert wrong(found) == []
    if behave is with_blank_lines:
        assert all("answer_json" in line for line in found)


def wrong(found):
    """The answers that are under another question; those that are not there are none of them."""
    claims = [(line["q"], line["answer_json"]["claim"]) for line in found if "answer_json" in line]
    return [(q, claim) for q, claim in claims if claim != f"You asked: {q}"]


@CONCURRENCIES
@pytest.mark.parametrize("first", [reply("nothing"), reply("nothing") * 2, b"\r\n"])
def test_a_greeting_is_no_answer(first, concurrency, count, questions, tmp_path):
    def behave(send, q, number):
        pause(0.01)
        send(reply(q))

    with raw_server(behave, greeting=first) as server:
        more = ("--concurrency", concurrency, *FAST)
        found = run(questions(count), server.url, tmp_path / "t.jsonl", *more)
    assert wrong(found) == []


@CONCURRENCIES
def test_a_reply_that_comes_after_the_rest_is_withdrawn(
    concurrency, count, questions, tmp_path, monkeypatch
):
    monkeypatch.setattr(one_reply, "LONG_REST", 0.1)

    def behave(send, q, number):
        pause(0.02)
        send(reply(q))
        if number == 0:
            pause(0.12)
            send(reply("something else"))

    with raw_server(behave) as server:
        more = ("--concurrency", concurrency, *FAST)
        found = run(questions(count), server.url, tmp_path / "t.jsonl", *more)
    assert wrong(found) == []


def test_a_server_that_speaks_before_it_is_asked_is_hung_up_on():
    async def spoken_to_first() -> tuple[bool, bool, list[str]]:
        ours, theirs = socket.socketpair()
        noted: list[str] = []
        loop = asyncio.get_running_loop()
        with theirs:
            theirs.sendall(reply("nothing"))
            _, reader = await loop.create_connection(
                lambda: OneReply(loop, lambda *_: noted.append("distrusted")), sock=ours
            )
            await asyncio.sleep(0.01)
            return reader.is_connected(), reader.early, noted

    assert asyncio.run(spoken_to_first()) == (False, True, ["distrusted"])


def test_a_late_reply_after_a_time_out_reaches_nobody(questions, tmp_path):
    asked = []

    def behave(send, q, number):
        asked.append(q)
        if len(asked) % 2:
            pause(0.4)
        send(reply(q))

    with raw_server(behave) as server:
        more = ("--concurrency", "1", "--retries", "0", "--timeout", "0.2")
        found = run(questions(6), server.url, tmp_path / "t.jsonl", *more)
    answered = [line for line in found if "answer_json" in line]
    assert {line["reason"] for line in found if "reason" in line} == {"timeout"}
    assert all(line["answer_json"]["claim"] == f"You asked: {line['q']}" for line in answered)


def raw(text: str, body: bytes = b"") -> bytes:
    return text.replace("\n", "\r\n").encode("latin-1") + body


SHORT = answer("Question 0?")
LENGTH = f"Content-Length: {len(SHORT)}"


@pytest.mark.parametrize(
    ("sent", "reason", "says"),
    [
        (raw(f"HTTP/1.1 200 OK\n{LENGTH}\nContent-Length: 9\n\n", SHORT), "bad_answer", "HTTP"),
        (raw(f"HTTP/1.1 200 OK\n{LENGTH}\n{LENGTH}\n\n", SHORT), "bad_answer", "HTTP"),
        (raw(f"HTTP/1.1 200 OK\nContent-Length: 9\n{LENGTH}\n\n", SHORT), "bad_answer", "HTTP"),
        (raw("HTTP/1.1 200 OK\nContent-Length: 9, 8\n\n", SHORT), "bad_answer", "HTTP"),
        (raw("HTTP/1.1 200 OK\nContent-Length: +9\n\n", SHORT), "bad_answer", "HTTP"),
        (raw("HTTP/1.1 200 OK\nContent-Length: -1\n\n", SHORT), "bad_answer", "HTTP"),
        (
            raw(f"HTTP/1.1 200 OK\n{LENGTH}\nTransfer-Encoding: chunked\n\n", b"0\r\n\r\n"),
            "bad_answer",
            "HTTP",
        ),
        (raw(f"HTTP/1.1 200 OK\nContent-Length: {len(SHORT) + 9}\n\n", SHORT), "transport", "cut"),
        (raw("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", b"5\r\n{"), "transport", "cut"),
        (raw("HTTP/1.1 200 OK\nContent-Le"), "transport", "cut"),
        (b"", "transport", "cut"),
        (b"\x00\x01\x02 garbage\r\n\r\n", "bad_answer", "not an HTTP reply"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "bad_answer", "not an HTTP reply"),
        (raw("HTTP/1.1 204 No Content\n\n"), "http_status", "HTTP status 204"),
        (raw("HTTP/1.1 200 OK\nContent-Length: 0\n\n"), "bad_answer", "not JSON"),
        (raw("HTTP/1.1 200 OK\n\n", b"not json"), "bad_answer", "not JSON"),
        (
            raw("HTTP/1.1 200 OK\nContent-Encoding: gzip\n\n", gzip.compress(SHORT)),
            "bad_answer",
            "a body packed with 'gzip'",
        ),
        (
            raw("HTTP/1.1 200 OK\nContent-Length: 67108865\n\n"),
            "bad_answer",
            "more than 67,108,864 bytes",
        ),
        (
            raw("HTTP/1.1 302 Found\nLocation: http://a:b@other.example/x\nContent-Length: 0\n\n"),
            "http_status",
            "HTTP status 302; redirects are not followed, and it points to http://other.example/x",
        ),
        (raw(f"HTTP/1.1 200 OK\nX: {'a' * 100_000}\n{LENGTH}\n\n", SHORT), "bad_answer", "HTTP"),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value[:20],
)
def test_what_is_no_good_reply_is_no_answer(sent, reason, says, questions, tmp_path):
    def behave(send, q, number):
        send(sent)
        return True

    with raw_server(behave) as server:
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", *FAST)
    assert (line["reason"], says in line["error"]) == (reason, True), line["error"]
    assert "answer_json" not in line


@pytest.mark.parametrize(
    "sent",
    [
        raw(
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\n"
            f"HTTP/1.1 200 OK\n{LENGTH}\n\n",
            SHORT,
        ),
        raw(f"HTTP/1.0 200 OK\n{LENGTH}\n\n", SHORT),
        raw("HTTP/1.0 200 OK\n\n", SHORT),
        raw(
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n",
            b"%x;a=b\r\n%s\r\n0\r\nSum: 1\r\n\r\n" % (len(SHORT), SHORT),
        ),
    ],
    ids=["1xx before it", "1.0 length", "1.0 to the end", "trailers"],
)
def test_unusual_replies_that_are_good_are_read(sent, questions, tmp_path):
    def behave(send, q, number):
        for at in range(0, len(sent), 7):
            send(sent[at : at + 7])
        return True

    with raw_server(behave) as server:
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", *FAST)
    assert line["answer_json"]["claim"] == "You asked: Question 0?"


def test_a_body_of_unknown_length_is_bounded(questions, tmp_path, monkeypatch):
    monkeypatch.setattr("ragstone.targets.http._BODY_LIMIT", 100_000)

    def behave(send, q, number):
        send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            send(b"1000\r\n%s\r\n" % (b" " * 4096))

    with raw_server(behave) as server:
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", *FAST)
    assert line["error"] == "a body of more than 100,000 bytes"


@CONCURRENCIES
def test_without_keep_alive_every_question_has_a_connection_of_its_own(
    concurrency, count, questions, tmp_path, monkeypatch
):
    monkeypatch.setattr(one_reply, "LONG_REST", 0)
    with raw_server(two_apart) as server:
        more = ("--concurrency", concurrency, "--no-keep-alive", *FAST)
        found = run(questions(count), server.url, tmp_path / "t.jsonl", *more)
    assert all(line["answer_json"]["claim"] == f"You asked: {line['q']}" for line in found)
    assert server.connections == count


def test_a_server_that_was_silent_is_asked_again_over_the_same_connection(
    questions, tmp_path, monkeypatch
):
    monkeypatch.setattr(one_reply, "LONG_REST", 0)
    with raw_server(lambda send, q, number: send(reply(q))) as server:
        run(questions(40), server.url, tmp_path / "t.jsonl", "--concurrency", "1", *FAST)
    assert server.connections < 10


def test_a_connection_that_did_not_rest_is_not_used_again(questions, tmp_path, monkeypatch):
    # Another version of aiohttp may put connections back in another way: this fakes one.
    monkeypatch.setattr(OneReplyConnector, "_release", TCPConnector._release)
    with raw_server(two_apart) as server:
        run(questions(10), server.url, tmp_path / "t.jsonl", "--concurrency", "1", *FAST)
    assert server.connections == 10


def test_after_one_reply_too_many_no_connection_is_used_again(questions, tmp_path, monkeypatch):
    monkeypatch.setattr(one_reply, "LONG_REST", 0.05)
    asked = []

    def behave(send, q, number):
        send(reply(q) * (2 if len(asked) == 0 else 1))
        asked.append(q)
        pause(0.01)

    with raw_server(behave) as server:
        run(questions(30), server.url, tmp_path / "t.jsonl", "--concurrency", "1", *FAST)
    assert server.connections == 30


@CONCURRENCIES
def test_a_kept_connection_that_the_server_has_closed_costs_no_answer(
    concurrency, count, questions, tmp_path, monkeypatch
):
    monkeypatch.setattr(one_reply, "LONG_REST", 0)
    with raw_server(lambda send, q, number: send(reply(q)), most=3) as server:
        more = ("--concurrency", concurrency, *FAST)
        found = run(questions(60), server.url, tmp_path / "t.jsonl", *more)
    assert all(line["answer_json"]["claim"] == f"You asked: {line['q']}" for line in found)


@given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, [0-9]{2} Jan [0-9]{1,5} [0-9:]+ [-+A-Z0-9]+"))
@example("Mon, 01 Jan 0001 00:00:00 -0000")
@example("Mon, 01 Jan 9999 23:59:59 -2359")
@example("9" * 400)
def test_any_text_is_a_time_to_wait_or_none(text):
    found = _retry_after(text)
    assert found is None or found >= 0


@pytest.mark.parametrize("wish", ["²", "١", "1e3", "-5", "soon", "", "Mon, 99 Foo 2024 99:99"])
def test_a_wish_to_wait_that_cannot_be_read_is_no_wish(wish, questions, tmp_path):
    said = []

    def behave(send, q, number):
        said.append(q)
        if len(said) == 1:
            head = f"HTTP/1.1 503 Busy\r\nRetry-After: {wish}\r\nContent-Length: 0\r\n\r\n"
            send(head.encode())
        else:
            send(reply(q))

    with raw_server(behave) as server:
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", "--retries", "1")
    assert line["answer_json"]["claim"] == "You asked: Question 0?"
    assert len(said) == 2
