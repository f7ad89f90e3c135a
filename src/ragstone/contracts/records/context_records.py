"""The context suite's inputs: what a system retrieved for a question, and what it should have."""

from __future__ import annotations

from ragstone.contracts.record import Field, Record

RESULTS = Record(
    "results",
    "What a system retrieved, and said, for one question.",
    (
        Field("qid", "id", 'the question; text: 1, "1" and 1.0 are the same', required=True),
        Field("doc_ids", "ids", "ids of what was retrieved, in rank order"),
        Field("question", "text", "the question as asked"),
        Field("answer", "text", "what the system answered"),
        Field("context", "any", "the text of what was retrieved"),
        Field("question_words_count", "number", "words in the question"),
        Field("answer_words_count", "number", "words in the answer"),
        Field("total_time_ms", "number", "how long the answer took"),
        Field("timestamp", "any", "when the question was answered"),
        Field("generated_queries", "any", "what was asked of the index"),
        Field("rewritten_docs", "any", "what was made of the retrieved text"),
        Field("system_name", "id", "the system's name in tables and files"),
        Field("metadata", "any", "kept, never scored"),
    ),
)

REFERENCE = Record(
    "reference",
    "A question with the documents that answer it; question_* and user_* become slices.",
    (
        Field("qid", "id", 'the question; text: 1, "1" and 1.0 are the same', required=True),
        Field("document_ids", "ids", "the gold documents"),
        Field("question", "text", "the question as a user would ask it"),
        Field("answer", "text", "the expected answer"),
        Field("context", "any", "the text of the gold documents"),
        Field("question_length", "number", "characters in the question"),
        Field("answer_length", "number", "characters in the answer"),
        Field("context_length", "number", "characters in the context"),
    ),
)

# The LiveRAG answer file has names of its own for the same things.
LIVE_ANSWER = Record(
    "live answers",
    "A line of the LiveRAG answer file.",
    (
        Field("id", "id", "the question", required=True),
        Field("question", "text", "the question as asked"),
        Field("passages", "any", "what was retrieved: passage and doc_IDs", required=True),
        Field("final_prompt", "text", "what the language model was given"),
        Field("answer", "text", "what the system answered"),
    ),
)
