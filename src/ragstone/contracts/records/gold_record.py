"""The gold set: the questions with their expected evidence, one JSON object a line."""

from __future__ import annotations

from ragstone.contracts.record import Field, Record

GOLD = Record(
    "gold",
    "A question with its expected evidence.",
    (
        Field("qid", "text", "the question's id, unique in the file", required=True, filled=True),
        Field("question", "text", "the question as a user would ask it"),
        Field(
            "answerable",
            "flag",
            "false: the only right output is the refusal token",
            required=True,
        ),
        Field(
            "gold_claim_substr",
            "texts",
            "any one of them in the claim is enough; an entry under 5 characters can never match",
        ),
        Field("gold_citations", "texts", "ids of the evidence, such as p1#2"),
        Field("constraints", "texts", "locked constraints; turn on the SCU check"),
        Field("notes", "any", "kept, never scored"),
        Field("tags", "texts", "names of the slices the question belongs to"),
    ),
)
