"""What one arm said, from a live record, from a trace, or from what a target answered.

The values have passed their contracts before, so what has another type here is not there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from ragstone.contracts.answer_texts import citations_of, claim_of
from ragstone.contracts.records.live_record import plainly_spelled
from ragstone.contracts.records.retrieval_records import DELTA_S, LAMBDA_STATE, STATES
from ragstone.shadow.pairs import ArmRecord, Hit, Perf, Retrieval, Said
from ragstone.suites.answers.refusal_rules import REFUSAL
from ragstone.targets.protocol import Answer

Table = Mapping[str, object]
_LARGEST = sys.float_info.max


def arm_of_live(record: dict[str, object]) -> ArmRecord:
    """The arm that a good live record is."""
    plain = plainly_spelled(record)
    found, said, perf = (_table(plain, name) for name in ("retrieval", "answer", "perf"))
    claim = _text(said, "claim") or None
    return ArmRecord(
        Retrieval(
            _hits(found.get("topk")),
            _text(found, "index_hash"),
            _numbers(found.get("ΔS_list")),
            _states(found.get("λ_states")),
        ),
        Said(
            claim,
            _hits(said.get("citations")),
            _number(said, "coverage"),
            _refused(claim, said.get("refused")),
            _number(said, "ΔS"),
            lambda_final=_state(said.get("λ_final")),
        ),
        Perf(
            _number(perf, "t_retrieve_ms"),
            _number(perf, "t_reason_ms"),
            _number(perf, "latency_ms"),
        ),
    )


def arm_of_trace(trace: Table) -> ArmRecord:
    """The arm that a good trace is; ΔS and λ are read as in the log of the retrieval suite."""
    answer = _table(trace, "answer_json")
    hits = _hits(trace.get("topk")) or _ranked(trace)
    said = answer.get("refused")
    stages = _table(trace, "stage_ms")
    claim = claim_of(answer)
    delta_s = _first(trace, DELTA_S)
    return ArmRecord(
        Retrieval(
            hits,
            _text(trace, "index_hash"),
            _numbers(delta_s),
            _states(_first(trace, ("λ_states", "lambda_states"))),
        ),
        Said(
            claim,
            tuple(map(Hit, citations_of(answer))),
            refused=_refused(claim, trace.get("refused") if said is None else said),
            delta_s=_finite(delta_s),
            lambda_final=_state(_first(trace, ("λ_final", "lambda_final", *LAMBDA_STATE))),
        ),
        Perf(_number(stages, "retrieval"), _number(stages, "llm"), _number(trace, "latency_ms")),
    )


def arm_of_answer(answer: Answer, latency_ms: float) -> ArmRecord:
    """The arm that the answer of a target is."""
    return arm_of_trace(
        {
            **answer.extra,
            "answer_json": answer.answer_json,
            "retrieved_ids": list(answer.retrieved_ids),
            "stage_ms": answer.stage_ms,
            "latency_ms": round(latency_ms, 3),
        }
    )


def _refused(claim: str | None, said: object) -> bool | None:
    """The pipeline's own word, else whether it says the refusal; None where nobody can tell."""
    if isinstance(said, bool):
        return said
    return True if claim is not None and claim.strip().casefold() == REFUSAL else None


def _ranked(trace: Table) -> tuple[Hit, ...]:
    ids, texts = trace.get("retrieved_ids"), trace.get("retrieved_texts")
    found = ids if isinstance(ids, list) else []
    beside = texts if isinstance(texts, list) and len(texts) == len(found) else [""] * len(found)
    return tuple(
        Hit(id, text if isinstance(text, str) else "")
        for id, text in zip(found, beside, strict=True)
        if isinstance(id, str)
    )


def _hits(value: object) -> tuple[Hit, ...]:
    items: Iterable[object] = value if isinstance(value, list) else ()
    return tuple(
        Hit(str(item["id"]), _text(item, "text"))
        for item in items
        if isinstance(item, dict) and isinstance(item.get("id"), str)
    )


def _table(value: Table, key: str) -> Table:
    inside = value.get(key)
    return inside if isinstance(inside, Mapping) else {}


def _text(value: Table, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _number(value: Table, key: str) -> float | None:
    return _finite(value.get(key))


def _numbers(value: object) -> tuple[float, ...]:
    """A list of numbers; one in which something else stands is none."""
    found = [_finite(each) for each in value] if isinstance(value, list) else []
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else ()


def _finite(value: object) -> float | None:
    """A number that a float can hold, and that JSON can: contracts let longer ones pass."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if -_LARGEST <= value <= _LARGEST else None


def _state(value: object) -> str:
    return STATES.get(value, "") if isinstance(value, str) else ""


def _states(value: object) -> tuple[str, ...]:
    found = map(_state, value) if isinstance(value, list) else ()
    return tuple(state for state in found if state)


def _first(value: Table, names: Iterable[str]) -> object:
    """What stands under the first of these names that the value has."""
    return next((value[name] for name in names if value.get(name) is not None), None)
