"""Validators' labels: merged pairs, or one file per validator, one JSON object a line."""

from __future__ import annotations

from ragstone.contracts.record import Field, Record

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
# INVALID is another spelling of REJECT.
SPELLINGS = (*LABELS, "INVALID")

_QID = Field("qid", "text", "the question that was judged", required=True, filled=True)


def _label(name: str, says: str) -> Field:
    return Field(name, "text", says, required=True, choices=SPELLINGS)


PAIRS = Record(
    "pairs",
    "What two validators said of one answer.",
    (
        _QID,
        _label("scholar.label", "what the scholar said; INVALID reads as REJECT"),
        Field("scholar.reason", "text", "the scholar's reason"),
        _label("auditor.label", "what the auditor said; INVALID reads as REJECT"),
        Field("auditor.reason", "text", "the auditor's reason"),
        Field("answer_json.claim", "text", "the answer that was judged"),
        Field("answer_json.citations", "texts", "ids of what the answer rests on"),
        Field("retrieved_ids", "texts", "ids of what was retrieved"),
        Field("flags.provenance_violation", "flag", "a red flag: the evidence is not what it says"),
        Field("flags.constraints_mismatch", "flag", "a red flag: locked constraints were broken"),
    ),
)

LABEL = Record(
    "labels",
    "What one validator said of one answer.",
    (
        _QID,
        _label("label", "the validator's label; INVALID reads as REJECT"),
        Field("reason", "text", "the validator's reason"),
    ),
)
