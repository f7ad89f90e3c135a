"""`ragstone.shadow.Mirror`: ASGI middleware that mirrors the questions of a live app.

    from ragstone.shadow import Mirror

    app = Mirror(app, target="index:next.index", share=0.1, path="/ask")

What passes is passed on at once, and as it is; the mirror keeps a reference to it. Only when the
whole answer is sent are both handed to another thread, which takes them apart.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

from ragstone.embedders.embed import DEFAULT_EMBEDDER
from ragstone.own_files import no_link_to
from ragstone.report.private_texts import Texts
from ragstone.shadow.exchanges import AnswerAt, Body, Exchange, ExchangeReader, QuestionAt, is_json
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import RUN, Counts
from ragstone.shadow.question_mirror import QuestionMirror
from ragstone.targets.endpoint import endpoint_of

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

HandOver = Callable[[Exchange | str, int], None]

DATA = ".ragstone/live"
LARGEST = 1_000_000


class Mirror:
    """An app whose questions are asked a second time, of a shadow; see docs/shadow.md.

    target: the shadow, as `ragstone run --target` has it
    share: how much of the questions is mirrored, chosen by a hash of the question
    data, run: where pairs are kept: in DATA/shadow/RUN
    path: the one path that takes questions; without it every POST of JSON is one
    question: where the request has the question: a path such as "input.text", or a function
    answer: where the reply has the fields of a trace, as in {"claim": "output.text"}, or a function
    largest: a request or a reply of more bytes is not read
    queue, concurrency, timeout, closing: how many questions wait, and are asked at once; the
        seconds that one may take, and that the end may take
    texts: "all" texts are kept, "clip" the beginning of each, or "none"
    embedder: what computes the ΔS that nobody logged
    evidence: for a chat model, the target that retrieves
    endpoint: how a shadow over HTTP is asked, such as {"header": ["Authorization: Bearer $TOKEN"]}
    """

    def __init__(
        self,
        app: App,
        target: str,
        *,
        share: float = 0.1,
        data: str | Path = DATA,
        run: str = RUN,
        path: str | None = None,
        question: QuestionAt | None = None,
        answer: AnswerAt | None = None,
        largest: int = LARGEST,
        queue: int = 1_000,
        concurrency: int = 4,
        timeout: float = 30.0,
        closing: float = 5.0,
        texts: Texts = "all",
        embedder: str = DEFAULT_EMBEDDER,
        evidence: str | None = None,
        endpoint: Mapping[str, Any] | None = None,
    ) -> None:
        self._app, self._path, self._largest = app, path, largest
        if data == DATA:
            no_link_to(Path(DATA))
        self._reader = ExchangeReader(question, answer, largest)
        self._mirror = QuestionMirror(
            MirrorSettings(
                target,
                # Whole: a service may change its folder.
                Path(data).absolute(),
                run,
                share,
                queue,
                concurrency=concurrency,
                timeout=timeout,
                closing=closing,
                texts=texts,
                embedder=embedder,
                evidence=evidence,
                endpoint=endpoint_of(**(endpoint or {})),
            )
        )

    def counts(self) -> Counts:
        """What became of the questions that were seen in this process."""
        return self._mirror.counts()

    def close(self, seconds: float | None = None) -> Counts:
        """Ends the mirror; a server that knows `lifespan` does so by itself."""
        return self._mirror.close(seconds)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, self._starting(receive), self._stopping(send))
        elif scope["type"] == "http" and self._is_asked(scope):
            watched = _Watched(self._hand_over, self._largest, scope, receive, send)
            try:
                await self._app(scope, watched.receive, watched.send)
            finally:
                watched.end("the app ended before its answer did")
        else:
            await self._app(scope, receive, send)

    def _is_asked(self, scope: Message) -> bool:
        if scope["method"] != "POST":
            return False
        if self._path is not None:
            return bool(scope["path"] == self._path)
        headers = scope["headers"]
        return any(key.lower() == b"content-type" and is_json(value) for key, value in headers)

    def _starting(self, receive: Receive) -> Receive:
        async def received() -> Message:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._mirror.start()
            return message

        return received

    def _stopping(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"].startswith("lifespan.shutdown."):
                # No request is left that could wait for this.
                self._mirror.close()
            await send(message)

        return sent

    def _hand_over(self, passed: Exchange | str, size: int) -> None:
        """What passed, or why it cannot be read."""
        if isinstance(passed, str):
            self._mirror.unread(passed)
        else:
            self._mirror.offer(partial(self._reader.read, passed), size)


class _Watched:
    """One request on its way through: what was passed on, and whether all of it was."""

    def __init__(
        self, hand_over: HandOver, largest: int, scope: Message, receive: Receive, send: Send
    ) -> None:
        self._hand_over, self._largest = hand_over, largest
        self._receive, self._send = receive, send
        self._headers = tuple(scope["headers"])
        self._request, self._reply = _Passing("the request"), _Passing("the answer")
        self._status = 0
        self._reply_headers: tuple[tuple[bytes, bytes], ...] = ()
        self._began = time.perf_counter()
        self._over = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._request.add(message, self._largest)
        return message

    async def send(self, message: Message) -> None:
        kind = message["type"]
        # Before it is passed on: who sends it may change it, as one that packs answers does.
        if kind == "http.response.start":
            self._status = message["status"]
            self._reply_headers = tuple(message.get("headers", ()))
            if not isinstance(message.get("headers", ()), list | tuple):
                # ASGI lets them be anything to go through, and that may be possible only once.
                message["headers"] = self._reply_headers
        elif kind == "http.response.body":
            self._reply.add(message, self._largest)
        await self._send(message)
        if self._reply.whole:
            self.end("")
        elif kind in ("http.response.pathsend", "http.response.zerocopysend"):
            self.end("the answer is a file")

    def end(self, why: str) -> None:
        """Hands over what passed, once; `why` says what is missing of it."""
        if self._over:
            return
        self._over = True
        if not why and self._status != 200:
            why = f"the answer has the status {self._status}"
        why = why or self._request.unread or self._reply.unread
        if why:
            self._hand_over(why, 0)
            return
        took = (time.perf_counter() - self._began) * 1000
        request = Body(self._headers, tuple(self._request.parts))
        reply = Body(self._reply_headers, tuple(self._reply.parts))
        exchange = Exchange(request, reply, time.time_ns() // 10**6, round(took, 3))
        self._hand_over(exchange, self._request.size + self._reply.size)


class _Passing:
    """The pieces of a body that has passed; of one that is too large nothing is kept."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.parts: list[bytes] = []
        self.size = 0
        self.whole = False
        self._too_large = False

    def add(self, message: Message, largest: int) -> None:
        part = bytes(message.get("body", b""))
        self.size += len(part)
        self.whole = not message.get("more_body", False)
        if self.size > largest:
            self._too_large = True
            self.parts.clear()
        elif part:
            self.parts.append(part)

    @property
    def unread(self) -> str:
        """Why it cannot be read; "" where it can."""
        if self._too_large:
            return f"{self._what} is too large"
        return "" if self.whole else f"{self._what} did not come to its end"
