"""What a pipeline did for one question: a trace, a run of a stability test, a sample of a load."""

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


def _trace_with(name: str, says: str, *own: Field) -> Record:
    """A trace with further fields; a field of the same name replaces the trace's."""
    names = {field.name for field in own}
    return Record(name, says, (*(f for f in TRACE.fields if f.name not in names), *own))


RUN = _trace_with(
    "run",
    "What the pipeline did for one question under one seed and jitter.",
    Field("run_id", "text", "which run this is; the last line of a run id is the one that counts"),
    Field("seed", "integer", "the seed it was asked under", or_else=("run_id",)),
    Field("paraphrase", "integer", "which wording of the question was asked"),
    Field("jitter", "text", "how the question was changed; none as it is", or_else=("run_id",)),
)

SAMPLE = _trace_with(
    "sample",
    "One request of a load: what it was, how long it took, and what came back.",
    Field("config", "text", "the configuration's name", required=True, filled=True),
    Field("knobs", "object", "the configuration's settings"),
    Field("rps", "number", "the load: requests a second", required=True, least=0.0),
    Field("qid", "text", "the gold question that was asked", required=True, filled=True),
    Field("planned", "number", "when it was due, in seconds from the start of the load", least=0.0),
    Field(
        "latency_ms",
        "number",
        "the time from the planned arrival to the validated answer",
        required=True,
        least=0.0,
    ),
    Field("cost_usd", "number", "what the answer cost", least=0.0),
    Field("error", "text", "why there is no answer"),
)
