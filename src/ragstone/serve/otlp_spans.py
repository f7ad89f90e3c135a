"""Spans as OpenTelemetry's exporters send them, in protobuf or in JSON, one record for each.

A span is kept as a request of its own would hold it, in the JSON of OTLP, so that the format
`otel` reads what was stored as it reads the collector's file. What a request says of the resource
and of the scope is not kept.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from ragstone.contracts.not_json import MAX_DEPTH
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import Diagnostic, InputError
from ragstone.serve.batch_reader import AHEAD, EXPLAINED, MOST_RECORDS, Read, TooMany
from ragstone.serve.frames import Stored

_IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
_TRACE_ID, _SPAN_ID = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9a-f]{16}")
_NANOSECONDS = re.compile(r"[0-9]{1,20}")


def read_spans(body: bytes, arrived: int, *, protobuf: bool) -> Read:
    """The spans of a request; those without ids or times are refused by name."""
    found = Read()
    spans = _from_protobuf(body) if protobuf else _from_json(body)
    for count, span in enumerate(spans, 1):
        if count > MOST_RECORDS:
            raise TooMany(f"expected up to {MOST_RECORDS:,} spans in a request")
        _read_span(found, span, count, arrived)
    return found


def _from_protobuf(body: bytes) -> Iterator[dict[str, Any]]:
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
    )

    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(body)
    except DecodeError:
        raise InputError("the body is no ExportTraceServiceRequest in protobuf") from None
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                made: dict[str, Any] = MessageToDict(span)
                for each in (made, *made.get("links", ())):
                    for name in _IDS:
                        if name in each:
                            # Protobuf's JSON has bytes in base64, and OTLP's has ids in hex.
                            each[name] = base64.b64decode(each[name]).hex()
                yield made


def _from_json(body: bytes) -> Iterator[dict[str, Any]]:
    try:
        request = parse(body, explain=len(body) <= EXPLAINED)
    except NotJson as error:
        raise InputError(f"the body is not JSON: {error}") from None
    for resource in _listed(request, "resourceSpans"):
        for scope in _listed(resource, "scopeSpans"):
            yield from _listed(scope, "spans")


def _listed(value: object, key: str) -> list[Any]:
    found = value.get(key, []) if isinstance(value, dict) else None
    if not isinstance(found, list):
        raise InputError(f"the body is no request of OTLP: expected an object with a list {key}")
    return found


def _read_span(found: Read, span: object, number: int, arrived: int) -> None:
    wrong = list(_problems(span, arrived))
    if wrong or not isinstance(span, dict):
        found.refuse(Diagnostic("request", number, field, reason) for field, reason in wrong)
        return
    name, end = span["traceId"].lower(), int(span["endTimeUnixNano"]) // 10**6
    text = _text_of(span)
    id = sha256(text.encode()).hexdigest()
    found.records.append(Stored(id, "span", end, name, _qid(span), text))
    found.lines.append(span_line(text, name, end, root=not span.get("parentSpanId")))


def _text_of(span: Mapping[str, Any]) -> str:
    """A span as a request of its own; ValueError for what JSON does not have."""
    return json.dumps(
        {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )


def _problems(span: object, arrived: int) -> Iterator[tuple[str, str]]:
    if not isinstance(span, dict):
        yield "span", "expected an object"
        return
    for name, pattern in (("traceId", _TRACE_ID), ("spanId", _SPAN_ID)):
        given = span.get(name)
        if not isinstance(given, str) or not pattern.fullmatch(given.lower()):
            yield name, f"expected {_IDS[name]} hexadecimal digits"
    parent = span.get("parentSpanId")
    if parent not in (None, "") and not (
        isinstance(parent, str) and _SPAN_ID.fullmatch(parent.lower())
    ):
        yield "parentSpanId", f"expected {_IDS['parentSpanId']} hexadecimal digits, or nothing"
    end = span.get("endTimeUnixNano")
    if isinstance(end, bool) or not _NANOSECONDS.fullmatch(str(end)):
        yield "endTimeUnixNano", "expected nanoseconds since 1970"
    elif int(str(end)) // 10**6 > arrived + AHEAD:
        reason = "expected a time that is not more than 5 minutes ahead of the server's clock"
        yield "endTimeUnixNano", reason
    try:
        text = _text_of(span)
        if text.count("{") + text.count("[") > MAX_DEPTH:
            parse(text.encode(), explain=False)
    except (TypeError, ValueError):
        # What cannot be read again must not be stored.
        reason = "expected values that JSON has, with numbers that a double can hold"
        yield "span", f"{reason}, nested up to {MAX_DEPTH} deep"
    if not isinstance(span.get("attributes", []), list):
        yield "attributes", "expected a list of {key, value}"


def _qid(span: Mapping[str, Any]) -> str:
    """The qid that a root's metadata names, by which its trace can be forgotten."""
    for each in span.get("attributes", ()):
        value = each.get("value") if isinstance(each, dict) else None
        said = value.get("stringValue") if isinstance(value, dict) else None
        if not isinstance(said, str):
            continue
        if each.get("key") == "metadata.qid":
            return said
        if each.get("key") == "metadata":
            try:
                inside = parse(said.encode(), explain=False)
            except (NotJson, UnicodeEncodeError):
                continue
            qid = inside.get("qid") if isinstance(inside, dict) else None
            return qid if isinstance(qid, str) else ""
    return ""


def span_line(text: str, name: str, end: int, *, root: bool) -> str:
    """A span as windows read it: whether it is a root, when it ended, its trace, and itself."""
    return f"{int(root)} {end} {name} {text}"


def stored_span_line(record: Stored, value: Mapping[str, Any]) -> str:
    """The same of a span that was stored before."""
    (resource,) = value["resourceSpans"]
    span = resource["scopeSpans"][0]["spans"][0]
    return span_line(record.text, record.name, record.moment, root=not span.get("parentSpanId"))
