"""Connections over which one request gets one reply, for `http.py`.

aiohttp keeps a connection after a reply and hands it to the next request without looking whether
the server has sent more in the meantime. Those bytes would be read as the reply to the next
question, and from then on every answer would be under the wrong question. HTTP/1.1 has nothing
that tells which request a reply is for. So a connection rests after its reply, and is used again
only if it was silent; after one byte that nobody asked for, no connection to that server is.
If what comes is another reply, nobody knows which of the two answers the question: what was
answered over that connection is withdrawn, and each later answer first waits for a second one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

from aiohttp import ClientRequest, ClientTimeout, StreamReader, TCPConnector
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage

from ragstone.errors import ConfigError
from ragstone.targets.protocol import Ask, NoAnswer

# Seconds of silence before a connection is used again. At a high rate, and from a server that was
# silent after so many replies, the short rest is enough: a long one would need a thousand sockets.
LONG_REST = 1.0
SHORT_REST = 0.1
SILENT_BEFORE_SHORT = 256
MANY_RESTING = 64
MOST_RESTING = 256


class OneReply(ResponseHandler):
    """Reads replies, and closes the connection when bytes come that belong to none."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, distrust: Callable[[OneReply, bool], None]
    ) -> None:
        super().__init__(loop)
        self.requests = 0
        self.answered: list[Ask] = []
        self.doubtful = False
        self.silent = True
        self.early = False
        self.rested = False
        self._distrust = distrust
        self._asked = False
        self._body: StreamReader | None = None

    def set_response_params(self, **given: Any) -> None:
        """aiohttp calls this right before it writes a request."""
        self.requests += 1
        self.silent = True
        self.rested = False
        self._asked = True
        self._body = None
        super().set_response_params(**given)

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Gets the head of each reply; one with a status of 1xx is followed by another."""
        message, body = data
        if message.code >= 200 and self._body is None:
            self._body = body
        super().feed_data(data, size)

    def data_received(self, data: bytes) -> None:
        if not data:
            # aiohttp goes on with what it was given before.
            super().data_received(data)
            return
        if self._is_complete():
            self.early = not self._asked
            self._distrust(self, self.requests > 1 or _begins_a_reply(data))
            if self.transport is not None:
                self.transport.abort()
            return
        self.silent = False
        # The last byte apart: a reply that is complete without it is followed by something else.
        super().data_received(data[:-1])
        if self._is_complete():
            self._distrust(self, self.requests > 1 or b"HTTP/" in data[1:])
            self.force_close()
        else:
            super().data_received(data[-1:])

    def _is_complete(self) -> bool:
        """Whether nothing more may come: before a request, and after the whole of its reply."""
        return not self._asked or (self._body is not None and self._body.is_eof())


def _begins_a_reply(data: bytes) -> bool:
    """Whether these bytes are, or may become, the head of a reply; blank lines are not."""
    start = data.lstrip(b"\r\n")[:5]
    return bool(start) and b"HTTP/".startswith(start)


_in_use: ContextVar[OneReply] = ContextVar("_in_use")


class OneReplyConnector(TCPConnector):
    """Hands out new connections, and kept ones that were silent after their last reply."""

    def __init__(
        self, *, keep: bool, withdraw: Callable[[Ask, NoAnswer], None], **given: Any
    ) -> None:
        super().__init__(force_close=not keep, **given)
        self._keep = keep
        self._withdraw = withdraw
        self._careful = False
        self._resting = 0
        self._silent = 0
        self._factory: partial[Any] = partial(OneReply, asyncio.get_running_loop(), self._distrust)

    def _distrust(self, reader: OneReply, doubtful: bool) -> None:
        self._keep = False
        self._careful = self._careful or doubtful or reader.early
        if doubtful and not reader.early:
            reader.doubtful = True
            for ask in reader.answered:
                self._withdraw(ask, _too_many("withdrawn: "))
            reader.answered.clear()

    async def take(self, ask: Ask) -> None:
        """Called when a reply was read, before it is the answer to this question."""
        reader = _in_use.get()
        if self._careful:
            await asyncio.sleep(SHORT_REST)
        if reader.doubtful:
            raise _too_many()
        reader.answered.append(ask)

    async def last_rest(self) -> None:
        """Waits for what the server may still send after its last replies."""
        if self._resting:
            await asyncio.sleep(SHORT_REST)

    async def connect(
        self, req: ClientRequest, traces: list[Any], timeout: ClientTimeout
    ) -> Connection:
        while True:
            connection = await super().connect(req, traces, timeout)
            reader = connection.protocol
            if not isinstance(reader, OneReply):
                connection.close()
                raise ConfigError("this version of aiohttp is not supported: 3.11 to 3.14 are")
            if reader.requests == 0:
                await _must_be_silent(connection, reader)
            elif not (self._keep and reader.rested):
                connection.close()
                continue
            _in_use.set(reader)
            return connection

    def _release(self, key: Any, protocol: Any, *, should_close: bool = False) -> None:
        """aiohttp calls this when a reply was read, to put the connection back at once."""
        full = self._resting >= MOST_RESTING
        if self._careful and not should_close:
            # Held for as long as `take` waits.
            close = partial(super()._release, key, protocol, should_close=True)
            self._loop.call_later(2 * SHORT_REST, close)
            return
        if should_close or full or not self._keep or protocol.should_close:
            super()._release(key, protocol, should_close=True)
            return
        short = self._silent >= SILENT_BEFORE_SHORT and self._resting >= MANY_RESTING
        self._resting += 1
        self._loop.call_later(SHORT_REST if short else LONG_REST, self._rested, key, protocol)

    def _rested(self, key: Any, protocol: OneReply) -> None:
        self._resting -= 1
        self._silent += 1
        protocol.rested = True
        super()._release(key, protocol, should_close=not self._keep or not protocol.is_connected())


def _too_many(before: str = "") -> NoAnswer:
    says = "the server sent more than one reply to one request, and which is meant is not known"
    return NoAnswer("bad_answer", before + says)


async def _must_be_silent(connection: Connection, reader: OneReply) -> None:
    """A server that speaks before it is asked cannot be answering the question."""
    try:
        # The loop gets to read what is there.
        await asyncio.sleep(0)
    except BaseException:
        connection.close()
        raise
    if reader.early:
        connection.close()
        raise NoAnswer("bad_answer", "the server sent something before it was asked")


def was_stale() -> bool:
    """Whether this task's last request went over a kept connection and nothing came back.

    Then the server had closed it before the request arrived, and asking again is safe.
    """
    reader = _in_use.get(None)
    return reader is not None and reader.requests > 1 and reader.silent
