"""Connections of the server: a head must come soon, and no sender has all of them.

A connection waits while no request of it is under way. One that waits for a head is closed after
some seconds, however slowly its bytes drip. Where a sender, or all together, have as many
connections as there may be, the one that has waited longest makes room for the new one; where none
waits, the new one is answered with 503.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ragstone.serve.senders import sender_of

MOST, MOST_OF_ONE = 256, 128
HEAD_SECONDS = 10.0


class BoundedConnection(H11Protocol):
    """One connection; `self.connections` has all of them."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.sender, self.waits_since = "", 0.0
        self._head: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.sender, self.waits_since = sender_of(self.client), self.loop.time()
        self._await_head()
        every = [each for each in self.connections if isinstance(each, BoundedConnection)]
        held = Counter(each.sender for each in every)
        full = held[self.sender] > MOST_OF_ONE
        if full or len(every) > MOST:
            most = self.sender if full else max(held, key=lambda sender: held[sender])
            if not self._made_room(each for each in every if each.sender == most):
                # The limit of uvicorn, for this connection alone: its requests get a 503.
                self.limit_concurrency = 0

    def _made_room(self, others: Iterable[BoundedConnection]) -> bool:
        waiting = [each for each in others if each is not self and each.waits]
        if waiting:
            # Not `close`, which waits for a client that does not read.
            min(waiting, key=lambda each: each.waits_since).transport.abort()
        return bool(waiting)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.waits:
            self._stop_awaiting()
        elif self._head is None:
            self._await_head()

    def on_response_complete(self) -> None:
        self.waits_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_awaiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            # An answer has begun, and another does not go into it.
            self.transport.close()
            return
        if not self.waits:
            # What works on this request is told that nobody hears it any more.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        super().send_400_response(msg)

    def _await_head(self) -> None:
        self._head = self.loop.call_later(HEAD_SECONDS, self._end)

    def _stop_awaiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _end(self) -> None:
        self._head = None
        if self.waits:
            self.transport.abort()
