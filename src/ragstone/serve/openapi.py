"""The description of the server's paths, by hand: a test holds it against the routes."""

from __future__ import annotations

from typing import Any

from ragstone._version import __version__
from ragstone.contracts.json_schema import schema
from ragstone.contracts.records.live_record import LIVE
from ragstone.contracts.records.trace_records import TRACE
from ragstone.serve.described_gold import gold_paths
from ragstone.serve.described_pages import page_paths
from ragstone.shadow.tally import OUTCOMES

_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}},
    "required": ["error"],
}
_PROBLEM = {
    "type": "object",
    "properties": {
        "line": {"type": "integer"},
        "field": {"type": "string"},
        "reason": {"type": "string"},
    },
    "required": ["line", "field", "reason"],
}
_STORED = {
    "type": "object",
    "properties": {
        "stored": {"type": "integer", "minimum": 0},
        "repeated": {"type": "integer", "minimum": 0},
        "refused": {"type": "integer", "minimum": 0},
        "problems": {"type": "array", "items": _PROBLEM, "maxItems": 100},
    },
    "required": ["stored", "repeated", "refused", "problems"],
}
_REASONS = {
    "400": "the body, the Host or the Origin cannot be read",
    "401": "the token is missing or wrong",
    "403": "the request comes from another site, or names another host",
    "408": "the body did not arrive in time",
    "409": "the Idempotency-Key came with another batch before",
    "413": "the body, or the number of records, is too large",
    "415": "the Content-Type or the Content-Encoding is not known",
    "422": "no record of the batch is good",
    "429": "too much waits, or too many wrong tokens came; Retry-After says for how long",
    "503": "the server cannot store anything",
    "507": "the disk is full",
}


def _answers(says: str, made: dict[str, Any] | None, *codes: str) -> dict[str, Any]:
    """The answers of a path: the good one, and the reasons why there is none."""
    good: dict[str, Any] = {"description": says}
    if made is not None:
        good["content"] = _json(made)
    refused = {
        code: {"description": _REASONS[code], "content": _json(_ERROR)}
        for code in sorted({"400", "401", "403", "429", *codes})
    }
    return {"200": good, **refused}


def _json(made: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": made}}


def _plain(says: str) -> dict[str, Any]:
    return {"description": says, "content": {"text/plain": {"schema": {"type": "string"}}}}


def _records() -> dict[str, Any]:
    record = {"anyOf": [schema(TRACE), schema(LIVE)]}
    either = {"anyOf": [*record["anyOf"], {"type": "array", "items": record}]}
    codes = ("400", "408", "409", "413", "415", "429", "503", "507")
    answers = _answers("what is stored, and what was refused", _STORED, *codes)
    answers["422"] = {"description": _REASONS["422"], "content": _json(_STORED)}
    return {
        "post": {
            "operationId": "postRecords",
            "summary": "Store traces and live records; answered once they are on the disk.",
            "parameters": [
                {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "description": "a batch that is sent again with its key is stored once",
                    "schema": {"type": "string", "maxLength": 200, "pattern": "^[!-~]*$"},
                }
            ],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {"schema": either},
                    "application/x-ndjson": {"schema": {"type": "string"}},
                    "application/jsonl": {"schema": {"type": "string"}},
                },
            },
            "responses": answers,
        }
    }


def _traces() -> dict[str, Any]:
    spans = {"type": "object", "properties": {"resourceSpans": {"type": "array"}}}
    answers = _answers("stored, less the spans that are named", {"type": "object"})
    answers["200"]["content"]["application/x-protobuf"] = {
        "schema": {"type": "string", "format": "binary"}
    }
    refused = _answers("", None, "400", "408", "413", "415", "429", "503", "507")
    answers |= {code: each for code, each in refused.items() if code != "200"}
    return {
        "post": {
            "operationId": "postTraces",
            "summary": "Store spans, as OpenTelemetry's exporters send them (OTLP/HTTP).",
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {"schema": spans},
                    "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
                },
            },
            "responses": answers,
        }
    }


def _forget() -> dict[str, Any]:
    ids = {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "minItems": 1,
        "maxItems": 1000,
    }
    wanted = {"type": "object", "properties": {"ids": ids}, "required": ["ids"]}
    count = {"type": "integer", "minimum": 0}
    found = {
        "type": "object",
        "properties": {"forgotten": count, "pairs": count},
        "required": ["forgotten"],
    }
    return {
        "post": {
            "operationId": "postForget",
            "summary": "Take records and pairs of these questions, traces or ids off the disk.",
            "requestBody": {"required": True, "content": _json(wanted)},
            "responses": _answers(
                "how many records are gone", found, "400", "408", "413", "415", "429", "503", "507"
            ),
        }
    }


def _health(name: str, summary: str) -> dict[str, Any]:
    answers = {"200": _plain("ok")}
    if name == "readyz":
        answers["503"] = _plain("why the server takes nothing")
    return {"get": {"operationId": name, "summary": summary, "security": [], "responses": answers}}


def _known(name: str, summary: str) -> dict[str, Any]:
    answers = _answers(summary, {"type": "object"})
    return {"get": {"operationId": name, "summary": summary, "responses": answers}}


def _shadow() -> dict[str, Any]:
    texts = {name: {"type": "string"} for name in ("run", "mirror", "target")}
    names = ("seen", *OUTCOMES, "waiting")
    made = {
        "type": "object",
        "description": "empty where the server has no shadow",
        "properties": {
            **texts,
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            **{name: {"type": "integer", "minimum": 0} for name in names},
            "why": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }
    summary = "What became of the questions that the mirror saw."
    answers = _answers(summary, made)
    return {"get": {"operationId": "shadow", "summary": summary, "responses": answers}}


def description(*, edits: bool = False) -> dict[str, Any]:
    """The description, in the words of OpenAPI 3.1; with the editor of gold where it is on."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ragstone serve",
            "version": __version__,
            "description": "Live records of a RAG pipeline: stored, counted by minute, watched.",
        },
        "security": [{"token": []}, {}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": {
            "/v1/records": _records(),
            "/v1/traces": _traces(),
            "/v1/forget": _forget(),
            "/v1/windows": _known("windows", "What the last windows come to, minute by minute."),
            "/v1/alerts": _known("alerts", "Alerts that stand, and the last that were raised."),
            "/v1/shadow": _shadow(),
            "/metrics": {
                "get": {
                    "operationId": "metrics",
                    "summary": "The same numbers, for Prometheus.",
                    "responses": {
                        **_answers("the numbers", None),
                        "200": _plain("the numbers"),
                    },
                }
            },
            **page_paths(),
            **(gold_paths() if edits else {}),
            "/livez": _health("livez", "Whether the process runs."),
            "/readyz": _health("readyz", "Whether records can be stored."),
            "/openapi.json": {
                "get": {
                    "operationId": "openapi",
                    "summary": "This description.",
                    "responses": _answers("the description", {"type": "object"}),
                }
            },
        },
    }
