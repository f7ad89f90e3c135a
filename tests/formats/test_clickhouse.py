"""The table of spans as a real ClickHouse writes it, beside the lines of the collector."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command import Command, Folder
from written_spans import files, genai, openinference, tracer

session = pytest.importorskip(
    "chdb.session", reason="ClickHouse takes 800 MB; `make test-clickhouse` installs and tests it"
)

# As the collector's exporter makes it, without indexes, codecs and the day after which rows go.
TABLE = """
create table otel_traces (
    Timestamp DateTime64(9), TraceId String, SpanId String, ParentSpanId String, TraceState String,
    SpanName LowCardinality(String), SpanKind LowCardinality(String),
    ServiceName LowCardinality(String), ResourceAttributes Map(LowCardinality(String), String),
    ScopeName String, ScopeVersion String, SpanAttributes Map(LowCardinality(String), String),
    Duration UInt64, StatusCode LowCardinality(String), StatusMessage String,
    Events Nested (
        Timestamp DateTime64(9), Name LowCardinality(String),
        Attributes Map(LowCardinality(String), String)
    ),
    Links Nested (
        TraceId String, SpanId String, TraceState String,
        Attributes Map(LowCardinality(String), String)
    )
) engine = MergeTree partition by toDate(Timestamp) order by (ServiceName, SpanName, Timestamp)
"""


def row_of(span: dict[str, Any]) -> dict[str, object]:
    """A span of the collector as a row of the table: values are texts there."""
    started, ended = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
    events = span.get("events", [])
    return {
        "Timestamp": f"{started // 10**9}.{started % 10**9:09d}",
        "TraceId": span["traceId"],
        "SpanId": span["spanId"],
        "ParentSpanId": span.get("parentSpanId", ""),
        "SpanName": span["name"],
        "SpanAttributes": texts_of(span["attributes"]),
        "Duration": ended - started,
        "Events.Timestamp": [f"{int(each['timeUnixNano']) // 10**9}" for each in events],
        "Events.Name": [each["name"] for each in events],
        "Events.Attributes": [texts_of(each["attributes"]) for each in events],
    }


def texts_of(attributes: list[dict[str, Any]]) -> dict[str, str]:
    return {each["key"]: str(next(iter(each["value"].values()))) for each in attributes}


def lines_of(command: Command, folder: Folder, name: str) -> list[dict[str, Any]]:
    ran = command("convert", "--from", "otel", name, "-o", "traces.jsonl")
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in (folder.work / "traces.jsonl").read_text().splitlines()]


def test_rows_of_clickhouse_come_to_the_collectors_lines(command: Command, folder: Folder):
    with tracer(*files(folder.work)) as spans:
        said = {"answer": 'It\'s in \\ Bath,\n"they" say.', "citations": ["d1"]}
        openinference(spans, "Q1", "Where?", said, {"d1": "Bath: 文"}, {"d2": "More."}, rerank=True)
        genai(spans, "Why?", "Because.", ["d7"])
    text = (folder.work / "otlp.jsonl").read_text()
    rows = [
        json.dumps(row_of(span))
        for line in text.splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    with session.Session() as clickhouse:
        clickhouse.query("create database logs engine = Atomic; use logs")
        clickhouse.query(TABLE)
        clickhouse.query(f"insert into otel_traces format JSONEachRow {' '.join(rows)}")
        made = clickhouse.query("select * from otel_traces", "Parquet").bytes()
    folder.write("spans.parquet", made)
    assert lines_of(command, folder, "spans.parquet") == lines_of(command, folder, "otlp.jsonl")
    ran = command("audit", "--trace", "spans.parquet")
    assert ran.code == 2
    assert "it looks like otel's: try --from otel" in ran.err
