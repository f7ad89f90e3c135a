"""Giants beside an honest request: bodies that take long to check make nobody else wait."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from builders import trace
from serve.running_server import Server, process_serving, serving
from starlette.requests import Request

from ragstone.serve import ingest_routes
from ragstone.serve.batch_reader import Read, read_records
from ragstone.serve.ingest_routes import Forgotten, Ingest
from ragstone.serve.live_store import LiveStore

STORED = {"stored": 1, "repeated": 0, "refused": 0, "problems": []}
MOST = 16 * 1024 * 1024
# Linear, and yet seconds of work: brackets that are nested deeper than one expression finds.
DEEP = b"[" * 20 + b"[]," * (MOST // 6) + b"[]" + b"]" * 20


@contextmanager
def sent(server: Server, *bodies: bytes, packing: str = "identity") -> Iterator[list[int]]:
    """Requests that the server is at work on; the list has the statuses of those that ended."""
    ended: list[int] = []

    def ask(body: bytes) -> None:
        with contextlib.suppress(OSError):
            answer = server.ask(
                "POST",
                "/v1/records",
                body,
                Content_Type="application/json",
                Content_Encoding=packing,
            )
            ended.append(answer.status)

    threads = [threading.Thread(target=ask, args=[body]) for body in bodies]
    for each in threads:
        each.start()
    try:
        yield ended
    finally:
        for each in threads:
            each.join()


def request(body: bytes, packing: str = "identity") -> Request:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = {"content-type": "application/json", "content-encoding": packing}
    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": named}, receive)


def test_a_small_body_does_not_wait_for_large_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks of the large ones are held until the small ones were answered."""
    checked: list[int] = []
    free = threading.Event()

    def held(body: bytes, *words: Any, **more: Any) -> Read:
        if len(body) > 10**6:
            checked.append(len(body))
            assert free.wait(40)
        return read_records(body, *words, **more)

    monkeypatch.setattr(ingest_routes, "read_records", held)
    store = LiveStore(tmp_path / "live")
    ingest = Ingest(store, lambda ids: Forgotten(store.forget(store.meant_by(ids)), 0))

    async def beside() -> list[int]:
        giants = [asyncio.create_task(ingest.records(request(b"[" * 2**20))) for _ in range(3)]
        try:
            async with asyncio.timeout(20):
                while len(checked) < 2:
                    await asyncio.sleep(0.01)
                answers = [
                    await ingest.records(request(json.dumps(trace("A1")).encode())),
                    await ingest.records(
                        request(gzip.compress(json.dumps(trace("A2")).encode()), "gzip")
                    ),
                    await ingest.forget(request(b'{"ids": ["A1"]}')),
                ]
            assert [json.loads(each.body) for each in answers[:2]] == [STORED, STORED]
            assert json.loads(answers[2].body) == {"forgotten": 1}
            # A third large one is not checked beside the two.
            assert len(checked) == 2
            assert not any(each.done() for each in giants)
        finally:
            free.set()
        return [(await each).status_code for each in giants]

    try:
        assert asyncio.run(beside()) == [422, 422, 422]
    finally:
        store.close()


def test_small_bodies_are_answered_beside_large_ones(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        with sent(server, DEEP, DEEP, DEEP) as ended:
            assert server.send(trace("A1")).json["stored"] == 1
            packed = gzip.compress(json.dumps(trace("A2")).encode())
            said = server.ask(
                "POST",
                "/v1/records",
                packed,
                Content_Type="application/json",
                Content_Encoding="gzip",
            )
            assert said.json["stored"] == 1
            assert server.ask(
                "POST", "/v1/forget", b'{"ids": ["A1"]}', Content_Type="application/json"
            ).json == {"forgotten": 1}
        assert ended == [422, 422, 422]


def test_a_server_ends_while_large_bodies_are_checked(tmp_path: Path) -> None:
    with process_serving(tmp_path) as server, sent(server, DEEP, DEEP):
        assert server.send(trace("A1")).json["stored"] == 1
        assert server.stop() == 0


@pytest.mark.parametrize(
    ("body", "packing", "status"),
    [
        (b"[" * MOST, "identity", 422),
        (b'{"a":' * (MOST // 5), "identity", 422),
        (b"\n" * MOST, "identity", 200),
        (b'{"a":\n' + b"\n" * (MOST - 10) + b"1}", "identity", 200),
        (gzip.compress(b"", mtime=0) * 700_000, "gzip", 200),
    ],
    ids=["brackets", "keys", "line breaks", "an object of line breaks", "empty members"],
)
def test_a_body_of_nothing_is_told_so_at_once(
    tmp_path: Path, body: bytes, packing: str, status: int
) -> None:
    # A request that takes as long as it took before ends at the limit of the connection.
    with serving(tmp_path) as server, sent(server, body, packing=packing) as ended:
        pass
    assert ended == [status]
