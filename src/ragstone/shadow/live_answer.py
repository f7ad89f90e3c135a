"""A live question with its answer, from a record or a trace that a pipeline wrote."""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.contracts.records.live_record import is_live, problems_of
from ragstone.shadow.arm_records import arm_of_live, arm_of_trace
from ragstone.shadow.pairs import ArmRecord


class Unread(Exception):
    """Why a live question cannot be mirrored, in a sentence without its texts."""


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """A question that was answered live. `ts` is in milliseconds."""

    question: str
    arm: ArmRecord
    id: str
    ts: int
    qid: str = ""
    trace_id: str = ""


def arm_in(value: object) -> ArmRecord:
    """The arm that a live record or a trace is; Unread says what it lacks."""
    if not isinstance(value, dict):
        raise Unread("the answer is no JSON object")
    for field, _ in problems_of(value):
        # The reason quotes what was found, which may be somebody's words.
        raise Unread(f"{field} of the answer is not as the contract has it")
    if is_live(value):
        if not any(isinstance(value.get(name), dict) for name in ("retrieval", "answer")):
            raise Unread("the record has neither retrieval nor answer")
        return arm_of_live(value)
    if all(value.get(name) is None for name in ("answer_json", "retrieved_ids", "topk", "refused")):
        raise Unread("the answer has neither answer_json nor retrieved_ids")
    return arm_of_trace(value)


def question_in(value: object) -> str:
    """The question of a request, a live record or a trace: `question` or `q`."""
    found = value if isinstance(value, dict) else {}
    for name in ("question", "q"):
        said = found.get(name)
        if isinstance(said, str) and said.strip():
            return said
    raise Unread("there is no question: neither question nor q is a text")


def name_in(value: object, *keys: str) -> str:
    """The first of these keys that names something: a text or a whole number."""
    found = value if isinstance(value, dict) else {}
    for key in keys:
        said = found.get(key)
        if isinstance(said, str | int) and not isinstance(said, bool) and said != "":
            return str(said)
    return ""
