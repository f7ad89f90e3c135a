"""Traces: what the pipeline did for one question, one JSON object a line, in either shape."""

from __future__ import annotations

from ragstone.contracts.record import Field, Record

TRACE = Record(
    "trace",
    "What the pipeline did for one question: what it retrieved, what it claimed, what it cited.",
    (
        Field("qid", "text", "the gold question this answers"),
        Field("q_id", "text", "another spelling of qid"),
        Field("q", "text", "the question as asked; joins the older shape to gold"),
        Field("retrieved_ids", "texts", "ids of what was retrieved, in rank order"),
        Field("answer_json.claim", "text", "a sentence, or the refusal token"),
        Field("answer_json.citations", "texts", "ids of what the claim rests on"),
        Field("answer_json.constraints_echo", "texts", "the locked constraints, echoed"),
        Field("ts", "moment", "when the question was answered"),
        Field("ok", "any", "the pipeline's own view"),
        Field("reason", "any", "the pipeline's own reason"),
        Field("latency_ms", "number", "the time from question to validated answer"),
        Field("stage_ms.retrieval", "number", "time spent retrieving"),
        Field("stage_ms.rerank", "number", "time spent reranking"),
        Field("stage_ms.llm", "number", "time spent in the language model"),
        Field("stage_ms.guard", "number", "time spent in the guard"),
        Field("tokens.in", "number", "tokens read"),
        Field("tokens.out", "number", "tokens written"),
        Field("cost_usd", "number", "what the answer cost"),
        Field("chunks", "chunks", "the older shape's retrieved ids", unless=("qid", "q_id")),
        Field(
            "answer",
            "text",
            "the older shape's answer: `- claim`, then `- citations: [p1#1]`",
            unless=("qid", "q_id"),
        ),
    ),
)
