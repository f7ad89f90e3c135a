"""What the middleware takes for a question and its answer, in whatever shape they pass."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from shadow.mirrored_app import GOOD, mirrored, only, unread
from shadow.running_app import (
    JSON,
    live_reply,
    other_shape,
    plain_app,
    read,
    respond,
    running,
)
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from ragstone.shadow import Mirror
from ragstone.shadow.mirror_app import Message, Receive, Send
from ragstone.shadow.pair_files import PairFiles


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("GET", "/ask", "application/json"),
        ("HEAD", "/ask", "application/json"),
        ("PUT", "/ask", "application/json"),
        ("POST", "/ask", "text/plain"),
        ("POST", "/ask", ""),
    ],
)
def test_what_is_no_question_is_passed_on_and_not_seen(
    tmp_path: Path, method: str, path: str, kind: str
) -> None:
    mirror = mirrored(plain_app, tmp_path)
    with running(mirror) as served:
        body = None if method in ("GET", "HEAD") else {"q": "x"}
        assert served.ask(body, path, method, Content_Type=kind)[0] == 200
    assert mirror.counts().seen == 0


def test_with_a_path_only_that_path_is_watched(tmp_path: Path) -> None:
    mirror = mirrored(plain_app, tmp_path, path="/v1/ask")
    with running(mirror) as served:
        served.ask({"q": "elsewhere"}, "/login")
        served.ask({"q": "here"}, "/v1/ask")
        served.ask({"q": "a form"}, "/v1/ask", Content_Type="text/plain")
    counts = mirror.counts()
    assert (counts.seen, counts.answered, counts.unread) == (2, 1, 1)
    assert only(tmp_path).question == "here"


def test_another_shape_is_read_by_paths(tmp_path: Path) -> None:
    mirror = mirrored(
        other_shape,
        tmp_path,
        question="input.messages[0].content",
        answer={"claim": "output.text", "citations": "output.sources[].id", "index_hash": "v"},
    )
    with running(mirror, lifespan="off") as served:
        served.ask({"input": {"messages": [{"content": "How long?"}]}})
        served.ask({"input": {"messages": []}})
    counts = mirror.close()
    pair = only(tmp_path)
    assert (pair.question, pair.live.answer.claim) == ("How long?", "30 days.")
    assert [hit.id for hit in pair.live.answer.citations] == ["d7"]
    assert pair.live.retrieval.index_hash == "i9"
    assert counts.why["unread"] == "there is no question: input.messages[0].content gives no text"


def test_another_shape_is_read_by_functions(tmp_path: Path) -> None:
    def question(request: Any) -> object:
        return request["words"]

    def answer(reply: Any) -> object:
        return {"answer_json": {"claim": reply["output"]["text"]}, "index_hash": reply["v"]}

    mirror = mirrored(other_shape, tmp_path, question=question, answer=answer)
    with running(mirror, lifespan="off") as served:
        served.ask({"words": "How long?"})
        served.ask({"nothing": 1})
    counts = mirror.close()
    assert only(tmp_path).live.answer.claim == "30 days."
    assert counts.why["unread"] == "reading it raised KeyError"


def test_the_reply_may_be_a_live_record(tmp_path: Path) -> None:
    async def recording(scope: Message, receive: Receive, send: Send) -> None:
        await read(receive)
        found = {"topk": [{"id": "d1"}], "ΔS_list": [0.3], "λ_states": ["→"], "index_hash": "i1"}
        said = {"claim": "x", "citations": ["d1"], "coverage": 1}
        await respond(send, json.dumps({"retrieval": found, "answer": said}).encode())

    mirror = mirrored(recording, tmp_path)
    with running(mirror, lifespan="off") as served:
        served.ask({"question": "How long?"})
    mirror.close()
    live = only(tmp_path).live
    assert (live.answer.delta_s, live.answer.delta_s_by, live.answer.coverage) == (0.3, "", 1)


@pytest.mark.parametrize("outermost", [True, False])
def test_inside_starlette_with_packed_answers(tmp_path: Path, outermost: bool) -> None:
    async def ask(request: Request) -> JSONResponse:
        return JSONResponse(live_reply((await request.json())["q"]))

    mirror = Middleware(Mirror, target=GOOD, share=1.0, data=tmp_path, path="/ask")
    packing = Middleware(GZipMiddleware, minimum_size=10)
    order = [mirror, packing] if outermost else [packing, mirror]
    app = Starlette(routes=[Route("/ask", ask, methods=["POST"])], middleware=order)
    with running(app) as served:
        status, body = served.ask({"q": "packed"}, Accept_Encoding="gzip")
        assert status == 200
        assert json.loads(gzip.decompress(body))["answer_json"]["claim"] == "live: packed"
    assert only(tmp_path).live.answer.claim == "live: packed"


def test_a_packed_answer_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    async def bomb(scope: Message, receive: Receive, send: Send) -> None:
        await read(receive)
        packed = gzip.compress(b" " * 50_000_000)
        await respond(send, packed, headers=[JSON, (b"content-encoding", b"gzip")])

    mirror = mirrored(bomb, tmp_path)
    with running(mirror, lifespan="off") as served:
        served.ask({"q": "x"})
    assert unread(mirror.close()).startswith("the answer is packed: expected at most 1,000,000")


def test_a_stream_of_starlette_is_unread_and_reaches_the_caller(tmp_path: Path) -> None:
    async def ask(request: Request) -> StreamingResponse:
        await request.body()
        lines = (json.dumps({"token": n}) + "\n" for n in range(5))
        return StreamingResponse(lines, media_type="application/x-ndjson")

    app = Starlette(routes=[Route("/ask", ask, methods=["POST"])])
    mirror = mirrored(app, tmp_path)
    with running(mirror) as served:
        _, body = served.ask({"q": "x"})
        assert len(body.splitlines()) == 5
    assert unread(mirror.counts()) == "the answer is not JSON, by its Content-Type"


def test_a_share_chooses_the_same_questions_every_time(tmp_path: Path) -> None:
    chosen = []
    for name in ("one", "two"):
        mirror = mirrored(plain_app, tmp_path / name, share=0.5)
        with running(mirror) as served:
            for number in range(30):
                served.ask({"q": f"question {number}"})
        counts = mirror.counts()
        assert counts.answered + counts.left_out == 30
        chosen.append(sorted(pair.question for pair in PairFiles(tmp_path / name).pairs()))
    assert chosen[0] == chosen[1]
    assert 5 < len(chosen[0]) < 25
