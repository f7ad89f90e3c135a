"""Real exporters of OpenTelemetry send their spans, and these score as the same spans in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from command import Command, Folder
from opentelemetry.exporter.otlp.json.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from serve.running_server import Server, ServerInThread, serving
from written_spans import genai, openinference, tracer

from ragstone.serve.live_store import LiveStore

FOUND = {"d1": "Ada Lovelace wrote the notes in 1843.", "d2": "Bath is a city."}
GOLD = [
    {"qid": "Q1", "question": "Who wrote the notes?", "answerable": True}
    | {"gold_claim_substr": ["Lovelace"], "gold_citations": ["d1"]},
    {"qid": "Q2", "question": "Where is Bath?", "answerable": True}
    | {"gold_claim_substr": ["England"], "gold_citations": ["d2"]},
]


class JsonExporter(SpanExporter):
    """Sends what OpenTelemetry's own encoder makes of spans, as JSON."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        body = json.dumps(encode_spans(spans).to_dict()).encode()
        answer = self._server.ask("POST", "/v1/traces", body, Content_Type="application/json")
        assert (answer.status, answer.json) == (200, {})
        return SpanExportResult.SUCCESS


@pytest.fixture
def server(folder: Folder) -> Iterator[ServerInThread]:
    with serving(folder.work) as made:
        yield made


def spans_stored(folder: Path) -> str:
    store = LiveStore(folder / ".ragstone" / "live")
    try:
        return "".join(f"{record.text}\n" for record in store.records() if record.kind == "span")
    finally:
        store.close()


@pytest.mark.parametrize("how", ["protobuf", "gzip", "json"])
def test_the_spans_score_as_those_of_a_file_do(
    server: ServerInThread, folder: Folder, command: Command, how: str
) -> None:
    folder.write("gold.jsonl", GOLD)
    packing = Compression.Gzip if how == "gzip" else Compression.NoCompression
    sender: SpanExporter = JsonExporter(server)
    if how != "json":
        sender = OTLPSpanExporter(f"{server.url}/v1/traces", compression=packing)
    with tracer(sender, FileSpanExporter(folder.work / "otlp.jsonl")) as spans:
        said = {"answer": "Ada Lovelace did.", "citations": ["d1"]}
        openinference(spans, "Q1", "Who wrote the notes?", said, FOUND)
        genai(spans, "Where is Bath?", "It is in England.", ["d2", "d7"])
    assert server.stop() == 0
    folder.write("stored.jsonl", spans_stored(folder.work))
    for count, *words in (("kept", "score", "--gold", "gold.jsonl"), ("traces", "audit")):
        ran = [
            command(*words, "--trace", name, "--from", "otel", "--json")
            for name in ("otlp.jsonl", "stored.jsonl")
        ]
        assert ran[0].code in (0, 1), ran[0].err
        assert ran[0].out == ran[1].out
        assert ran[0].json["inputs"][count] == 2
    checked = command("convert", "--from", "otel", "stored.jsonl", "-o", "traces.jsonl")
    assert checked.code == 0
    assert command("check", "--as", "trace", "traces.jsonl").code == 0


def test_a_span_that_is_sent_again_is_kept_once(server: ServerInThread, folder: Folder) -> None:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id = bytes(range(16)), bytes(range(8))
    span.start_time_unix_nano, span.end_time_unix_nano = 10**18, 10**18 + 10**9
    body = request.SerializeToString()
    for _ in range(3):
        answer = server.ask("POST", "/v1/traces", body, Content_Type="application/x-protobuf")
        assert (answer.status, answer.body) == (200, b"")
    server.stop()
    (line,) = spans_stored(folder.work).splitlines()
    (kept,) = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert (kept["traceId"], kept["spanId"]) == (bytes(range(16)).hex(), bytes(range(8)).hex())


def test_spans_that_cannot_be_kept_are_told_as_otlp_tells_it(server: Server) -> None:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    spans.add(trace_id=b"short", span_id=bytes(8), end_time_unix_nano=5)
    spans.add(trace_id=bytes(16), span_id=bytes(8), end_time_unix_nano=5)
    answer = server.ask(
        "POST", "/v1/traces", request.SerializeToString(), Content_Type="application/x-protobuf"
    )
    told = ExportTraceServiceResponse.FromString(answer.body)
    assert (answer.status, told.partial_success.rejected_spans) == (200, 1)
    assert told.partial_success.error_message == ("span 1: traceId: expected 32 hexadecimal digits")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/x-protobuf", b"\xff\xff"),
        ("application/json", b"{"),
        ("application/json", b'{"resourceSpans": 5}'),
        ("application/json", b"[]"),
        ("application/json", b'{"resourceSpans": [5]}'),
    ],
)
def test_what_is_no_request_of_otlp_is_refused(server: Server, kind: str, body: bytes) -> None:
    answer = server.ask("POST", "/v1/traces", body, Content_Type=kind)
    assert (answer.status, list(answer.json)) == (400, ["error"])


def test_spans_are_forgotten_with_the_question_of_their_root(
    server: ServerInThread, folder: Folder
) -> None:
    with tracer(OTLPSpanExporter(f"{server.url}/v1/traces")) as spans:
        openinference(spans, "Q1", "Who wrote the notes?", "Ada.", FOUND)
        openinference(spans, "Q2", "Where?", "Bath.", FOUND)
    body = json.dumps({"ids": ["Q1"]}).encode()
    answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
    assert answer.json == {"forgotten": 3}
    server.stop()
    assert "Lovelace wrote" in spans_stored(folder.work)
    assert "Who wrote" not in spans_stored(folder.work)
