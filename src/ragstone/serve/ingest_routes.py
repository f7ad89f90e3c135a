"""What comes in: `POST /v1/records`, `POST /v1/traces` and `POST /v1/forget`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import Diagnostic, InputError, RagstoneError
from ragstone.scratch import NotWritten
from ragstone.serve.batch_reader import Read, TooMany, read_records
from ragstone.serve.frames import Batch
from ragstone.serve.group_commit import Busy, Incoming, OtherBatch, Receipt
from ragstone.serve.journal_file import Broken, NotStored
from ragstone.serve.live_store import LiveStore
from ragstone.serve.otlp_spans import read_spans
from ragstone.serve.posted_body import Body, InFlight, Refused

_RECORDS = ("application/json", "application/x-ndjson", "application/jsonl")
_PROTOBUF = "application/x-protobuf"
_MOST_FORGOTTEN = 1_000
_LONGEST_KEY = 200
# Two bodies are checked at a time, of small ones and of large ones: more would only take turns on
# one interpreter, and a small one does not wait for large ones.
_CHECKED_AT_ONCE = 2
_SMALL = 256 * 1024


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many records were taken off the disk, and how many pairs of a shadow."""

    records: int
    pairs: int


T = TypeVar("T")
Forget = Callable[[list[str]], Forgotten]


class Ingest:
    """Takes requests apart, and answers each once what is good of it is on the disk."""

    def __init__(self, store: LiveStore, forget: Forget, allowed: Collection[str] = ()) -> None:
        self._store, self._forget, self._allowed = store, forget, allowed
        self._held = InFlight()
        self._checking = {size: asyncio.Semaphore(_CHECKED_AT_ONCE) for size in ("small", "large")}

    def routes(self) -> list[Route]:
        return [
            Route("/v1/records", self.records, methods=["POST"]),
            Route("/v1/traces", self.traces, methods=["POST"]),
            Route("/v1/forget", self.forget, methods=["POST"]),
        ]

    async def records(self, request: Request) -> Response:
        _must_be(request, _RECORDS)
        key = request.headers.get("idempotency-key", "")
        if len(key) > _LONGEST_KEY:
            raise Refused(400, f"Idempotency-Key: expected up to {_LONGEST_KEY} characters")
        read = partial(read_records, key=key, allowed=self._allowed)
        found, receipt = await self._taken(request, read, key)
        said = {
            "stored": receipt.stored,
            "repeated": receipt.repeated,
            "refused": found.refused,
            "problems": [_told(each) for each in found.problems],
        }
        nothing_good = found.refused and not found.records
        return JSONResponse(said, status_code=422 if nothing_good else 200)

    async def traces(self, request: Request) -> Response:
        kind = _must_be(request, (_PROTOBUF, "application/json"))
        read = partial(read_spans, protobuf=kind == _PROTOBUF)
        found, _ = await self._taken(request, read, "")
        return _otlp_answer(found, protobuf=kind == _PROTOBUF)

    async def forget(self, request: Request) -> Response:
        _must_be(request, ("application/json",))
        body = Body(self._held)
        try:
            ids = await self._checked(await self._read(body, request), _ids_in)
        finally:
            body.give_back()
        try:
            forgotten = await asyncio.to_thread(self._forget, ids)
        except NotWritten as error:
            raise NotStored(error.error, "not everything is forgotten yet") from error
        except OSError as error:
            raise NotStored(error, "not everything is forgotten yet") from error
        pairs = {"pairs": forgotten.pairs} if forgotten.pairs else {}
        return JSONResponse({"forgotten": forgotten.records, **pairs})

    async def _taken(
        self, request: Request, read: Callable[[bytes, int], Read], key: str
    ) -> tuple[Read, Receipt]:
        """Reads, checks and stores the records of a request."""
        held = Body(self._held)
        try:
            said = await self._read(held, request)
            arrived = time.time_ns() // 10**6
            found = await self._checked(said, lambda body: read(body, arrived))
            if not found.records:
                return found, Receipt(0, 0)
            digest = sha256(said).hexdigest() if key else ""
            batch = Batch(key, digest, arrived, tuple(found.records))
            incoming = Incoming(batch, tuple(found.lines), len(said))
            return found, await asyncio.wrap_future(self._store.submit(incoming))
        finally:
            held.give_back()

    async def _read(self, body: Body, request: Request) -> bytes:
        """All of the body, unpacked."""
        packed = await body.received(request.stream())
        packing = request.headers.get("content-encoding", "")
        if packing in ("", "identity"):
            return packed
        return await self._checked(packed, body.unpacking(packing))

    async def _checked(self, said: bytes, check: Callable[[bytes], T]) -> T:
        """What a check comes to that runs beside the others."""
        async with self._checking["small" if len(said) <= _SMALL else "large"]:
            return await asyncio.to_thread(check, said)


def _must_be(request: Request, kinds: tuple[str, ...]) -> str:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in kinds:
        raise Refused(415, f"Content-Type: expected one of {', '.join(kinds)}")
    return given


def _told(each: Diagnostic) -> dict[str, object]:
    return {"line": each.line, "field": each.field, "reason": each.reason}


def _ids_in(body: bytes) -> list[str]:
    """The ids of `{"ids": [...]}`."""
    try:
        value = parse(body)
    except NotJson as error:
        raise Refused(400, f"the body is not JSON: {error}") from None
    ids = value.get("ids") if isinstance(value, dict) else None
    good = isinstance(ids, list) and all(isinstance(each, str) and each for each in ids)
    if not isinstance(ids, list) or not good or not 0 < len(ids) <= _MOST_FORGOTTEN:
        wanted = f"1 to {_MOST_FORGOTTEN:,} texts that are not empty"
        raise Refused(400, f'expected {{"ids": [...]}} with {wanted}')
    return ids


def _otlp_answer(found: Read, *, protobuf: bool) -> Response:
    """What the exporters of OpenTelemetry read: nothing, or how many spans were refused."""
    first = next(iter(found.problems), None)
    message = f"span {first.line}: {first.field}: {first.reason}" if first else ""
    if not protobuf:
        partial_success = {"rejectedSpans": str(found.refused), "errorMessage": message}
        return JSONResponse({"partialSuccess": partial_success} if found.refused else {})
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceResponse,
    )

    made = ExportTraceServiceResponse()
    if found.refused:
        made.partial_success.rejected_spans = found.refused
        made.partial_success.error_message = message
    return Response(made.SerializeToString(), media_type=_PROTOBUF)


async def told(request: Request, error: Exception) -> Response:
    """What a client is told of a request that was not taken."""
    status, wait = 400, 0
    if isinstance(error, Refused):
        status, wait = error.status, error.retry_after
    elif isinstance(error, Busy):
        status, wait = 429, 1
    elif isinstance(error, OtherBatch):
        status = 409
    elif isinstance(error, TooMany):
        status = 413
    elif isinstance(error, NotStored):
        status, wait = (507 if error.full else 503), 10
    elif isinstance(error, Broken):
        status, wait = 503, 60
    headers = {"Retry-After": str(wait)} if wait else None
    return JSONResponse({"error": str(error)}, status_code=status, headers=headers)


async def gone(request: Request, error: Exception) -> Response:
    """For a client that went away before it had sent everything; nobody reads it."""
    return Response(status_code=400)


HANDLERS: dict[Any, Any] = {RagstoneError: told, InputError: told, ClientDisconnect: gone}
