"""The live record: what a running pipeline reports of one question.

It is read beside traces. What a check needs of it is written as a trace, so that the suites' own
checks judge it; what only a live record says (ΔS, λ, coverage, the index and the build) goes with
it under a key of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ragstone.contracts.record import Allowing, Field, Record, problems, shown
from ragstone.contracts.records import choices
from ragstone.contracts.records.retrieval_records import CONVERGES, DELTA_S, STATES, misread
from ragstone.contracts.records.trace_records import TRACE

LIVE_KEY = "ragstone.live"
_TYPES = tuple(choices("types"))


def _field(name: str, kind: str, says: str, least: float | None = None) -> Field:
    types = _TYPES if kind == "hits" else ()
    beside = "retrieval.topk" if name == "retrieval.ΔS_list" else ""
    states = tuple(STATES) if name == "answer.λ_final" else types
    ids = "question" if name == "qid" else ""
    return Field(name, kind, says, beside=beside, choices=states, least=least, ids=ids)  # type: ignore[arg-type]


LIVE = Record(
    "live",
    "What a live pipeline reports of one question: what it retrieved, cited, and how long it took.",
    (
        _field("qid", "text", "the gold question, where it is one"),
        _field("question", "text", "the question as asked"),
        _field("trace_id", "any", "names the record: a string or a number"),
        _field("retrieval.topk", "hits", "what was retrieved, best first"),
        _field("retrieval.metric", "text", "how distance is measured"),
        _field("retrieval.analyzer", "text", "how text is cut into words"),
        _field("retrieval.index_hash", "text", "which build of the index answered"),
        _field("retrieval.embed_model", "text", "the model of the vectors"),
        _field("retrieval.ΔS_list", "numbers", "1 - cosine, one per topk entry"),
        _field("retrieval.λ_states", "texts", "the state of each wording: → ← <> or ×"),
        _field("answer.claim", "text", "what was answered"),
        _field("answer.citations", "hits", "what the answer cites"),
        _field("answer.coverage", "number", "how much of what it should cite it does", 0.0),
        _field("answer.ΔS", "number", "1 - cosine of the question and what was cited first", 0.0),
        _field("answer.λ_final", "text", "→ ← <> or ×"),
        _field("perf.t_retrieve_ms", "number", "time spent retrieving", 0.0),
        _field("perf.t_reason_ms", "number", "time spent in the language model", 0.0),
        _field("context.client", "text", "who asked"),
        _field("context.build", "text", "which build of the pipeline answered"),
        _field("context.region", "text", "where it ran"),
        _field("ts", "moment", "when the question was answered"),
    ),
)

# table → the spellings of each of its keys: those of logs that were read in the wrong encoding too.
_SPELLINGS = {
    "retrieval": {
        "ΔS_list": ("delta_s_list", "dS_list", *misread("ΔS_list")),
        "λ_states": ("lambda_states", *misread("λ_states")),
    },
    "answer": {
        "ΔS": DELTA_S[1:],
        "λ_final": ("lambda_final", *misread("λ_final")),
    },
}


def is_live(value: object) -> bool:
    """Whether a record is a live one, by keys that a trace does not have."""
    if not isinstance(value, dict):
        return False
    own = any(key in value for key in ("retrieval", "perf", "context"))
    return own or isinstance(value.get("answer"), dict)


def plainly_spelled(value: dict[str, object]) -> dict[str, object]:
    """The record with its keys as the contract spells them, and citations as objects."""
    made = dict(value)
    for table, names in _SPELLINGS.items():
        inside = made.get(table)
        if isinstance(inside, dict):
            made[table] = _spelled(inside, names)
    answer = made.get("answer")
    if isinstance(answer, dict):
        cites, coverage = answer.get("citations"), answer.get("coverage")
        if isinstance(cites, list) and cites and all(isinstance(each, str) for each in cites):
            made["answer"] = answer = {**answer, "citations": [{"id": each} for each in cites]}
        if isinstance(coverage, bool):
            made["answer"] = {**answer, "coverage": float(coverage)}
    return made


def _spelled(table: dict[str, object], names: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    return {
        next((name for name, others in names.items() if key in others), key): item
        for key, item in table.items()
    }


def problems_of(value: object, allowed: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Everything that is wrong with one record, by the contract that it is of."""
    if not is_live(value) or not isinstance(value, dict):
        yield from problems(TRACE, value, Allowing({}, allowed))
        return
    plain = plainly_spelled(value)
    yield from problems(LIVE, plain, Allowing({}, allowed))
    states = _at(plain, "retrieval", "λ_states")
    for place, state in enumerate(states if isinstance(states, list) else ()):
        if isinstance(state, str) and state not in STATES:
            known = ", ".join(STATES)
            reason = f"expected one of {known}, found {shown(state)} at position {place}"
            yield "retrieval.λ_states", reason


def _at(value: Mapping[str, object], table: str, key: str) -> object:
    inside = value.get(table)
    return inside.get(key) if isinstance(inside, dict) else None


def as_trace(value: dict[str, object]) -> dict[str, object]:
    """A good live record as a trace, with what only it says under a key of its own."""
    plain = plainly_spelled(value)
    ids = _ids(_at(plain, "retrieval", "topk"))
    cites = _ids(_at(plain, "answer", "citations"))
    stages = {
        "retrieval": _at(plain, "perf", "t_retrieve_ms"),
        "llm": _at(plain, "perf", "t_reason_ms"),
    }
    times = [time for time in stages.values() if isinstance(time, int | float)]
    made: dict[str, object] = {
        "qid": plain.get("qid"),
        "q": plain.get("question"),
        "trace_id": plain.get("trace_id"),
        "retrieved_ids": ids,
        "answer_json": {"claim": _at(plain, "answer", "claim"), "citations": cites},
        "ts": plain.get("ts"),
        "stage_ms": stages,
        "latency_ms": float(times[0] + times[1]) if len(times) == 2 else None,
        LIVE_KEY: {
            "covered": _at(plain, "answer", "coverage"),
            "delta_s": _delta_s(plain, ids, cites),
            "divergent": _divergent(plain),
            "index_hash": _at(plain, "retrieval", "index_hash"),
            "build": _at(plain, "context", "build"),
        },
    }
    return {key: item for key, item in made.items() if item is not None}


def _ids(hits: object) -> list[object]:
    return (
        [hit.get("id") for hit in hits if isinstance(hit, dict)] if isinstance(hits, list) else []
    )


def _delta_s(plain: dict[str, object], ids: list[object], cites: list[object]) -> object:
    """The answer's own ΔS, else that of what it cited first, else that of rank 1."""
    own, listed = _at(plain, "answer", "ΔS"), _at(plain, "retrieval", "ΔS_list")
    if own is not None or not isinstance(listed, list) or not listed:
        return own
    return listed[ids.index(cites[0])] if cites and cites[0] in ids else listed[0]


def _divergent(plain: dict[str, object]) -> bool | None:
    """Whether any wording, or the answer, does not converge; None where no state is logged."""
    states = _at(plain, "retrieval", "λ_states")
    logged = [*(states if isinstance(states, list) else ()), _at(plain, "answer", "λ_final")]
    known = [STATES[state] for state in logged if isinstance(state, str)]
    return any(state != CONVERGES for state in known) if known else None
