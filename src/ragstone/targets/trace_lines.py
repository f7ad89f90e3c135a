"""The lines that a reply becomes: a trace, a run, a line of a retrieval log, and its timings."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from ragstone.suites.answers.options import REFUSAL
from ragstone.targets.protocol import Ask, Reply

# These differ from run to run; everything else is what the target answered.
MEASURED = ("ts", "latency_ms", "stage_ms")
_AXES = ("paraphrase", "seed", "jitter", "knobs")


def record_of(reply: Reply) -> dict[str, object]:
    """The fields of the trace that no clock measured; a failure has a reason instead of an answer.

    >>> from ragstone.targets.protocol import NoAnswer
    >>> late = NoAnswer("timeout", "no answer within 30 s")
    >>> record_of(Reply(Ask("A1", "Who?"), None, late, 0.0, 30000.0))
    {'qid': 'A1', 'q': 'Who?', 'ok': False, 'reason': 'timeout', 'error': 'no answer within 30 s'}
    """
    record = asked(reply.ask)
    answer, failure = reply.answer, reply.failure
    if answer is None:
        reason = "exception" if failure is None else failure.reason
        says = "" if failure is None else failure.says
        return {**record, "ok": False, "reason": reason, "error": says}
    record["retrieved_ids"] = list(answer.retrieved_ids)
    if answer.answer_json is not None:
        record["answer_json"] = dict(answer.answer_json)
    if answer.tokens:
        record["tokens"] = dict(answer.tokens)
    if answer.cost_usd is not None:
        record["cost_usd"] = answer.cost_usd
    return {**record, **answer.extra}


def asked(ask: Ask) -> dict[str, object]:
    """The fields that say what was asked, without those that the run does not vary."""
    fields: dict[str, object] = {"qid": ask.qid, "q": ask.q}
    for name in ("paraphrase", "seed", "jitter"):
        if getattr(ask, name) is not None:
            fields[name] = getattr(ask, name)
    if ask.knobs:
        fields["knobs"] = dict(ask.knobs)
    return fields


def measured_of(reply: Reply, attempts: int) -> dict[str, object]:
    """The measured fields: when it was asked, and how long the last attempt and its stages took."""
    moment = datetime.datetime.fromtimestamp(reply.ts, datetime.UTC)
    measured: dict[str, object] = {
        "ts": moment.isoformat(timespec="milliseconds"),
        "latency_ms": round(reply.latency_ms, 3),
    }
    if reply.answer is not None and reply.answer.stage_ms:
        measured["stage_ms"] = dict(reply.answer.stage_ms)
    return {**measured, "attempts": attempts}


def trace_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of traces, with the measured fields that its contract has."""
    return {**record, **{name: measured[name] for name in MEASURED if name in measured}}


def run_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of runs for the stability suite, with an id that no other run has.

    >>> run_line({"qid": "A1", "seed": 2, "jitter": "punct"}, {})["run_id"]
    'A1#seed=2;j=punct'
    """
    name = f"{record['qid']}#seed={record.get('seed', 0)};j={record.get('jitter', 'none')}"
    if "paraphrase" in record:
        name += f";p={record['paraphrase']}"
    return {"run_id": name, **trace_line(record, measured)}


def timing_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of the timings file: which ask, and everything that was measured."""
    which = {name: record[name] for name in ("qid", *_AXES) if name in record}
    return {**which, **measured}


def log_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of a retrieval log.

    A target that gives ids without scores gets 1/rank for them, which keeps the order. A refusal
    has no `answer_citations`.
    """
    line: dict[str, object] = {"qid": record["qid"], "query": record["q"]}
    line.update((name, record[name]) for name in _AXES if name in record)
    topk = line["topk"] = _topk(record)
    cited = _citations(record.get("answer_json"), topk)
    if cited is not None:
        line["answer_citations"] = cited
    used = ("q", "retrieved_ids", "answer_json", "topk")
    rest = {name: value for name, value in record.items() if name not in used}
    return trace_line({**line, **rest}, measured)


def _topk(record: Mapping[str, object]) -> list[object]:
    topk = record.get("topk")
    if isinstance(topk, list):
        return topk
    ids = record.get("retrieved_ids")
    ranked = ids if isinstance(ids, list) else []
    return [{"id": id, "score": 1 / rank} for rank, id in enumerate(ranked, 1)]


def _citations(answer: object, topk: list[object]) -> list[dict[str, object]] | None:
    """The citations of the answer, with their offsets where `topk` has them."""
    if not isinstance(answer, dict):
        return None
    claim = answer.get("claim")
    if not isinstance(claim, str) or claim.strip().casefold() in ("", REFUSAL):
        return None
    places = {
        item["id"]: {"offsets": item["offsets"]}
        for item in topk
        if isinstance(item, dict) and isinstance(item.get("id"), str) and item.get("offsets")
    }
    return [{"id": id, **places.get(id, {})} for id in answer.get("citations") or ()]
