"""Spans that the real OpenTelemetry SDK writes, under the names of two conventions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openinference.semconv.trace import (
    DocumentAttributes,
    MessageAttributes,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Tracer

KIND = SpanAttributes.OPENINFERENCE_SPAN_KIND
Kind = OpenInferenceSpanKindValues


class FlatExporter(SpanExporter):
    """One span a line, as the SDK itself writes a span as JSON."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def export(self, spans: tuple[ReadableSpan, ...]) -> SpanExportResult:  # type: ignore[override]
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(f"{span.to_json(indent=None)}\n" for span in spans)
        return SpanExportResult.SUCCESS


@contextmanager
def tracer(*exporters: SpanExporter) -> Iterator[Tracer]:
    """A tracer whose spans go to all of the exporters as they end."""
    provider = TracerProvider()
    for exporter in exporters:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider.get_tracer("a pipeline")
    provider.shutdown()


def files(folder: Path) -> tuple[SpanExporter, SpanExporter]:
    """Exporters to `otlp.jsonl` and `flat.jsonl`."""
    return FileSpanExporter(folder / "otlp.jsonl"), FlatExporter(folder / "flat.jsonl")


def documents(prefix: str, found: dict[str, str]) -> dict[str, str]:
    made = {}
    for place, (name, text) in enumerate(found.items()):
        made[f"{prefix}.{place}.{DocumentAttributes.DOCUMENT_ID}"] = name
        made[f"{prefix}.{place}.{DocumentAttributes.DOCUMENT_CONTENT}"] = text
    return made


def message(prefix: str, role: str, text: str) -> dict[str, str]:
    return {
        f"{prefix}.0.{MessageAttributes.MESSAGE_ROLE}": role,
        f"{prefix}.0.{MessageAttributes.MESSAGE_CONTENT}": text,
    }


def openinference(
    tracer: Tracer,
    qid: str,
    question: str,
    answer: object,
    *found: dict[str, str],
    rerank: bool = False,
) -> None:
    """A trace of a chain that retrieves, once for each of `found`, and asks a model."""
    said = answer if isinstance(answer, str) else json.dumps(answer)
    with tracer.start_as_current_span("chain") as root:
        root.set_attributes(
            {
                KIND: Kind.CHAIN.value,
                SpanAttributes.INPUT_VALUE: question,
                SpanAttributes.METADATA: json.dumps({"qid": qid}),
            }
        )
        for some in found:
            with tracer.start_as_current_span("search") as span:
                span.set_attributes(
                    {
                        KIND: Kind.RETRIEVER.value,
                        **documents(SpanAttributes.RETRIEVAL_DOCUMENTS, some),
                    }
                )
        if rerank:
            with tracer.start_as_current_span("rerank") as span:
                last = dict(reversed(list(found[-1].items())))
                span.set_attributes(
                    {
                        KIND: Kind.RERANKER.value,
                        **documents(RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS, last),
                    }
                )
        with tracer.start_as_current_span("model") as span:
            span.set_attributes(
                {
                    KIND: Kind.LLM.value,
                    **message(SpanAttributes.LLM_INPUT_MESSAGES, "user", question),
                    **message(
                        SpanAttributes.LLM_OUTPUT_MESSAGES, "assistant", "as the model said it"
                    ),
                    SpanAttributes.LLM_TOKEN_COUNT_PROMPT: 100,
                    SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: 7,
                }
            )
        root.set_attribute(SpanAttributes.OUTPUT_VALUE, said)


def genai(tracer: Tracer, question: str, answer: str, ids: list[str]) -> None:
    """A trace under the names of the OpenTelemetry GenAI conventions, which have no qid."""
    asked = [{"role": "user", "parts": [{"type": "text", "content": question}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
    with tracer.start_as_current_span("invoke_agent") as root:
        root.set_attributes(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.input.messages": json.dumps(asked),
            }
        )
        with tracer.start_as_current_span("retrieval") as span:
            found = [{"id": name, "score": 0.5} for name in ids]
            span.set_attributes(
                {
                    "gen_ai.operation.name": "retrieval",
                    "gen_ai.retrieval.query.text": question,
                    "gen_ai.retrieval.documents": json.dumps(found),
                }
            )
        with tracer.start_as_current_span("chat") as span:
            span.set_attributes(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.provider.name": "openai",
                    "gen_ai.output.messages": json.dumps(said),
                    "gen_ai.usage.input_tokens": 50,
                    "gen_ai.usage.output_tokens": 5,
                }
            )
            judged = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 0.25}
            span.add_event("gen_ai.evaluation.result", judged)
